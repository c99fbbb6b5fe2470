"""The ticker repeats its jobs, outlives their failures and never runs one twice at a time."""

import asyncio
import threading

import pytest

from config.ticker import Ticker


async def test_a_job_that_fails_is_logged_and_runs_again(caplog: pytest.LogCaptureFixture) -> None:
    again = threading.Event()
    runs = 0

    def job() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise ValueError("no luck")
        again.set()

    ticker = Ticker([("a job", job, 0.01)])
    ticker.start()
    assert await asyncio.to_thread(again.wait, 5)
    await ticker.stop()
    assert "a job of the ticker failed: a job" in caplog.text


async def test_a_slow_job_is_not_started_again_while_it_runs_and_the_others_go_on() -> None:
    finish, others = threading.Event(), threading.Semaphore(0)
    running = most = 0

    def slow() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        finish.wait(5)
        running -= 1

    ticker = Ticker([("slow", slow, 0.001), ("quick", others.release, 0.001)])
    ticker.start()
    for _ in range(20):
        assert await asyncio.to_thread(others.acquire, timeout=5)
    finish.set()
    await ticker.stop()
    assert most == 1


async def test_after_a_stop_nothing_runs() -> None:
    ran = threading.Event()
    ticker = Ticker([("job", ran.set, 0.001)])
    ticker.start()
    assert await asyncio.to_thread(ran.wait, 5)
    await ticker.stop()
    ran.clear()
    assert not await asyncio.to_thread(ran.wait, 0.05)


def test_a_job_that_does_not_exist_stops_the_start() -> None:
    with pytest.raises(ImportError):
        Ticker.of([("config.ticker.no_such_job", 1.0)])
