"""Forms of the account pages."""

from typing import TYPE_CHECKING, Any, cast

from allauth.account.forms import ResetPasswordForm as AllauthResetPasswordForm
from django import forms
from django.utils.translation import gettext_lazy as _

from accounts import selectors
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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        languages = [("", _("As the browser")), *User.Language.choices]
        cast("forms.ChoiceField", self.fields["language"]).choices = languages


class ResetPasswordForm(AllauthResetPasswordForm):  # type: ignore[misc]
    """Sends the way to a new password only to an address that its owner has confirmed.

    Whoever asks learns nothing: a known and an unknown address are answered alike.
    """

    users: list[User]

    def clean_email(self) -> str:
        email: str = super().clean_email()
        self.users = [user for user in self.users if selectors.has_confirmed(user, email)]
        return email
