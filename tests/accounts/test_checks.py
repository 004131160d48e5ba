"""Settings that no site may be served with."""

from typing import Any

import pytest

from apps.accounts.checks import check_exposure


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        pytest.param({}, [], id="as they come"),
        pytest.param({"ALLOWED_HOSTS": ["*"]}, ["quintet.E001"], id="every host"),
        pytest.param({"SECRET_KEY": "short"}, ["quintet.E002"], id="short key"),
        pytest.param({"DEBUG": True, "HOST": "0.0.0.0"}, ["quintet.E003"], id="debug for all"),  # noqa: S104
        pytest.param({"DEBUG": True, "HOST": "127.0.0.1"}, [], id="debug at home"),
    ],
)
def test_an_unsafe_setting_is_an_error_that_says_what_to_do(
    settings: Any, changes: dict[str, Any], found: list[str]
) -> None:
    for name, value in changes.items():
        setattr(settings, name, value)
    errors = check_exposure()
    assert [error.id for error in errors] == found
    assert all(error.hint for error in errors)
