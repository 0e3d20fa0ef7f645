"""A question in the words of the other language: for documents that are not in the asker's."""

from collections.abc import Sequence
from dataclasses import replace

from agent.reasoning.rules.answering.weighted_question import Asked, asked, terms_in
from agent.reasoning.rules.reading import answer_type, bilingual_terms
from agent.types import Block


def in_other_words(mine: Asked, blocks: Sequence[Block], trade: bilingual_terms.Trade = ()) -> Asked | None:
    """Return the question with the other language's words for its own, where these are known; None without blocks."""
    terms = answer_type.read(mine.text, mine.language).terms
    held = frozenset().union(*(terms_in(f"{b.passage.title} {b.passage.section} {b.passage.text}") for b in blocks))
    words: list[str] = []
    known = False
    for term, called in zip(terms, bilingual_terms.in_other_language(terms, trade), strict=True):
        if called:
            words.append(next((word for word in called if terms_in(word) <= held), called[0]))
            known |= called != (term.word,)
        elif term.weight >= answer_type.SPECIFIC:
            words.append(term.word)
    if not known or not blocks:
        return None
    return replace(asked(" ".join(words), blocks[0].passage.language, blocks), kinds=mine.kinds)
