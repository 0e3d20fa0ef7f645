"""`benchmarks.model` measures the real thing: real turns, real faults, and every figure that has a target."""

import shutil
from argparse import Namespace
from pathlib import Path

import pytest

from agent import prompts
from agent.text import language_of
from agent.types import Citation, Response
from benchmarks.model import measure, quotes_stand
from benchmarks.model_endpoint import KINDS, in_own_words
from benchmarks.report import Report
from tests.reasoning_model import capable

SMALL = Namespace(
    first=0.01, per_second=5000.0, questions=2, at_once=2, turns=9, threads=1, pause=0.0, dialogues=False, json=None
)


async def test_it_counts_the_calls_and_loses_no_answer(tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sampled, tmp_path / "thread")  # where Weft is served for the part in Slack
    report = Report("The model path")
    await measure(tmp_path, SMALL, report)
    measured = {name: value for name, value, _, _ in report.rows}
    assert measured["questions"] == 2
    assert measured["calls to read, of each question"] == 1
    assert measured["calls to check, of each question"] > 0
    assert measured["calls of a simple question, most"] >= 3
    assert (
        measured["in a Slack thread: message to first words, p95"]
        <= measured["in a Slack thread: message to whole answer, p95"]
    )
    assert measured["2 turns, 2 calls at once: answers"] == 2
    assert measured["with faults: final answers"] == measured["with faults: turns"] == 9
    assert sum(n for name, n in measured.items() if name.startswith("with faults: failed: ")) > 0
    for name in (
        "empty or failed",
        "citations that do not stand in their passage",
        "answers of neither model nor rules",
    ):
        assert measured[f"with faults: {name}"] == 0


def test_every_prompt_that_a_turn_needs_is_a_kind_of_call():
    names = {path.stem for path in Path(prompts.__file__).parent.glob("*.md")} - {
        "quoting",
        "mark",
        "compose_end",
        "repair",
        "chat",
        "standalone",
    }
    begins = {name: prompts.render(name, **{each: "x" for each in prompts.fields(name)}) for name in names}
    known = {name: [start for start in KINDS if text.startswith(start)] for name, text in begins.items()}
    assert all(len(starts) == 1 for starts in known.values()), known
    assert {shape for shape, _ in KINDS.values() if shape} | {"readinginthread"} == set(capable._SHAPED)


def test_own_words_are_no_quote_and_keep_their_marks():
    said = in_own_words("It closes at six. [1] 토요일에는 닫습니다. [2]")
    assert said == "Please note that It closes at six. [1] 참고로 토요일에는 닫습니다. [2]"
    assert language_of(said.partition("] ")[0]) == "en"
    assert in_own_words("NO_ANSWER") == "NO_ANSWER"


@pytest.mark.parametrize(
    ("answer", "quote", "stands"),
    [
        ("It closes at six. [1]", "closes at six", True),
        ("It closes at six. [1]", "closes at seven", False),
        ("It closes at six. [1] At noon. [2]", "closes at six", False),
    ],
)
def test_a_quote_stands_in_its_passage_and_a_mark_has_its_citation(answer, quote, stands):
    cited = Citation(n=1, document_id="d", passage_id="p", title="Hours", quote=quote)
    response = Response(
        thread_id="t",
        turn_id="t",
        pack="handbook",
        mode="agent",
        language="en",
        route="research",
        answer=answer,
        response_type="answer",
        citations=(cited,),
    )
    assert quotes_stand(response, {"p": "It closes at six."}) is stands
    assert not quotes_stand(None, {})
