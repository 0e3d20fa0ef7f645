"""What README shows is what people get: its thread is asked, its commands are there, its links lead somewhere."""

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LEFT_OUT = "…"


def shown() -> list[tuple[str, list[str]]]:
    """Return each question of the thread at the top with the lines below it."""
    block = README.split("```\n")[1]
    turns = re.split(r"^Kim +", block, flags=re.M)[1:]
    found = [turn.split("Weft ", 1) for turn in turns]
    return [(question.strip(), [line.strip() for line in told.splitlines()]) for question, told in found]


def plain(response: dict) -> list[str]:
    """Return an answer line by line, without marks, and its sources below it."""
    lines = [re.sub(r"\*\*|`", "", line).strip() for line in response["answer"].splitlines()]
    sources = [f"[{c['n']}] {c['title']} › {c['section']}" for c in response["citations"]]
    return [*filter(None, lines), f"Sources  {'  '.join(sources)}"]


def fits(shown: list[str], told: list[str]) -> bool:
    """Say whether the lines are those that were told, in order; a lone "…" stands for some that are left out."""
    pattern = "".join(r"(?:.*\n)*?" if line == LEFT_OUT else f"{re.escape(line)}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in told)) is not None


@pytest.fixture
def weft(tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)

    def run(*args: str) -> dict:
        done = CliRunner().invoke(main, [*args, "--json", "--data", str(sampled)])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return run


def test_the_thread_is_what_weft_answers(weft):
    assert len(shown()) == 2
    for question, lines in shown():
        told = plain(weft("ask", question, "--thread", "readme"))
        assert fits(lines, told), told


def test_a_line_that_weft_does_not_say_is_seen():
    told = ["one", "two", "three"]
    assert fits(["one", LEFT_OUT, "three"], told) and fits(told, told)
    assert not fits(["one", "three"], told) and not fits(["one", LEFT_OUT, "four"], told)


def test_the_second_example_asks_what_can_be_answered(weft):
    asked = re.findall(r'weft ask "(.+?)" --thread vpn', README)
    assert len(asked) == 2
    assert [weft("ask", question, "--thread", "vpn")["response_type"] for question in asked] == ["answer", "answer"]


def test_its_commands_are_there():
    named = {tuple(words.split()) for words in re.findall(r"`weft ([a-z]+(?: [a-z]+)?)", README)}
    assert len(named) > 6
    for words in named:
        assert CliRunner().invoke(main, [*words, "--help"]).exit_code == 0, words
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    assert set(re.findall(r"^make ([a-z]+)", README, flags=re.M)) <= targets


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md"])
def test_its_links_lead_somewhere(page):
    links = re.findall(r"\]\(((?!https?:)[^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_the_latest_release_told_is_the_version():
    told = re.search(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    assert told and CliRunner().invoke(main, ["--version"]).stdout.split()[-1] == told[1]


def test_every_measurement_is_in_the_index():
    index = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    runs = [path.stem for path in (ROOT / "benchmarks").glob("*.py") if '__name__ == "__main__"' in path.read_text()]
    assert len(runs) > 20
    assert [name for name in runs if not re.search(rf"[`.]{name}\b", index)] == []
