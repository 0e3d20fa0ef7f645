"""Whether memory grows with turns: `python -m benchmarks.memory [--turns N] [--trace] [--json FILE]`.

One process answers so many questions from the sample handbook, offline, three to a thread, in English and Korean, each
worded differently. Told is its memory (RSS, without garbage) after every thousand turns, and what it grew from the
first thousand to the last. `--trace` tells which lines hold what was added in between; it makes everything slower.
"""

import argparse
import asyncio
import ctypes
import gc
import os
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from benchmarks.report import Report
from bot.app import Engine, open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings

QUESTIONS = (
    "How do I set up the VPN on {n} laptops?",
    "and for contractors, case {n}?",
    "Who approves travel that costs {n} euro?",
    "휴가는 {n}년 차에 며칠인가요?",
    "출장비 {n}유로는 누가 승인하나요?",
    "What is the wifi password of room {n}?",
)
STEP = 1_000


def memory() -> float:
    """Return what this process holds, in MB, after everything that nobody holds any more was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def ask(engine: Engine, first: int, count: int) -> None:
    """Ask so many questions, one after the other."""
    console = Console(engine, quiet=True)
    for number in range(first, first + count):
        text = QUESTIONS[number % len(QUESTIONS)].format(n=number)
        await console.ask(Asker(user=f"U{number % 50}").message(text, f"t{number // 3}"), None)


async def measure(turns: int, trace: bool, report: Report) -> None:
    """Run the turns."""
    with tempfile.TemporaryDirectory(prefix="memory-") as place:
        async with open_engine(Settings.load(data=Path(place) / "data")) as engine:
            await ask(engine, 0, STEP)
            begun = after = memory()
            if trace:
                tracemalloc.start(8)
                before = tracemalloc.take_snapshot()
            for first in range(STEP, turns, STEP):
                since = time.monotonic()
                await ask(engine, first, min(STEP, turns - first))
                after = memory()
                took = (time.monotonic() - since) / STEP * 1000
                sys.stderr.write(
                    f"{first + STEP:6} turns: {after:.1f} MB, {after - begun:+.1f}; {took:.0f} ms a turn\n"
                )
            if trace:
                gc.collect()
                for line in tracemalloc.take_snapshot().compare_to(before, "lineno")[:25]:
                    sys.stderr.write(f"{line}\n")
    report.add("memory after the first 1,000 turns", begun, "MB")
    report.add(f"grown until turn {turns}", after - begun, "MB", "< 10")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=11_000)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    result = Report("Memory of a process over its turns")
    asyncio.run(measure(given.turns, given.trace, result))
    result.show(given.json)
