"""Whether a text is put as a question or a request, whoever it is for."""

from agent.language.lexicon import patterns, word_sets
from agent.language.lexicon import words as listed
from agent.text import language_of, words

_ASKING = patterns("reading.asking")
_ASKING_FIRST = word_sets("reading.asking_first")
_BEFORE_ASKING = listed("reading.before_asking")


def asks(text: str) -> bool:
    """Tell whether the text is put as a question or a request."""
    if "?" in text or "？" in text:
        return True
    language = language_of(text)
    if language in _ASKING and _ASKING[language].search(text):
        return True
    opening = next((word for word, _, _ in words(text) if word not in _BEFORE_ASKING), "")
    return opening in _ASKING_FIRST.get(language, ())
