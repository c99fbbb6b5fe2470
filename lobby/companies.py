"""Who may sit together where two who share a mark may not: the first company in the order of arrival."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_MOST_STEPS = 20_000  # of one search; who was not placed by then waits for the next look


def first_company(marks: Sequence[frozenset[str]], seats: int) -> list[int]:
    """Return the places of `seats` people, no two with a mark in common; fewer (none) when there is no such company.

    `marks` are each one's, in the order of arrival. Of all companies it is the one with the earliest first member,
    then the earliest second, and so on: whoever has waited longest is seated if it is possible at all.
    """
    common = Counter(mark for each in marks for mark in each)
    shared = [frozenset(mark for mark in each if common[mark] > 1) for each in marks]
    search = _Search(_one_of_each(shared), seats)
    return search.find()


def _one_of_each(shared: Sequence[frozenset[str]]) -> list[tuple[int, frozenset[str]]]:
    """Drop whoever shares exactly what somebody before him shares: he could only ever take that one's place."""
    seen: set[frozenset[str]] = set()
    kept = []
    for place, marks in enumerate(shared):
        if marks and marks in seen:
            continue
        seen.add(marks)
        kept.append((place, marks))
    return kept


class _Search:
    """Goes through the companies in their order, one member after the other."""

    def __init__(self, people: Sequence[tuple[int, frozenset[str]]], seats: int) -> None:
        self._people = people
        self._seats = seats
        self._steps = 0

    def find(self) -> list[int]:
        """Return the first company, or nobody."""
        for first in range(len(self._people) - self._seats + 1):
            self._steps = 0
            place, marks = self._people[first]
            if found := self._complete([place], marks, first + 1):
                return found
        return []

    def _complete(self, company: list[int], taken: frozenset[str], start: int) -> list[int]:
        if len(company) == self._seats:
            return company
        for index in range(start, len(self._people) - (self._seats - len(company)) + 1):
            self._steps += 1
            if self._steps > _MOST_STEPS:
                return []
            place, marks = self._people[index]
            if taken.isdisjoint(marks) and (
                found := self._complete([*company, place], taken | marks, index + 1)
            ):
                return found
        return []
