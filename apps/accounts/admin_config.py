from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class AdminConfig(DjangoAdminConfig):
    """Django's admin with our site in the place of its own."""

    default_site = "apps.accounts.admin_site.QuintetAdminSite"
