"""What a message asks, without what people put around it: thanks, "never mind", slips of the keyboard."""

import re

from agent.language.lexicon import mapping, ordered, pattern, regex, words
from agent.reasoning.rules.reading.smalltalk import small_talk

_LAUGHING = regex("reading.laughing")
_PARDON = pattern("reading.pardon")
_BEFORE = re.compile(
    rf"^\W*(?:{regex('reading.done')}(?:\s*(?:[,.!;:~^-]|{_LAUGHING})+\s*|\s+(?={regex('reading.after_courtesy')}\b)))+",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?<=[?.!~])\s*{regex('reading.thanks_behind')}(?:[\s.!~^]|{_LAUGHING})*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\w@#/.`'’-])[a-z]{3,6}(?![\w@/`'’-]|\.\w)")
_PLAYFUL = tuple((re.compile(form), polite) for form, polite in mapping("reading.playful_endings").items())


def tidied(text: str) -> str:
    """Return a normalised message without thanks around its question, its small words spelt as they should be."""
    rest = _BEHIND.sub("", _BEFORE.sub("", _PARDON.sub("", text), count=1)).strip()
    if rest != text and any(ch.isalnum() for ch in rest) and not small_talk(rest) and not small_talk(text):
        text = rest
    for form, polite in _PLAYFUL:
        text = form.sub(polite, text)
    return _WORD.sub(_spelt, text)


def _swapped(word: str) -> set[str]:
    """Return a word with each two neighbouring letters in the wrong order."""
    return {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)} - {word}


def _slips() -> dict[str, str]:
    small = ordered("reading.small_words")
    out = {slip: word for word in reversed(small) for slip in _swapped(word)}
    for word in (*small, *words("reading.not_swapped")):
        out.pop(word, None)
    return {**out, **mapping("reading.slips")}


_SLIPS = _slips()


def _spelt(match: re.Match[str]) -> str:
    return _SLIPS.get(match.group(), match.group())
