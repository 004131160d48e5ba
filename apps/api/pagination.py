"""Pages of lists."""

from rest_framework import pagination


class PageNumberPagination(pagination.PageNumberPagination):
    """`?page=` and `?page_size=` (≤ 200)."""

    page_size_query_param = "page_size"
    max_page_size = 200


class MessagePages(PageNumberPagination):
    """Messages are long: ≤ 50 a page."""

    max_page_size = 50
