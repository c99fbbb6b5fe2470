"""Who may sit together: nobody with a mark in common, and the longest waiting first."""

import random
from itertools import combinations

import pytest

from lobby.companies import first_company


def company(*marks: str, seats: int = 4) -> list[int]:
    return first_company([frozenset(each.split()) for each in marks], seats)


def test_strangers_sit_in_the_order_they_came() -> None:
    assert company("a", "b", "", "c", "d") == [0, 1, 2, 3]


def test_two_of_one_network_never_sit_together() -> None:
    assert company("home", "home", "a", "b", "c") == [0, 2, 3, 4]
    assert company("home", "home", "a", "b") == []


def test_one_shared_mark_of_several_is_enough() -> None:
    assert company("home phone", "cafe phone", "cafe laptop", seats=2) == [0, 2]
    assert company("home phone", "cafe phone", "home cafe", seats=2) == []


def test_who_finds_no_company_keeps_nobody_else_waiting() -> None:
    assert company("x y z", "x", "y", "z", seats=3) == [1, 2, 3]


def test_the_longest_waiting_gets_the_company_there_is_for_him_even_if_it_came_last() -> None:
    assert company("x y", "x", "y", "x", "", seats=2) == [0, 4]


def test_a_whole_school_behind_one_address_waits_without_holding_up_the_house() -> None:
    crowd = [f"school phone{n}" for n in range(500)]
    assert company(*crowd) == []
    assert company(*crowd, "a", "b", "c") == [0, 500, 501, 502]
    assert company(*[f"{'abc'[n % 3]} phone{n}" for n in range(500)]) == []


@pytest.mark.parametrize("seed", range(60))
def test_it_is_always_the_first_company_there_is(seed: int) -> None:
    dice = random.Random(seed)
    marks = [frozenset(dice.sample("abcdefgh", dice.randint(0, 3))) for _ in range(dice.randint(0, 11))]
    for seats in (2, 3, 4):
        fits = (
            list(some)
            for some in combinations(range(len(marks)), seats)
            if all(marks[a].isdisjoint(marks[b]) for a, b in combinations(some, 2))
        )
        assert first_company(marks, seats) == next(fits, [])
