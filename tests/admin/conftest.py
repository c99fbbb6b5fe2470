"""The desk's tests: a house in which a deal was played and another one is running, and those who look at it."""

from collections.abc import Callable
from typing import NamedTuple
from uuid import uuid4

import pytest
from django.contrib.admin.models import ADDITION, LogEntry
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.complaints import filing, staff_log
from games.models import Connection, Deal, ServerProcess, ServiceClock
from games.table import commands as cmd
from lobby import seeds
from lobby.models import QueueTicket, RoomTier
from tests.games.conftest import empty_memory, story
from tests.games.stories import START_MS, Story, StoryMaker, make_user
from tests.staff import sign_in as at_the_desk
from wallet import adjusting, debts
from wallet.models import AuditRun

__all__ = ["empty_memory", "story"]


class House(NamedTuple):
    """A table at which one deal was played, was talked over, and another deal runs."""

    at: Story
    played: Deal
    live: Deal
    chief: User

    @property
    def hidden(self) -> set[str]:
        """The cards nobody has played yet in the live deal, as records write them."""

        deal = self.at.state.deal
        assert deal is not None
        hands = [self.at.state.rules.view(deal.deal, seat).as_json()["hand"] for seat in range(4)]
        return {card for hand in hands for card in hand.split()}


@pytest.fixture
def chief(transactional_db: None) -> User:
    """A superuser."""
    return User.objects.create_superuser("Chief", password="a good one")


@pytest.fixture
def house(story: StoryMaker, chief: User) -> House:
    """A house where much has happened."""
    seeds.seed_tiers()
    at = story().sit()
    at.perform(cmd.Say(1, at.id(), "good <b>luck</b>", None))
    at.deal()
    played = Deal.objects.get()
    at.start()
    for _ in range(5):
        at.act()
    at.perform(cmd.Trustee(2, at.id(), True))
    process = ServerProcess.objects.create(id=uuid4(), beat_ms=START_MS)
    for user in at.users[:2]:
        Connection.objects.create(process=process, table=at.table, user=user, opened_ms=START_MS)
    ServiceClock.objects.get_or_create(pk=1, defaults={"beat_ms": START_MS})
    waiting = make_user("waiting", 10_000)
    now = timezone.now()
    tier = RoomTier.objects.filter(seating="match").first()
    assert tier is not None
    QueueTicket.objects.create(user=waiting, tier=tier, created=now, last_seen=now)
    complain_and_owe(at, played, chief)
    LogEntry.objects.create(user=chief, action_flag=ADDITION, object_repr="something", change_message="[]")
    return House(at, played, Deal.objects.get(closed_seq=None), chief)


def complain_and_owe(at: Story, played: Deal, chief: User) -> None:
    """Fill the books and queues that only verdicts, corrections and audits fill."""
    accused = [at.users[1].pk]
    filing.file(
        user=at.users[3], kind="abuse", deals=[played.pk], accused=accused, text="He called me a turtle."
    )
    staff_log.note(by=None, act="carried_out", subject="case:0")
    debts.carry_out(verdict="verdict:0", charges=[debts.Charge(make_user("debtor").pk, "fine", 500)])
    adjusting.ask(staff=chief, user_id=at.users[2].pk, amount=6_000, reason="A grant was forgotten.")
    now = timezone.now()
    AuditRun.objects.create(
        began=now, checks=1, counts={"transactions": 1}, breaches=[["sums", "one is wrong"]]
    )


@pytest.fixture
def desk(house: House) -> Client:
    """The superuser's browser."""
    return at_the_desk(house.chief)


@pytest.fixture
def member(transactional_db: None) -> Callable[..., Client]:
    """Sign in as staff with exactly these permissions ("games.view_table")."""
    from django.contrib.auth.models import Permission

    def sign_in(*permissions: str) -> Client:
        user = User.objects.create_user(f"clerk{User.objects.count()}", password="x")
        user.is_staff = True
        user.save()
        for name in permissions:
            app, codename = name.split(".")
            user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
        return at_the_desk(user)

    return sign_in
