"""What a document is about: an order without the words that only order it."""

import re
from collections.abc import Iterable

from agent.language.lexicon import pattern, patterns, regex, word_sets
from agent.text import language_of, normalise, strip_particle
from agent.types import Language
from agent.values.names import month_pattern

_ABOUT = patterns("teams.topic")
_OPENERS = re.compile(rf"^{regex('teams.topic_openers')}+", re.IGNORECASE)
_ORDER = word_sets("teams.order_words")
_ORDER_FORMS = patterns("teams.order_forms")
_MONTH = rf"{month_pattern(prose=False)}\b\.?"
_DAY = re.compile(
    rf"(?:\b{regex('teams.before_day')}\s+)?(?<!\w)(?:\d{{4}}[-./]\d{{1,2}}[-./]\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)"
    rf"(?!\w)|{regex('teams.days')}",
    re.IGNORECASE,
)
_BEHIND_NAME = regex("teams.behind_name")
_TAIL = pattern("teams.order_tail")
LONGEST = 160
"""Characters of a topic."""


def topic_of(order: str, told: Iterable[str] = ()) -> str:
    """Return what an order wants written about, without what was told for fields; empty where it says nothing."""
    text = normalise(order).rstrip(" .!?")
    for value in sorted(told, key=len, reverse=True):
        if len(value) > 1 and not value.isdigit():
            text = re.sub(rf"(?<!\w){re.escape(value)}{_BEHIND_NAME}(?![A-Za-z])", " ", text)
    text = _TAIL.sub("", normalise(_DAY.sub(" ", text)))
    topic = _topic(normalise(text), language_of(text))
    return normalise(topic)[:LONGEST].strip(" ,.;:")


def _topic(text: str, language: Language) -> str:
    about = _ABOUT[language].search(text) if language in _ABOUT else None
    told = about.groupdict() if about else {}
    if told.get("topic"):
        return _OPENERS.sub("", told["topic"])
    clause: str = told.get("clause") or ""
    return " ".join(word for word in (clause if clause.strip() else text).split() if not _orders(word, language))


def _orders(word: str, language: Language) -> bool:
    """Tell whether a word only orders; where words take endings, one letter alone tells nothing either."""
    if language in _ORDER_FORMS:
        bare = strip_particle(word.rstrip(":;,.")).strip()
        return len(word) == 1 or _ORDER_FORMS[language].match(bare) is not None
    return word.lower().strip(".,;:'\"") in _ORDER.get(language, ())
