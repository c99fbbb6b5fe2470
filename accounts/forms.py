"""Forms of the account pages."""

from django import forms

from accounts.models import User


class PreferencesForm(forms.ModelForm):
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
