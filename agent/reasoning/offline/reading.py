"""One message read: its language, what it is about, what it names, which way it goes."""

import re

from agent.reasoning.contract import Message
from agent.reasoning.offline import question, resolve, routing
from agent.reasoning.offline.entities import entities_of
from agent.reasoning.offline.intents import Intents
from agent.reasoning.offline.question import FAINT
from agent.text import language_of, normalise
from agent.types import Intent, Language, Understood

_PLATFORM = re.compile(r"<[@!&#][^>\s]*>")
_READ = 1500
"""Characters of a message that its intent and names are read from; a longer one is mostly a paste."""
_CODE_LIKE = re.compile(r"^[A-Z0-9\W]+$")


def understand(message: Message, intents: Intents) -> Understood:
    """Return what a message says, without looking anything up."""
    text = plain(message.text)
    language = _language(text, message)
    lean = resolve.depends(text) if message.turns and not routing.is_unreadable(text) else None
    routed = routing.route(text[:_READ], message.pack, intents, leans=lean.kind if lean else "")
    return Understood(
        question=text,
        language=language,
        intent=Intent(
            name=routed.intent,
            confidence=round(routed.confidence, 3),
            keywords=_keywords(text, language),
            entities=entities_of(text[:_READ]),
        ),
        route=routed.route,
        reason=routed.reason,
    )


# "hey team, ..." and "안녕하세요 여러분, ...": whom a question greets is not what it is about.
_SALUTATION = re.compile(
    r"^(?:(?:hey|hi|hello|dear|good (?:morning|afternoon|evening))\b[^,.!?]{0,30}[,!.]"
    r"|(?:안녕하세요|안녕)[^,.!?]{0,15}[,.!])\s+",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return a message normalised, without the platform's own marks and without a greeting before a question."""
    said = normalise(_PLATFORM.sub(" ", text))
    rest = _SALUTATION.sub("", said, count=1)
    return rest if len(rest.split()) > 1 else said


def _language(text: str, message: Message) -> Language:
    """Return the language of a message; one of codes alone (VPN?) is in that of the conversation."""
    usual: Language = "ko" if message.locale.lower().startswith("ko") else "en"
    if message.turns:
        usual = language_of(message.turns[-1].question, usual)
    return usual if _CODE_LIKE.match(text) else language_of(text, usual)


def _keywords(text: str, language: Language) -> tuple[str, ...]:
    terms = [term for term in question.read(text, language).terms if term.weight > FAINT]
    out = []
    for term in terms:
        word = term.stem if term.hangul else term.word
        if word.isdigit() and re.search(rf"{word}\s?%", text):
            word = f"{word}%"
        out.append(word)
    return tuple(dict.fromkeys(out))
