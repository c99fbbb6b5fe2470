"""Profiles, one's own deals, the boards: what a player sees of himself, and what others see of him."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from accounts import services as accounts
from accounts.models import User
from games import history, naming, service_time
from games.engine import rulesets
from games.engine.titles import Title
from games.models import Deal, PlayerRecord
from games.table import commands as cmd
from lobby import people, seeds
from tests.games.stories import Story, make_user


@pytest.fixture
def told(transactional_db: None) -> Iterator[Any]:
    """Tell stories at tables of a house with its tiers."""
    seeds.seed_tiers()
    stories: list[Story] = []

    def tell(*args: Any, **options: Any) -> Story:
        stories.append(Story(*args, **options).sit())
        return stories[-1]

    yield tell
    for story in reversed(stories):
        story.end()
    service_time.forget()


@pytest.fixture
def house(db: None) -> None:
    seeds.seed_tiers()


def as_user(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def record(user: User, points: int, ruleset: str = "bigtwo.qq", deals: int = 5) -> None:
    PlayerRecord.objects.create(user=user, ruleset=ruleset, points=points, deals=deals, wins=2, losses=3)


# --- the profile -------------------------------------------------------------------------------------------


def test_a_profile_shows_points_title_and_how_far_the_next_one_is(house: None) -> None:
    mei, ravi = make_user("Mei"), make_user("Ravi")
    record(mei, 11_420)
    page = as_user(ravi).get("/people/Mei/")
    (qq,) = [row for row in page.context["standings"] if row.ruleset == "bigtwo.qq"]
    assert (qq.points, qq.deals, qq.wins, qq.losses) == (11_420, 5, 2, 3)
    assert qq.title == Title("middle_farmer", "rich_farmer", 1_580, 2_000)
    assert "1,580 points to Rich farmer" in page.content.decode()


def test_a_game_not_played_yet_stands_at_the_lowest_title(house: None) -> None:
    standings = {row.ruleset: row for row in people.standings(make_user("Mei").pk)}
    assert standings["bigtwo.classic"].title.code == "clerk"
    assert standings["bigtwo.qq"].deals == 0


def test_each_rule_set_counts_its_own_points(house: None) -> None:
    mei = make_user("Mei")
    record(mei, 500, "bigtwo.classic")
    record(mei, 500, "bigtwo.qq")
    titles = {row.ruleset: row.title.code for row in people.standings(mei.pk)}
    assert (titles["bigtwo.classic"], titles["bigtwo.qq"]) == ("deputy_division_chief", "bondsman")


DOU_DIZHU: dict[str, dict[str, Any]] = {
    "doudizhu.mala": {"people": 3, "base_stake": 10, "cap": None, "entry": 1_000},
    "doudizhu.taiwan": {"people": 3, "base_stake": 30, "cap": 1_200, "fee": {"kind": "percent", "value": 5}},
}


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_deal_of_dou_dizhu_counts_in_its_own_rule_set(told: Any, ruleset: str) -> None:
    at = told(ruleset=ruleset, **DOU_DIZHU[ruleset])
    at.start()
    while at.state.result is None:
        at.act()
    points = at.state.result["settlement"]["points"]
    board = {row.user_id: row for row in history.board(ruleset)}
    assert [board[user.pk].points for user in at.users] == list(points)
    assert history.board(ruleset)[0].place == 1
    for user, gained in zip(at.users, points, strict=True):
        (mine,) = history.standings_of(user.pk).values()
        assert (mine.ruleset, mine.points, mine.deals) == (ruleset, gained, 1)
        assert (mine.wins, mine.losses) == ((1, 0) if gained > 0 else (0, 1))
    for other in set(rulesets.all_codes()) - {ruleset}:
        assert history.board(other) == []


def test_who_leaves_a_deal_of_dou_dizhu_has_it_in_his_record(told: Any) -> None:
    mala = told(ruleset="doudizhu.mala", **DOU_DIZHU["doudizhu.mala"])
    mala.start()
    mala.perform(cmd.Leave(1, "go"))
    standing = history.standings_of(mala.users[1].pk)["doudizhu.mala"]
    assert (standing.escapes, standing.points) == (1, mala.state.result["settlement"]["points"][1])
    assert history.standings_of(mala.users[0].pk)["doudizhu.mala"].deals == 0
    taiwan = told(ruleset="doudizhu.taiwan", **DOU_DIZHU["doudizhu.taiwan"])
    taiwan.start()
    taiwan.perform(cmd.Leave(1, "go"))
    while taiwan.state.result is None:
        if taiwan.state.phase == "playing" and taiwan.state.deal.clock.seat != 1:
            taiwan.act()
        else:
            taiwan.wait(2)
            taiwan.perform(cmd.Tick())
    standing = history.standings_of(taiwan.users[1].pk)["doudizhu.taiwan"]
    assert (standing.escapes, standing.deals) == (0, 1), "there is no escape in taiwan: the result counts"


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_all_four_games_stand_on_a_profile_and_have_a_board_before_anybody_has_played(
    house: None, language: str
) -> None:
    mei = make_user("Mei")
    accounts.save_preferences(user=mei, language=language)
    client = as_user(mei)
    profile = client.get("/people/Mei/")
    assert {row.ruleset for row in profile.context["standings"]} == set(rulesets.all_codes())
    with translation.override(language):
        for code in rulesets.all_codes():
            name = str(naming.game_words(code).name)
            assert name in profile.content.decode()
            board = client.get("/ranks/", {"game": code})
            assert board.context["board"] == [] and name in board.content.decode()


def test_others_see_points_and_results_but_no_coins_and_no_way_into_the_deal(told: Any) -> None:
    at = told()
    at.deal()
    deal, other = Deal.objects.get(), make_user("Otto")
    path = f"/people/{at.users[0].username}/"
    seen = as_user(other).get(path).content.decode()
    own = as_user(at.users[0]).get(path).content.decode()
    assert f"/deals/{deal.pk}/" in own
    assert str(at.state.result["settlement"]["points"][0]).lstrip("-") in seen
    for secret in (deal.pk, at.table.code, ">Coins<", "All my deals"):
        assert secret not in seen


def test_a_profile_is_found_however_the_name_is_typed(house: None) -> None:
    make_user("Mei Lin")
    client = as_user(make_user("Ravi"))
    assert client.get("/people/mei%20lin/")["Location"] == "/people/Mei%20Lin/"
    assert client.get("/people/Mei%20Lin/").status_code == 200
    assert client.get("/people/nobody/").status_code == 404


def test_a_banned_player_has_no_profile_and_no_place(house: None) -> None:
    mei, ravi = make_user("Mei"), make_user("Ravi")
    record(mei, 900)
    accounts.ban(user=mei)
    assert as_user(ravi).get("/people/Mei/").status_code == 404
    assert history.board("bigtwo.qq") == []


@pytest.mark.parametrize("path", ["/people/Mei/", "/me/", "/deals/", "/ranks/", "/wallet/"])
def test_the_pages_about_people_are_for_those_signed_in(house: None, path: str) -> None:
    make_user("Mei")
    answer = Client().get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_me_leads_to_my_own_profile(house: None) -> None:
    assert as_user(make_user("Mei")).get("/me/")["Location"] == "/people/Mei/"


# --- the head of every page --------------------------------------------------------------------------------


def test_the_head_names_the_title_in_the_game_played_most(house: None) -> None:
    mei = make_user("Mei", 120)
    record(mei, 7_000, "bigtwo.qq", deals=9)
    record(mei, 90_000, "bigtwo.classic", deals=8)
    page = as_user(mei).get("/ranks/").content.decode()
    assert "Fisherman · 7,000 pts" in page
    assert "<span data-balance>120</span>" in page


def test_the_head_has_no_title_before_the_first_deal(house: None) -> None:
    assert "pts" not in as_user(make_user("Mei")).get("/ranks/").content.decode()


# --- my deals ----------------------------------------------------------------------------------------------


def test_my_deals_say_points_coins_and_how_they_ended(told: Any) -> None:
    at = told()
    state = at.deal()
    winner, settlement = state.result["winner"], state.result["settlement"]
    for seat, user in enumerate(at.users):
        (row,) = as_user(user).get("/deals/").context["rows"]
        assert (row["points"], row["coins"]) == (settlement["points"][seat], settlement["net"][seat])
        assert row["ending"] == (
            "Went out first"
            if seat == winner
            else "Won"
            if row["points"] > 0
            else "Lost"
            if row["points"]
            else "Even"
        )


def test_an_escape_is_told_to_both_sides(told: Any) -> None:
    at = told()
    at.start()
    at.perform(cmd.Leave(1, "c-escape"))
    endings = [as_user(user).get("/deals/").context["rows"][0]["ending"] for user in at.users]
    assert endings == ["Another player escaped", "Escaped", *["Another player escaped"] * 2]


def test_a_points_room_has_no_coins(told: Any) -> None:
    at = told("bigtwo.classic", currency="points", fee=None, cap=None, base_stake=1)
    at.deal()
    (row,) = as_user(at.users[0]).get("/deals/").context["rows"]
    assert row["coins"] is None


def test_a_landlord_and_his_farmers_are_told_apart(told: Any) -> None:
    at = told("doudizhu.taiwan", people=3, base_stake=30, cap=1_200, fee={"kind": "percent", "value": 5})
    at.start()
    at.act("bid 3")
    landlord = at.state.deal.clock.seat
    at.play_out()
    endings = [as_user(user).get("/deals/").context["rows"][0]["ending"] for user in at.users]
    won = at.state.result["settlement"]["points"][landlord] > 0
    assert endings.pop(landlord) == ("Won as landlord" if won else "Lost as landlord")
    assert endings == ["Lost as farmer" if won else "Won as farmer"] * 2


def test_deals_are_narrowed_to_a_game_and_a_room(told: Any) -> None:
    at = told()
    at.deal()
    client = as_user(at.users[0])
    for query, many in {
        "": 1,
        "?game=bigtwo.qq": 1,
        "?game=bigtwo.qq&tier=qq.bamboo": 1,
        "?game=bigtwo.qq&tier=qq.plum": 0,
        "?game=bigtwo.classic": 0,
    }.items():
        assert len(client.get(f"/deals/{query}").context["rows"]) == many, query


@pytest.mark.parametrize(
    "query", ["game=chess", "game=bigtwo.qq&tier=classic.coins", "before=x", "before=-1"]
)
def test_what_is_no_game_room_or_key_is_not_found(house: None, query: str) -> None:
    assert as_user(make_user("Mei")).get(f"/deals/?{query}").status_code == 404


def test_pages_of_deals_follow_each_other_without_hole_or_double(
    told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = told(coins=100_000)
    for _ in range(5):
        at.deal()
    monkeypatch.setattr("lobby.people_views.DEALS", 2)
    client, numbers, query = as_user(at.users[0]), [], ""
    while query is not None:
        context = client.get(f"/deals/{query}").context
        numbers += [row["deal"].number for row in context["rows"]]
        query = context["older"]
    assert numbers == [5, 4, 3, 2, 1]


def test_nobody_sees_the_deals_of_others(told: Any) -> None:
    at = told()
    at.deal()
    assert as_user(make_user("Otto")).get("/deals/").context["rows"] == []


def test_a_list_of_deals_takes_few_queries(told: Any, django_assert_max_num_queries: Any) -> None:
    at = told(coins=100_000)
    for _ in range(4):
        at.deal()
    client = as_user(at.users[0])
    with django_assert_max_num_queries(12):
        client.get("/deals/")


# --- the boards --------------------------------------------------------------------------------------------


def test_the_board_goes_by_points_and_equal_points_share_a_place(house: None) -> None:
    for name, points in {"Mei": 300, "Ravi": 500, "Otto": 300, "Shu": -40}.items():
        record(make_user(name), points)
    record(make_user("Idle"), 0, deals=0)
    record(make_user("Elsewhere"), 900, "bigtwo.classic")
    assert [(row.place, row.name) for row in history.board("bigtwo.qq")] == [
        (1, "Ravi"), (2, "Mei"), (2, "Otto"), (4, "Shu"),
    ]  # fmt: skip


def test_my_place_is_shown_however_far_down(house: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.people_views.PLACES", 2)
    users = [make_user(f"Player {n}") for n in range(4)]
    for points, user in enumerate(users):
        record(user, points)
    context = as_user(users[0]).get("/ranks/?game=bigtwo.qq").context
    assert [row.name for row in context["board"]] == ["Player 3", "Player 2"]
    assert context["own"].place == 4
    assert as_user(make_user("New")).get("/ranks/?game=bigtwo.qq").context["own"] is None


def test_the_board_opens_with_the_game_played_most(house: None) -> None:
    mei = make_user("Mei")
    record(mei, 5, "bigtwo.qq")
    assert as_user(mei).get("/ranks/").context["game"] == "bigtwo.qq"
    assert as_user(make_user("New")).get("/ranks/").context["game"] == people.offered()[0]
    assert as_user(mei).get("/ranks/?game=chess").status_code == 404


def test_the_points_of_many_people_take_one_query(house: None, django_assert_num_queries: Any) -> None:
    mei, ravi = make_user("Mei"), make_user("Ravi")
    record(mei, 7_000)
    record(mei, 5, "doudizhu.mala")
    with django_assert_num_queries(1):
        assert history.points_of([mei.pk, ravi.pk], "bigtwo.qq") == {mei.pk: 7_000}


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_the_pages_about_people_speak_every_language(told: Any, language: str) -> None:
    at = told()
    at.deal()
    accounts.save_preferences(user=at.users[0], language=language)
    client = as_user(at.users[0])
    for path in (f"/people/{at.users[0].username}/", "/deals/?game=bigtwo.qq", "/ranks/", "/wallet/"):
        answer = client.get(path)
        assert (answer.status_code, answer["Content-Language"]) == (200, language)


@pytest.mark.parametrize(
    ("language", "fisherman", "clerk"),
    [("zh-hans", "渔夫", "科员"), ("zh-hant", "漁夫", "科員"), ("en", "Fisherman", "Clerk")],
)
def test_titles_are_shown_in_the_readers_script(
    house: None, language: str, fisherman: str, clerk: str
) -> None:
    mei = make_user("Mei")
    record(mei, 7_000)
    accounts.save_preferences(user=mei, language=language)
    page = as_user(mei).get("/people/Mei/").content.decode()
    assert fisherman in page
    assert clerk in page
