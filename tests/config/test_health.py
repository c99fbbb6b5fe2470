"""/healthz tells a balancer whether to send people here, and a watcher whether the clocks run."""

from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client


@pytest.mark.django_db
def test_it_tells_the_age_of_the_last_sweep(client: Client, settings: Any) -> None:
    settings.SWEEP_AGE = "tests.config.test_health.age"
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"database": "ok", "sweep_age_s": 2.5})


def age() -> float:
    return 2.5


@pytest.mark.django_db
def test_a_house_that_was_never_swept_is_healthy_and_says_so(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["sweep_age_s"] is None


def test_without_its_database_it_is_a_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise OperationalError("the server closed the connection at 10.0.0.7")

    monkeypatch.setattr(connection, "cursor", gone)
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert b"10.0.0.7" not in answer.content


@pytest.mark.django_db
def test_it_needs_no_session_and_sets_no_cookie(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        answer = client.get("/healthz")
    assert not answer.cookies


def test_it_can_only_be_read(client: Client) -> None:
    assert client.post("/healthz").status_code == 405
