"""A verdict in two steps: what is asked for is reckoned and shown, and given only as it was shown.

The first step answers with a token that holds the form and every amount; the second sends the token back. If anything
would move otherwise by then, nothing moves, and the amounts are shown again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.core import signing
from django.db import transaction
from django.http import QueryDict

from games.complaints import deciding
from games.complaints.errors import BadVerdict, ComplaintError
from games.complaints.models import Case, Verdict
from games.complaints.reckoning import Form, Move, Preview
from wallet.services import retrying

SALT = "complaints.verdict"
GOOD_FOR_S = 3_600
LONGEST = 5_000
"""Of the reasons, in characters."""
FOR_EVER = "ever"
DURATIONS = (1, 3, 7, 14, 30, 90, 365)

Amounts = dict[str, Any]


class Changed(ComplaintError):
    """What a verdict moves is not what was shown; nothing has moved."""

    def __init__(self) -> None:
        super().__init__("changed")


class Shown(NamedTuple):
    """What a token holds: a form for a case and the amounts its giver has seen."""

    form: Form
    amounts: Amounts


# ---- the form


def read(data: QueryDict, people: Iterable[int]) -> Form:
    """Read a verdict's form as it was sent; `people` are those of the deals. Raises BadVerdict.

    `order-<user>`: in which place somebody is named as an offender; `restrict-<user>` and `days-<user>`: what is laid
    on him. What does not fit the case is refused by `reckoning.preview`.
    """
    people = list(people)
    named = [(_number(data.get(f"order-{user}", ""), "offenders"), user) for user in people]
    offenders = sorted((place, user) for place, user in named if place is not None)
    if len({place for place, _user in offenders}) != len(offenders):
        raise BadVerdict("offenders")
    reasons = _text(data.get("reasons", ""))
    if len(reasons) > LONGEST:
        raise BadVerdict("long_reasons")
    return Form(
        outcome=_text(data.get("outcome", "")),
        kind=_text(data.get("kind", "")),
        offenders=tuple(user for _place, user in offenders),
        deals=tuple(dict.fromkeys(_text(deal) for deal in data.getlist("deals"))),
        text=_text(data.get("text", "")),
        reasons=reasons,
        restrictions=tuple(_restrictions(data, people)),
    )


def _restrictions(data: QueryDict, people: Sequence[int]) -> Iterable[tuple[int, str, int | None]]:
    for user in people:
        kind, days = data.get(f"restrict-{user}", ""), data.get(f"days-{user}", "")
        if not kind:
            continue
        if days == FOR_EVER or (kind == "warning" and not days):
            yield user, _text(kind), None
            continue
        number = _number(days, "restriction")
        if number is None:
            raise BadVerdict("restriction")
        yield user, _text(kind), number


def _number(text: str, code: str) -> int | None:
    """Read a small whole number; None for nothing. Raises BadVerdict with this code for anything else."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise BadVerdict(code)
    return int(text)


def _text(text: str) -> str:
    return text.replace("\0", "").strip()


# ---- the two steps


def token_of(*, staff: Any, case: Case, form: Form, preview: Preview) -> str:
    """Return a token for exactly this form and these amounts, good for one member of staff and an hour."""
    content = {"case": case.pk, "by": staff.pk, "form": form, "amounts": amounts(preview)}
    return signing.dumps(content, salt=SALT, compress=True)


def seen_token(*, staff: Any, verdict: Verdict, preview: Preview) -> str:
    """Return a token for the amounts of a proposed verdict, as the second person sees them."""
    content = {"verdict": verdict.pk, "by": staff.pk, "amounts": amounts(preview)}
    return signing.dumps(content, salt=SALT, compress=True)


def give(*, staff: Any, case_id: int, token: str) -> Verdict:
    """Give the verdict that was shown. Raises NotAllowed, BadVerdict, and Changed when it would move something else."""
    shown = shown_by(staff=staff, case_id=case_id, token=token)
    return _give(staff=staff, case_id=case_id, shown=shown)


@retrying
def _give(*, staff: Any, case_id: int, shown: Shown) -> Verdict:
    with transaction.atomic():
        verdict = deciding.decide(staff=staff, case_id=case_id, form=shown.form)
        _as_shown(verdict, shown.amounts)
    return verdict


@retrying
def confirm(*, staff: Any, verdict_id: int, token: str) -> Verdict:
    """Confirm a proposed verdict, as the second person saw it. Raises NotAllowed, BadVerdict, Changed."""
    content = _content(staff, token)
    if content.get("verdict") != verdict_id:
        raise BadVerdict("token")
    with transaction.atomic():
        verdict = deciding.confirm(staff=staff, verdict_id=verdict_id)
        _as_shown(verdict, content["amounts"])
    return verdict


def shown_by(*, staff: Any, case_id: int, token: str) -> Shown:
    """Return what a token shows. Raises BadVerdict for one that is too old, forged, or for another case or person."""
    content = _content(staff, token)
    if content.get("case") != case_id:
        raise BadVerdict("token")
    outcome, kind, offenders, deals, text, reasons, restrictions = content["form"]
    form = Form(
        outcome,
        kind,
        tuple(offenders),
        tuple(deals),
        text,
        reasons,
        tuple((u, k, d) for u, k, d in restrictions),
    )
    return Shown(form, content["amounts"])


def _content(staff: Any, token: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=GOOD_FOR_S)
    except signing.BadSignature:
        raise BadVerdict("token") from None
    if content["by"] != staff.pk:
        raise BadVerdict("token")
    return content


def _as_shown(verdict: Verdict, shown: Amounts) -> None:
    moves = moves_of(verdict.moves)
    now = _amounts(moves, -sum(move.total for move in moves), verdict.needs_second)
    if now != shown:
        raise Changed


def amounts(preview: Preview) -> Amounts:
    """Return every amount of a preview, debts included; what people have at hand is no amount of the verdict."""
    return _amounts(preview.moves, preview.house, preview.needs_second)


def _amounts(moves: Sequence[Move], house: int, second: bool) -> Amounts:
    rows = [
        {
            **{name: value for name, value in move._asdict().items() if name != "at_hand"},
            "shares": [list(share) for share in move.shares],
            "debt": move.debt,
        }
        for move in moves
    ]
    return {"moves": rows, "house": house, "second": second}


def moves_of(stored: Iterable[Mapping[str, Any]]) -> list[Move]:
    """Read moves as a verdict keeps them."""
    return [
        Move(**{**one, "shares": tuple((user, coins) for user, coins in one["shares"])}) for one in stored
    ]


# ---- what is shown


class Column(NamedTuple):
    """What a verdict does to one person: his name and the move."""

    name: str
    move: Move


class Sum(NamedTuple):
    """A preview as the page lays it out: rows of (words, amounts by person, the house's), and what is said below."""

    columns: list[Column]
    rows: list[tuple[object, list[int], int]]
    totals: list[int]
    house: int
    borne: int
    second: bool

    @property
    def debts(self) -> list[Column]:
        """Those who will owe something, or are just about to."""
        return [column for column in self.columns if column.move.debt]

    @property
    def points(self) -> bool:
        """Say whether points move."""
        return any(column.move.points for column in self.columns)


def lay_out(preview: Preview, names: Mapping[int, str], words: Mapping[str, object]) -> Sum:
    """Lay a preview out row by row, the house's part with it, so that each row sums to 0."""
    moves = preview.moves
    rows = []
    for part, signed in (
        ("undone", [move.undone for move in moves]),
        ("fees", [-move.fees for move in moves]),
        ("returned", [move.returned for move in moves]),
        ("fine", [-move.fine for move in moves]),
        ("share", [move.share for move in moves]),
    ):
        if any(signed):
            rows.append((words[part], signed, -sum(signed)))
    return Sum(
        columns=[Column(names.get(move.user, f"#{move.user}"), move) for move in moves],
        rows=rows,
        totals=[move.total for move in moves],
        house=preview.house,
        borne=preview.borne,
        second=preview.needs_second,
    )
