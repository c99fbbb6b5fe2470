"""No card and no secret reaches a log line, whichever way it is logged."""

import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from config.logs import HIDDEN, logging_settings


@pytest.fixture(autouse=True)
def logging_as_before(settings: Any) -> Iterator[None]:
    yield
    logging.config.dictConfig(settings.LOGGING)


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("name", sorted(HIDDEN))
def test_names_that_carry_cards_or_secrets_are_blanked(
    capsys: pytest.CaptureFixture[str], name: str, as_json: bool
) -> None:
    logging.config.dictConfig(logging_settings(as_json=as_json))
    structlog.get_logger("a").info("dealt", **{name: "3d 3h RJ"})
    logging.getLogger("b").info("dealt", extra={name: "3d 3h RJ"})
    text = capsys.readouterr().err
    assert text.count("(hidden)") == 2
    assert "RJ" not in text


@pytest.mark.parametrize("as_json", [True, False])
def test_a_traceback_shows_no_local_variables(capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    logging.config.dictConfig(logging_settings(as_json=as_json))
    hand = ["3d", "3h", "RJ"]
    try:
        hand.index("2s")
    except ValueError:
        structlog.get_logger("a").exception("failed")
        logging.getLogger("b").exception("failed")
    text = capsys.readouterr().err
    assert text.count("Traceback (most recent call last)") == 2
    assert "RJ" not in text


def test_production_writes_one_json_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(logging_settings(as_json=True))
    logging.getLogger("games.tables").warning("a hint was late: %s", "4F2K")
    event = json.loads(capsys.readouterr().err)
    assert event["event"] == "a hint was late: 4F2K"
    assert (event["level"], event["logger"]) == ("warning", "games.tables")
