"""The forms of providers and models: secrets only go in, JSON is checked where it is written."""

from typing import Any

import pydantic
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldBooleanWidget

from agents.models.quirks import Quirks
from apps.providers.models import LanguageModel, ModelProvider


class ModelProviderForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    """`new_secret` replaces the stored one, empty keeps it; the stored one is never rendered."""

    new_secret = forms.CharField(
        label=gettext_lazy("API key"),
        required=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
    )
    remove_secret = forms.BooleanField(
        label=gettext_lazy("remove the stored API key"),
        required=False,
        widget=UnfoldBooleanWidget,
    )

    class Meta:
        model = ModelProvider
        exclude = ("secret",)  # noqa: DJ006  # what is shown stands in the admin's fieldsets

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _shorten(self, "extra_headers")
        if "new_secret" in self.fields:
            self.fields["new_secret"].help_text = (
                _("A key is stored. Type a new one to replace it; empty keeps it.")
                if self.instance.secret
                else _("No key is stored.")
            )

    def clean_extra_headers(self) -> dict[str, str]:
        headers = self.cleaned_data["extra_headers"]
        is_text = isinstance(headers, dict) and all(
            isinstance(value, str) and value.isprintable() for value in headers.values()
        )
        if not is_text:
            raise ValidationError(
                _('Enter a JSON object of texts, for example {"X-Team": "support"}.')
            )
        return dict(headers)

    def save(self, commit: bool = True) -> ModelProvider:
        if self.cleaned_data.get("remove_secret"):
            self.instance.secret = ""
        if self.cleaned_data.get("new_secret"):
            self.instance.secret = self.cleaned_data["new_secret"]
        saved: ModelProvider = super().save(commit)
        return saved


class LanguageModelForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    class Meta:
        model = LanguageModel
        fields = "__all__"  # noqa: DJ007  # what is shown stands in the admin's fieldsets

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _shorten(self, "default_parameters", "quirks")

    def clean_default_parameters(self) -> dict[str, Any]:
        parameters = self.cleaned_data["default_parameters"]
        if not isinstance(parameters, dict):
            raise ValidationError(_('Enter a JSON object, for example {"temperature": 0.7}.'))
        return parameters

    def clean_quirks(self) -> dict[str, Any]:
        """Unknown names and wrong values are named one by one."""
        quirks = self.cleaned_data["quirks"]
        try:
            Quirks.model_validate(quirks)
        except pydantic.ValidationError as error:
            problems = (
                f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
                for problem in error.errors()
            )
            raise ValidationError([text.lstrip(": ") for text in problems]) from error
        return dict(quirks)


def _shorten(form: "forms.ModelForm[Any]", *names: str) -> None:
    """JSON here is a line or two."""
    for name in names:
        if name in form.fields:
            form.fields[name].widget.attrs["rows"] = 3
