"""How much a message leans on the thread, and which words of the thread it means: two fitted figures.

Both are logistic regressions over plain features. Their weights (`context_dependence.json`) are fitted by
`benchmarks/fit_leaning.py`; nothing here knows a grammar.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import pattern, regex, words
from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.thread.history import READ, Past, Word, content
from agent.text import normalise
from agent.values.dates import weekdays

LEANS = 0.5
"""From which a message is read as one that leans."""
ONE_WORD = 0.6
Features = Mapping[str, float]

_POINTING = ("it", "this", "that", "there", "geu")
"""Figures of words that point at something."""
_ARTICLES = words("thread.articles")
_PREPOSITIONS = words("thread.prepositions")
_COPULAS = words("thread.copulas")
_BEFORE_A_VERB = words("thread.before_verbs")
_RELATIONAL = words("thread.relational")


@lru_cache(maxsize=3)
def _fitted(name: str) -> Regression:
    weights: dict[str, float] = json.loads(Path(__file__).with_name("context_dependence.json").read_text("utf-8"))[name]
    return Regression(0.0, weights)  # the bias is a feature, 1 in every message


def leans(message: str, past: Sequence[Past]) -> float:
    """Return how much a message leans on the turns before it, 0..1; a single word asks nothing by itself."""
    figure = _fitted("message").of(message_features(message, past))
    return max(figure, ONE_WORD) if past and len(message.split()) == 1 else figure


def meant(word: Word, message: str, past: Sequence[Past], lean: float) -> float:
    """Return how likely a word of the thread is one that the message leaves out, 0..1."""
    return _fitted("korean" if word.hangul else "word").of(word_features(word, message, past, lean))


def message_features(message: str, past: Sequence[Past]) -> Features:
    """Return what is seen of a message."""
    text = normalise(message[: 2 * READ])[:READ]
    bare = pattern("thread.pointing_at_nothing").sub(" ", text)
    own = content(text)
    keys = {word.key for word in own}
    known = {word.key for turn in past for word in content(turn.asked)}
    last = {word.key for word in content(past[-1].asked)} if past else set()
    answered = {word.key for word in content(past[-1].answer)} if past else set()
    strong = [word for word in own if not is_common(word) and not is_relational(word)]
    it = pattern("thread.pointing_it").search(bare)
    korean = any(word.hangul for word in own) or any(map(is_hangul, text))
    spoken = len(text.split())
    points = {name: _has(f"pointing_{name}", bare) for name in _POINTING}
    inner = it is not None and points_inside(text, it.start())
    points["it"] = float(it is not None and not inner)
    opens = float(_opening().search(text) is not None)
    further = _has("further", text)
    marked = bool(opens or further or any(points.values()))
    return {
        "bias": 1.0,
        "korean": float(korean),
        "few": 1 / (1 + len(own)),
        "few strong": 1 / (1 + len(strong)),
        "nothing": float(not strong),
        "relational": float(any(is_relational(word) for word in own)),
        "inner": float(inner),
        "short": 1 / max(1, spoken),
        "long": min(3.0, spoken / 10),
        **points,
        "opens": opens,
        "unmarked": float(not marked),
        "unmarked strong": float(not marked and bool(strong)),
        "unmarked strong korean": float(korean and not marked and bool(strong)),
        "about": float(spoken <= 6 and _has("goes_on", text)),
        "further": further,
        "asks": _has("whole_question", text),
        "named": _has("written_like_names", text, flags=re.NOFLAG),
        "known": len(keys & known) / max(1, len(keys)),
        "known last": len(keys & last) / max(1, len(keys)),
        "answered": len(keys & answered - last) / max(1, len(keys)),
    }


def _has(name: str, text: str, flags: int = re.IGNORECASE) -> float:
    """Return 1 where a text has words of an entry, else 0."""
    return float(pattern(f"thread.{name}", flags=flags).search(text) is not None)


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"^\W*{regex('thread.openings')}\b", re.IGNORECASE)


def turns_elsewhere(message: str) -> bool:
    """Tell whether a message says that it is about something else, and points at nothing that was said."""
    text = normalise(message[: 2 * READ])[:READ]
    opening = pattern("thread.turns_elsewhere").match(text)
    if opening is None or not content(text[opening.end() :]):
        return False
    return not any(_has(f"pointing_{name}", text[opening.end() :]) for name in _POINTING)


def points_inside(message: str, start: int) -> bool:
    """Tell whether a message has named something itself before a pronoun in it."""
    return any(word.end <= start and word.before in _ARTICLES for word in content(message))


def is_name(word: Word) -> bool:
    """Tell whether a word is written like a name."""
    return (word.text[0].isupper() and word.start > 0) or any(ch.isupper() for ch in word.text[1:])


def is_replaced(word: Word, message: str) -> bool:
    """Tell whether a message puts another word in the place of one of the thread: in Oslo, for in Berlin."""
    mine = content(message)
    if len(mine) > 2:
        return False
    alike = [each for each in mine if each.role == word.role and word.role in _PREPOSITIONS]
    if _has("whole_question", message) and not _has("goes_on", message):  # another thing is then a name in one's place
        return is_name(word) and any(is_name(each) for each in alike)
    return bool(alike) or (is_name(word) and any(is_name(each) and _both_days(each, word) for each in mine))


def _both_days(one: Word, other: Word) -> bool:
    """Tell whether both of two words name a day of the week, or neither: in Berlin is not for on Monday."""
    return bool(weekdays(one.text)) == bool(weekdays(other.text))


def named_alone(message: str) -> tuple[Word, ...]:
    """Return the words of a message that only names another thing than was asked about; none of any other."""
    mine = content(message)
    goes_on = _has("goes_on", message)
    names = any(map(is_name, mine)) and not _has("whole_question", message)
    return mine if len(mine) <= 2 and (goes_on or names) else ()


def is_common(word: Word) -> bool:
    """Tell whether most handbooks are full of a word."""
    return (word.key if word.hangul else word.text.lower()) in lexicon.COMMON_WORDS


def is_relational(word: Word) -> bool:
    """Tell whether a word needs an "of what"."""
    return (word.key if word.hangul else word.text.lower()) in _RELATIONAL


def word_features(word: Word, message: str, past: Sequence[Past], lean: float) -> Features:
    """Return what is seen of a word of the thread that the message lacks."""
    turns = [{each.key for each in content(turn.asked)} for turn in past]
    told = {each.key for each in content(past[-1].told)}
    ages = [age for age, keys in enumerate(reversed(turns)) if word.key in keys]
    age = ages[0] if ages else len(turns)
    mine = content(message)
    return {
        "bias": 1.0,
        "lean": lean,
        "last": float(age == 0),
        "first": float(word.key in turns[0]),
        "fresh": 0.6**age,
        "lean fresh": lean * 0.6**age,
        "said": min(3, len(ages)) / 3,
        "taken": float(word.key in told and age > 0),
        "lean taken": lean * float(word.key in told),
        "article": float(word.before in _ARTICLES),
        "preposition": float(word.before in _PREPOSITIONS),
        "copula": float(word.before in _COPULAS),
        "verb": float(word.before in _BEFORE_A_VERB or _has("verb_endings", word.text, flags=re.NOFLAG)),
        "inside": float(word.inside),
        "noun": float(word.hangul and _has("noun_endings", word.text)),
        "named": float(is_name(word)),
        "place": word.place,
        "ends": float(word.place == 1.0),
        "common": float(is_common(word)),
        "relational": float(is_relational(word)),
        "long": min(3.0, len(word.text) / 6),
        "few": 1 / (1 + len(mine)),
        "turns": 1 / len(turns),
    }
