"""A question, read for its terms and for the kind of answer it asks for."""

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from agent.reasoning.rules.reading import korean_stems, lexicon
from agent.text import ENGLISH_STOP_WORDS, language_of
from agent.types import Language

FAINT = 0.2
COMMON = 0.6
SPECIFIC = 1.0
NAME = 1.3
ASIDE = 0.3
"""What a term inherited from the conversation, in brackets at the end of a question, counts of its weight."""


class Kind(StrEnum):
    """What an answer must hold to be one."""

    NUMBER = "number"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    STEPS = "steps"
    ADVICE = "advice"
    """What to do in a situation: "I lost my badge, what now?"."""
    OUTCOME = "outcome"
    """What happens if."""
    REASON = "reason"
    DEFINITION = "definition"
    LIST = "list"
    YES_NO = "yes_no"


@dataclass(frozen=True, slots=True)
class Term:
    """A word that the answer should be about."""

    word: str
    stem: str
    """An English stem, or a Korean word without its endings."""
    weight: float
    hangul: bool = False
    similar: tuple[str, ...] = ()
    """What may stand for it, as people write it."""
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """The terms of a question, in order, and its kinds."""

    text: str
    language: Language
    terms: tuple[Term, ...]
    kinds: frozenset[Kind]


_WORD = re.compile(r"[가-힣]+|[^\W_가-힣]+(?:[-'’.&/+][^\W_가-힣]+)*[+#]*")
_INDIRECT = re.compile(r"\b(?:tell|show|explain|know|say|give|remind|help|list|walk|describe)\b", re.IGNORECASE)
_CONTRACTED = re.compile(r"'(?:s|m|re|ve|d|ll|t)?$")
_CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april may june july august september october november december english korean
    """.split()
)
_NUMBERS = frozenset("two three four five six seven eight nine ten eleven twelve".split())
_COUNTED_IN = re.compile(r"^[가-힣]{1,2}(?:인가|인지|이에요|예요|입니까|이야|일까|이나)")
"""What stands after 몇: 년인가요 is no thing that an answer must speak of."""
_ASIDE = re.compile(r"\s\(([^()]{2,})\)\s*$")

_ENGLISH_KINDS = (
    (
        Kind.NUMBER,
        r"\bhow (?:many|much|long|often|far|old|big|large|high|tall|fast|quick(?:ly)?|frequently|soon|late"
        r"|early)\b|\bwhat (?:number|"
        r"percentage|amount|rate|price)\b"
        r"|\b(?:number|amount|price|cost|limit|maximum|minimum|percentage) (?:of|for|on|is)\b|\bhow "
        r".{0,20}\b(?:cost|expensive)\b",
    ),
    (
        Kind.TIME,
        r"^(?!\W*(?:(?:and|but|so) )?(?:who|whom|what|how|which|where|why|can|could|do|does|is|are|should|may"
        r"|must)\b).*\bwhen\b"
        r"|\b(?:know|tell \w+|say|explain|remember|and) when\b|\b(?:what|which) (?:time|date|day|year|month"
        r"|week)\b|\bby when\b|\bhow (?:long|soon|"
        r"late)\b|\bdeadline\b|\bdue\b",
    ),
    (Kind.PERSON, r"\bwho(?:m|se|'s)?\b|\bwhich (?:person|team|department)\b"),
    (Kind.PLACE, r"\bwhere\b|\bwhich (?:city|country|place|room|page|folder|site)\b"),
    (
        Kind.STEPS,
        r"\bhow (?:do|does|can|could|should|to|would|did|must|may|might|is|are)\b|\bsteps?\b|"
        r"\bprocedure\b|\binstructions\b|\bprocess (?:for|of|to)\b",
    ),
    (
        Kind.ADVICE,
        r"\bwhat now\b|\bnow what\b|\bwhat (?:should|must|do|can|shall|would|am|are|is|has|have) "
        r"(?:\w+ ){1,3}?(?:to )?do\b(?! not\b)|\bwhat to do\b|\bwhat (?:next|then)\W*$|\bwhat (?:are )?(?:the"
        r"|my) next steps?\b",
    ),
    (Kind.OUTCOME, r"\bwhat (?:happens|will happen|would happen|are the consequences|is the penalty)\b|\bwhat if\b"),
    (Kind.REASON, r"\bwhy\b|\bwhat (?:is|are|was) the reason|\bhow come\b|\bwhat causes?\b"),
    (
        Kind.DEFINITION,
        r"^(?:so )?(?:what(?:'s| is| are| was| were)(?: an?| the)? (?:\S+ ){0,3}\S+\s*\??$)|"
        r"\bdefin(?:e|ition)\b|\bwhat does .{1,60}\b(?:mean|stand for|do)\b|\bmeaning of\b|^who (?:is|"
        r"are|was) \S+(?: \S+){0,3}\??$",
    ),
    (
        Kind.LIST,
        r"\b(?:what|which) (?:are|types?|kinds?|options?|steps?)\b|\blist\b|\bname (?:all|the)\b|"
        r"\b(?:what|which) \w+s (?:are|can|do|does|have|should|need)\b|\ball (?:the )?\w+s\b",
    ),
    (
        Kind.YES_NO,
        r"^(?:so |and |but |ok(?:ay)? |then )*,? ?(?:is|are|was|were|do|does|did|can|could|may|must|"
        r"should|will|would|has|have|am|shall|isn't|aren't|don't|doesn't|can't)\b",
    ),
)
_KOREAN_KINDS = (
    (Kind.NUMBER, r"몇|얼마|며칠|한도|금액|비율|횟수|일수|인원|개수|가격|비용은|최대|최소|기간은"),
    (Kind.TIME, r"언제|몇 ?(?:시|월|일|년|분|주)|며칠|기한|마감|날짜|날은|연도|년도|시기|시각|얼마나 (?:걸|오래)"),
    (Kind.PERSON, r"누구|누가|누군|담당자|사람은|인물은|(?:이름|장관|대통령|감독|저자|작가|배우|왕)은"),
    (Kind.PLACE, r"어디|장소|위치|어느 (?:곳|나라|도시|지역)|곳은|지역은|도시는"),
    (Kind.STEPS, r"어떻게(?! (?:되|돼|됩|된|해야))|방법|절차|하려면|려면|순서|과정"),
    (
        Kind.ADVICE,
        r"어떻게 ?(?:해야|하죠|하지|할까|해\b|하면 (?:돼|되|좋))|어떡|어쩌|(?:뭘|뭐를|무엇을|무얼|뭐) ?(?:해야"
        r"|하면|할까|먼저)",
    ),
    (Kind.OUTCOME, r"어떻게 ?(?:되|돼|됩|된)|무슨 일이|불이익"),
    (Kind.REASON, r"왜|이유|원인|까닭|어째서"),
    (Kind.DEFINITION, r"(?:이?란|무엇(?:인가|입니까|이)|뭐야|뭔가요|뭐예요|뭐죠|뭐지|무슨 뜻|의미|정의)"),
    (Kind.LIST, r"목록|종류|무엇무엇|어떤 것들|나열|항목|무엇이 있|뭐가 있"),
    (
        Kind.YES_NO,
        r"(?:되나요|됩니까|되나|돼요|될까요|가능한가요|가능한가|가능해\??|가능합니까|있나요|있습니까|"
        r"있나|하나요|합니까|인가요|해도|해야|받나요|할 수)",
    ),
)
_KINDS = {
    "en": tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ENGLISH_KINDS),
    "ko": tuple((kind, re.compile(pattern)) for kind, pattern in _KOREAN_KINDS),
}


@lru_cache(maxsize=512)
def read(text: str, language: Language | None = None) -> Question:
    """Return the terms and kinds of a question, which should be normalised."""
    text = unicodedata.normalize("NFC", text)
    spoken = language_of(text, language or "en")
    aside = _ASIDE.search(text)
    main = text[: aside.start()] if aside else text
    terms = _terms(main, aside=False)
    if aside:
        known = {term.stem for term in terms}
        terms += [term for term in _terms(aside.group(1), aside=True) if term.stem not in known]
    kinds = frozenset(kind for kind, pattern in _KINDS[spoken] if pattern.search(main))
    if Kind.YES_NO in kinds and spoken == "en" and not _INDIRECT.search(main):
        kinds = frozenset({Kind.YES_NO})  # "Do I need a note when I am ill?" asks for no date
    if (
        Kind.YES_NO in kinds
        and spoken == "ko"
        and kinds
        & {Kind.NUMBER, Kind.TIME, Kind.PERSON, Kind.PLACE, Kind.STEPS, Kind.ADVICE, Kind.OUTCOME, Kind.REASON}
    ):
        kinds -= {Kind.YES_NO}
    return Question(text, spoken, tuple(terms), kinds)


def _terms(text: str, *, aside: bool) -> list[Term]:
    found: dict[str, Term] = {}
    matches = list(_WORD.finditer(text))
    lowered = [match.group().lower().replace("’", "'") for match in matches]
    latin = [word for word in matches if word.group()[0].isascii()]
    shouted = len(latin) > 2 and all(word.group() == word.group().upper() for word in latin)
    for i, match in enumerate(matches):
        word = lowered[i]
        if "가" <= word[0] <= "힣":
            term = _korean(word, aside)
            if term is not None and i and lowered[i - 1] == "몇" and _COUNTED_IN.match(word):
                term = replace(term, weight=min(term.weight, FAINT))
        else:
            starts = i == 0 or text[matches[i - 1].start() : match.start()].rstrip().endswith((".", "!", "?", ":"))
            around = (lowered[i - 1] if i else "", word, lowered[i + 1] if i + 1 < len(lowered) else "")
            term = _english(match.group(), *around, aside=aside, named=not shouted and not starts)
        if term is None:
            continue
        known = found.get(term.stem)
        if known is None or known.weight < term.weight:
            found[term.stem] = term
    return list(found.values())


@lru_cache(maxsize=4096)
def _english(surface: str, before: str, lowered: str, after: str, *, aside: bool, named: bool) -> Term | None:
    word = _CONTRACTED.sub("", lowered)
    if before and f"{before} {word}" in lexicon.COMPOUNDS:
        phrase = f"{before} {word}"
        return Term(
            phrase,
            lexicon.stem(before + word),
            SPECIFIC * (ASIDE if aside else 1.0),
            similar=lexicon.same_as(" ".join(lexicon.stems_of(phrase))),
            aside=aside,
        )
    if word in ENGLISH_STOP_WORDS or lowered in ENGLISH_STOP_WORDS or not word:
        return None
    joined = "".join(ch for ch in word if ch.isalnum())
    if len(joined) == 1 and not joined.isdigit():
        return None
    parts = tuple(part for part in re.split(r"[-'.&/+#]", word) if part)
    key = lexicon.stem(joined)
    similar: dict[str, None] = {}
    if len(parts) > 1:
        similar[" ".join(parts)] = None
    nearby = (f"{lowered} {after}".rstrip(), f"{before} {lowered}".lstrip(), word)
    for phrase in nearby:
        similar.update(dict.fromkeys(lexicon.same_as(" ".join(lexicon.stems_of(phrase)))))
    if word in _NUMBERS or (joined.isdigit() and len(joined) < 4):
        weight = COMMON
    elif any(ch.isdigit() for ch in joined):
        weight = NAME
    elif word in lexicon.FAINT_ENGLISH:
        weight = FAINT
    elif word in lexicon.COMMON_ENGLISH or word in _CALENDAR:
        weight = COMMON
    elif named and (surface[0].isupper() or any(ch.isupper() for ch in surface)):
        weight = NAME
    else:
        weight = SPECIFIC
    return Term(word, key, weight * (ASIDE if aside else 1.0), similar=tuple(similar), aside=aside)


@lru_cache(maxsize=4096)
def _korean(word: str, aside: bool) -> Term | None:
    if korean_stems.is_ending(word):
        return None
    key = korean_stems.stem_of(word)
    if len(key) == 1 and key not in lexicon.SHORT_KOREAN:
        return None
    if word in lexicon.FAINT_KOREAN or key in lexicon.FAINT_KOREAN:
        weight = FAINT
        if len(key) < 2:
            return None
    elif key in lexicon.COMMON_KOREAN:
        weight = COMMON
    else:
        weight = SPECIFIC
    similar: tuple[str, ...] = ()
    shortest = min(len(key), max(2, min(len(key) - 1, 3)))
    for end in range(len(key), shortest - 1, -1):
        similar = tuple(dict.fromkeys(lexicon.same_as(key[:end])))
        if similar:
            break
    return Term(word, key, weight * (ASIDE if aside else 1.0), hangul=True, similar=similar, aside=aside)
