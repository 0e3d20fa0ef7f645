"""Words that say little, and words that stand for each other."""

from functools import lru_cache

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import groups, words
from agent.text import terms_of

FAINT_WORDS = words("reading.faint")
COMMON_WORDS = words("reading.common")


def stems_of(phrase: str) -> tuple[str, ...]:
    """Return what a phrase is matched by: stems of its words, Korean ones as they stand."""
    return tuple(word if is_hangul(word) else stem(word.replace("-", "")) for word in phrase.lower().split())


def stem(word: str) -> str:
    """Return the stem of one lower-case word, also where it is a stop word."""
    found = terms_of(word)
    return found[-1] if found else word


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for phrases in groups("synonyms.same"):
        for phrase in phrases:
            key = " ".join(stems_of(phrase))
            out.setdefault(key, {}).update((other, None) for other in phrases if other != phrase)
    return {key: tuple(others) for key, others in out.items()}


def same_as(key: str) -> tuple[str, ...]:
    """Return words and phrases that may stand for this stem (or stems joined by a space)."""
    return _groups().get(key, ())
