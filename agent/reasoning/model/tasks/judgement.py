"""Whether an answer stands on its passages, and answers: rules refuse what they disprove, a model judges the rest."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from agent.reasoning.contract import Brief
from agent.reasoning.grounding.citation_support import findings
from agent.reasoning.grounding.wording import is_quoted
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.types import Block, Grade, QualityCheck, Remedy, Sentence

SHARES = {"yes": 1.0, "partly": 0.6, "no": 0.2}
"""What an answer is worth that answers all, a part or nothing of its question. Chosen: a part is above the usual
threshold of a second search (0.5), nothing is below."""
MISSING = 3
_TOKENS, _VERDICT_TOKENS = 200, 80
_WORDS = 200
"""Characters of what the model says is wrong, or missing."""
_QUESTION_CHARACTERS = 2000


class Verdict(BaseModel):
    """The model's word on one sentence."""

    n: int
    supported: bool
    problem: str = ""


class Verdicts(BaseModel):
    """The model's answer."""

    verdicts: list[Verdict]
    answered: Literal["yes", "partly", "no"] = "yes"
    missing: list[str] = []


async def judge(
    endpoint: Endpoint, sentences: Sequence[Sentence], brief: Brief
) -> tuple[QualityCheck, Verdicts | None]:
    """Return whether the sentences are supported, and what the model said, where it was asked. Raises ModelError.

    It is asked only about those against which the rules prove nothing and that are no quotes: it can find fault with
    these, and with no other.
    """
    problems, doubts = await asyncio.to_thread(_sorted, sentences, brief)
    answer = None
    if doubts:

        def left_out(answer: Verdicts) -> str:
            missing = sorted(doubts.keys() - {verdict.n for verdict in answer.verdicts})
            return f"verdicts: sentences {missing} are missing" if missing else ""

        tokens = _TOKENS + _VERDICT_TOKENS * (len(doubts) + 1)
        asked = request(sentences, brief, doubts)
        answer = await endpoint.ask("small", asked, shape=Verdicts, tokens=tokens, objection=left_out)
        for verdict in answer.verdicts:
            if not verdict.supported and verdict.n in doubts:
                problems[verdict.n] = line(verdict.problem, _WORDS) or "not in the cited passage"
    return _outcome(sentences, problems), answer


def _sorted(sentences: Sequence[Sentence], brief: Brief) -> tuple[dict[int, str], dict[int, str]]:
    """Return what the rules disprove, by sentence, and what they doubt of those that are the model's to judge."""
    problems: dict[int, str] = {}
    doubts: dict[int, str] = {}
    for n, sentence in enumerate(sentences, start=1):
        found = findings(sentence, brief.blocks, brief.question)
        if found.proven:
            problems[n] = "; ".join(found.proven)
        elif found.all or not _verbatim(sentence, brief.blocks):
            doubts[n] = "; ".join(found.all)
    return problems, doubts


def _verbatim(sentence: Sentence, blocks: Sequence[Block]) -> bool:
    """Tell whether a sentence has nothing but the words of what it cites, whatever marks it sets."""
    texts = {block.n: block.passage.text for block in blocks}
    cited = [texts[each.block][each.start : each.end] for each in sentence.support if each.block in texts]
    return is_quoted(sentence.text, [*cited, "\n".join(cited)])


def request(sentences: Sequence[Sentence], brief: Brief, doubts: Mapping[int, str]) -> list[Said]:
    """Return what the model is asked about sentences by number: with what they cite, and what the rules doubt."""
    quoting = Quoting()
    cited = {support.block for n in doubts for support in sentences[n - 1].support}
    blocks = [block for block in brief.blocks if block.n in cited]
    parts = [
        quoting.passages(blocks, characters=brief.pack.limits.context_characters),
        quoting.block("question", brief.question[:_QUESTION_CHARACTERS]),
        quoting.block("answer", "".join(sentence.lead + sentence.text for sentence in sentences)),
    ]
    for n, doubt in doubts.items():
        sentence = sentences[n - 1]
        numbers = ", ".join(str(b) for b in sorted({support.block for support in sentence.support}))
        parts.append(quoting.block(f"sentence {n}, cites {numbers}", sentence.text))
        if doubt:
            parts.append(quoting.block(f"doubt about sentence {n}", doubt))
    return quoting.request("judge", parts)


def _outcome(sentences: Sequence[Sentence], problems: Mapping[int, str]) -> QualityCheck:
    total = len(sentences)
    if not total:
        return QualityCheck(is_valid=True, score=0.0, reason="nothing was claimed")
    faults = sorted(problems.items())
    return QualityCheck(
        is_valid=not faults,
        score=(total - len(faults)) / total,
        reason=f"{len(faults)} of {total} sentences are not supported" if faults else "",
        suggestions=tuple(Remedy("unsupported", sentences[n - 1].text, problem) for n, problem in faults),
        needs_retry=bool(faults),
    )


def graded(answer: Verdicts | None, sentences: Sequence[Sentence], grounding: QualityCheck) -> Grade:
    """Return the model's mark. `check` is of the answer as a whole: all is well where the model was not asked.

    `confidence` is what the judge alone says, and 0 where there was none, or none that said whether it answers.
    """
    if not sentences:
        return Grade(check=QualityCheck(is_valid=False, score=0.0, reason="nothing was answered"), score=0.0)
    if answer is None:
        check = QualityCheck(is_valid=True, score=1.0)
        return Grade(check=check, score=grounding.score, evidence=grounding.score)
    share = SHARES[answer.answered]
    left = [] if answer.answered == "yes" else [line(part, _WORDS) for part in answer.missing if part.strip()]
    missing = tuple(left[:MISSING])
    check = QualityCheck(
        is_valid=not missing,
        score=share,
        reason="a part of the question is not answered" if missing else "",
        suggestions=tuple(Remedy("unanswered", part) for part in missing),
        needs_retry=bool(missing),
    )
    score = min(share, grounding.score)
    said = "answered" in answer.model_fields_set
    return Grade(check=check, score=score, evidence=grounding.score, confidence=score if said else 0.0)
