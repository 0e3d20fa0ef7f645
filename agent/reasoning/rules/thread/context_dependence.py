"""How much a message leans on the thread, and which words of the thread it means: two fitted figures.

Both are logistic regressions over plain features. Their weights (`leaning.json`) are fitted by
`benchmarks/fit_leaning.py`; nothing here knows a grammar.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.thread.history import READ, Past, Word, content
from agent.reasoning.rules.thread.relational_nouns import RELATIONAL, RELATIONAL_KOREAN
from agent.text import normalise

LEANS = 0.5
"""From which a message is read as one that leans."""
ONE_WORD = 0.6
Features = Mapping[str, float]

_POINTING = {
    "it": re.compile(r"\b(?:its?|they|them|theirs?|he|him|his|she|hers?)\b", re.IGNORECASE),
    "this": re.compile(r"\b(?:this|these|those|such|same|both|either|neither)\b", re.IGNORECASE),
    "that": re.compile(r"\bthat\b", re.IGNORECASE),
    "there": re.compile(r"\b(?:there|ones?|do so)\b", re.IGNORECASE),
    "geu": re.compile(
        r"(?<![가-힣])(?:그|이|저)(?:거|것|건|게|걸|때|땐|곳|분|럼|중|런|렇|래서?|러면?)?(?![가-힣]{4})"
        r"|(?<![가-힣])(?:거기|여기|걔|아까|방금|위)"
    ),
}
# The same words where they point at nothing: "is it possible to", "the tools that we use", "this week".
_EMPTY = re.compile(
    r"\bit (?=(?:\w+ ){1,4}(?:to|that|if)\b)"
    r"|\b[a-z]+ that (?=(?:i|we|you|they|he|she|it|is|are|was|were|the|a|an|our|my)\b)"
    r"|\bth(?:is|ese|at|ose) (?:week|month|year|time|morning|evening|summer|winter)s?\b"
    r"|\bthere (?=(?:is|are|was|were|a|an|any)\b)|\b(?:is|are|was|were) there (?=\w)|\bone of\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:and|but|or|so|also|then|plus|what about|how about|what if|same|not|no|even|why|for|on|in|with"
    r"|그럼|그러면|그렇다면|그리고|그런데|근데|그래서|하지만|또|아니|만약|혹시)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^\W*(?:(?:and|but|so|ok|or) )?(?:what|how) about\b|[은는도]요?\W*$|[가-힣]면요?\W*$", re.IGNORECASE
)
_FURTHER = re.compile(
    r"\b(?:else|other|others|another|more|too|also|instead|as well|first|second|third|last|latter|former|again)\b"
    r"|다른|나머지|말고|마찬가지|똑같|번째|더 |또 ",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:\w+ ){0,2}(?:what|which|who|whom|whose|when|where|why|how|is|are|do|does|did|can|could|should|will|would"
    r"|may|must|tell|show|explain|describe)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<=\w )[A-Z]\w+|\b[^\WA-Za-z]*+[A-Za-z]\w*[-_.]\w+|\b[A-Za-z]++\d"
    r"|(?<=[가-힣] )[A-Za-z]{2,}|^[A-Za-z]{2,}(?=[가-힣])"
)
_NOUN_PARTICLE = re.compile(r"(?:은|는|이|가|을|를|의|에|에서|으로|로|와|과|랑|도)(?:요)?$")
_VERB = re.compile(
    r"(?:ing|ed|나요|까요|가요|어요|아요|해요|돼요|되나|하나|니까|해|돼|야|지요|죠|면|서|려면|데|데요|는지|줘|어|아|고|게|한|된|할|될|하는|되는)$"
)
_ARTICLES = frozenset("the a an my our your this that these those any some each every all no other".split())
_PREPOSITIONS = frozenset("of about for in on with from between and or vs by at as".split())
_COPULAS = frozenset("is are was were be what's who's what who do does did".split())
_BEFORE_A_VERB = frozenset("to i we you they he she it can could should will would not never please how".split())


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
    bare = _EMPTY.sub(" ", text)
    own = content(text)
    keys = {word.key for word in own}
    known = {word.key for turn in past for word in content(turn.asked)}
    last = {word.key for word in content(past[-1].asked)} if past else set()
    answered = {word.key for word in content(past[-1].answer)} if past else set()
    strong = [word for word in own if not is_common(word) and not is_relational(word)]
    it = _POINTING["it"].search(bare)
    korean = any(word.hangul for word in own) or any("가" <= ch <= "힣" for ch in text)
    spoken = len(text.split())
    points = {name: float(pattern.search(bare) is not None) for name, pattern in _POINTING.items()}
    inner = it is not None and points_inside(text, it.start())
    points["it"] = float(it is not None and not inner)
    opens = float(_OPENING.search(text) is not None)
    further = float(_FURTHER.search(text) is not None)
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
        "about": float(spoken <= 6 and _ABOUT.search(text) is not None),
        "further": further,
        "asks": float(_ASKS.search(text) is not None),
        "named": float(_NAMED.search(text) is not None),
        "known": len(keys & known) / max(1, len(keys)),
        "known last": len(keys & last) / max(1, len(keys)),
        "answered": len(keys & answered - last) / max(1, len(keys)),
    }


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
    if _ASKS.search(message):  # a whole question names another thing only where a name stands in the place of one
        return is_name(word) and any(is_name(each) for each in alike)
    return bool(alike) or (is_name(word) and any(is_name(each) for each in mine))


def is_common(word: Word) -> bool:
    """Tell whether most handbooks are full of a word."""
    return word.text.lower() in lexicon.COMMON_ENGLISH or word.key in lexicon.COMMON_KOREAN


def is_relational(word: Word) -> bool:
    """Tell whether a word needs an "of what"."""
    return word.text.lower() in RELATIONAL or word.key in RELATIONAL_KOREAN


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
        "verb": float(word.before in _BEFORE_A_VERB or _VERB.search(word.text) is not None),
        "inside": float(word.inside),
        "noun": float(word.hangul and _NOUN_PARTICLE.search(word.text) is not None),
        "named": float(is_name(word)),
        "place": word.place,
        "ends": float(word.place == 1.0),
        "common": float(is_common(word)),
        "relational": float(is_relational(word)),
        "long": min(3.0, len(word.text) / 6),
        "few": 1 / (1 + len(mine)),
        "turns": 1 / len(turns),
    }
