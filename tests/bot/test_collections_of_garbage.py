"""What a process that serves has loaded is not walked through again and again by the garbage collector."""

import asyncio
import gc
from contextlib import suppress

from bot.processes.serve import run
from bot.settings import Settings


async def test_what_is_loaded_at_the_start_is_kept_out_of_collections(sampled):
    before = gc.get_freeze_count()
    serving = asyncio.create_task(run(Settings.load(data=sampled), ["worker"]))
    try:
        async with asyncio.timeout(60):
            while gc.get_freeze_count() <= before and not serving.done():
                await asyncio.sleep(0.01)
        assert gc.get_freeze_count() > before
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
