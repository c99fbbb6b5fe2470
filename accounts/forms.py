"""Forms of the account pages."""

from typing import TYPE_CHECKING, Any, cast

from allauth.account import forms as allauth
from django import forms
from django.urls import reverse
from django.utils.html import format_html
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


class PlainWords:
    """A form of allauth in the words of the house: what is asked, once, and one line about it."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            if name in ("username", "login"):
                field.label = _("Name")
                field.widget.attrs |= {"autocapitalize": "none", "spellcheck": "false"}
            if name == "password1":
                field.help_text = _("At least 8 characters, and not one that everybody uses.")


class ResetPasswordForm(PlainWords, allauth.ResetPasswordForm):  # type: ignore[misc]
    """Sends the way to a new password only to an address that its owner has confirmed.

    Whoever asks learns nothing: a known and an unknown address are answered alike.
    """

    users: list[User]

    def clean_email(self) -> str:
        email: str = super().clean_email()
        self.users = [user for user in self.users if selectors.has_confirmed(user, email)]
        return email


class SignupForm(PlainWords, allauth.SignupForm):  # type: ignore[misc]
    """A name and a password."""


class LoginForm(PlainWords, allauth.LoginForm):  # type: ignore[misc]
    """A name, however it is typed, and a password; the way back for who forgot it, in the words of the house."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        way_back = reverse("account_reset_password"), _("Forgot your password?")
        self.fields["password"].help_text = format_html('<a href="{}">{}</a>', *way_back)


class ChangePasswordForm(PlainWords, allauth.ChangePasswordForm):  # type: ignore[misc]
    """The old password, and the new one twice."""


class ResetPasswordKeyForm(PlainWords, allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    """The new password twice."""


class AddEmailForm(PlainWords, allauth.AddEmailForm):  # type: ignore[misc]
    """A mail address."""
