"""Autocomplete that costs no statement for what is chosen already."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect, RelatedFieldWidgetWrapper
from django.db import models
from django.http import HttpRequest


class RowAutocomplete(AutocompleteSelect):
    """Shows the chosen object from the row that was read with it; Django's own asks once per field."""

    chosen: models.Model | None = None

    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        if self.chosen is None or value != [str(self.chosen.pk)]:
            return super().optgroups(name, value, attrs)
        option = self.create_option(name, self.chosen.pk, str(self.chosen), True, 0)
        return [(None, [option], 0)]


class RowAutocompleteMixin:
    """For an admin whose `autocomplete_fields` are read with its rows."""

    admin_site: Any
    autocomplete_fields: tuple[str, ...]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.autocomplete_fields:
            kwargs["widget"] = RowAutocomplete(db_field, self.admin_site)
        parent: Any = super()
        return parent.formfield_for_foreignkey(db_field, request, **kwargs)


def show_chosen(form: "forms.ModelForm[Any]", *names: str) -> None:
    """Hand the objects that the form's row holds to the form's autocompletes."""
    for name in names:
        if name in form.fields and getattr(form.instance, f"{name}_id") is not None:
            wrapped = form.fields[name].widget
            widget: Any = (
                wrapped.widget if isinstance(wrapped, RelatedFieldWidgetWrapper) else wrapped
            )
            widget.chosen = getattr(form.instance, name)
