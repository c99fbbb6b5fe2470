"""Forms of the account pages."""

from typing import TYPE_CHECKING

from django import forms

from accounts.models import User

if TYPE_CHECKING:
    _UserForm = forms.ModelForm[User]
else:
    _UserForm = forms.ModelForm


class PreferencesForm(_UserForm):
    """How somebody likes his table."""

    class Meta:
        model = User
        fields = ("language", "theme", "deck", "sounds", "hand_sort")
        widgets = {
            "language": forms.RadioSelect,
            "theme": forms.RadioSelect,
            "deck": forms.RadioSelect,
            "hand_sort": forms.RadioSelect,
        }
