"""What Korean words are called in English, as `bilingual.yaml` lists them."""

from collections.abc import Mapping
from functools import cache

from agent.language.lexicon import mapping


@cache
def glossary() -> Mapping[str, tuple[str, ...]]:
    """Return the words, each with what it is called, the likeliest first."""
    return {
        word.strip(): tuple(name.strip() for name in names.split(","))
        for words, names in mapping("bilingual.en", "ko").items()
        for word in words.split(",")
    }
