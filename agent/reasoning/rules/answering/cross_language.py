"""A question in the words of the other language: for documents that are not in the asker's."""

from collections.abc import Sequence
from dataclasses import replace

from agent.reasoning.rules.answering.weighted_question import Asked, asked
from agent.reasoning.rules.reading import answer_type, bilingual_terms
from agent.types import Block


def in_other_words(mine: Asked, blocks: Sequence[Block], trade: bilingual_terms.Trade = ()) -> Asked | None:
    """Return the question with the other language's words for its own, where these are known; None without blocks."""
    terms = answer_type.read(mine.text, mine.language).terms
    together = bilingual_terms.phrases(terms, trade)
    words: list[str] = []
    unknown: list[str] = []
    for i, term in enumerate(terms):
        known = together.get(i, ()) or (() if i - 1 in together else bilingual_terms.others(term, trade))
        if known:
            words.append(known[0])
        elif i - 1 not in together and term.weight >= answer_type.SPECIFIC:
            unknown.append(term.word)
    if not words or not blocks:
        return None
    return replace(asked(" ".join((*words, *unknown)), blocks[0].passage.language, blocks), kinds=mine.kinds)
