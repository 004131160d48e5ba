"""Autocomplete in the rows of a list without a statement per row."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect, RelatedFieldWidgetWrapper
from django.db import models


class RowAutocomplete(AutocompleteSelect):
    """Shows what a row holds from the row that was read with it; Django's own asks once per row."""

    chosen: models.Model | None = None

    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        if self.chosen is None or value != [str(self.chosen.pk)]:
            return super().optgroups(name, value, attrs)
        option = self.create_option(name, self.chosen.pk, str(self.chosen), True, 0)
        return [(None, [option], 0)]


def show_chosen(field: forms.Field, chosen: models.Model) -> None:
    """Hand a row's object to the autocomplete of the row's form, which the admin has wrapped."""
    wrapped = field.widget
    widget: Any = wrapped.widget if isinstance(wrapped, RelatedFieldWidgetWrapper) else wrapped
    widget.chosen = chosen
