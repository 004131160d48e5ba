"""Taking an App away in the admin."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.conversations.models import Conversation, Entry
from apps.studio.models import App
from apps.studio.publishing import publish

Order = tuple[str, dict[str, Any]]
Way = Callable[[App], Order]


def on_its_page(app: App) -> Order:
    return reverse("admin:studio_app_delete", args=[app.pk]), {"post": "yes"}


def in_the_list(app: App) -> Order:
    order = {"action": "delete_selected", "_selected_action": [app.pk], "post": "yes"}
    return reverse("admin:studio_app_changelist"), order


WAYS = pytest.mark.parametrize("way", [on_its_page, in_the_list])


@WAYS
def test_a_published_app_that_nobody_used_goes(
    operator: Client, full_app: App, owner: User, way: Way
) -> None:
    publish(full_app, revision=2, user=owner)

    operator.post(*way(full_app))

    assert not App.objects.exists()


@WAYS
def test_an_app_that_was_used_stays(operator: Client, full_app: App, owner: User, way: Way) -> None:
    Conversation.objects.create(app=full_app, caller=caller_for_user(owner), entry=Entry.WEB)

    operator.post(*way(full_app))

    assert App.objects.exists()
