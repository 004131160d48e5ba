"""People and one published App, for the tests of the chat pages and the socket."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group

from apps.accounts.models import User
from apps.accounts.roles import BUILDERS, MEMBERS
from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.drafts import change_draft, create_app, draft_of
from apps.studio.models import App
from apps.studio.publishing import publish

MakeUser = Callable[..., User]


@pytest.fixture
def make_user(db: None) -> MakeUser:
    """`make_user("ann", BUILDERS)`; a member where nothing else is said."""

    def make(name: str, role: str = MEMBERS) -> User:
        user = User.objects.create_user(name)
        user.groups.add(Group.objects.get_or_create(name=role)[0])
        return user

    return make


@pytest.fixture
def owner(make_user: MakeUser) -> User:
    return make_user("owner", BUILDERS)


@pytest.fixture
def app(owner: User) -> App:
    """A published App that everyone on the site may talk to."""
    provider = ModelProvider.objects.create(name="p", kind=ModelProvider.Kind.DEMO)
    LanguageModel.objects.create(provider=provider, name="m")
    app = create_app(owner=owner, slug="guide", name="Guide", visibility=App.Visibility.SITE)
    changes = {"model": "p/m", "opening_statement": "Ask **me**", "opening_questions": ["Why?"]}
    draft = change_draft(app, revision=draft_of(app).revision, changes=changes)
    publish(app, revision=draft.revision, user=owner)
    app.refresh_from_db()
    return app
