"""Whether a message leans on the turns before it, and by which words."""

import re

from agent.reasoning.offline import lexicon
from agent.reasoning.offline.korean_leaning import korean_back_to, korean_earlier, korean_leaning
from agent.reasoning.offline.leaning import Leaning
from agent.reasoning.offline.topic import phrases_of
from agent.reasoning.offline.wordclasses import CLASSES, NAMED_ONLY, TRANSITIVE, pure_verbs, verbs
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
    r"){0,3}(?:to|that|if)\b(?!\W*$)"
    r"|\b(?:can|could|will|would|should|might|may) it (?:be (?:\w+ )?(?:possible|ok|okay|good|better|best|hard|"
    r"easy|worth|fine|useful|"
    r"helpful|safe|legal|allowed|necessary|nice|wise|smart)|make (?:more |any )?sense|matter|help|"
    r"hurt) (?:for \w+ )?(?:to|that|if)\b(?!\W*$)"
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
    r"(?:for|on|in|with|without|at|from|by|of|to|about|under|after|before|during) |"
    r"even (?:on|in|for|at|with|if|when|during|after|before)\b|more(?: "
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
# A kind of what, and how many of what, was said before.
_KIND = re.compile(
    r"^\W*(?:and |so |but )?(?:what|which) "
    r"(?P<kind>type|kind|sort|variety|version|brand|model|breed|species|size|colou?r)s?"
    r"(?= (?:is|are|was|were|has|have|had|do|does|did|can|will|would|should|works?|needs?|gets?|costs?|lasts?"
    r"|tastes?)\b)",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?:so|too|that|how) (?:many|few)(?= (?:are|is|were|was|do|did|can|will|have|\w+ing)\b)", re.IGNORECASE
)
_NEEDED = re.compile(
    r"^\W*(?:and |so |but )?(?:what|which)(?: other)? \w+(?:(?: and| or)? \w+)? (?:is|are|was|were|will be) "
    r"(?:needed|required|necessary|involved|included|recommended|missing|due|accepted)\W*$",
    re.IGNORECASE,
)
_WHICH = re.compile(r"^\W*(?:and |so |but )?which (?:is|are|was|were|would be)\b(?P<rest>.*)$", re.IGNORECASE)
_MEANT = re.compile(r"\bi (?:meant|mean|was asking about)\b|^\W*not \S+,", re.IGNORECASE)
_BACK_TO = re.compile(
    r"^\W*(?:(?:ok|okay|so|and|anyway|right),? )*(?:(?:going |coming |getting )?back to|returning to|regarding|"
    r"re|about|"
    r"as for|on the topic of|concerning|still on) (?:the |our |my |"
    r"your )?(?P<x>[^:,;.?!]{2,40})[:,;-] (?P<rest>\S.*)$",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?P<the>the|that|your|my) (?:earlier|previous|above|aforementioned|above-mentioned) (?=[a-z])"
    r"|(?<=\w) (?:(?:that|which) )?(?:i|you|we) (?:just )?(?:mentioned|(?:asked|told me|talked|spoke)(?: about)?)"
    r"(?: (?:earlier|before|above|just now|first))?(?=\W|$)|(?<=\w) from (?:before|earlier|above)(?=\W|$)",
    re.IGNORECASE,
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
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NAMED = re.compile(r"(?<!^)\b[A-Z][a-z]{2,}\b")
_CLAUSE = re.compile(
    r"(?:^|\b)(?:if|when|while|once|after|before|because|unless|until|since|although) \w+ \w+|,|[.!?] |\band "
    r"(?:how|when|where|who|what|why|can|could|do|does|is|are|was|should|will)\b|\bthan\b|\bfrom\b",
    re.IGNORECASE,
)


def leaning(text: str, answer: str = "") -> Leaning | None:
    """Return how the message depends on what was said before; None when it stands alone.

    `answer` is the one before it: what that spoke of first, a later message names with `the`.
    """
    if len(text) > LONG or is_short_talk(text):
        return None
    if earlier(text):
        return Leaning("return")
    if language_of(text) == "ko":
        return korean_leaning(text)
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


def earlier(text: str) -> str:
    """Return a message that names what it goes back to, without saying so: 아까 그 육아휴직 급여 is 육아휴직 급여.

    Empty for one that names nothing of the kind.
    """
    if language_of(text) == "ko":
        return korean_earlier(text)
    rest = _EARLIER.sub(lambda match: f"{match.group('the')} " if match.group("the") else "", text)
    return rest if rest != text and phrases_of(rest) else ""


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
    bare = bare_noun(text, answer) or _objectless(text) or _unsaid(text)
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


def _unsaid(text: str) -> Leaning | None:
    """Return a kind, a number or a choice of something that the question leaves out: "which is the best?"."""
    kind = _KIND.search(text)
    if kind is not None:
        return Leaning("noun", text[kind.start("kind") : kind.end()], kind.start("kind"))
    many = _MANY.search(text)
    if many is not None:
        return Leaning("many", many.group(), many.start())
    if _NEEDED.match(text):
        return Leaning("ellipsis", "needed")
    which = _WHICH.match(text)
    return Leaning("ellipsis", "which") if which is not None and not phrases_of(which.group("rest")) else None


def _is_bare(text: str, end: int, start: int, *, relational: bool) -> bool:
    after = text[end:].lstrip(" ").split(" ")[0].strip("?.!,").lower()
    before = text[:start].rstrip().split(" ")[-1].lower() if text[:start].strip() else ""
    return relational and after not in _COMPLETE and before not in {"my", "our", "your", "of", "by", "per"}


def _named_only() -> frozenset[str]:
    return frozenset(lexicon.stem(word) for word in NAMED_ONLY)


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


def back_to(text: str) -> tuple[str, str] | None:
    """Return what a message goes back to, and what it asks of it."""
    match = korean_back_to(text) if language_of(text) == "ko" else _BACK_TO.match(text)
    return (match.group("x").strip(), match.group("rest").strip()) if match else None
