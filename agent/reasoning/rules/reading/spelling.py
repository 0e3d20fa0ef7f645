"""Korean words as they were meant, without slips of the keyboard, for a second search.

English slips are put right before the first search, by the words of the index (`agent/retrieval/mending.py`). Korean is
indexed in pairs of syllables, which bear a slip in a long word and not in a short one. What the evidence says is the
best list of words there is: a word that it does not hold and that is a slip away from one that it does was most likely
meant to be that one. Words that are known to be words stay.
"""

import re
import unicodedata
from collections.abc import Set
from functools import lru_cache

from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.language.ko.stems import stem_of
from agent.reasoning.message.smalltalk import slips
from agent.reasoning.rules.reading import bilingual_terms, lexicon
from agent.text import strip_particle, words

SHORTEST = 3
"""Syllables from which a word may be a slip of another: short words are too near to each other."""
LONG = 1_000
"""Characters up to which a text is put right."""
_MOST_WORDS = 60
_WORD = re.compile(rf"[{SYLLABLES}]+")


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Return the Korean words of the rules' own lists: general language, no team's documents."""
    out = set(lexicon.FAINT_WORDS | lexicon.COMMON_WORDS) | bilingual_terms.words()
    for word in lexicon.synonym_words():
        out.update(word.split())
    return frozenset(word for word in out if is_hangul(word) and len(word) > 1)


@lru_cache(maxsize=64)
def vocabulary(texts: tuple[str, ...]) -> frozenset[str]:
    """Return the Korean words of some texts, as they stand and without their particle."""
    found = {word for text in texts for word, _, _ in words(unicodedata.normalize("NFC", text)) if is_hangul(word)}
    return frozenset(found | {strip_particle(word) for word in found})


def meant(word: str, held: Set[str]) -> str:
    """Return a Korean word with its stem as one of `held`, where that is the only one that it is a slip of."""
    base = stem_of(word)
    if len(base) < SHORTEST or base in held or base in known_words() or any(base in other for other in held):
        return word
    spelt = unicodedata.normalize("NFD", base)
    near = [
        other
        for other in held
        if len(other) == len(base) and sum(a == b for a, b in zip(base, other, strict=True)) >= len(base) - 1
    ]
    found = [other for other in near if slips(spelt, unicodedata.normalize("NFD", other), most=1) > 0]
    return word.replace(base, found[0], 1) if len(found) == 1 else word


def put_right(text: str, held: Set[str]) -> str:
    """Return a question with its slips put right by these words and by general ones."""
    out, together = text, held | known_words()
    for word in list(dict.fromkeys(_WORD.findall(out)))[:_MOST_WORDS]:
        better = word if word in held else meant(word, together)
        if better != word:
            out = re.sub(rf"(?<![\w{SYLLABLES}]){word}(?![\w{SYLLABLES}])", better, out)
    return out
