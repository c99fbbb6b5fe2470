"""Who is suspended gets no seat; who owes coins from a verdict gets none where coins move. Both are told how long."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import restrictions
from accounts.models import User
from games import selectors as games
from games import tables
from games.models import TableEvent
from games.table import commands as cmd
from lobby import errors, services
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from wallet import debts
from wallet import services as wallet

pytestmark = pytest.mark.django_db(transaction=True)

House = Callable[[str], RoomTier]
SAFE, COINS, POINTS, PRACTICE = "classic.points-safe", "qq.bamboo", "classic.points", "qq.practice"
UNTIL = datetime(2031, 5, 4, 10, 30, tzinfo=UTC)


def suspend(user: User, ends: datetime | None = UNTIL) -> None:
    restrictions.restrict(
        user_id=user.pk, kind="suspension", ends=ends, cause="verdict", reference=f"verdict:{user.pk}"
    )


def fine(user: User, rest: int = 700) -> None:
    """Fine somebody all he has and so much more."""
    amount = wallet.balance(user.pk).total + rest
    debts.carry_out(verdict=f"verdict:{user.pk}", charges=[debts.Charge(user.pk, "fine", amount)])
    assert debts.owed_by(user.pk) == rest


def wish(user: User, tier: str) -> object:
    try:
        return type(services.quick_match(user=user, tier_code=tier))
    except errors.LobbyError as error:
        return error.code


# ---- a seat


@pytest.mark.parametrize("tier", [COINS, POINTS, SAFE, PRACTICE])
def test_a_suspended_player_gets_no_seat_anywhere(people: People, tier: str) -> None:
    (user,) = people(1)
    suspend(user)
    with pytest.raises(errors.Suspended) as caught:
        services.quick_match(user=user, tier_code=tier)
    assert caught.value.until == UNTIL
    assert games.seat_of(user) is None and not QueueTicket.objects.exists()


def test_nor_at_a_table_he_picks(people: People) -> None:
    first, user = people(2)
    found = services.quick_match(user=first, tier_code=COINS)
    assert isinstance(found, services.Seated)
    suspend(user, None)
    with pytest.raises(errors.Suspended) as caught:
        services.sit(user=user, table_code=found.table_code)
    assert caught.value.until is None


def test_a_suspension_that_ended_or_was_lifted_keeps_nobody(people: People) -> None:
    ended, lifted, warned = people(3)
    suspend(ended, timezone.now() - timedelta(seconds=1))
    suspend(lifted)
    restrictions.lift(reference=f"verdict:{lifted.pk}")
    restrictions.restrict(
        user_id=warned.pk, kind="warning", ends=None, cause="verdict", reference="verdict:x"
    )
    assert [wish(user, COINS) for user in (ended, lifted, warned)] == [services.Seated] * 3


def test_a_debtor_gets_no_seat_for_coins_and_one_for_points_or_practice(people: People) -> None:
    (user,) = people(1)
    fine(user)
    for tier in (COINS, "classic.coins", "qq.orchid", "mala.bamboo"):
        with pytest.raises(errors.Owes) as caught:
            services.quick_match(user=user, tier_code=tier)
        assert caught.value.owed == 700
    assert wish(user, PRACTICE) is services.Seated


def test_who_has_paid_may_play_again(people: People) -> None:
    (user,) = people(1)
    fine(user)
    wallet.grant(user_id=user.pk, amount=10_700, reference="inheritance")
    assert wish(user, COINS) is services.Seated


# ---- the queue


def test_who_is_suspended_while_he_waits_makes_room_for_the_next(people: People, house: House) -> None:
    user, *others = people(5)
    for one in (user, *others[:2]):
        assert wish(one, SAFE) is services.Waiting
    suspend(user)
    assert wish(others[2], SAFE) is services.Waiting
    assert QueueTicket.objects.get(user=user).refusal == "suspended"
    assert wish(others[3], SAFE) is services.Seated


def test_who_owes_since_he_waits_makes_room_for_the_next(people: People, house: House) -> None:
    user, *others = people(5, 20_000)
    for one in (user, *others[:2]):
        assert wish(one, "qq.orchid") is services.Waiting
    fine(user)
    assert wish(others[2], "qq.orchid") is services.Waiting
    assert QueueTicket.objects.get(user=user).refusal == "owes"
    assert wish(others[3], "qq.orchid") is services.Seated


# ---- the next deal


def sitting(people: People, house: House, tier: str) -> tuple[int, list[User]]:
    users = people(4)
    table = tables.open_table(tier=tier, ruleset=house(tier).ruleset, terms=house(tier).terms())
    for user in users:
        tables.take_seat(user=user, table=table)
    return table.pk, users


def press_start(table: int) -> str:
    for seat in range(4):
        answer = tables.perform(table, cmd.Ready(seat, f"r{seat}"))
        assert answer.refusal is None
    return answer.state.phase


def stood(table: int) -> list[str]:
    found = TableEvent.objects.filter(table_id=table, kind="stood").order_by("seq")
    return list(found.values_list("body", flat=True))


def test_the_next_deal_does_not_open_for_a_suspended_player(people: People, house: House) -> None:
    table, users = sitting(people, house, POINTS)
    suspend(users[2])
    assert press_start(table) == "between"
    assert games.seat_of(users[2]) is None and games.seat_of(users[1]) is not None
    assert len(stood(table)) == 1 and '"suspended"' in stood(table)[0]


def test_nor_one_for_coins_for_a_debtor(people: People, house: House) -> None:
    table, users = sitting(people, house, COINS)
    fine(users[1])
    assert press_start(table) == "between"
    assert games.seat_of(users[1]) is None
    assert len(stood(table)) == 1 and '"owes"' in stood(table)[0]


def test_a_debtor_plays_on_for_points(people: People, house: House) -> None:
    table, users = sitting(people, house, POINTS)
    fine(users[1])
    assert press_start(table) == "playing"


def test_a_deal_that_runs_is_played_to_its_end(people: People, house: House) -> None:
    table, users = sitting(people, house, POINTS)
    assert press_start(table) == "playing"
    suspend(users[0])
    assert tables.perform(table, cmd.Tick()).state.phase == "playing"
    assert games.seat_of(users[0]) is not None


# ---- in words


@pytest.mark.parametrize(
    ("language", "suspended", "owes"),
    [
        ("en", "suspended until 2031-05-04 10:30 (UTC)", "owe 700 coins"),
        ("zh-hans", "停赛至 2031-05-04 10:30（UTC）", "700 金币"),
        ("zh-hant", "停賽至 2031-05-04 10:30（UTC）", "700 金幣"),
    ],
)
def test_the_pages_say_until_when_and_how_much(
    people: People, client: Client, language: str, suspended: str, owes: str
) -> None:
    (user,) = people(1)
    fine(user)
    suspend(user)
    User.objects.filter(pk=user.pk).update(language=language)
    client.force_login(user)
    page = client.get("/").content.decode()
    assert suspended in page
    refused = client.post("/quick/", {"tier": COINS}, follow=True).content.decode()
    assert refused.count(suspended) == 2  # the lobby's standing note, and the answer
    restrictions.lift(reference=f"verdict:{user.pk}")
    refused = client.post("/quick/", {"tier": COINS}, follow=True).content.decode()
    assert refused.count(owes) == 2


def test_who_was_dropped_from_the_queue_reads_why_with_the_figure(people: People, client: Client) -> None:
    user, *others = people(4)
    wish(user, SAFE)
    suspend(user)
    for other in others:
        wish(other, SAFE)
    client.force_login(user)
    answer = client.get("/waiting/", follow=True)
    assert "suspended until 2031-05-04 10:30" in answer.content.decode()
