"""Whether a message leans on the turns before it, and by which words."""

import re
from dataclasses import dataclass

from agent.reasoning.offline import korean, lexicon
from agent.reasoning.offline.topic import phrases_of
from agent.reasoning.offline.wordclasses import CLASSES, NAMED_ONLY, RELATIONAL_KOREAN, TRANSITIVE, pure_verbs, verbs
from agent.text import ENGLISH_STOP_WORDS, language_of

LONG = 600
"""Characters from which a message explains itself."""
_MARKS = 6
"""Pointing words of a message that are looked at."""

_PRONOUN = re.compile(
    r"\b(?:its?|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|that|the same|such"
    r"|either of|neither|both of)\b",
    re.IGNORECASE,
)
# Uses of the same words that point at nothing said before.
_EMPTY = re.compile(
    r"\b(?:is|was|isn['’]?t) it (?!related|similar|connected|compared|close|due|used|going|about|able|supposed|"
    r"meant|linked)(?:\w+ "
    r"){0,3}(?:to|that|if)\b"
    r"|\b(?:can|could|will|would|should|might|may) it (?:be (?:\w+ )?(?:possible|ok|okay|good|better|best|hard|"
    r"easy|worth|fine|useful|"
    r"helpful|safe|legal|allowed|necessary|nice|wise|smart)|make (?:more |any )?sense|matter|help|"
    r"hurt) (?:for \w+ )?(?:to|that|if)\b"
    r"|\b(?:does|did|do) it (?:take|cost|make (?:more |any )?sense|help|matter|hurt) (?:\w+ ){0,3}(?:to|that|if)\b"
    r"|\bit (?:is|was|takes?|costs?|would be) (?:\w+ )?(?:to|that|possible)\b"
    r"|\b(?:this|these|that|those) (?:week|month|year|quarter|days|morning|afternoon|evening|time|"
    r"weekend|friday|monday|summer|winter|spring|autumn)s?\b"
    r"|\b(?:so|such|now|given|provided|ensure|know|sure|say|says|said|mean|means|think|true|fact|"
    r"possible|told|assume|suppose|believe|hope) that\b"
    r"|\b\w+s? that (?=(?:i|we|you|he|she|they|are|is|was|were|can|will|have|has|do|does|need|must|"
    r"should|would|could|may|might|use[sd]?|the|a|an|our|my|your)\b)"
    r"|\bsuch (?:as|an?)\b|\b(?:he|she) or (?:he|she)\b|\b(?:his|her) or (?:his|her)\b|\bthat way\b",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bhey )(?<!\bhi )(?<!\bout )\bthere\b"
    r"(?!['’]?s\b| (?:is|are|was|were|be|has|will|any|a|an)\b)",
    re.IGNORECASE,
)
_ONES = re.compile(
    r"\b(?:ones\b|one\b(?=\W*$|[?.,!]| (?:is|are|was|were|does|do|did|can|could|will|would|should|has|have|on|"
    r"in|at|for|with|from|"
    r"and|or|but|that|to|work|works|cost|costs|cover|covers|take|takes|need|needs|instead|too|please|"
    r"pls)\b))(?! (?:more|time|day)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:and|but|or|also|plus|then|so|same|what about|how about|vs|versus|what if|what else|anything else|why(?: "
    r"not| is that| so\b.*| only\b.*| just\b.*)?\s*\?*$|why (?:so|only|just|not)\b|"
    r"how so|how come\s*\?*$|"
    r"(?:for|on|in|with|without|at|from|by|of|to|about|under|after|before|during) |more(?: "
    r"details| info\w*)?(?: please| about (?:it|that|this|them)\b.*)?\W*$|tell me more(?: please| about (?:it|"
    r"that|this|them)\b.*)?\W*$|go on|continue|"
    r"can you (?:elaborate|explain more|give (?:me )?(?:an )?example)|elaborate|really\?|are you sure|"
    r"any (?:others?|more|alternatives?|exceptions?)|(?:when|where|who|how|how much|how many|how long|"
    r"which|what)\s*\?*$|not |instead)",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^\W*(?:(?:ok|okay|thanks?|thank you|thx|ty|great|cool|nice|perfect|got it|i see|awesome|good|alright|"
    r"sure|yes|yep|no|nope|lol|haha|bye|"
    r"hi|hello|hey|a lot|so much|very much|much|네|넵|넹|예|응|ㅇㅇ|ㅇㅋ|오케이|감사[가-힣]*|고마[가-힣]*|"
    r"알겠[가-힣]*|확인했[가-힣]*|좋[가-힣]*|[ㅋㅎㅠㅜ]+)\b\W*)+$",
    re.IGNORECASE,
)
# What opens a message without being part of what it asks; "thanks, ..." begins something new.
_LEAD = re.compile(
    r"^\W*(?:(?:yes|no|nope|ok|okay|sure|right|great|hmm+|oh|ah|well|actually|wait|sorry)\b[,.! ]+)+", re.I
)
_ELSE = re.compile(
    r"\b(?:else|instead|other(?: \w+)? (?:ways?|options?|types?|kinds?|examples?)|the (?:first|second|"
    r"third|last|other|former|latter)(?: (?:one|option|step|point|case))?(?=\W*$|\W| (?:to|and|or|is|does|"
    r"can)\b)|(?:step|point|option|"
    r"number) \d|as well|too\W*$|otherwise|what now|now what|"
    r"(?:if|and|but|because|can|why|what if|unless|when) (?:\w+ ){0,2}(?:do|does|did|can|will|would|is|are|"
    r"have)(?:n['’]?t| not)\W*$)",
    re.IGNORECASE,
)
_MEANT = re.compile(r"\bi (?:meant|mean|was asking about)\b|^\W*not \S+,", re.IGNORECASE)
_BACK_TO = re.compile(
    r"^\W*(?:(?:ok|okay|so|and|anyway|right),? )*(?:(?:going |coming |getting )?back to|returning to|regarding|"
    r"re|about|"
    r"as for|on the topic of|concerning|still on) (?:the |our |my |"
    r"your )?(?P<x>[^:,;.?!]{2,40})[:,;-] (?P<rest>\S.*)$",
    re.IGNORECASE,
)
_KOREAN_BACK_TO = re.compile(
    r"^\W*(?:아까|다시|처음|전에|이전에)?\s*(?:그|말한|말씀하신|얘기한)?\s*(?P<x>\S{1,15}(?: \S{1,15}){0,2}?) ?"
    r"(?:말인데|말이야|말인데요|얘긴데|얘기인데|얘긴데요|얘기로 돌아가서|이야기로 돌아가서|로 돌아가서|"
    r"으로 돌아가서|관련해서|건으로)(?:요)?[, ]+"
    r"(?P<rest>\S.*)$"
)
_OWN = re.compile(r"\b(?:i|my|me|we|our|us|you|your)\b", re.IGNORECASE)
_THE = re.compile(r"\bthe (?:[a-z-]+ )?$", re.IGNORECASE)
_COMPLETE = frozenset(
    "of for to on in about between with at from if when without after before behind that which during as than".split()
)
# What these are "of" is still to be said when the other side is named: "the impact on biology".
_TOWARDS = re.compile(
    r"(?:\S+ ){0,2}?(?:differences?|similarit\S+|relationship|connection|impacts?|effects?|influence) (?:with|"
    r"to|on) ",
    re.I,
)
_KOREAN_POINT = re.compile(
    r"(?:^|\s)(?:그거|그것|그건|그게|그걸|그럼|그러면|그렇|그런|그때|그분|그곳|그|거기|거긴|걔|이거|"
    r"이것|이건|이게|이걸|이때|이런|여기|저거|것도|저것|저건|위의|앞의|방금|아까|해당|두 ?번째|첫 ?번째|세 "
    r"?번째|네 ?번째|마지막 ?(?:것|거|건|걸|방법|단계|항목|옵션)|\d번(?=[이은을째 ])|둘 ?다|"
    r"둘 중|나머지|다른 (?:건|것|방법|경우|거)|또 ?(?:다른|있|뭐)|더 (?:자세히|알려|설명|있)|"
    r"왜요?\s*\?*$|왜 그|어째서\s*\?*$|그래서|그래도|그중|안 ?하면|안되면|안 되면)"
)
# What joins a message to the one before it without leaning on it.
_KOREAN_LEAD = re.compile(r"^(?:(?:아|음|네|넵|오|앗|ㅋ+|ㅎ+|그리고|그런데|근데|하지만|참|그건 그렇고)[ ,.!~]+)+")
_KOREAN_MEANT = re.compile(r"^(?:아니|아뇨|아니요|아니아니|아냐|앗|잠깐)[,.!~ ]+|(?:\S+) 말고 \S")
_KOREAN_TOO = re.compile(
    r"^\S{1,14}(?: \S{1,14}){0,2}(?:도|은|는) (?:똑같|같은가|마찬가지|그런가|그래|돼요|되나요|됩니까|돼|되나|"
    r"가능|해당|어때|어떤가|어떻)\S*\s*\?*$"
)
_KOREAN_ELLIPSIS = re.compile(
    r"^\S{1,14}(?: \S{1,14}){0,2}(?:은|는|이는|은요|는요|도요|도|의 경우는|경우는|라면|이라면|면요|"
    r"에서는|에서는요|으로는|에는|일 때는|이면)\s*\??\.?$"
)
_KOREAN_BARE = re.compile(
    r"^\W*(?:언제|어디|누가|누구|어떻게|얼마나?|몇|며칠|왜|무엇을?|뭘)\S{0,3}(?: \S{1,8}){0,2}\s*\??$"
)
_KOREAN_VERB = re.compile(
    r"(?:나요|까요|가요|어요|아요|돼요|해요|되나|하나|합니까|됩니까|돼|해|야|지요|죠|면|서|려면|도|데|데요|는지|줘)$"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NAMED = re.compile(r"(?<!^)\b[A-Z][a-z]{2,}\b")
_CLAUSE = re.compile(
    r"(?:^|\b)(?:if|when|while|once|after|before|because|unless|until|since|although) \w+ \w+|,|[.!?] |\band "
    r"(?:how|when|where|who|what|why|can|could|do|does|is|are|was|should|will)\b|\bthan\b|\bfrom\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a message depends on earlier turns: `kind` says by what, `mark` is the word that does it."""

    kind: str
    mark: str = ""
    start: int = -1
    """Where the mark stands in the message."""


def leaning(text: str, answer: str = "") -> Leaning | None:
    """Return how the message depends on what was said before; None when it stands alone.

    `answer` is the one before it: what that spoke of first, a later message names with `the`.
    """
    if len(text) > LONG or is_short_talk(text):
        return None
    if language_of(text) == "ko":
        return _korean(text)
    return _english(text, answer)


def is_short_talk(text: str) -> bool:
    """Tell whether a message is nothing but thanks, consent, laughter or signs."""
    return not any(ch.isalnum() for ch in text) or _COURTESY.match(text) is not None


def pointing(text: str) -> list[Leaning]:
    """Return the words of an English message that point back, in order."""
    masked = _EMPTY.sub(lambda match: " " * len(match.group()), text)
    found = [Leaning("pronoun", m.group(), m.start()) for m in _PRONOUN.finditer(masked) if not _relative(masked, m)]
    found += [Leaning("place", m.group(), m.start()) for m in _THERE.finditer(masked)]
    found += [Leaning("ones", m.group(), m.start()) for m in _ONES.finditer(masked)]
    found = sorted(found, key=lambda mark: mark.start)[:_MARKS]
    return [mark for mark in found if not _inside(masked, mark)]


def _relative(text: str, match: re.Match[str]) -> bool:
    """Tell whether a `that` begins a clause about the noun before it: "events that happen"."""
    if match.group().lower() != "that":
        return False
    before = text[: match.start()].split()
    after = text[match.end() :].split()
    if not before or not after or after[0].strip("?.!,").lower() not in verbs():
        return False
    return (
        before[-1].isalpha() and before[-1].lower() not in ENGLISH_STOP_WORDS and before[-1].lower() not in pure_verbs()
    )


def _english(text: str, answer: str) -> Leaning | None:
    if _MEANT.search(text):
        return Leaning("correction")
    if _BACK_TO.match(text):
        return Leaning("return")
    marks = pointing(text)
    if marks:
        return marks[0]
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead else text
    if _OPENING.match(rest):
        return Leaning("ellipsis", _WORD.findall(rest)[0] if _WORD.findall(rest) else "")
    other = _ELSE.search(text)
    if other:
        return Leaning("reference", other.group(), other.start())
    bare = bare_noun(text, answer) or _objectless(text)
    if bare is not None:
        return bare
    return Leaning("fragment") if len(_WORD.findall(rest)) <= 2 else None


def bare_noun(text: str, answer: str = "") -> Leaning | None:
    """Return a noun that needs an "of what" where the question names nothing that it could be of."""
    phrases = phrases_of(text)
    towards = [phrase for phrase in phrases if phrase.relational and _TOWARDS.match(text[phrase.start :])]
    if towards and not any(phrase.before == "of" for phrase in phrases):
        return Leaning("bare", towards[0].text, towards[0].start)
    if any(phrase.named for phrase in phrases):
        return None
    bare = [phrase for phrase in phrases if _is_bare(text, phrase.end, phrase.start, relational=phrase.relational)]
    if bare and all(phrase.relational for phrase in phrases):
        phrase = bare[-1]
        return Leaning("named" if phrase.stems[-1] in _named_only() else "noun", phrase.text, phrase.start)
    kinds = [phrase for phrase in phrases if phrase.article and phrase.text.lower() in CLASSES]
    if kinds and len(phrases) - len(kinds) <= 1 and re.search(r"\bthe $", text[: kinds[0].start], re.IGNORECASE):
        return Leaning("class", kinds[0].text, kinds[0].start)
    known = answer[:2000].lower()
    if len(phrases) == 1 and phrases[0].article == "the " and len(phrases[0].stems) == 1:
        before = text[: phrases[0].start].rstrip().lower()
        if before.endswith(" the") and re.search(rf"\b{re.escape(phrases[0].text.lower())}\b", known):
            return Leaning("noun", phrases[0].text, phrases[0].start)
    return None


def unidentified(text: str) -> Leaning | None:
    """Return a thing that a question names with `the` as if it were known, while nothing in the question tells which.

    In a thread that keeps to a topic it belongs to that; what is the asker's own, or a place, people know anyway.
    """
    phrases = [phrase for phrase in phrases_of(text) if not phrase.relational]
    if len(phrases) != 1 or _OWN.search(text):
        return None
    phrase = phrases[0]
    known = phrase.named or phrase.place or phrase.person or phrase.weak or not _THE.search(text[: phrase.start])
    after = text[phrase.end :].split()
    complete = bool(after) and after[0].lower().strip("?.!,") in _COMPLETE
    return None if known or complete else Leaning("bridge", phrase.text, phrase.start)


def _objectless(text: str) -> Leaning | None:
    """Return a verb that lacks its object: "do I need to book?"."""
    said = _WORD.findall(text.lower())
    asks = len(said) > 2 and said[-1] in TRANSITIVE and said[-2] in ("to", "i", "we", "you", "they", "please")
    return Leaning("ellipsis", said[-1]) if asks and not phrases_of(text) else None


def _is_bare(text: str, end: int, start: int, *, relational: bool) -> bool:
    after = text[end:].lstrip(" ").split(" ")[0].strip("?.!,").lower()
    before = text[:start].rstrip().split(" ")[-1].lower() if text[:start].strip() else ""
    return relational and after not in _COMPLETE and before not in {"my", "our", "your", "of", "by", "per"}


def _named_only() -> frozenset[str]:
    return frozenset(lexicon.stem(word) for word in NAMED_ONLY)


def _names_something(word: str) -> bool:
    """Tell whether a Korean word is a noun of its own: not a verb, not a question word, not one of something else."""
    if word[0].isascii():
        return word[0].isalnum() and not word.isdigit()
    stem = korean.stem_of(word)
    light = korean.is_ending(word) or word in lexicon.FAINT_KOREAN or stem in lexicon.FAINT_KOREAN
    relational = stem in RELATIONAL_KOREAN or word.removesuffix("요") in RELATIONAL_KOREAN
    return not light and not relational and _KOREAN_VERB.search(word) is None


def _inside(text: str, mark: Leaning) -> bool:
    """Tell whether the question itself names what the word stands for."""
    low = mark.mark.lower()
    before = text[: mark.start]
    if mark.kind == "ones":
        word = before.split()[-1].lower() if before.split() else ""
        if word in {"no", "every", "any", "some", "which", "each", "the", "this", "that", "another", "only", ""}:
            return word in {"no", "every", "any", "some", "each", "only"} or _names(before)
        return _names(before.rsplit(" ", 2)[0] if " " in before.strip() else "")
    if low in {"he", "him", "his", "she", "her", "hers"}:
        return _NAMED.search(before) is not None
    if low not in {"they", "them", "their", "its", "it", "this", "that", "these", "those"}:
        return False
    return _CLAUSE.search(before) is not None and _names(before)


def _names(before: str) -> bool:
    return any(not phrase.relational and phrase.role > 0.3 for phrase in phrases_of(before))


def _korean(text: str) -> Leaning | None:
    text = _KOREAN_LEAD.sub("", text)
    if _KOREAN_BACK_TO.match(text):
        return Leaning("return")
    if _KOREAN_MEANT.search(text):
        return Leaning("correction")
    point = _KOREAN_POINT.search(text)
    if point:
        return Leaning("pronoun", point.group().strip(), point.start())
    if _KOREAN_ELLIPSIS.match(text) or _KOREAN_BARE.match(text) or _KOREAN_TOO.match(text):
        return Leaning("ellipsis")
    said = text.rstrip("?.!~ ").split()
    if len(said) <= 5 and not any(_names_something(word) for word in said):
        return Leaning("ellipsis")
    return Leaning("fragment") if len(said) == 1 and len(text) <= 8 else None


def back_to(text: str) -> tuple[str, str] | None:
    """Return what a message goes back to, and what it asks of it."""
    match = (_KOREAN_BACK_TO if language_of(text) == "ko" else _BACK_TO).match(text)
    return (match.group("x").strip(), match.group("rest").strip()) if match else None
