from collections.abc import Callable

import pytest

from agent.reasoning.model import ModelReasoner
from agent.types import Remedy, Sentence, Support
from tests.reasoning_model.making import HOURS, brief
from tests.servers.openai import OpenAIServer

Make = Callable[..., ModelReasoner]
PLACE = Support(block=1, start=0, end=HOURS.index(" On"))
FREE = Sentence(text="On weekdays the library shuts its doors at six.", support=(PLACE,), lead="")
QUOTE = Sentence(text="The library closes at six on weekdays.", support=(PLACE,), lead="")
ASKED = brief("When does the library close on weekdays and on Saturdays?")


def judged(answered: str = "yes", *missing: str) -> dict[str, object]:
    verdicts = [{"n": 1, "supported": True, "problem": ""}]
    return {"verdicts": verdicts, "answered": answered, "missing": list(missing)}


@pytest.mark.parametrize(
    ("answered", "missing", "score", "valid"),
    [("yes", (), 1.0, True), ("partly", ("Saturday",), 0.6, False), ("no", (), 0.2, True), ("yes", ("x",), 1.0, True)],
)
async def test_one_call_judges_the_sentences_and_the_answer(
    server: OpenAIServer, make: Make, answered: str, missing: tuple[str, ...], score: float, valid: bool
) -> None:
    server.answer(judged(answered, *missing))
    model = make()
    check = await model.check_grounding([FREE], ASKED)
    grade = await model.grade([FREE], ASKED, check)
    assert len(server.chats) == 1
    assert check.is_valid and check.score == 1.0
    assert (grade.score, grade.check.is_valid, grade.check.needs_retry) == (score, valid, not valid)
    assert grade.confidence == score
    assert grade.check.suggestions == (() if valid else (Remedy("unanswered", "Saturday"),))
    (request,) = server.chats
    assert request.quoted("answer") == [FREE.text]
    assert request.quoted("question") == [ASKED.question]


async def test_quotes_are_graded_without_a_call(server: OpenAIServer, make: Make) -> None:
    model = make()
    grade = await model.grade([QUOTE], ASKED, await model.check_grounding([QUOTE], ASKED))
    assert (grade.score, grade.check.is_valid, grade.confidence) == (1.0, True, 0.0)
    assert not server.requests


async def test_the_mark_is_of_these_sentences_alone(server: OpenAIServer, make: Make) -> None:
    server.answer(judged("no"))
    model = make()
    check = await model.check_grounding([FREE], ASKED)
    assert (await model.grade([QUOTE], ASKED, check)).score == 1.0
    assert (await model.grade([FREE], ASKED, check)).score == 0.2


async def test_a_model_that_says_nothing_of_the_whole_has_nothing_against_it(server: OpenAIServer, make: Make) -> None:
    server.answer({"verdicts": [{"n": 1, "supported": True}]})
    model = make()
    grade = await model.grade([FREE], ASKED, await model.check_grounding([FREE], ASKED))
    assert (grade.score, grade.confidence) == (1.0, 0.0)  # nor has it said that it answers


async def test_what_is_missing_is_bounded(server: OpenAIServer, make: Make) -> None:
    server.answer(judged("partly", " ", *["word\n" * 200] * 9))
    model = make()
    grade = await model.grade([FREE], ASKED, await model.check_grounding([FREE], ASKED))
    assert len(grade.check.suggestions) == 3
    assert all(len(told.about) < 250 and "\n" not in told.about for told in grade.check.suggestions)
