"""What a question speaks of: its noun phrases, and how much each is what the question is about.

There is no tagger: a phrase is a run of content words, ended by what cannot stand inside one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agent.reasoning.offline import korean, lexicon
from agent.reasoning.offline.wordclasses import ADJECTIVES, RELATIONAL, RELATIONAL_KOREAN, pure_verbs, verbs
from agent.text import ENGLISH_STOP_WORDS, language_of

READ = 600
"""Characters of a text that are read for phrases; a longer one is mostly a paste."""

# How much a question is about a phrase, by where the phrase stands.
TOPIC = 1.0
SUBJECT = 0.85
OBJECT = 0.7
ADJUNCT = 0.6
GERUND = 0.3
ATTRIBUTE = 0.2
"""Of a noun that needs an "of what", and of words that nearly every document has."""

_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+|[^\W_]+(?:[-'’./][^\W_]+)*|[^\w\s]")
_LIGHT = (
    ENGLISH_STOP_WORDS
    | lexicon.FAINT_ENGLISH
    | {"already", "dont", "cant", "wont", "isnt", "whats", "hows", "wheres", "whos"}
)
_MIXED = re.compile(r"^([A-Za-z0-9.-]+)[가-힣]{1,3}$")
_POSSESSIVE = re.compile(r"['’]s$")
_ARTICLES = frozenset("the a an my our your this that these those some any no each every".split())
_ABOUT = frozenset("about of between vs versus regarding concerning describe explain define compare discuss".split())
_AGAIN = frozenset("and or vs versus".split())
_BE = frozenset("is are was were what's whats who's whos where's wheres".split())
_PREPOSITIONS = frozenset(
    """in on at for from with to during under after before without by via near than into within inside through across
    over against like""".split()
)
_BEFORE_A_SUBJECT = frozenset(
    "do does did can could should would will may might must is are was were has have had am if when".split()
)
_BEFORE_A_VERB = frozenset("to i we you they he she it people who not never also please".split())
_AUXILIARY = frozenset("do does did can could should would will may might must".split())
_NEGATED = {"can't": "can", "won't": "will", "shan't": "shall"}
_SUBJECTS = frozenset("i we you they he she".split())
_AFTER_THE_VERB = _PREPOSITIONS | frozenset(
    ["", "?", ".", "!", "up", "out", "off", "away", "back", "and", "or", "if", "when"]
)
_WH = frozenset("what which who".split())
_COPULAR = re.compile(
    r"^\W*(?:(?:ok|so|and|hi|hey)\W+)?(?:what|who|where)(?:['’]?s| is| are| was| were)\b", re.IGNORECASE
)
_EVALUATIVE = re.compile(
    r"^(?:important|main|major|famous|typical|common|notable|similar|possible|popular|certain|current|recent|several|"
    r"many|few|own|only|whole|[a-z]{2,}est)$"
)
_ADJECTIVAL = re.compile(r"^[a-z]{4,}(?:al|ic|ive|ous|ful)$")
_ADVERB = re.compile(r"^(?!famil|suppl|assembl|repl|anomal|monopol|ital)[a-z]{3,}ly$")
_PARTICIPLE = re.compile(r"^[a-z]{3,}ed$")
_PERSON = re.compile(r"^(?:who(?:['’]?s| is| was)|(?:mr|mrs|ms|dr|prof)\.?)\b", re.IGNORECASE)
_PLACE_WORDS = frozenset(
    """office city town country region building room airport station campus site floor hotel restaurant museum park
    school store shop warehouse factory branch headquarters lobby gym cafeteria area state island village street
    hall lab kitchen garage""".split()
)
_PEOPLE = re.compile(
    r"^(?:[a-z-]+(?:ers|ors|ees|ants|ists|ents|terns)|people|staff|temps|hires|guests|women|men|children|team|"
    r"teams|group|"
    r"company|companies|police)$"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Content words that stood together, and what can be seen of them."""

    text: str
    stems: tuple[str, ...]
    role: float = OBJECT
    named: bool = False
    plural: bool = False
    person: bool = False
    place: bool = False
    article: str = ""
    before: str = ""
    """The word before it, articles left out."""
    start: int = -1
    """Where it stands in the text."""

    @property
    def weak(self) -> bool:
        """Tell whether nearly every document has it."""
        return all(
            word in lexicon.COMMON_ENGLISH or word in lexicon.COMMON_KOREAN for word in self.text.lower().split()
        )

    @property
    def relational(self) -> bool:
        """Tell whether it needs an "of what"."""
        return self.role == ATTRIBUTE

    @property
    def end(self) -> int:
        """Return where it ends."""
        return self.start + len(self.text)


def phrases_of(text: str) -> list[Phrase]:
    """Return the phrases of one question, in order."""
    return list(_phrases(text[:READ]))


@lru_cache(maxsize=1024)
def _phrases(text: str) -> tuple[Phrase, ...]:
    return tuple(_korean(text) if language_of(text) == "ko" else _english(text))


@dataclass(slots=True)
class _Word:
    text: str
    low: str
    start: int
    owner: bool = False


def _english(text: str) -> Iterator[Phrase]:
    tokens = [_Word(m.group(), m.group().lower().replace("’", "'"), m.start()) for m in _TOKEN.finditer(text)]
    shouted = text.upper() == text
    run: list[_Word] = []
    first = 0
    before_run = ""
    for i, token in enumerate(tokens):
        token.owner = _POSSESSIVE.search(token.low) is not None
        after = tokens[i + 1].low if i + 1 < len(tokens) else ""
        if run and token.low in ("of", "de") and _is_name(run[-1]) and i + 1 < len(tokens) and _is_name(tokens[i + 1]):
            run.append(token)  # Bank of America
        elif token.low == "work" and run and before_run not in _BEFORE_A_SUBJECT and not _is_name(token):
            run.append(token)  # "remote work", not "how does it work"
        elif _belongs(token, run, tokens[i - 1].low if i else "", after, place=i, shouted=shouted):
            if not run:
                first, before_run = i, _left_of(tokens, i)[0]
            run.append(token)
        elif run:
            yield from _told(run, tokens, first, i, text)
            run = []
    if run:
        yield from _told(run, tokens, first, len(tokens), text)


def _is_name(word: _Word) -> bool:
    return word.text[0].isupper()


def _belongs(token: _Word, run: Sequence[_Word], before: str, after: str, *, place: int, shouted: bool) -> bool:
    """Tell whether a word is part of a phrase, and not what ends one."""
    bare = _POSSESSIVE.sub("", token.low)
    if not token.text[0].isalnum():
        return False
    if token.text.isupper() and len(token.text) > 1 and token.text.isalpha() and not shouted:
        return True  # US, IT
    if f"{token.low} {after}" in lexicon.COMPOUNDS:
        return True
    if _is_name(token) and place and bare not in ENGLISH_STOP_WORDS and len(bare) > 1 and not shouted:
        return True  # Information Retrieval
    if bare == "people" and run and _is_name(run[-1]):
        return True
    if bare in _LIGHT or (len(bare) == 1 and not bare.isdigit()):
        return False
    if _is_name(token) and place:
        return True
    if before in _BEFORE_A_VERB and bare in verbs():
        return False
    if bare in pure_verbs():
        return False
    if not run and before in _WH and bare in verbs() and after not in ("of", "is", "are", "do", "does", "can"):
        return False  # "what causes it"
    return not (run and bare.endswith("ed") and len(bare) > 4)  # "film received"


def _told(run: Sequence[_Word], tokens: Sequence[_Word], first: int, end: int, text: str) -> Iterator[Phrase]:
    before, article = _left_of(tokens, first)
    left = tokens[end].low if end < len(tokens) else ""
    words = list(run)
    while words and _EVALUATIVE.match(words[0].text):
        words = words[1:]
    while (
        words
        and words[-1].text.islower()
        and not words[-1].owner
        and (words[-1].low in ADJECTIVES or _ADVERB.match(words[-1].low))
    ):
        words = words[:-1]
    if (
        len(words) > 1
        and first
        and tokens[first - 1].low in verbs()
        and words[0].low.endswith("ing")
        and words[0].text.islower()
    ):
        words = words[1:]  # "begin learning Norwegian"
    if not words or (len(words) == 1 and _PARTICIPLE.match(words[0].text)):
        return
    adjacent = tokens[first - 1].low if first else ""
    if adjacent in _SUBJECTS and words[0].text.islower():
        words = words[1:]  # "i contact Ada"
        if not words:
            return
    if (
        before in _AUXILIARY
        and len(words) > 1
        and words[-1].text.islower()
        and (
            left in _AFTER_THE_VERB
            if words[-1].low not in verbs()
            else words[-1].low not in RELATIONAL and left not in verbs()
        )
    ):
        words = words[:-1]  # "does Berlin offer", "do sick days roll over"
    if before in ("do", "does", "did"):
        names = next((i for i, word in enumerate(words) if not _is_name(word)), len(words))
        if 0 < names < len(words) and words[names].low in verbs():
            yield from _told(words[names + 1 :], tokens, first, end, text) if names + 1 < len(words) else ()
            words = words[:names]  # "did Ada influence computing"
    last = left in ("", ".", "?", "!")
    role = _role(before, words, copular=last and before in _BE and _COPULAR.match(text) is not None)
    if len(words) == 1 and words[0].low in ("home", "abroad") and before == "from" and first > 1:
        verb = tokens[first - 2]
        if verb.low.removesuffix("ing") in verbs():
            words = [verb, tokens[first - 1], *words]  # "work from home" is one thing
    if words[0].text[0].isdigit() and len(words) < 3:
        role = min(role, GERUND)  # an amount: what it is an amount of comes before it
    elif role == ATTRIBUTE and left == "of" and end + 1 < len(tokens) and tokens[end + 1].text[0].isdigit():
        role = OBJECT  # "an expense of 500"
    owners = [i for i, word in enumerate(words) if word.owner]
    cut = owners[-1] + 1 if owners else 0
    if 0 < cut < len(words):
        owned = all(word.low in RELATIONAL for word in words[cut:])
        yield _phrase(words[:cut], role if owned else role * ADJUNCT, before, article, text)
        yield _phrase(words, ATTRIBUTE if owned else role, before, article, text)
        return
    yield _phrase(words, role, before, article, text)


def _left_of(tokens: Sequence[_Word], first: int) -> tuple[str, str]:
    """Return the word before a phrase, without articles, and what article to name it with again."""
    article = ""
    i = first - 1
    while i >= 0 and (tokens[i].low in _ARTICLES or tokens[i].low in ADJECTIVES or tokens[i].low in ("more", "me")):
        if tokens[i].low in ("the", "a", "an", "my", "our", "your", "this", "that"):
            article = "the "
        i -= 1
    before = tokens[i].low if i >= 0 else ""
    return _NEGATED.get(before, before.removesuffix("n't")), article  # "doesn't" is a "does"


def _role(before: str, words: Sequence[_Word], *, copular: bool) -> float:
    said = [_POSSESSIVE.sub("", word.low) for word in words]
    if not words[-1].owner and said[-1] in RELATIONAL and all(is_light(word) for word in said[:-1]):
        return ATTRIBUTE
    if len(words) == 1 and words[0].text.islower() and said[0].endswith("ing") and before not in _ABOUT and not copular:
        return GERUND
    if copular or before in _ABOUT or before in _AGAIN:
        role = TOPIC
    elif before in _BEFORE_A_SUBJECT or words[-1].owner:
        role = SUBJECT
    elif before in _PREPOSITIONS:
        role = ADJUNCT
    else:
        role = OBJECT
    weak = all(word in lexicon.COMMON_ENGLISH or word in RELATIONAL for word in said)
    return role * 0.6 if weak else role


def is_light(word: str) -> bool:
    """Tell whether a word before a noun leaves open what that is a noun of: `main`, `environmental`."""
    return word in RELATIONAL or word in ADJECTIVES or _ADJECTIVAL.match(word) is not None


def _phrase(words: Sequence[_Word], role: float, before: str, article: str, text: str) -> Phrase:
    end = words[-1]
    said = text[words[0].start : end.start + len(end.text)]
    said = _POSSESSIVE.sub("", said)
    low = _POSSESSIVE.sub("", end.low)
    named = any(ch.isupper() for word in words for ch in word.text)
    capitals = [word for word in words if _is_name(word)]
    plural = low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 2
    who = _PERSON.match(text) is not None and before in ("is", "was", "who's", "whos")
    return Phrase(
        text=said,
        stems=tuple(lexicon.stem("".join(ch for ch in _POSSESSIVE.sub("", w.low) if ch.isalnum())) for w in words),
        role=role,
        named=named,
        plural=plural or low in ("people", "staff", "police", "children"),
        person=(who and role == TOPIC and not plural) or bool(_PEOPLE.match(low)),
        place=low in _PLACE_WORDS or (bool(capitals) and before in ("in", "at", "to", "from", "near", "visit")),
        article=article if not plural and not (named and len(capitals) == len(words) and len(words) > 1) else "",
        before=before,
        start=words[0].start,
    )


_KOREAN_PREDICATE = re.compile(
    r"(?:[아어여와워려해돼줘봐져]요|[가-힣](?:줘|줘요|주세요|줄래|주라|나요|까요|네요|데요|지요|죠|는데|은데|"
    r"인데|습니다|니까|니다|어서|아서|으면|려고|려면|줄래|"
    r"어야|아야|었는데|했는데)|[가-힣](?:했|됐|있|없|였|갔|왔)[어다]|^(?:넘|하|되|내|주|보내|받|쓰)는|"
    r"싶[가-힣]*|[어아와]도|^(?:나|하|되|보|가|오|쓰|주|지나|걸리|다치|아프|늦으|받으|있으|없으|싶으|넘으)면)$"
)


_KOREAN_LIGHT = frozenset("마지막 처음 둘 셋 아까 방금 나머지 이것 저것 누군가".split())
# A verb before one of these nouns, though it ends like a topic: 내보내는 방법.
_KOREAN_ADNOMINAL = re.compile(r"[가-힣]+[는은을] (?:방법|경우|것|거|건|곳|사람|때|이유|법|데)")


def _korean(text: str) -> Iterator[Phrase]:
    run: list[tuple[str, int]] = []
    for match in [*re.finditer(r"[가-힣A-Za-z0-9%]+(?:[.-]+[가-힣A-Za-z0-9%]+)*|[^\w\s]", text), None]:
        token = match.group() if match else "."
        mixed = _MIXED.match(token)
        stem = korean.stem_of(token) if "가" <= token[0] <= "힣" else mixed.group(1) if mixed else token
        stem = stem.removesuffix("님") if len(stem) > 2 else stem
        light = (
            not token[0].isalnum()
            or (korean.is_ending(token) and stem not in RELATIONAL_KOREAN)  # 한도가
            or token in lexicon.FAINT_KOREAN
            or stem in _KOREAN_LIGHT
            or stem in lexicon.FAINT_KOREAN
            or korean.is_predicate(token)
            or _KOREAN_PREDICATE.search(token) is not None
            or (match is not None and _KOREAN_ADNOMINAL.match(text, match.start()) is not None)
        )
        if not light and match:
            run.append((stem, match.start()))
            if stem == token:
                continue
        if run:
            yield _korean_phrase(run, token if not light else "")
            run = []


def _korean_phrase(run: Sequence[tuple[str, int]], marked: str) -> Phrase:
    words = [word for word, _ in run]
    role = (
        TOPIC
        if marked.endswith(("은", "는"))
        else SUBJECT
        if marked.endswith(("이", "가", "을", "를", "도"))
        else OBJECT
    )
    if all(word in RELATIONAL_KOREAN or word in lexicon.COMMON_KOREAN for word in words):
        role = ATTRIBUTE
    return Phrase(" ".join(words), tuple(words), role=role, start=run[0][1])


def without_attribute(phrase: Phrase) -> Phrase:
    """Return a Korean phrase without the nouns at its end that need an "of what": 육아휴직 급여 is about 육아휴직."""
    words = list(phrase.stems)
    while len(words) > 1 and words[-1] in RELATIONAL_KOREAN:
        words.pop()
    return replace(phrase, text=" ".join(words), stems=tuple(words))
