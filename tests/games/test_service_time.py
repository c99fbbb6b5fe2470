"""Clocks run in wall time minus our outages."""

import pytest

from games import service_time
from games.models import ServiceClock

pytestmark = pytest.mark.django_db
WALL = 1_700_000_000_000


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The machine's clock, in ms, moved by hand."""
    hands = [WALL]
    monkeypatch.setattr(service_time, "wall_ms", lambda: hands[0])
    ServiceClock.objects.update_or_create(pk=1, defaults={"offset_ms": 0, "beat_ms": WALL})
    service_time.forget()
    return hands


def test_between_beats_service_time_runs_with_the_wall(wall: list[int]) -> None:
    wall[0] += 900
    assert service_time.now(fresh=True) == WALL + 900
    assert service_time.beat()
    assert service_time.now() == WALL + 900


def test_an_outage_is_credited_once(wall: list[int]) -> None:
    wall[0] += 60_000
    assert service_time.beat()
    assert not service_time.beat()
    assert service_time.now(fresh=True) == WALL
    wall[0] += 1_000
    service_time.beat()
    assert service_time.now(fresh=True) == WALL + 1_000


@pytest.mark.parametrize(("gap", "credited"), [(10_000, 0), (10_001, 10_001)])
def test_a_gap_up_to_ten_seconds_is_no_outage(wall: list[int], gap: int, credited: int) -> None:
    wall[0] += gap
    service_time.beat()
    assert ServiceClock.objects.get().offset_ms == credited


@pytest.mark.parametrize("hour", [3_600_000, -3_600_000])
def test_a_clock_set_an_hour_off_changes_nothing(wall: list[int], hour: int) -> None:
    before = service_time.now(fresh=True)
    wall[0] += hour
    service_time.beat()
    assert service_time.now(fresh=True) == before


def test_while_nobody_beats_service_time_stands_still(wall: list[int]) -> None:
    """It stands where the next beat will leave it: what was due meanwhile is not due before that beat either."""
    wall[0] += 10_000
    assert service_time.now(fresh=True) == WALL + 10_000
    wall[0] += 600_000
    assert service_time.now(fresh=True) == WALL
    service_time.beat()
    assert service_time.now(fresh=True) == WALL


def test_a_single_process_that_starts_gives_back_every_gap(wall: list[int]) -> None:
    wall[0] += 8_000
    assert service_time.resume()
    assert service_time.now(fresh=True) == WALL
    wall[0] += 1_000
    assert service_time.beat()
    assert service_time.now(fresh=True) == WALL + 1_000


def test_of_two_sweepers_one_beats(wall: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    wall[0] += 30_000
    stale = service_time.read()
    assert service_time.beat()
    monkeypatch.setattr(service_time, "read", lambda: stale)
    assert not service_time.beat()
    assert ServiceClock.objects.get().offset_ms == 30_000


def test_a_beat_does_not_go_back(wall: list[int]) -> None:
    wall[0] -= 3_000
    assert not service_time.beat()
    assert ServiceClock.objects.get().beat_ms == WALL
