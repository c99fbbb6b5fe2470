"""The forms of complaints: what a player sends, read strictly. What it may say is for `filing` to judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from games.complaints import filing, wording
from games.complaints.errors import Refused
from games.complaints.models import Kind

_DEAL = re.compile(r"[0-9A-Za-z_-]{1,64}")
_USER = re.compile(r"[0-9]{1,15}")
NOBODY = 0
"""Stands for whatever is not a user id at all; nobody has it."""


def deal_id(text: str) -> str:
    """Return a deal's id as it came, or "" for what cannot be one."""
    return text if _DEAL.fullmatch(text) else ""


class Telling(forms.CharField):
    """What somebody tells: so many characters at most, a line's end counted as one."""

    widget = forms.Textarea

    def __init__(self, shortest: int = filing.SHORTEST, **kwargs: Any) -> None:
        said = wording.refusal_of("bad_text", f"{shortest}–{filing.LONGEST:,}")
        messages = dict.fromkeys(
            ("required", "min_length", "max_length", "null_characters_not_allowed"), said
        )
        limits = {"min_length": shortest, "max_length": filing.LONGEST}
        super().__init__(**{**limits, "error_messages": messages, **kwargs})

    def to_python(self, value: Any) -> str | None:
        return super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value)


class Several(forms.Field):
    """All values of one name, as they came."""

    widget = forms.MultipleHiddenInput

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False, **kwargs})

    def to_python(self, value: Any) -> list[str]:
        return [str(one) for one in value or ()]


class ComplaintForm(forms.Form):
    """A complaint: what, in which deals, of whom, and what happened."""

    kind = forms.ChoiceField(
        choices=Kind.choices,
        error_messages=dict.fromkeys(("required", "invalid_choice"), wording.refusal_of("unknown_kind")),
    )
    deals = Several()
    accused = Several()
    text = Telling(label=_("What happened?"))

    def __init__(self, data: QueryDict | None = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial)

    def clean_deals(self) -> list[str]:
        """Return the ids as they came; what cannot be an id finds no deal."""
        return [deal_id(one) or "-" for one in self.cleaned_data["deals"]]

    def clean_accused(self) -> list[int]:
        """Return user ids; what is none is nobody's."""
        return [int(one) if _USER.fullmatch(one) else NOBODY for one in self.cleaned_data["accused"]]

    def refuse(self, error: Refused) -> None:
        """Say at the field it belongs to why a complaint was not taken."""
        self.add_error(wording.field_of(error), wording.refusal(error, str(self.cleaned_data.get("kind"))))

    def chosen(self, name: str) -> Sequence[str]:
        """Return what is chosen now of `deals` or `accused`, as text."""
        if isinstance(self.data, QueryDict):
            return self.data.getlist(name)
        return [str(one) for one in self.initial.get(name, ())]

    @property
    def chosen_kind(self) -> str:
        """What is chosen now as the kind."""
        return str(self.data.get("kind", "") if self.is_bound else self.initial.get("kind", ""))


class AppealForm(forms.Form):
    """Why a verdict is appealed."""

    text = Telling(label=_("Why is the verdict wrong?"))


class AnswerForm(forms.Form):
    """An answer to what the staff asked."""

    text = Telling(label=_("Your answer"), shortest=1)
