"""The messages of a thread: how much each of them tells of it, and whether something was decided."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from agent.addressing import puts_question
from agent.language.lexicon import pattern, regex
from agent.text import sentences, tokens, words
from agent.types import Aim, Block
from agent.values.amounts import amounts

_ASSENT = re.compile(rf"\W*(?:\+1|👍|✅|{regex('answering.assent')})(?:\W+\w+){{0,3}}\W*", re.IGNORECASE)
_SHORT = 60
"""Characters of a message that says yes, and nothing more."""


def telling(texts: Sequence[str]) -> list[float]:
    """Return for each message of a thread, oldest first, how much it tells of it; 0 and more.

    What several messages speak of counts, figures, decisions, and what began the thread.
    """
    held = [set(tokens(text)) for text in texts]
    count = Counter(term for terms in held for term in terms)
    worth = {term: math.log(n) for term, n in count.items() if n > 1}
    central = [sum(worth.get(term, 0.0) for term in terms) / math.sqrt(len(terms) + 4) for terms in held]
    most = max(central, default=0.0) or 1.0
    return [
        central[n] / most
        + 0.3 * min(2, len(amounts(text)))
        + 1.5 * decides(text)
        + 0.3 * _proposes(text)
        + 0.6 * (n == 0)
        - 0.6 * (len(held[n]) < 3)
        for n, text in enumerate(texts)
    ]


def fitting(blocks: Sequence[Block], characters: int, aim: Aim) -> Sequence[Block]:
    """Return messages of at most so many characters in all, the most telling ones, in their order; at least one.

    Where a decision is asked for, what tells of one comes before all others.
    """
    if sum(len(block.passage.text) for block in blocks) <= characters:
        return blocks
    scores = telling([block.passage.text for block in blocks])
    decisive = {n for n in range(len(blocks)) if aim == "decision" and is_decided(n, blocks)}
    kept: list[int] = []
    for n in sorted(range(len(blocks)), key=lambda n: (n not in decisive, -scores[n])):
        if not kept or len(blocks[n].passage.text) <= characters:
            kept.append(n)
            characters -= len(blocks[n].passage.text)
    return [blocks[n] for n in sorted(kept)]


def decides(text: str) -> bool:
    """Tell whether a text says what was decided; one that asks does not, nor one that says that it is, and not what."""
    return not (assents(text) or _is_verdict(text)) and any(
        pattern("answering.decisions").search(each) is not None
        and not pattern("answering.undecided").search(each)
        and not puts_question(each)
        for each in (text[start:end] for start, end in sentences(text))
    )


def is_decided(n: int, blocks: Sequence[Block]) -> bool:
    """Tell whether a message says what was decided, or the next one of another says yes to it.

    Of a proposal any yes will do; of what is stated it takes a word of a decision: "agreed".
    """
    said = blocks[n].passage
    if decides(said.text):
        return True
    if assents(said.text) or _is_verdict(said.text):
        return False
    behind = next((block.passage for block in blocks[n + 1 : n + 3] if block.passage.entities != said.entities), None)
    if behind is None or not (assents(behind.text) or _is_verdict(behind.text)):
        return False
    decisive = pattern("answering.decisions").search(behind.text) is not None
    return _proposes(said.text) or (decisive and not puts_question(said.text))


def _is_verdict(text: str) -> bool:
    """Tell whether a message says that something is decided, and nothing else."""
    said = [word for word, _, _ in words(text)]
    return bool(said) and all(pattern("answering.decisions").search(word) for word in said)


def _proposes(text: str) -> bool:
    return pattern("answering.proposals").search(text) is not None


def assents(text: str) -> bool:
    """Tell whether a message says yes, and nothing more."""
    return len(text) <= _SHORT and _ASSENT.fullmatch(text) is not None
