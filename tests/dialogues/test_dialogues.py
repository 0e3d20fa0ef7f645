"""Conversations as people have them, through the real application, against what was read and found right.

`handbook.txt` and `guides.txt` hold what people write; `handbook.golden.md` and `guides.golden.md` what came of it.
After a wanted change: `WEFT_RECORD=1 .venv/bin/python -m pytest tests/dialogues`, then read the difference.
"""

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from tests.recording import recording

HERE = Path(__file__).parent
MARKED = {"passages": "hedged", "not_found": "known-miss"}
"""How a turn is marked that is told with a word of doubt, or that nothing was found for."""
MISSES = 1
"""Turns that nothing is found for; there may only ever be fewer."""
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def dialogues(name: str) -> list[tuple[str, list[str]]]:
    """Return the title and the messages of each dialogue; `\\n` in a message is a line break."""
    parts = (HERE / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n")
    found = [part.splitlines() for part in parts]
    return [(lines[0].removeprefix("# "), [line.replace("\\n", "\n") for line in lines[1:]]) for lines in found]


@pytest.fixture
def weft(tmp_path, sampled, monkeypatch):
    for key in list(os.environ):
        if key.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")) and key != "WEFT_RECORD":
            monkeypatch.delenv(key)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, [*arguments, "--data", str(sampled)])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def told(weft, tmp_path, name: str) -> str:
    """Return all dialogues of a file with what Weft said, each with an asker of its own."""
    pages: list[str] = []
    for title, messages in dialogues(name):
        label = title.split()[0]
        batch = tmp_path / f"{label}.jsonl"
        lines = [{"id": str(n), "thread": label, "text": text} for n, text in enumerate(messages)]
        batch.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        answers = [
            json.loads(line) for line in weft("ask", "--batch", str(batch), "--as", label, "--json").splitlines()
        ]
        turns = [_turn(text, answer) for text, answer in zip(messages, answers, strict=True)]
        pages.append("\n\n".join([f"## {title}", *turns]))
    return "\n\n".join(pages) + "\n"


def _turn(text: str, answer: dict) -> str:
    head = f"**{text.replace(chr(10), ' ⏎ ')}**\n`{answer['route']}`"
    if answer["standalone_query"] != text:
        head += f" {answer['standalone_query']}"
    if answer["response_type"] in MARKED:
        head += f"\n`{MARKED[answer['response_type']]}`"
    sources = ", ".join(dict.fromkeys(citation["document_id"] for citation in answer["citations"]))
    body = "\n".join(f"> {line}".rstrip() for line in DAY.sub("(day)", answer["answer"]).splitlines())
    return "\n".join([head, body, *([f"({sources})"] if sources else [])])


@pytest.mark.parametrize("name", ["handbook", "guides"])
def test_people_are_understood(weft, tmp_path, name):
    if name == "guides":
        weft("ingest", str(HERE / "guides"))
    transcript = told(weft, tmp_path, name)
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
