"""The text of a message and its language: without the platform's own marks, quotations, greetings and thanks."""

import html
import re

from agent.language import lexicon
from agent.language.ko import stems as korean_stems
from agent.language.ko.letters import is_hangul
from agent.language.lexicon import mapping, ordered, pattern, regex
from agent.reasoning.contract import Message
from agent.reasoning.message.smalltalk import small_talk, without_laughter
from agent.reasoning.quoted_line import split_quote
from agent.text import (
    ENGLISH_STOP_WORDS,
    language_of,
    language_of_locale,
    normalise,
    says_anything,
    strip_particle,
    words,
)
from agent.types import Language

_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<=\\w)\u200d(?=\\w)"
)
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Full-width letters, digits and signs, as Korean and Japanese keyboards write them."""
_LABELLED = re.compile(r"<(?:https?://|mailto:)[^|>\s]+\|([^>]+)>")
_LINK = re.compile(r"<((?:https?://|mailto:)[^|>\s]+)>")
_PLATFORM = re.compile(r"<[@!&#][^>\s]*>|<a?:\w+:\d+>|<t:\d+(?::\w)?>|</[\w -]+:\d+>")
_SALUTATION = re.compile(rf"^{regex('reading.salutation')}\s+", re.IGNORECASE)


def plain(text: str) -> str:
    """Return a message normalised: what it asks, without the platform's own marks, quotations, greetings and thanks."""
    shown = _LINK.sub(r"\1", _LABELLED.sub(r"\1", split_quote(text)[1]))
    shown = html.unescape(_PLATFORM.sub(" ", shown)) if "&" in shown else _PLATFORM.sub(" ", shown)
    said = normalise(_INVISIBLE.sub("", shown).translate(_WIDE))
    rest = _SALUTATION.sub("", said, count=1)
    return tidied(rest if len(rest.split()) > 1 else said)


_CODE_LIKE = re.compile(r"^[A-Z0-9\W]+$")
_NOT_SAID = re.compile(r"`[^`]*`|https?://\S+|(?<![\w.+-])[\w.+-]++@[\w-]+\.\S+|@\S+|:[a-z0-9_+-]+:")
_ENDS_LIKE_KOREAN = pattern("reading.ends_like", "ko")


def language_asked(text: str, message: Message) -> Language:
    """Return the language of a message; one of codes alone (VPN?) is in that of the conversation."""
    usual = language_of_locale(message.locale)
    if message.turns:
        usual = language_of(message.turns[-1].question, usual)
    said = without_laughter(_NOT_SAID.sub(" ", text))
    if _CODE_LIKE.match(said) or not said.strip():
        return usual
    return _by_grammar(said) or language_of(said, usual)


def _by_grammar(text: str) -> Language | None:
    """Return the language whose small words hold a sentence of both scripts together; None where that is not plain."""
    found = [word for word, _, _ in words(text)]
    hangul = [word for word in found if is_hangul(word)]
    if not hangul or len(hangul) == len(found):
        return None
    english = sum(word in ENGLISH_STOP_WORDS for word in found)
    endings = sum(
        korean_stems.is_ending(word) or strip_particle(word) != word or bool(_ENDS_LIKE_KOREAN.search(word))
        for word in hangul
    )
    if english > 1 and not endings:
        return "en"
    return "ko" if endings and not english else None


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
_WORD = re.compile(r"`[^`]*`|(?<![\w@#/.`'’-])[A-Za-z][a-z0-9]{0,8}(?![\w@/`'’-]|\.\w)")
"""A word, or what is code and stays as it is."""
_IN_CHATS = tuple((re.compile(form), meant) for form, meant in mapping("reading.chat_spellings").items())


def tidied(text: str) -> str:
    """Return a normalised message without thanks around its question, its small words spelt as they should be."""
    rest = _BEHIND.sub("", _BEFORE.sub("", _PARDON.sub("", text), count=1)).strip()
    if rest != text and says_anything(rest) and not small_talk(rest) and not small_talk(text):
        text = rest
    for form, meant in _IN_CHATS:
        text = form.sub(meant, text)
    return _WORD.sub(_spelt, text)


def _spelt(match: re.Match[str]) -> str:
    """Return a word as it should be spelt; one with a capital may be a name, if it is not a contraction."""
    word = match.group()
    return _SLIPS.get(word) or _CONTRACTIONS.get(word.lower()) or word


def _slips() -> dict[str, str]:
    """Return small words by what they become where two neighbouring letters change places, and other slips."""
    small = ordered("reading.small_words")
    swaps = (
        (word, word[:i] + word[i + 1] + word[i] + word[i + 2 :]) for word in small[::-1] for i in range(len(word) - 1)
    )
    out = {slip: word for word, slip in swaps}
    for word in (*small, *lexicon.words("reading.not_swapped")):
        out.pop(word, None)
    return {**out, **mapping("reading.slips")}


_SLIPS = _slips()
_CONTRACTIONS = mapping("reading.contractions")
