"""Files of answers in the running application: kept below the data folder, gone with their turn and with time."""

import os

from agent.context import TurnRequest
from agent.types import Audience, MessageKind, ThreadKey
from bot.app import open_engine
from bot.processes.housekeeping import DAY, Housekeeping
from bot.settings import Settings
from storage.files import TurnFiles
from tests.fakes import RecordingAdapter, incoming


async def test_the_engine_keeps_files_in_its_data_folder_and_forgets_them_with_their_turn(sampled):
    async with open_engine(Settings(_env_file=None, data=sampled)) as engine:
        key = ThreadKey(platform="fake", workspace_id="W", channel_id="C", thread_id="T1")
        request = TurnRequest(
            turn_id="t", key=key, message_id="m", asked_by="U", text="x", audience=Audience(principals=frozenset())
        )
        assert engine.agent._context(request).files is engine.files
        message = incoming("Draft a reply")
        kept = await engine.files.keep(message.turn_id, "a.md", "text/markdown", b"x")
        assert kept.path == str(sampled / "files" / message.turn_id / "a.md")
        await engine.turns_on([RecordingAdapter()]).run(incoming("", kind=MessageKind.DELETE))
        assert os.listdir(sampled / "files") == []


async def test_housekeeping_deletes_what_was_made_long_ago(tmp_path):
    files = TurnFiles(tmp_path / "files")
    for turn, age in (("old", 31), ("new", 1)):
        made = await files.keep(turn, "a.md", "text/markdown", b"x")
        for path in (made.path, os.path.dirname(made.path)):
            os.utime(path, (100 * DAY - age * DAY,) * 2)
    housekeeping = Housekeeping(
        inbox=None, checkpoints=None, deliveries=None, turns=None, files=files, keep_days=30, now=lambda: 100 * DAY
    )
    assert await housekeeping.jobs["prune_files"]() == 1 and os.listdir(tmp_path / "files") == ["new"]
    without = Housekeeping(inbox=None, checkpoints=None, deliveries=None, turns=None, keep_days=30)
    assert await without.prune_files() == 0
