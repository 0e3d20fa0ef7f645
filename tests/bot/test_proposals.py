"""`weft eval --from-threads`: what people asked becomes a file that `weft eval` reads, without who asked."""

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.operator.evaluation import load_questions

PACK = """\
name: house
title: {en: House, ko: 집}
description: {en: House., ko: 집.}
slots:
  - name: ills
    title: {en: Illnesses, ko: 질환}
    type: list
    choices: [{value: diabetes, names: [당뇨]}]
"""


@pytest.fixture
def weft(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house" / "documents").mkdir(parents=True)
    (tmp_path / "house" / "pack.yaml").write_text(PACK, "utf-8")
    text = "# Annual leave\n\nEvery employee gets 25 days of annual leave a year.\n\n# Diabetes\n\nEat whole grain.\n"
    (tmp_path / "house" / "documents" / "leave.md").write_text(text, "utf-8")
    return lambda *command: CliRunner().invoke(
        main, [*command, "--pack", "./house", "--data", str(tmp_path / "data")], catch_exceptions=False
    )


def test_what_was_asked_is_proposed_with_what_was_answered(weft, tmp_path):
    for text in (
        "How many days of annual leave does an employee get?",
        "how many days of annual leave does an employee get",
        "What is the wifi password of the moon base?",
        "I have diabetes. What should I eat?",
        "hello",
    ):
        weft("ask", text, "--as", "ann-the-asker", "--channel", "the-channel")
    run = weft("eval", "--from-threads")
    assert run.exit_code == 0 and "people's own words" in run.stdout
    assert "ann-the-asker" not in run.stdout and "the-channel" not in run.stdout
    (tmp_path / "proposed.yaml").write_text(run.stdout, "utf-8")
    asked = {each.question.rstrip("?").lower(): each for each in load_questions(tmp_path / "proposed.yaml").questions}
    assert set(asked) == {
        "how many days of annual leave does an employee get", "what is the wifi password of the moon base",
    }  # fmt: skip
    leave = asked["how many days of annual leave does an employee get"]
    assert leave.file[0].endswith("leave.md") and leave.facts == ("25",)
    marked = weft("eval", "proposed.yaml", "--json")
    assert '"questions": 2' in marked.stdout and '"told": 2' in marked.stdout


def test_a_file_and_the_threads_are_not_asked_for_at_once(weft):
    assert "give either a FILE of questions or --from-threads" in weft("eval").output
    assert "give either" in weft("eval", "x.yaml", "--from-threads").output
    nothing = weft("eval", "--from-threads")
    assert nothing.exit_code == 1 and nothing.stdout == "" and "nothing was looked up" in nothing.stderr
