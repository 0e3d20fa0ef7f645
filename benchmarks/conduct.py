"""Whether Weft speaks when it is asked and stays silent between people: `python -m benchmarks.conduct [--json FILE]`.

The talk corpora (`benchmarks/talk/`) are played through the whole application, each thread from its start: what Weft
says, and what it leaves, is what the next line stands behind. Counted is each line for which anything was shown at all.
Played are the sets that no weight was fitted on, unless others are named.
"""

import argparse
import asyncio
import tempfile
from collections import defaultdict
from itertools import islice
from pathlib import Path

from benchmarks.report import Report
from benchmarks.talk_sets import CORPORA, LEFT_OUT, Player, prepare, threads
from bot.app import open_engine
from bot.settings import Settings

MOST_TALK, LEAST_ASKED = 0.02, 0.95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "corpora", nargs="*", default=LEFT_OUT, help="which to play: %(default)s, unless told otherwise"
    )
    parser.add_argument("--show", action="store_true", help="print what is wrong, but for what is left out")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("Speak or stay silent")
    together: Counted = defaultdict(list)
    for corpus in given.corpora:
        counted = asyncio.run(played(corpus, show=given.show and corpus in CORPORA))
        told(report, corpus, counted)
        for key, shown in counted.items():
            together[key].extend(shown)
    told(report, "all", together)
    report.show(given.json)


Counted = dict[tuple[str, str], list[bool]]
"""By language (or `channel`, where every question is heard) and kind of line, whether anything was shown."""


async def played(corpus: str, *, every: int = 1, show: bool = False) -> Counted:
    """Play the threads of a corpus, or every second, third, … of them, and return what was shown."""
    counted: Counted = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        async with open_engine(Settings.load(data=Path(folder))) as engine:
            await prepare(engine, corpus)
            player = Player(engine)
            for thread in islice(threads(corpus), None, None, every):
                for number, line in enumerate(thread.lines):
                    shown = await player.say(thread, number)
                    where = "channel" if thread.channel else thread.language
                    counted[where, line.kind].append(shown.anything > 0)
                    if show and (shown.anything > 0) != line.wanted:
                        print(f"{line.kind} {thread.name} {line.text}")
    return counted


def told(report: Report, name: str, counted: Counted) -> None:
    for where in ("en", "ko", "all threads", "channel"):
        places = ("en", "ko") if where == "all threads" else (where,)
        talk, asked = ([each for place in places for each in counted[place, kind]] for kind in "-+")
        if not talk:
            continue
        goal = where == "all threads"
        report.add(
            f"{name}, {where}: people's lines answered ({sum(talk)} of {len(talk)})",
            sum(talk) / len(talk),
            "",
            f"<= {MOST_TALK}" if goal else "",
        )
        report.add(
            f"{name}, {where}: questions to Weft answered ({sum(asked)} of {len(asked)})",
            sum(asked) / max(1, len(asked)),
            "",
            f">= {LEAST_ASKED}" if goal else "",
        )


if __name__ == "__main__":
    main()
