"""Where every path of the site goes."""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import set_language

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/language/", set_language, name="set_language"),
    path("", include("apps.api.urls")),
    path("", include("apps.accounts.urls")),
    path("", include("apps.chat.urls")),
]

handler400 = "apps.api.error_pages.bad_request"
handler500 = "apps.api.error_pages.server_error"
