"""Words that stand for each other wherever they are written."""

from functools import lru_cache

from agent.language.lexicon import groups
from agent.text import terms_of


def same_as(stem: str) -> frozenset[str]:
    """Return the stems that may stand for this one; none for most."""
    return _groups().get(stem, frozenset())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for group in groups("grounding.synonyms"):
        stems = {terms_of(word)[0] if word.isascii() and terms_of(word) else word for word in group}
        for stem in stems:
            out.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in out.items()}
