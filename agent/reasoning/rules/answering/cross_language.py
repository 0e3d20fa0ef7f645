"""A question in the words of the other language: for documents that are not in the asker's."""

from collections.abc import Sequence
from dataclasses import replace

from agent.reasoning.rules.answering.weighted_question import Asked, asked
from agent.reasoning.rules.reading import answer_type, bilingual_terms
from agent.types import Block, Language

LANGUAGE: dict[Language, str] = {
    "en": "Answer from the passages in English, the language of the question.",
    "ko": "Answer from the passages in Korean, the language of the question.",
}
"""What is asked of an answer in the other language where the asker's own passages answer."""


def in_other_words(mine: Asked, blocks: Sequence[Block]) -> Asked | None:
    """Return the question with the other language's words for its own, where these are known; None without blocks."""
    terms = answer_type.read(mine.text, mine.language).terms
    together = bilingual_terms.phrases(terms)
    words: list[str] = []
    unknown: list[str] = []
    for i, term in enumerate(terms):
        known = together.get(i, ()) or (() if i - 1 in together else bilingual_terms.others(term))
        if known:
            words.append(known[0])
        elif i - 1 not in together and term.weight >= answer_type.SPECIFIC:
            unknown.append(term.word)
    if not words or not blocks:
        return None
    return replace(asked(" ".join((*words, *unknown)), blocks[0].passage.language, blocks), kinds=mine.kinds)
