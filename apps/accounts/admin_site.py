"""The admin of this site: who may enter it, and which content security policy its pages need."""

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_update
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from unfold.forms import AuthenticationForm
from unfold.sites import UnfoldAdminSite

from apps.accounts.models import User
from apps.accounts.navigation import group_like_sidebar
from apps.accounts.roles import is_builder, is_operator

View = Callable[..., Any]

# Alpine evaluates the expressions in the theme's templates, and the theme writes its colours into the page.
# All other pages of the site keep the strict policy of the settings.
LOOSER_POLICY = {"script-src": ["'unsafe-eval'"], "style-src": ["'unsafe-inline'"]}


def loosen_policy(view: View) -> View:
    decorated: View = csp_update(LOOSER_POLICY)(view)
    return decorated


class AdminLoginForm(AuthenticationForm):
    """Lets operators and builders in; Django would ask for a staff flag that nothing here sets."""

    def confirm_login_allowed(self, user: User) -> None:
        if not user.is_active or not is_builder(user):
            raise ValidationError(
                _("The admin is for operators and builders. Chat with Apps on the start page."),
                code="no_admin_access",
            )


class QuintetAdminSite(UnfoldAdminSite):
    """Operators and builders by their role; what each of them sees is decided by permissions and querysets."""

    login_form = AdminLoginForm

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_active and is_builder(user)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        return loosen_policy(super().admin_view(view, cacheable))

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = super().get_app_list(request, app_label)
        return listed if app_label else group_like_sidebar(listed)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response: HttpResponse = loosen_policy(super().login)(request, extra_context)
        return response


def admin_user(request: HttpRequest) -> User:
    """The person at the admin, who has passed `has_permission`."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def operators_only(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and is_operator(request.user)
