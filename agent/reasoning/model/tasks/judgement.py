"""Whether an answer stands on its passages, and answers: rules refuse what they disprove, a model judges the rest."""

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel

from agent.reasoning.contract import Brief
from agent.reasoning.grounding.citation_support import findings
from agent.reasoning.grounding.wording import is_quoted
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.transport.endpoint import Said
from agent.types import Block, QualityCheck, Remedy, Sentence

_PROBLEM_CHARACTERS = 200
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


class Trial:
    """The sentences of one answer, sorted by what the rules say of them."""

    def __init__(self, sentences: Sequence[Sentence], brief: Brief) -> None:
        self._sentences = sentences
        self._brief = brief
        self._problems: dict[int, str] = {}
        self._doubts: dict[int, str] = {}
        self.open: list[int] = []
        """Which sentences are the model's to judge: the rules prove nothing against them, and they are no quotes."""
        for n, sentence in enumerate(sentences, start=1):
            found = findings(sentence, brief.blocks, brief.question)
            if found.proven:
                self._problems[n] = "; ".join(found.proven)
            elif found.all or not _verbatim(sentence, brief.blocks):
                self.open.append(n)
                self._doubts[n] = "; ".join(found.all)

    def request(self) -> list[Said]:
        """Return what the model is asked about the open sentences: with what they cite, and what the rules doubt."""
        quoting = Quoting()
        cited = {support.block for n in self.open for support in self._sentences[n - 1].support}
        blocks = [block for block in self._brief.blocks if block.n in cited]
        parts = [
            quoting.passages(blocks, characters=self._brief.pack.limits.context_characters),
            quoting.block("question", self._brief.question[:_QUESTION_CHARACTERS]),
            quoting.block("answer", "".join(sentence.lead + sentence.text for sentence in self._sentences)),
        ]
        for n in self.open:
            sentence = self._sentences[n - 1]
            numbers = ", ".join(str(b) for b in sorted({support.block for support in sentence.support}))
            parts.append(quoting.block(f"sentence {n}, cites {numbers}", sentence.text))
            if self._doubts.get(n):
                parts.append(quoting.block(f"doubt about sentence {n}", self._doubts[n]))
        return quoting.request("judge", parts)

    def objection(self) -> Callable[[Verdicts], str]:
        """Return what says that the model left out a sentence."""

        def missing(answer: Verdicts) -> str:
            left_out = sorted(set(self.open) - {verdict.n for verdict in answer.verdicts})
            return f"verdicts: sentences {left_out} are missing" if left_out else ""

        return missing

    def hear(self, answer: Verdicts) -> None:
        """Take the model's word: it can find fault with an open sentence, and with no other."""
        for verdict in answer.verdicts:
            if not verdict.supported and verdict.n in self.open:
                self._problems[verdict.n] = line(verdict.problem, _PROBLEM_CHARACTERS) or "not in the cited passage"

    def outcome(self) -> QualityCheck:
        """Return the verdict about the answer."""
        total = len(self._sentences)
        if not total:
            return QualityCheck(is_valid=True, score=0.0, reason="nothing was claimed")
        faults = sorted(self._problems.items())
        return QualityCheck(
            is_valid=not faults,
            score=(total - len(faults)) / total,
            reason=f"{len(faults)} of {total} sentences are not supported" if faults else "",
            suggestions=tuple(Remedy("unsupported", self._sentences[n - 1].text, problem) for n, problem in faults),
            needs_retry=bool(faults),
        )


def _verbatim(sentence: Sentence, blocks: Sequence[Block]) -> bool:
    """Tell whether a sentence has nothing but the words of what it cites, whatever marks it sets."""
    texts = {block.n: block.passage.text for block in blocks}
    cited = [texts[each.block][each.start : each.end] for each in sentence.support if each.block in texts]
    return is_quoted(sentence.text, [*cited, "\n".join(cited)])
