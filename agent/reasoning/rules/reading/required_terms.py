"""Which words documents must hold: those of a question that looks documents up by their words.

`Cases about force majeure in Berlin` and `합병법인, 대리납부 관련 적출 사례` do; so does whoever puts words
in quotes. Other questions are asked in other words than documents are written in, so they require none.
"""

import re
from collections.abc import Sequence

from agent.language.lexicon import first, pattern
from agent.reasoning.rules.reading.answer_type import SPECIFIC, Term
from agent.types import Language

MOST = 5

_QUOTED = re.compile(r"[\"“”„「『]([^\"“”„「」『』]{2,60})[\"“”」』]")
_WHEN = pattern("reading.time_of")


def required(text: str, terms: Sequence[Term], language: Language) -> tuple[str, ...]:
    """Return the words of a question that documents must hold; mostly none."""
    quoted = [" ".join(words.split()) for words in _QUOTED.findall(text)]
    match = first("reading.looks_up", text, language)
    about = match["words"].lower() if match else ""
    named = [
        word
        for term, word in ((term, term.stem if term.hangul else term.word) for term in terms)
        if term.weight >= SPECIFIC and not term.aside and word in about and not _WHEN.search(term.word)
    ]
    outside = [word for word in named if not any(word.lower() in words.lower() for words in quoted)]
    return tuple(dict.fromkeys((*quoted, *outside)))[:MOST]
