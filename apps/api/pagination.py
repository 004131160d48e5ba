"""Pages of lists."""

from typing import Any

from rest_framework import pagination


class PageNumberPagination(pagination.PageNumberPagination):
    """`?page=` and `?page_size=` (≤ 200)."""

    page_size_query_param = "page_size"
    max_page_size = 200

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["count", "next", "previous", "results"],
            "properties": {
                "count": {"type": "integer"},
                "next": link,
                "previous": link,
                "results": schema,
            },
        }


class MessagePages(PageNumberPagination):
    """Messages are long: ≤ 50 a page."""

    max_page_size = 50
