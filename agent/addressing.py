"""Whether a text is put as a question or a request, whoever it is for."""

import re
from collections.abc import Mapping

from agent.language.lexicon import patterns, word_sets
from agent.language.lexicon import words as listed
from agent.text import language_of, words

_ASKING = patterns("reading.asking")
_ASKING_FIRST = word_sets("reading.asking_first")
_GOING_ON = patterns("reading.going_on")
_GOING_ON_FIRST = word_sets("reading.going_on_first")
_BEFORE_ASKING = listed("reading.before_asking")


def asks(text: str) -> bool:
    """Tell whether the text is put as a question or a request to Weft, also as one that goes on from its answer."""
    return puts_question(text) or _is_put(text, _GOING_ON, _GOING_ON_FIRST)


def puts_question(text: str) -> bool:
    """Tell whether the text is put as a question or a request among people: "then we ship on Monday" is not."""
    return "?" in text or "？" in text or _is_put(text, _ASKING, _ASKING_FIRST)


def _is_put(text: str, anywhere: Mapping[str, re.Pattern[str]], first: Mapping[str, frozenset[str]]) -> bool:
    """Tell whether the text has a form of its language, or opens with one of its words."""
    language = language_of(text)
    if language in anywhere and anywhere[language].search(text):
        return True
    opening = next((word for word, _, _ in words(text) if word not in _BEFORE_ASKING), "")
    return opening in first.get(language, ())
