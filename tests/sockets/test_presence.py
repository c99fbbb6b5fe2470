"""Our own sign of life: one that could not be written is given again at once, not ten seconds later."""

from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from games import presence
from games.models import ServerProcess
from tests.games.stories import StoryMaker


async def test_a_beat_that_failed_is_given_again_at_the_next_look(
    story: StoryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = await sync_to_async(story)()
    process = presence.Presence()
    mark = process.begin(at.table.pk, at.users[0].pk)
    await mark.written.wait()
    began = process._beaten
    assert began is not None
    renew, away = presence._renew, True

    def sometimes(of: UUID) -> bool:
        if away:
            raise OperationalError("the database is away")
        return renew(of)

    monkeypatch.setattr(presence, "_renew", sometimes)
    await sync_to_async(at.wait)(10)
    with pytest.raises(OperationalError):
        await process.beat(began + 10)
    away = False
    await process.beat(began + 12)
    row = await sync_to_async(ServerProcess.objects.get)(pk=process.process)
    assert row.beat_ms == at.now
    process.end(mark)
    await process.flushed()
