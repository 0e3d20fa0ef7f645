"""Conversations as people have them, through the real application, against what was read and found right.

`handbook.txt` and `guides.txt` hold what people write; `handbook.golden.md` and `guides.golden.md` what came of it.
After a wanted change: `WEFT_RECORD=1 .venv/bin/python -m pytest tests/dialogues`, then read the difference.
"""

import os
import re
from pathlib import Path

import pytest

from agent.types import Response
from bot.app import Engine, open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from storage.ingest.run import ingest
from tests.recording import recording

HERE = Path(__file__).parent
MARKED = {"passages": "hedged", "not_found": "known-miss"}
"""How a turn is marked that is told with a word of doubt, or that nothing was found for."""
MISSES = 2
"""Turns for which nothing was found: both ask for what no document holds."""
"""Turns that nothing is found for; there may only ever be fewer."""
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def dialogues(name: str) -> list[tuple[str, list[str]]]:
    """Return the title and the messages of each dialogue; `\\n` in a message is a line break."""
    parts = (HERE / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n")
    found = [part.splitlines() for part in parts]
    return [(lines[0].removeprefix("# "), [line.replace("\\n", "\n") for line in lines[1:]]) for lines in found]


@pytest.fixture
async def engine(tmp_path, sampled, monkeypatch):
    for key in list(os.environ):
        if key.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")) and key != "WEFT_RECORD":
            monkeypatch.delenv(key)
    monkeypatch.chdir(tmp_path)
    async with open_engine(Settings.load(data=sampled)) as opened:
        yield opened


async def told(engine: Engine, name: str) -> str:
    """Return all dialogues of a file with what Weft said, each with an asker of its own."""
    console, pages = Console(engine, quiet=True), list[str]()
    for title, messages in dialogues(name):
        label = title.split()[0]
        asker = Asker(user=label)
        turns = [_turn(text, await console.ask(asker.message(text, label))) for text in messages]
        pages.append("\n\n".join([f"## {title}", *turns]))
    return "\n\n".join(pages) + "\n"


def _turn(text: str, response: Response) -> str:
    head = f"**{text.replace(chr(10), ' ⏎ ')}**\n`{response.route}`"
    if response.standalone_query != text:
        head += f" {response.standalone_query}"
    if response.response_type in MARKED:
        head += f"\n`{MARKED[response.response_type]}`"
    sources = ", ".join(dict.fromkeys(citation.document_id for citation in response.citations))
    body = "\n".join(f"> {line}".rstrip() for line in DAY.sub("(day)", response.answer).splitlines())
    return "\n".join([head, body, *([f"({sources})"] if sources else [])])


@pytest.mark.parametrize("name", ["handbook", "guides"])
@pytest.mark.long
async def test_people_are_understood(engine, name):
    if name == "guides":
        await ingest([HERE / "guides"], library=engine.library, collection="documents")
    transcript = await told(engine, name)
    golden = HERE / f"{name}.golden.md"
    if recording():
        golden.write_text(transcript, encoding="utf-8")
    assert transcript == golden.read_text(encoding="utf-8")


def test_nothing_more_is_missed_than_is_known():
    every = "".join((HERE / f"{name}.golden.md").read_text(encoding="utf-8") for name in ("handbook", "guides"))
    assert every.count("`known-miss`") <= MISSES and every.count("`hedged`")


def test_there_are_enough_dialogues_of_both_languages():
    every = [dialogue for name in ("handbook", "guides") for dialogue in dialogues(name)]
    assert len(every) >= 40 and all(2 <= len(messages) <= 8 for _, messages in every)
    assert sum(title.startswith("ko") for title, _ in every) >= 15
