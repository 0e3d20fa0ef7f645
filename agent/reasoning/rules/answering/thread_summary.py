"""Older turns in few words: a line a turn, with the names, numbers and decisions of its answer."""

import re
from collections.abc import Sequence

from agent.reasoning.rules.answering import readable
from agent.text import clipped, normalise, sentences
from agent.types import Summary, TurnRecord
from agent.values.amounts import amounts

BYTES = 1_200
"""Of a summary. What does not fit is cut down to its facts, the oldest first, and dropped at last; the line of the
first turn stays, since threads mostly stay with their topic."""
QUESTION = 100
GIST = 160
FACTS = 60

_MARKS = re.compile(r"\s?(?:\[\d{1,3}\])+")
_NAME = re.compile(r"\b[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*\b|(?<![가-힣])[가-힣]{2,}(?=팀|부서|센터|위원회|법|규정)")
_DECIDES = re.compile(
    r"\b(?:must|may not|cannot|not allowed|allowed|required|approved|only|never|always|no|yes)\b|해야"
    r"|수 없|금지|허용|가능|불가|승인",
    re.IGNORECASE,
)
_ARROW = " → "


def summarise(summary: Summary | None, turns: Sequence[TurnRecord]) -> str:
    """Return a line a turn, oldest first, below the lines of the summary before."""
    lines = summary.text.splitlines() if summary else []
    lines += [_line(turn) for turn in turns]
    for place in range(len(lines)):
        if _size(lines) <= BYTES:
            break
        lines[place] = _facts(lines[place])
    while _size(lines) > BYTES and len(lines) > 2:
        lines.pop(1)
    return "\n".join(lines)


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _line(turn: TurnRecord) -> str:
    asked = clipped(normalise(turn.standalone or turn.question), QUESTION)
    told = _gist(turn.answer) if turn.evidence else ""
    return f"{asked}{_ARROW}{told}" if told else asked


def _gist(answer: str) -> str:
    """Return the sentence of an answer that says most: numbers first, then decisions and names."""
    plain = _MARKS.sub("", answer)
    found = [readable.tidy(plain[start:end]) for start, end in sentences(plain)]
    found = [sentence for sentence in found if sentence]
    if not found:
        return ""
    best = max(range(len(found)), key=lambda n: (_worth(found[n]), -n))
    return clipped(found[best], GIST)


def _worth(sentence: str) -> int:
    return 2 * min(2, len(amounts(sentence))) + 2 * bool(_DECIDES.search(sentence)) + bool(_NAME.search(sentence))


def _facts(line: str) -> str:
    """Return a line with nothing left of its answer but numbers and names."""
    asked, arrow, told = line.partition(_ARROW)
    if not arrow or len(told) <= FACTS:
        return line
    facts = dict.fromkeys([amount.written for amount in amounts(told)] + _NAME.findall(told))
    return f"{asked}{_ARROW}{clipped(', '.join(facts), FACTS)}" if facts else asked
