"""What differs between two configurations."""

from apps.studio.comparison import Line, Mark, compare_contents
from apps.studio.drafts import draft_of
from apps.studio.models import App
from apps.studio.schema import dump_config
from tests.studio.conftest import FULL


def test_equal_contents_differ_in_nothing() -> None:
    assert compare_contents(FULL, dict(FULL)) == ()


def test_a_scalar_shows_old_and_new_in_words(full_app: App) -> None:
    (change,) = compare_contents(FULL, FULL | {"on_busy": "enqueue"})

    assert (change.field, change.label) == ("on_busy", "Question during an answer")
    assert (change.old, change.new, change.lines) == ("refuse", "wait in line", ())


def test_a_prompt_is_compared_line_by_line() -> None:
    new = FULL | {"preset_prompt": "You book trains.\nBe kind."}

    (change,) = compare_contents(FULL, new)

    assert change.lines == (
        Line(mark=Mark.SAME, text="You book trains."),
        Line(mark=Mark.REMOVED, text="Be brief."),
        Line(mark=Mark.ADDED, text="Be kind."),
    )


def test_a_list_is_compared_item_by_item() -> None:
    (change,) = compare_contents(FULL, FULL | {"tools": ["search", "adder"]})

    assert [line.text for line in change.lines if line.mark is Mark.REMOVED] == ["clock"]


def test_without_an_old_one_everything_that_says_something_counts(full_app: App) -> None:
    changes = compare_contents(None, dump_config(draft_of(full_app)))

    assert [change.field for change in changes] == list(FULL)
