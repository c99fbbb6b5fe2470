"""What the pages of the desk show: everything of a closed deal, of a live one nothing that is not public."""

import html
import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games import dealing, tables
from games.models import DealSecret, TableEvent
from games.table import commands as cmd
from lobby.models import RoomTier
from tests.admin.conftest import House
from tests.admin.pages import every_page, registered, url
from tests.games.stories import Story, StoryMaker
from tests.games.test_audit import unguarded
from wallet.models import Transaction, Wallet

CARD = re.compile(r"(?<![\w.#-])(?:10|[2-9TJQKA])(?:[dchs]\b|[♦♣♥♠])|\b(?:BJ|RJ)\b")
SUIT_OF = {"♦": "d", "♣": "c", "♥": "h", "♠": "s"}
# Words of the pages that look like cards.
INNOCENT = ("As the system", "跟随系统", '"lead":"3d"')


def text_of(answer: object) -> str:
    return html.unescape(answer.content.decode())  # type: ignore[attr-defined]


def cards_on(page: str) -> set[str]:
    """Return every card that is written on a page, in either way of writing."""
    for words in INNOCENT:
        page = page.replace(words, "")
    found = set()
    for card in CARD.findall(page):
        rank, suit = card[:-1].replace("10", "T"), SUIT_OF.get(card[-1], card[-1])
        found.add(card if card in ("BJ", "RJ") else rank + suit)
    return found


def nonces_taken_out(page: str) -> str:
    """Return a page without what differs each time it is drawn."""
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
    return re.sub(r"\d+(?:\.\d)? (?:s|min|h)\b|in \d+[^<]*|\d+[^<>]* ago|\d\d:\d\d:\d\d\.\d{3}", "", page)


@pytest.mark.both_databases
def test_every_page_opens(desk: Client, house: House) -> None:
    pages = list(every_page())
    assert len(pages) > 50
    for page in pages:
        assert desk.get(page).status_code == 200, page


@pytest.mark.parametrize(("language", "word"), [("zh-hans", "牌桌"), ("zh-hant", "牌桌")])
def test_the_desk_speaks_chinese(desk: Client, house: House, language: str, word: str) -> None:
    desk.cookies["django_language"] = language
    for page in every_page():
        answer = desk.get(page)
        assert (answer.status_code, answer["Content-Language"]) == (200, language), page
        assert word in answer.content.decode(), page


# --- no card of a live deal ---


def test_while_a_deal_lives_no_page_shows_a_card_that_was_not_played(
    desk: Client, house: House, story: StoryMaker
) -> None:
    house.at.play_out()
    at = story(people=4).sit()
    at.start()
    for _ in range(9):
        at.act()
    played = set()
    for event in TableEvent.objects.filter(table=at.table, kind="acted"):
        played |= set(json.loads(event.body)["action"].split()[1:])
    hidden = hidden_cards(at)
    assert len(hidden) > 30 and played and not hidden & played
    log = reverse("admin:games_table_log", args=[at.table.pk])
    own = [page for page in every_page() if house.played.pk not in page and "/deal/" not in page]
    deal = at.table.deals.get()
    shown: set[str] = set()
    for page in [*own, url(type(deal), "change", deal.pk), f"{log}?deal={deal.pk}", f"{log}?check=all"]:
        if f"/table/{house.at.table.pk}/" in page or "/complaints/case/" in page:
            continue  # the other table, where all deals are over, and the case about one of them
        cards = cards_on(text_of(desk.get(page)))
        assert not cards & hidden, page
        shown |= cards
    assert shown == played, "what was played may be seen, and the scan sees it"


def hidden_cards(at: Story) -> set[str]:
    deal = at.state.deal
    assert deal is not None
    hands = [at.state.rules.view(deal.deal, seat).as_json()["hand"] for seat in range(len(at.users))]
    return {card for hand in hands for card in hand.split()}


def test_no_page_opens_the_secret_of_a_deal(
    desk: Client, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page is the same when the secret cannot be unsealed."""
    pages = list(every_page())
    before = {page: nonces_taken_out(text_of(desk.get(page))) for page in pages}
    DealSecret.objects.update(sealed=b"nothing")
    tables.forget()
    dealing.forget()
    for page in pages:
        assert nonces_taken_out(text_of(desk.get(page))) == before[page], page


def test_a_live_deal_shows_who_plays_and_that_its_seed_is_sealed(desk: Client, house: House) -> None:
    page = text_of(desk.get(url(type(house.live), "change", house.live.pk)))
    assert all(user.username in page for user in house.at.users)
    assert "sealed until the deal is over" in page
    assert "Hands at the end" not in page and "Verification" not in page


# --- a closed deal ---


def test_a_closed_deal_is_laid_open(desk: Client, house: House) -> None:
    answer = desk.get(url(type(house.played), "change", house.played.pk))
    titles = [str(panel.title) for panel in answer.context["panels"]]
    assert titles == ["Deal", "Result", "Receipt", "Hands at the end", "Ledger", "Verification", "Shuffle"]
    verdicts = [str(row[1]) for row in answer.context["panels"][5].rows]
    assert verdicts and not any("does not hold" in verdict for verdict in verdicts)
    ledger = answer.context["panels"][4]
    assert str(ledger.foot[-1]) == "0"
    closed = json.loads(TableEvent.objects.filter(kind="deal_closed").get().body)
    assert closed["seed"] in text_of(answer)
    assert set(closed["hands"][0].split()) | set(closed["hands"][1].split()) <= cards_on(text_of(answer))


def test_a_deal_leads_to_its_transaction_and_back(desk: Client, house: House) -> None:
    made = Transaction.objects.get(reference=f"deal:{house.played.pk}")
    found = desk.get(url(Transaction, "changelist") + f"?q=deal:{house.played.pk}")
    assert [row.pk for row in found.context["cl"].result_list] == [made.pk]
    assert url(type(house.played), "change", house.played.pk) in text_of(found)
    page = desk.get(url(Transaction, "change", made.pk))
    entries, holds = page.context["panels"][1:3]
    assert str(entries.foot[-1]) == "0" and "balanced" in str(entries.foot[0])
    assert len(holds.rows) == 4


def test_a_deal_whose_log_was_changed_says_so(desk: Client, house: House) -> None:
    with unguarded():
        event = TableEvent.objects.filter(table=house.at.table, kind="deal_opened").order_by("seq").first()
        assert event is not None
        TableEvent.objects.filter(pk=event.pk).update(body="{}")
    answer = desk.get(url(type(house.played), "change", house.played.pk))
    assert answer.status_code == 200
    assert "cannot be read" in text_of(answer)


# --- the log ---


def test_the_log_tells_in_plain_words_who_did_what(desk: Client, house: House) -> None:
    answer = desk.get(reverse("admin:games_table_log", args=[house.at.table.pk]) + "?page=1")
    lines = answer.context["stretch"].lines
    names = [user.username for user in house.at.users]
    told = [(line.told.who, str(line.told.what)) for line in lines[:6]]
    assert told[0] == ("", "The table opens: Big Two, QQ, Bamboo")
    assert told[1:5] == [(name, f"takes seat {n + 1}") for n, name in enumerate(names)]
    assert told[5] == (names[1], "says “good <b>luck</b>”")
    assert b"<b>luck</b>" not in answer.content
    assert [line.seq for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0].body == TableEvent.objects.get(table=house.at.table, seq=1).body


def test_names_are_known_on_a_page_that_begins_in_the_middle(desk: Client, house: House) -> None:
    log = reverse("admin:games_table_log", args=[house.at.table.pk])
    answer = desk.get(f"{log}?deal={house.live.pk}&page=1")
    stretch = answer.context["stretch"]
    assert stretch.first == house.live.opened_seq
    names = {user.username for user in house.at.users}
    assert {line.told.who for line in stretch.lines[1:]} <= names


def test_pages_of_the_log_are_bounded_and_bad_numbers_harmless(desk: Client, house: House) -> None:
    log = reverse("admin:games_table_log", args=[house.at.table.pk])
    for page in ("0", "-1", "99999999999999999999", "x", "²"):
        answer = desk.get(f"{log}?page={page}")
        assert answer.status_code == 200
        assert len(answer.context["stretch"].lines) <= 50
    assert desk.get(f"{log}?deal=nowhere").status_code == 200


def test_a_changed_event_breaks_the_chain_before_the_readers_eyes(desk: Client, house: House) -> None:
    log = reverse("admin:games_table_log", args=[house.at.table.pk])
    whole = desk.get(f"{log}?page=1&check=all")
    assert whole.context["stretch"].broken == [] and whole.context["faults"] == []
    with unguarded():
        event = TableEvent.objects.get(table=house.at.table, seq=6)
        TableEvent.objects.filter(pk=event.pk).update(body=event.body.replace("good", "gold"))
    changed = desk.get(f"{log}?page=1&check=all")
    assert changed.context["stretch"].broken == [6]
    assert "event 6 does not match its digest" in text_of(changed)
    assert "desk-chain bad" in text_of(changed)


def test_a_missing_event_shows_at_the_one_after_it(desk: Client, house: House) -> None:
    with unguarded():
        TableEvent.objects.get(table=house.at.table, seq=6).delete()
    answer = desk.get(reverse("admin:games_table_log", args=[house.at.table.pk]) + "?page=1")
    assert answer.context["stretch"].broken == [7]


def test_an_event_that_this_release_cannot_read_is_shown_as_it_stands(desk: Client, house: House) -> None:
    with unguarded():
        event = TableEvent.objects.get(table=house.at.table, seq=6)
        TableEvent.objects.filter(pk=event.pk).update(body='{"kind":"from the future"}')
    answer = desk.get(reverse("admin:games_table_log", args=[house.at.table.pk]) + "?page=1")
    assert '{"kind":"from the future"}' in text_of(answer)


# --- people, books, tiers, the first page ---


def test_a_person_is_found_however_the_name_is_typed(desk: Client, house: House) -> None:
    user = house.at.users[1]
    for typed in (user.username.upper(), user.username[:9], f"#{user.pk}"):
        found = desk.get(url(type(user), "changelist"), {"q": typed})
        assert user.pk in [row.pk for row in found.context["cl"].result_list]


def test_a_persons_page_shows_coins_records_deals_and_ledger(desk: Client, house: House) -> None:
    user = house.at.users[1]
    panels = desk.get(url(type(user), "change", user.pk)).context["panels"]
    assert [str(getattr(panel, "title", "Restrictions")) for panel in panels] == [
        "Now",
        "Records",
        "Last deals",
        "Last lines of the ledger",
        "Restrictions",
        "Complaints",
        "Networks and devices",
    ]
    assert house.at.table.code in str(panels[0].rows[0][1])
    assert [len(panel.rows) for panel in panels[1:3]] == [1, 1]
    assert house.played.pk in str(panels[3].rows[0][2])


def test_wallets_show_their_sum_and_where_it_does_not_hold(desk: Client, house: House) -> None:
    wallet = Wallet.objects.get(user=house.at.users[0])
    page = url(Wallet, "change", wallet.pk)
    assert "NOT the sum" not in text_of(desk.get(page))
    Wallet.objects.filter(pk=wallet.pk).update(balance=wallet.balance + 1)
    assert "NOT the sum of its entries" in text_of(desk.get(page))


def test_all_coins_are_accounted_for_on_the_first_page(desk: Client, house: House) -> None:
    def circulation() -> object:
        return desk.get(reverse("admin:index")).context["books"][0]

    assert circulation().tone == ""  # type: ignore[attr-defined]
    wallet = Wallet.objects.get(user=house.at.users[0])
    Wallet.objects.filter(pk=wallet.pk).update(balance=wallet.balance + 1)
    assert circulation().tone == "bad"  # type: ignore[attr-defined]


def test_the_first_page_counts_people_tables_and_queues(desk: Client, house: House) -> None:
    context = desk.get(reverse("admin:index")).context
    tiles = {str(tile.name): tile.value for tile in context["tiles"]}
    assert (tiles["People seated"], tiles["Live deals"], tiles["Open sockets"]) == ("4", "1", "2")
    lines = {line.tier.code: line for line in context["tiers"]}
    assert (lines["qq.bamboo"].players, lines["qq.bamboo"].tables) == (4, 1)
    assert sum(line.waiting for line in lines.values()) == 1


def test_a_tier_that_makes_no_sense_is_explained_at_the_field(desk: Client, house: House) -> None:
    tier = RoomTier.objects.get(code="qq.bamboo")
    given = {
        field: getattr(tier, field)
        for field in ("name", "position", "currency", "base_stake", "fee_kind", "seating")
    }
    numbers = {
        "entry": 3000,
        "fee_value": 10,
        "initial_multiplier": 1,
        "turn_seconds": 20,
        "start_seconds": 30,
    }
    form = {**given, **numbers, "cap": 3001, "anti_cheat": "on"}
    errors = desk.post(url(RoomTier, "change", tier.pk), form).context["adminform"].form.errors
    assert "below the cap" in errors["entry"][0]
    assert "seating is by match" in errors["seating"][0]
    RoomTier.objects.filter(pk=tier.pk).update(ruleset="gone")
    answer = desk.post(url(RoomTier, "change", tier.pk), {**form, "cap": 2000, "anti_cheat": ""})
    assert "No such rule set" in text_of(answer)


# --- queries ---


@pytest.mark.both_databases
def test_a_longer_list_takes_no_more_queries(desk: Client, house: House) -> None:
    def counts() -> dict[str, int]:
        found = {}
        for page in [reverse("admin:index"), *(url(model, "changelist") for model, _ in registered())]:
            desk.get(page)
            with CaptureQueriesContext(
                connection,
            ) as queries:
                desk.get(page)
            found[page] = len(queries)
        return found

    before = counts()
    assert max(before.values()) <= 20, before
    house.at.play_out()
    for _ in range(3):
        house.at.deal()
    house.at.perform(cmd.Ready(0, house.at.id(), ""))
    assert {page: n for page, n in counts().items() if n > before[page]} == {}
