"""The house of the walk: people at tables in every phase, for a server that runs. `python -m tests.browser.stage`.

Prints one JSON object: the session key of each person, the address of his table, and what else a page's address needs.
Clocks of these tables are so long that nothing happens by itself while pages are looked at.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any, TypedDict

LONG_S = 3_600
CHANCE = random.Random(7)
RULESETS = ("bigtwo.qq", "doudizhu.mala", "doudizhu.taiwan")
PRACTICE = {
    "bigtwo.qq": "qq.practice",
    "doudizhu.mala": "mala.practice",
    "doudizhu.taiwan": "taiwan.practice",
}
TIERS = {"bigtwo.qq": "qq.bamboo", "doudizhu.mala": "mala.bamboo", "doudizhu.taiwan": "taiwan.30"}


class Stage(TypedDict):
    """What the walk needs to know; a role is "qq_first" or "Chief"."""

    sessions: dict[str, str]  # role → session key
    tables: dict[str, str]  # role → address of the table where he sits
    names: dict[str, str]  # role → name
    deals: dict[str, str]  # rule set → address of a finished deal, its role is "…_over"
    cases: dict[str, str]  # rule set → address of a case that its "…_over" has a part in; "report": of a form
    letters: dict[str, str]  # "confirm" and "reset" → address in a letter to Mei
    broken: str  # the page that is sent when something broke
    rows: dict[str, str]  # model ("games.Table") → primary key of a row


def person(name: str, **more: Any) -> Any:
    """Make somebody with coins enough for any table here."""
    from tests.games.stories import make_user

    user = make_user(name, 50_000)
    for field, value in more.items():
        setattr(user, field, value)
    user.set_password("seven-red-lanterns")
    user.save()
    return user


def session_of(user: Any) -> str:
    """Log somebody in; return the key of his session."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from tests.staff import pass_gate

    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "accounts.backends.NameBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store["account_authentication_methods"] = [
        {"method": "password", "at": time.time(), "username": user.username}
    ]
    if user.is_staff:
        pass_gate(store, user)
    store.create()
    assert store.session_key
    return store.session_key


class Setting:
    """A table with some people at its first seats; in practice computer players at the others think for an hour."""

    def __init__(self, ruleset: str, phase: str, *, people: int, practice: bool = False) -> None:
        from games import computers, tables
        from lobby.models import RoomTier

        tier = RoomTier.objects.get(code=PRACTICE[ruleset] if practice else TIERS[ruleset])
        clocks = {"turn_s": LONG_S, "start_s": LONG_S, "idle_s": LONG_S, "think_ms": [LONG_S * 1000] * 2}
        self.table = tables.open_table(tier=tier.code, ruleset=ruleset, terms={**tier.terms(), **clocks})
        self.people = [person(f"{ruleset.split('.')[1]} {phase} {seat}") for seat in range(people)]
        for user in self.people:
            tables.take_seat(user=user, table=self.table)
        if practice:
            computers.fill(self.table.pk)

    @property
    def state(self) -> Any:
        from games import tables

        return tables.state_of(self.table.pk)

    def perform(self, command: Any) -> None:
        from games import tables

        answer = tables.perform(self.table.pk, command)
        assert answer.refusal is None, answer.refusal

    def start(self) -> Setting:
        """Have everybody press start."""
        from games.table import commands as cmd

        for seat in range(len(self.people)):
            if self.state.phase == "between":
                self.perform(cmd.Ready(seat, f"s{seat}"))
        return self

    def act(self) -> None:
        """Have the seat to act do something legal, rather a bid than none."""
        from games.table import commands as cmd

        deal = self.state.deal
        seat, rules = deal.clock.seat, self.state.rules
        offers = [str(offer) for offer in rules.offers(rules.view(deal.deal, seat))]
        eager = [offer for offer in offers if offer in ("bid 3", "look", "call") or offer.startswith("stay")]
        action = (eager or [CHANCE.choice(offers)])[0]
        self.perform(cmd.Act(seat, f"a{deal.clock.turn}", deal.clock.turn, action))

    def play(self, plays: int) -> Setting:
        """Go on until so many combos were played, or the deal is over."""
        while plays and self.state.phase == "playing":
            deal = self.state.deal
            view = self.state.rules.view(deal.deal, deal.clock.seat).as_json()
            self.act()
            plays -= view["phase"] == "play"
        return self

    def until(self, seat: int) -> Setting:
        """Go on until it is a seat's turn."""
        while self.state.deal.clock.seat != seat:
            self.act()
        return self


def build() -> Stage:
    """Set the stage."""
    from django.template.loader import render_to_string

    cast: dict[str, Any] = {}
    stage: Stage = {
        "sessions": {},
        "tables": {},
        "names": {},
        "deals": {},
        "cases": {},
        "letters": {},
        "broken": render_to_string("500.html"),
        "rows": {},
    }
    for ruleset in RULESETS:
        seat_people(ruleset, cast, stage)
    cast["Mei"], cast["Clerk"] = person("Mei"), person("Clerk", is_staff=True)
    cast["Chief"] = person("Chief", is_staff=True, is_superuser=True)
    cast["Owes"] = person("Owes")
    complain(cast, stage)
    stage["sessions"] = {role: session_of(user) for role, user in cast.items()}
    stage["names"] = {role: user.username for role, user in cast.items()}
    stage["letters"] = letters_to(cast["Mei"])
    stage["rows"] = rows()
    return stage


def seat_people(ruleset: str, cast: dict[str, Any], stage: Stage) -> None:
    """Bring tables of a rule set into every phase: before a deal, its first turn, in the middle, its end."""
    from games.models import Deal
    from lobby.models import RoomTier

    mark = ruleset.split(".")[1]

    def seat(at: Setting, *roles: str) -> None:
        for user, role in zip(at.people, roles, strict=False):
            cast[f"{mark}_{role}"] = user
            stage["tables"][f"{mark}_{role}"] = f"/tables/{at.table.code}/"

    seats = RoomTier.objects.get(code=TIERS[ruleset]).seats
    seat(Setting(ruleset, "alone", people=1), "between")
    seat(Setting(ruleset, "opened", people=1, practice=True).start().until(0), "first")
    seat(Setting(ruleset, "running", people=2, practice=True).start().play(5).until(0), "follows", "looks_on")
    over = Setting(ruleset, "over", people=seats).start().play(1_000)
    seat(over, "over")
    finished = Deal.objects.filter(table=over.table, closed_seq__isnull=False).latest("closed_seq")
    stage["deals"][mark] = f"/deals/{finished.pk}/"


def complain(cast: dict[str, Any], stage: Stage) -> None:
    """Have one complaint wait, one be asked about, one be decided; and somebody owe more than he has."""
    from games.complaints import carrying, deciding
    from games.complaints.reckoning import Form
    from games.models import Deal, SeatResult
    from wallet import debts

    def file(mark: str, complainant: int, accused: list[int]) -> tuple[Any, list[Any]]:
        from games.complaints import filing

        deal = Deal.objects.get(pk=stage["deals"][mark].split("/")[2])
        found = SeatResult.objects.filter(deal=deal, reversal_of=None).order_by("seat").select_related("user")
        people: list[Any] = [result.user for result in found]
        named = [people[seat].pk for seat in accused]
        text = "Both passed on small pairs, and the third time within a second."
        made = filing.file(
            user=people[complainant], kind="collusion", deals=[deal.pk], accused=named, text=text
        )
        stage["cases"][mark] = f"/complaints/{made.case_id}/"
        return made.case, people

    file("qq", 0, [1, 2])
    stage["cases"]["report"] = f"/complaints/new/?deal={stage['deals']['qq'].split('/')[2]}"
    asked, people = file("taiwan", 1, [0, 2])
    deciding.take_up(staff=cast["Clerk"], case_id=asked.pk)
    deciding.ask(staff=cast["Clerk"], case_id=asked.pk, user_id=people[0].pk, text="Why did you pass?")
    decided, people = file("mala", 1, [0, 2])
    guilty = (people[0].pk, people[2].pk)
    deals = tuple(decided.deals.values_list("pk", flat=True))
    warned = ((people[0].pk, "warning", None),)
    form = Form("upheld", "collusion", guilty, deals, "upheld", "No doubt.", warned)
    deciding.take_up(staff=cast["Clerk"], case_id=decided.pk)
    deciding.decide(staff=cast["Clerk"], case_id=decided.pk, form=form)
    carrying.carry_out_all()
    debts.carry_out(verdict="verdict:0", charges=[debts.Charge(cast["Owes"].pk, "fine", 60_000)])


def letters_to(user: Any) -> dict[str, str]:
    """Return the addresses that letters to somebody would have in them."""
    from allauth.account.forms import default_token_generator
    from allauth.account.models import EmailAddress, EmailConfirmationHMAC
    from allauth.account.utils import user_pk_to_url_str

    address = EmailAddress.objects.create(user=user, email="mei@example.org", primary=True)
    reset = f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
    return {
        "confirm": f"/accounts/confirm-email/{EmailConfirmationHMAC.create(address).key}/",
        "reset": f"/accounts/password/reset/key/{reset}/",
    }


def rows() -> dict[str, str]:
    """Return the key of the oldest row of every model of the desk that has one."""
    from django.contrib import admin

    found = {model: model._default_manager.order_by("pk").first() for model in admin.site._registry}
    return {model._meta.label_lower: str(row.pk) for model, row in found.items() if row is not None}


def main() -> int:
    """Build and print."""
    import django

    django.setup()
    print(json.dumps(build()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
