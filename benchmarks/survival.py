"""What Weft survives: `python -m benchmarks.survival [PART …] [--json FILE]`.

    damage       every file of a data folder damaged, and what is said then (`survival_damage.py`)
    kills        processes killed while people ask in a rough Slack: lost, doubled, out of order (`survival_kills.py`)
    restarts     from a start after SIGKILL to the answer (`survival_restarts.py`)
    accepting    from a signed event to its acknowledgement, on the disk
    clock        what is handed in over the changes of the clock (`survival_clock.py`)
    connections  10,000 idle connections: /health, memory (`connections.py`)
    memory       what a process grows by over its turns (`memory.py`)

Without a part all of them, one after the other. Ends with 1 where anything was lost, doubled or not as it should be;
times depend on the machine, whose load is told beside them.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from benchmarks import connections, memory, survival_clock, survival_damage, survival_kills, survival_restarts
from benchmarks.report import Report


def told(words: str) -> None:
    """Say how far it is."""
    sys.stderr.write(f"{words}\n")


async def damage(report: Report, given: argparse.Namespace) -> None:
    files = given.file or survival_damage.FILES
    await survival_damage.measure(report, files, given.places, aloud=given.aloud)


async def kills(report: Report, given: argparse.Namespace) -> None:
    load = {"messages": given.messages, "threads": given.threads, "kills": given.kills, "lease": given.lease}
    await survival_kills.measure(report, told, **load, seed=given.seed, keep=given.keep)


async def restarts(report: Report, given: argparse.Namespace) -> None:
    await survival_restarts.measure_restarts(report, times=given.restarts, seed=given.seed)


async def accepting(report: Report, given: argparse.Namespace) -> None:
    await survival_restarts.measure_accepting(report, events=given.messages)


async def clock(report: Report, given: argparse.Namespace) -> None:
    await survival_clock.measure(report)


async def idle(report: Report, given: argparse.Namespace) -> None:
    found = await connections.tried("idle", given.connections)
    report.add("idle connections held", found.held, "", str(given.connections))
    report.add("/health while they are held, p99", found.p99, "ms", "< 100")
    report.add("memory that they take", found.memory, "MB", "< 30")


async def growth(report: Report, given: argparse.Namespace) -> None:
    await memory.measure(given.turns, trace=False, report=report)


Part = Callable[[Report, argparse.Namespace], Awaitable[None]]
PARTS: Mapping[str, Part] = {
    "damage": damage,
    "kills": kills,
    "restarts": restarts,
    "accepting": accepting,
    "clock": clock,
    "connections": idle,
    "memory": growth,
}


def parser() -> argparse.ArgumentParser:
    """Return what reads the arguments."""
    made = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    made.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; without it all of them")
    made.add_argument("--json", type=Path, help="keep the figures")
    made.add_argument("--seed", type=int, default=1, help="of what is left to chance")
    made.add_argument("--file", action="append", help="damage: only this file; may be repeated")
    made.add_argument("--places", type=int, default=20, help="damage: bytes that are flipped, one at a time")
    made.add_argument("--aloud", action="store_true", help="damage: print all that was said")
    made.add_argument("--messages", type=int, default=2_000, help="kills, accepting")
    made.add_argument("--threads", type=int, default=200, help="kills")
    made.add_argument("--kills", type=int, default=20, help="kills")
    made.add_argument("--lease", type=float, default=10.0, help="kills: seconds of WEFT_LEASE_SECONDS")
    made.add_argument("--keep", type=Path, help="kills: leave logs, databases and what Slack shows in this folder")
    made.add_argument("--restarts", type=int, default=20, help="restarts")
    made.add_argument("--connections", type=int, default=10_000, help="connections")
    made.add_argument("--turns", type=int, default=11_000, help="memory")
    return made


async def measured(given: argparse.Namespace) -> Report:
    """Run the parts that were named."""
    report = Report("What Weft survives")
    for name in given.parts or PARTS:
        told(f"{name} …")
        before = os.getloadavg()[0]
        await PARTS[name](report, given)
        report.add(f"load of the machine while {name}", max(before, os.getloadavg()[0]), "")
    return report


def main() -> int:
    """Print the table; returns 1 where a figure is not 0 that should be."""
    given = parser().parse_args()
    if unknown := set(given.parts) - PARTS.keys():
        raise SystemExit(f"there is no part {min(unknown)}: name any of {', '.join(PARTS)}")
    report = asyncio.run(measured(given))
    report.show(given.json)
    return int(any(target == "0" and value for _, value, _, target in report.rows))


if __name__ == "__main__":
    raise SystemExit(main())
