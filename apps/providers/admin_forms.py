"""The forms of providers and models: secrets only go in."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldBooleanWidget

from apps.providers.models import LanguageModel, ModelProvider


class ModelProviderForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    """`new_secret` replaces the stored one, empty keeps it; the stored one is never rendered."""

    new_secret = forms.CharField(
        label=gettext_lazy("API key"),
        required=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
    )
    remove_secret = forms.BooleanField(
        label=gettext_lazy("Remove the stored API key"),
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


def _shorten(form: "forms.ModelForm[Any]", *names: str) -> None:
    """JSON here is a line or two."""
    for name in names:
        if name in form.fields:
            form.fields[name].widget.attrs["rows"] = 3
