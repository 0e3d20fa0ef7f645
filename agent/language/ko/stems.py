"""The stem of a Korean word in a question: particles, verb endings and polite forms taken off."""

import re
from functools import lru_cache

from agent.language.ko.glossary import glossary
from agent.language.ko.letters import is_hangul
from agent.language.ko.particles import strip_particle
from agent.language.lexicon import words

SHORT_NOUNS = words("reading.short_nouns", "ko")

# What may follow 하다/되다 (and 이다, 있다) up to the end of the word.
_TAIL = "는나요려면고지서도록다니까습어야을수던었였은가경우건데까봐죠지만세요쓰시냐라며면줘주셔하되기음인길게"
_LIGHT_VERB = re.compile(rf"^([가-힣]{{2,}}?)(?:하|되|해|돼|했|됐|한|된|할|될|합|됩|함|됨|시키|당하|받)[{_TAIL}]*$")
_COPULA = re.compile(
    r"^([가-힣]{2,}?)(?:인가요|인가|인지|입니까|이에요|예요|이야|인데|이죠|일까요|일까|이란|란|이라는|"
    r"라는|이라고|라고)$"
)
_VERB = re.compile(
    r"^([가-힣]{1,}?)(?:나요|가요|까요|습니까|ㅂ니까|니까|는지|려면|으려면|어요|아요|어야|아야|어도|"
    r"아도|으면|면|었나|았나|는데|은데|던데|지요|죠|거나|면서|고요|고|는|을|은|ㄹ|았을|었을|았|었|"
    r"세요)(?:요)?$"
)
_ONE_SYLLABLE = frozenset("은는이가을를에의와과도만로")
_LONG_PARTICLE = re.compile(r"^([가-힣])(?:에서는|에서도|에서|에게|으로는|으로|까지|부터|에는|에도|이나|마다)$")

_ASKED = re.compile(rf"^({'|'.join(words('text.asked_with', 'ko'))})[야임]$")


_ENDING = re.compile(
    rf"^(?:(?:은|는|이|가|을|를|에|의|와|과|도|만|로|으로|에서|에게|까지|부터|이나|랑)요?|인|때|것|수|"
    rf"(?:하|되|있|없|할|될|해|돼|했|됐|합|됩|한|된|쓰|써|쓸|있을|있었|없을|주|줄|싶|안|못|않|인|일|이|"
    rf"아닌|건)[{_TAIL}]{{0,4}})$"
)


def is_ending(word: str) -> bool:
    """Tell whether a word is nothing but a particle or a light verb (하나요, 있을까요, 써야)."""
    return _ENDING.match(word) is not None


# Nouns whose last syllable looks like a particle: 연차휴가 is not 연차휴 with 가.
_NOUNS = tuple("휴가 추가 평가 허가 물가 대가 단가 결과 성과".split())


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """Return the part of a Korean word that carries its meaning; the word itself when nothing comes off."""
    if word.endswith(_NOUNS):
        return word
    if len(word) == 2 and word[0] in SHORT_NOUNS and word[1] in _ONE_SYLLABLE:
        return word[0]
    short = _LONG_PARTICLE.match(word)
    if short:
        return short.group(1)
    base = strip_particle(word)
    for pattern in (_COPULA, _ASKED, _LIGHT_VERB):
        match = pattern.match(word) or pattern.match(base)
        if match:
            return strip_particle(match.group(1))
    if base != word:
        return base
    match = _VERB.match(word)
    return match.group(1) if match and len(match.group(1)) >= 2 else base


_PREDICATE = re.compile(r"(?:요|니다|다고|더니|서|된|될)$")


def is_predicate(word: str) -> bool:
    """Tell whether a word says what is done or how something is, by its ending: 올렸는데, 먹어요; 사물함 does not."""
    if word.endswith(("함", "됨")):
        return False
    if _VERB.match(word) or _LIGHT_VERB.match(word):
        return True
    return strip_particle(word) == word and _PREDICATE.search(word) is not None


_SPOKEN_END = re.compile(r"[야지던줘써어아네데고면게건거임도랑]$")
"""How verbs end that people say; nouns that end so as well are known to the glossary."""


def noun_of(word: str) -> str:
    """Return a word without its particle; empty for what may be a verb, and for a Korean word of one syllable."""
    stem = strip_particle(word)
    if not is_hangul(stem) or stem in glossary():
        return stem
    return "" if len(stem) < 2 or is_predicate(stem) or _SPOKEN_END.search(stem) else stem


_TOPIC = re.compile(r"(?<=[가-힣]{2})[은는을]$")


def without_topic(word: str) -> str:
    """Return a word without a particle that adnominal verbs end with as well: 병가 of 병가는."""
    return _TOPIC.sub("", word)


_ENDS = "|".join(sorted(words("text.sentence_ends", "ko"), key=len, reverse=True))
_LIGHT = "|".join(words("text.light_verbs", "ko"))
_ENDED = re.compile(rf"^([가-힣]{{2,}}?)(?:{_LIGHT})?(?:{_ENDS})$")
_ONLY_ENDED = re.compile(
    rf"^(?:[함됨임]|(?:{_LIGHT}|있|없|싶)?(?:{_ENDS})|(?!하나$)[하되있없싶](?:는|은|을|어|음|나|지|고))$"
)
_SHORT_ENDED = re.compile(rf"^[가-힣](?:{_ENDS})$")


@lru_cache(maxsize=8_192)
def meant_of(word: str) -> str:
    """Return the beginning of a word as a question asks for it: without what ends a predicate, a particle, or all.

    Unlike `stem_of` it takes off nothing that nouns end with as well: 직원할인 stays whole.
    """
    while word:
        if _ONLY_ENDED.match(word):
            return ""
        found = _ENDED.match(word) or _ASKED.match(word)
        if found is None and _SHORT_ENDED.match(word):
            return word[:2]  # a verb of one syllable is known by what follows it: 맞아 of 맞아요
        if found is None:
            short = _LONG_PARTICLE.match(word)
            return short.group(1) if short else strip_particle(word)
        word = found.group(1)
    return word


_NASAL = frozenset({16, 21})
"""Final ㅁ and ㅇ."""


def plain_ending(word: str) -> str:
    """Return a word without an ending that is only played with: 고마웡, 안녕하세용, 감사합니당, 고마워욤, 감사해여."""
    last = ord(word[-1]) - 0xAC00
    if len(word) < 2 or not 0 <= last < 11172:
        return word
    if last % 28 in _NASAL:
        word = word[:-1] + chr(0xAC00 + last - last % 28)
    return re.sub(r"(?<=[요다])[오우아어]$", "", re.sub(r"(?<=[가-힣])(?:여|염|유)$", "요", word))
