"""Who did what to an App, in the history that the admin shows."""

from django.contrib.admin.models import CHANGE, LogEntry

from apps.accounts.models import User
from apps.studio.models import App


def record_act(user: User, app: App, text: str) -> None:
    LogEntry.objects.log_actions(user.pk, [app], CHANGE, text, single_object=True)
