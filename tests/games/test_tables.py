"""Whole deals through the one door: acted, settled, recorded, found again by any process."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import dealing, log, tables
from games.errors import NewerFormat, TableError, TableGone
from games.models import Deal, PlayerRecord, Seat, SeatResult, Table, TableEvent
from games.table import commands as cmd
from games.table.events import Event
from games.table.evolve import fold
from games.table.state import TableState
from tests.games.stories import Story, StoryMaker, as_another_process, make_user
from wallet import audit, lookup
from wallet import services as wallet
from wallet.errors import InsufficientFunds

pytestmark = pytest.mark.both_databases


def unexpected(error: Exception) -> None:
    raise error


def verify_books() -> None:
    report = audit.verify_books()
    assert report.breaches == []


def test_a_deal_is_settled_in_the_transaction_that_ends_it(story: StoryMaker) -> None:
    at = story().sit()
    before = at.balances()
    state = at.deal()
    assert state.result is not None
    net = list(state.result["settlement"]["net"])
    assert [now - was for now, was in zip(at.balances(), before, strict=True)] == net
    assert at.held() == [0, 0, 0, 0]
    legs = lookup.legs_of([f"deal:{state.result['deal']}"])
    assert sum(leg.amount for leg in legs[f"deal:{state.result['deal']}"]) == 0
    results = SeatResult.objects.filter(deal_id=state.result["deal"]).order_by("seat")
    assert [row.net for row in results] == net
    assert [row.points for row in results] == list(state.result["settlement"]["points"])
    verify_books()


def test_what_a_seat_can_lose_is_held_while_the_deal_runs(story: StoryMaker) -> None:
    at = story().sit()
    at.start()
    assert at.held() == [2010] * 4
    with pytest.raises(InsufficientFunds):
        user = at.users[0]
        wallet.post(
            code="test",
            reference="too much",
            legs=[wallet.Leg(user.pk, -8_000), wallet.Leg("house:fees", 8_000)],
        )


def test_ten_deals_in_a_row_keep_the_books(story: StoryMaker) -> None:
    at = story(coins=40_000).sit()
    for number in range(1, 11):
        state = at.deal()
        assert state.number == number
    assert Deal.objects.filter(how="over").count() == 10
    record = PlayerRecord.objects.get(user=at.users[0])
    assert record.deals == 10
    verify_books()


def test_any_process_finds_the_same_state_in_the_log(story: StoryMaker) -> None:
    at = story().sit()
    at.start()
    for _ in range(5):
        at.act()
    known = tables.current(at.table.pk)
    with as_another_process():
        loaded = log.load(at.table.pk)
    assert loaded == known
    everything = [log.parse(body) for _, body in log.bodies(at.table.pk, 1, known.state.seq)]
    assert fold(None, everything, dealing.SECRETS) == known.state


def test_a_deal_outlives_what_the_process_remembers_of_its_shuffle(story: StoryMaker) -> None:
    """Ten thousand other deals were learnt meanwhile: its deck is found again, and it ends like any other."""
    at = story().sit()
    at.start()
    for number in range(10_000):
        dealing.SECRETS.learn(f"other{number}", ("",) * 4, 52)
    assert at.play_out().result is not None
    verify_books()


def test_an_audit_of_many_deals_forgets_no_live_one(story: StoryMaker) -> None:
    at = story(coins=40_000).sit()
    at.deal()
    at.start()
    known = dict(dealing.SECRETS._shuffles)
    verify_books()
    assert dealing.SECRETS._shuffles.keys() <= known.keys()


def test_the_loser_of_a_race_reloads_and_decides_again(story: StoryMaker) -> None:
    at = story().sit()
    state = at.start()
    assert state.deal is not None and state.deal.clock is not None
    turn, seat = state.deal.clock.turn, state.deal.clock.seat
    with as_another_process():
        won = at.act()
    late = at.perform(cmd.Act(seat, "late", turn, "pass"))
    assert late.refusal is not None and late.refusal.code == "stale_turn"
    assert late.state.seq == won.state.seq
    assert log.verify_chain(at.table.pk) == []


def test_an_accepted_command_sent_again_gets_its_first_answer_from_any_process(story: StoryMaker) -> None:
    at = story().sit()
    state = at.start()
    assert state.deal is not None and state.deal.clock is not None
    seat = state.deal.clock.seat
    offer = str(state.rules.offers(state.rules.view(state.deal.deal, seat))[0])
    act = cmd.Act(seat, "once", state.deal.clock.turn, offer)
    with as_another_process():
        first = at.perform(act)
    again = at.perform(act)
    assert (again.seq, again.refusal) == (first.seq, None)
    assert TableEvent.objects.filter(table=at.table).count() == first.state.seq


def test_a_command_never_acts_for_who_took_the_seat_meanwhile(story: StoryMaker) -> None:
    """Somebody stood up elsewhere, another sat down and plays; the first one's socket has not heard of it yet."""
    at = story().sit()
    old, new = at.users[0], make_user("new", 10_000)
    tables.current(at.table.pk)
    with as_another_process():
        tables.stand_up(user=old, table=at.table)
        tables.take_seat(user=new, table=at.table, seat=0)
        at.start()
    for command in (
        cmd.Leave(0, "l", old.pk),
        cmd.Say(0, "s", "hello", None, old.pk),
        cmd.Trustee(0, "t", True, old.pk),
        cmd.AskLeave(0, "a", old.pk),
        cmd.Act(0, "p", at.state.turn, "play 3d", old.pk),
        cmd.Lost(0, at.now, old.pk),
        cmd.Connected(0, old.pk),
    ):
        answer = at.perform(command)
        assert answer.refusal is not None and answer.refusal.code == "not_seated"
    assert at.perform(cmd.Leave(0, "l", new.pk)).refusal is None


def test_who_stood_up_and_asks_again_is_answered(story: StoryMaker) -> None:
    at = story().sit()
    stand = cmd.Stand(0, "s", player=at.users[0].pk)
    first = at.perform(stand)
    assert (at.perform(stand).seq, at.perform(stand).refusal) == (first.seq, None)
    tables.take_seat(user=make_user("next", 10_000), table=at.table, seat=0)
    again = at.perform(stand)
    assert again.refusal is not None and again.refusal.code == "not_seated"


def test_plain_moves_of_many_tables_share_one_transaction(story: StoryMaker) -> None:
    at = [story().sit() for _ in range(5)]
    for one in at:
        one.start()
    requests: list[tables.Request] = []
    answers: list[tables.Answer] = []
    for one in at:
        state = one.state
        assert state.deal is not None and state.deal.clock is not None
        clock = state.deal.clock
        offer = str(state.rules.offers(state.rules.view(state.deal.deal, clock.seat))[0])
        command = cmd.Act(clock.seat, "together", clock.turn, offer)
        requests.append(tables.Request(one.table.pk, command, answers.append, unexpected))
    with CaptureQueriesContext(connection) as queries:
        tables.run(requests)
    assert [answer.refusal for answer in answers] == [None] * 5
    statements = [query["sql"].split()[0] for query in queries if "games_" in query["sql"]]
    assert statements[0] == "WITH"
    assert len([word for word in statements if word == "WITH"]) == 1
    assert not [word for word in statements if word == "SELECT"]


def test_a_loser_among_many_is_performed_alone(story: StoryMaker) -> None:
    ahead, behind = story().sit(), story().sit()
    for one in (ahead, behind):
        one.start()
    with as_another_process():
        behind.act()
    answers: list[tables.Answer] = []
    requests = []
    for one in (ahead, behind):
        state = tables.current(one.table.pk).state
        assert state.deal is not None and state.deal.clock is not None
        clock = state.deal.clock
        offer = str(state.rules.offers(state.rules.view(state.deal.deal, clock.seat))[0])
        requests.append(
            tables.Request(
                one.table.pk, cmd.Act(clock.seat, "x", clock.turn, offer), answers.append, unexpected
            )
        )
    tables.run(requests)
    assert [answer.refusal and answer.refusal.code for answer in answers] == [None, "stale_turn"]


def test_listeners_hear_what_was_committed_and_nothing_else(story: StoryMaker) -> None:
    heard: list[tuple[int, int, list[int]]] = []

    def listener(table_id: int, state: TableState, events: list[tuple[int, Event]]) -> None:
        heard.append((table_id, state.seq, [seq for seq, _ in events]))

    tables.listen(listener)
    try:
        at = story().sit()
        at.perform(cmd.Ready(0, "r", ""))
        assert heard[-1] == (at.table.pk, at.state.seq, [at.state.seq])
        count = len(heard)
        refused = at.perform(cmd.Ready(0, "r2", ""))
        assert refused.refusal is not None
        assert len(heard) == count
    finally:
        tables._listeners.remove(listener)


def test_a_newer_format_is_neither_read_nor_written(story: StoryMaker) -> None:
    at = story().sit()
    at.start()
    Table.objects.filter(pk=at.table.pk).update(format=log.FORMAT + 1)
    seq = Table.objects.get(pk=at.table.pk).seq
    with pytest.raises(NewerFormat):
        at.act()
    with as_another_process(), pytest.raises(NewerFormat):
        tables.state_of(at.table.pk)
    assert Table.objects.get(pk=at.table.pk).seq == seq


def test_no_such_table(story: StoryMaker) -> None:
    with pytest.raises(TableGone):
        tables.perform(999_999, cmd.Tick())


def test_who_cannot_pay_the_cap_is_stood_up_and_told_why(story: StoryMaker) -> None:
    at = story(coins=2_500)
    at.sit()
    poor = at.users[2]
    wallet.post(
        code="test", reference="spent", legs=[wallet.Leg(poor.pk, -501), wallet.Leg("house:fees", 501)]
    )
    for seat in range(4):
        answer = at.perform(cmd.Ready(seat, at.id(), ""))
    assert answer.state.phase == "between"
    assert answer.state.seats[2] is None
    assert not Seat.objects.filter(user=poor).exists()
    kinds = list(
        TableEvent.objects.filter(table=at.table).order_by("-seq").values_list("kind", flat=True)[:2]
    )
    assert set(kinds) == {"deal_declined", "stood"}
    verify_books()


def test_a_user_holds_one_seat(story: StoryMaker) -> None:
    at, other = story(), story()
    user = at.users[0]
    tables.take_seat(user=user, table=at.table)
    with pytest.raises(TableError, match="already_seated"):
        tables.take_seat(user=user, table=other.table)
    with pytest.raises(TableError, match="already_seated"):
        tables.take_seat(user=user, table=at.table)
    assert Seat.objects.filter(user=user).count() == 1
    assert other.state.seats == (None,) * 4
    verify_books()


def test_a_taken_seat_and_a_full_table_are_refused(story: StoryMaker) -> None:
    at = story().sit()
    late = make_user("late", 10_000)
    with pytest.raises(TableError, match="seat_taken"):
        tables.take_seat(user=late, table=at.table, seat=1)
    with pytest.raises(TableError, match="table_full"):
        tables.take_seat(user=late, table=at.table)


def test_a_match_is_seated_whole_and_starts_at_once(story: StoryMaker) -> None:
    at = story(seating="match")
    tables.seat_group(users=at.users, table=at.table, nonces=["aa", "bb", "", ""])
    state = at.state
    assert state.phase == "playing"
    assert state.deal is not None and state.deal.head.nonces == ("aa", "bb", "", "")


def test_a_match_that_cannot_be_seated_leaves_nothing_behind(story: StoryMaker) -> None:
    busy, at = story(), story(seating="match")
    tables.take_seat(user=busy.users[0], table=busy.table)
    with pytest.raises(TableError, match="already_seated"):
        tables.seat_group(users=[*at.users[:3], busy.users[0]], table=at.table, nonces=[""] * 4)
    assert at.state.seats == (None,) * 4
    assert not Seat.objects.filter(table=at.table).exists()
    verify_books()


def escape_story(make: StoryMaker) -> Story:
    at = make().sit()
    at.start()
    at.act()
    return at


def test_an_escape_costs_the_escaper_and_nobody_else(story: StoryMaker) -> None:
    at = escape_story(story)
    before = at.balances()
    answer = at.perform(cmd.Leave(1, "go"))
    assert answer.refusal is None
    assert [now - was for now, was in zip(at.balances(), before, strict=True)] == [0, -2000, 0, 0]
    assert wallet.house_balance("house:fines") == 2000
    assert not Seat.objects.filter(user=at.users[1]).exists()
    record = PlayerRecord.objects.get(user=at.users[1])
    assert (record.points, record.escapes, record.deals) == (-200, 1, 1)
    assert PlayerRecord.objects.get(user=at.users[0]).deals == 0
    verify_books()


def test_a_points_table_moves_points_and_no_coin(story: StoryMaker) -> None:
    at = story("bigtwo.classic", currency="points", base_stake=1, cap=None, fee=None, entry=None).sit()
    before = at.balances()
    state = at.deal()
    assert at.balances() == before and at.held() == [0] * 4
    assert state.result is not None and any(state.result["settlement"]["points"])
    assert sum(record.points for record in PlayerRecord.objects.all()) == 0
    verify_books()


def test_the_next_deal_is_committed_to_before_the_last_one_ends(story: StoryMaker) -> None:
    at = story().sit()
    announced = at.state.next_deal, at.state.next_commitment
    state = at.start()
    assert state.deal is not None
    assert (state.deal.head.id, state.deal.head.commitment) == announced
    assert state.next_deal != announced[0]
