"""The draft's forms on the App's page. They only collect: what they hold is saved by `drafts.py`."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from unfold.forms import PaginationInlineFormSet

from apps.studio.icons import WIDEST_ICON, count_characters
from apps.studio.models import AppConfig
from apps.studio.row_choices import show_chosen
from apps.studio.schema import COLUMNS, Content, content_hash, dump_config, name_rows

ICON_TOO_LONG = gettext_noop("Use one emoji, or one or two letters.")
LINES_OF_TEXT = {
    "parameters": 4,
    "preset_prompt": 18,
    "opening_statement": 5,
    "review_input_response": 3,
    "review_output_response": 3,
}


class AppForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        show_chosen(self, "owner")
        if "icon" in self.fields:
            self.fields["icon"].error_messages["max_length"] = _(ICON_TOO_LONG)

    def clean_icon(self) -> str:
        """What is drawn as one or two characters fits into the round place of an icon."""
        icon: str = self.cleaned_data["icon"].strip()
        if count_characters(icon) > WIDEST_ICON:
            raise ValidationError(_(ICON_TOO_LONG), code="icon_too_long")
        return icon


class DraftForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    """The draft's columns with, hidden, the revision that the person sees and the hash of its content."""

    revision = forms.IntegerField(widget=forms.HiddenInput, required=True)
    origin = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.current_revision = self.fields["revision"].initial = self.instance.revision
        self.fields["origin"].initial = self._origin
        show_chosen(self, "model", "auxiliary_model")
        for name, lines in LINES_OF_TEXT.items():
            if name in self.fields:
                self.fields[name].widget.attrs["rows"] = lines

    def _origin(self) -> str:
        """Of what is shown first; later the one that came along with the form. Read when it is rendered."""
        if self.is_bound:
            return str(self.data.get(self.add_prefix("origin"), ""))
        return fingerprint(self) if self.instance.pk else ""

    @property
    def is_touched(self) -> bool:
        """The person changed something in the draft, whatever others did meanwhile."""
        if self.errors or not all(nested.formset.is_valid() for nested in self.nested_formsets):  # type: ignore[attr-defined]  # set by the theme
            return True
        origin: str = self.cleaned_data["origin"]
        return fingerprint(self) != origin

    def _post_clean(self) -> None:
        """Tell early what `change_draft` would refuse, while the form still holds the person's edits."""
        super()._post_clean()  # type: ignore[misc]  # Django's hook for what needs the built row
        seen, current = self.cleaned_data.get("revision"), self.current_revision
        if seen is not None and seen != current and self.is_touched:
            self.add_error(None, _stale(seen, current))


def _stale(seen: int, current: int) -> ValidationError:
    return ValidationError(
        _(
            "Not saved: somebody changed or published this draft since you opened it. You "
            "started from revision %(seen)d, the draft is at revision %(current)d. Copy what "
            "you need from below, reload the page and repeat your change."
        ),
        code="stale_revision",
        params={"seen": seen, "current": current},
    )


class OrderedRowForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    """One row of an ordered list. Rows are replaced as a whole, so uniqueness is the list's question."""

    position = forms.IntegerField(widget=forms.TextInput, required=False)

    def clean(self) -> dict[str, Any]:
        return self.cleaned_data


class ToolRowForm(OrderedRowForm):
    """A tool, shown without asking for it again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        show_chosen(self, "tool")


class OrderedRowsFormSet(PaginationInlineFormSet):
    """A list whose rows are all new when it comes back: an id may have gone while the page was open."""

    def initial_form_count(self) -> int:
        return 0 if self.is_bound else int(super().initial_form_count())

    def add_fields(self, form: "forms.ModelForm[models.Model]", index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["id"] = forms.CharField(widget=forms.HiddenInput, required=False)

    def rows(self) -> list[models.Model]:
        """The rows that stay, in the order of their positions; rows that were never moved come last."""
        kept = [
            form
            for form in self.forms
            if form.cleaned_data and form not in self.deleted_forms and form.has_changed()
        ]
        kept.sort(key=_place)
        return [form.instance for form in kept]


def _place(form: "forms.ModelForm[models.Model]") -> tuple[bool, int]:
    position = form.cleaned_data.get("position")
    return position is None, position or 0


def draft_content(form: "forms.ModelForm[AppConfig]") -> Content:
    """What a valid draft form and its nested lists say, as `change_draft` takes it."""
    content = dump_config(form.instance)
    for nested in form.nested_formsets:  # type: ignore[attr-defined]  # set by the theme
        relation = nested.formset.fk.remote_field.get_accessor_name()
        content |= name_rows(relation, nested.formset.rows())
    return content


def fingerprint(form: "forms.ModelForm[AppConfig]") -> str:
    """The hash of what a draft form shows or, once it came back valid, says; it takes no statement."""
    content = {name: _plain(form.instance.serializable_value(name)) for name in COLUMNS}
    for nested in form.nested_formsets:  # type: ignore[attr-defined]  # set by the theme
        formset = nested.formset
        rows = formset.rows() if form.is_bound else [row.instance for row in formset.initial_forms]
        content |= name_rows(formset.fk.remote_field.get_accessor_name(), rows)
    return content_hash(content)


def _plain(value: Any) -> Any:
    """Browsers send other line ends than are stored."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
