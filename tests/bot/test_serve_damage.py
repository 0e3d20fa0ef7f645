"""What the start of serving says of a damaged index."""

import logging

from bot.app import open_engine
from bot.processes.serve import tell_damage
from bot.settings import Settings


async def test_a_damaged_index_of_words_is_told_at_the_start_with_its_repair(sampled, caplog):
    async with open_engine(Settings.load(data=sampled)) as engine:
        await engine.library.index.rebuild()
        with caplog.at_level(logging.WARNING):
            await tell_damage(engine)
        assert not caplog.records
        file = sampled / "lexical.idx"
        file.write_bytes(file.read_bytes()[:-1] + b"\xff")
        await tell_damage(engine)
    [line] = caplog.records
    assert "lexical.idx is damaged" in line.getMessage() and "weft reindex" in line.getMessage()
