"""Whether a text is put as a question or a request, whoever it is for."""

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
    if puts_question(text):
        return True
    language = language_of(text)
    if language in _GOING_ON and _GOING_ON[language].search(text):
        return True
    return _opening(text) in _GOING_ON_FIRST.get(language, ())


def puts_question(text: str) -> bool:
    """Tell whether the text is put as a question or a request among people: "then we ship on Monday" is not."""
    if "?" in text or "？" in text:
        return True
    language = language_of(text)
    if language in _ASKING and _ASKING[language].search(text):
        return True
    return _opening(text) in _ASKING_FIRST.get(language, ())


def _opening(text: str) -> str:
    return next((word for word, _, _ in words(text) if word not in _BEFORE_ASKING), "")
