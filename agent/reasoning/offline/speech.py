"""What a sentence does: it tells somebody to act, announces a page, carries on the one before; and whom it is about."""

import re
from functools import lru_cache

from agent.reasoning.offline import lexicon

# Verbs that instructions begin with, in any field.
_VERBS = """accept acknowledge add adjust agree allow announce answer apply approach ask assign attach avoid back begin
    block book bring build call cancel change charge check choose clean clear click close collect come complete confirm
    connect contact continue contribute cool copy cover create cut decline delete describe dial disable disconnect
    discuss dispose do download drag drink drop edit email empty enable ensure enter evacuate exit explain export file
    fill find finish flush follow get give go hand hold identify ignore import include inform insert install invite join
    keep label lay leave let lift lock log look lower make mark measure meet mention mix move mute name navigate note
    notify obtain open order paste pay phone pick place plan plug pour prepare press prevent print provide publish pull
    push put raise read reboot record reduce refer refresh refuse register reload remain remove rename renew repeat
    replace reply report request reset restart restore retry return review revoke rinse run save scan schedule seek
    select send set share shout show shut sign specify speak start state stay stop store submit switch take talk tell
    test thank throw tick touch transfer try turn type unplug update upgrade upload use verify visit wait warn wash wear
    wipe withdraw work write""".split()
_LEAD = (
    r"(?:(?:first|then|next|now|finally|afterwards|also|please|always|immediately|at once|instead|otherwise|and|so|"
    r"in (?:an|any|that|this|such) \w+)\b,?\s+)*"
)
_CLAUSE = (
    r"(?:(?:if|when|whenever|once|after|before|in case|unless|until|as soon as|to|for|from|on|in|within|"
    r"during|without|above|with)\b[^.;]{1,140}?,\s+)?"
)
_ACT = "|".join(_VERBS)
_INSTRUCTS = re.compile(
    rf"^\W*(?:\d+[.)]\s*)?{_LEAD}{_CLAUSE}{_LEAD}(?:(?:do not|don['’]t|never|just|only|simply)\s+)?(?:{_ACT})\b"
    r"(?!\s+(?:is|are|was|were|has|have|can|may|must|will|should|of)\b)"
    r"|\byou (?:must|should|need to|have to)\b|\bplease \w+",
    re.IGNORECASE,
)
_KOREAN_INSTRUCTS = re.compile(
    r"(?:세요|십시오|시오|않습니다|마십니다|(?<![입습됩])니다|(?<![이있없된니었았했됐렸졌])다|하기|할 것|해야 한다)"
    r"[.!)\"”]*\s*$"
)
_ANNOUNCES = re.compile(
    r"^\W*(?:(?:this|the following|the) (?:page|article|document|guide|manual|handbook|section|chapter|list"
    r"|topic|tutorial|code)\b"
    r"[^.]{0,30}?\b(?:covers?|describes?|explains?|says?|shows?|sets out|tells?|leads?|lists?|contains?"
    r"|provides?|discusses)\b"
    r"|here (?:you (?:will )?find|is how|we)|in this (?:page|article|document|guide|manual|section|chapter"
    r"|topic|tutorial)\b"
    r"|welcome to\b)"
    r"|^\W*(?:이|본) (?:안내|문서|페이지|장|절|글|가이드|매뉴얼)|(?:을|를) (?:안내|설명|소개)합니다\W*$"
    r"|다룹니다\W*$|환영합니다\W*$",
    re.IGNORECASE,
)
_QUALIFIES = re.compile(
    r"^\W*(?:if (?:not|so|that|it|they|there)\b|otherwise|except|however|but\b|unless|above (?:that|this)"
    r"|beyond (?:that|this)|"
    r"below (?:that|this)|in (?:that|this|such a|these|those) cases?|for (?:more|less|fewer|longer|larger|smaller)\b|"
    r"다만|단,|단 |그러나|하지만|그 ?(?:이상|이하|밖|뒤|후)|이 경우|그렇지 않으면|위반|초과)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^\W*(?:it|they|this|these|those|he|she|the latter|then|after (?:that|this)|afterwards|both|when (?:it"
    r"|they|this)|if (?:it|they|this)|"
    r"after \w+ (?:more|such)|이를|이때|이는|이들|그 ?(?:뒤|후|다음)|또한|이후)\b",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"^\W*(?:\d+[.)]\s*)?(?:to (?P<p>\w+ [^.,;]{2,70}),\s|(?P<k>[^.,]{2,30}?려면)[ ,])", re.IGNORECASE
)
_DONE = re.compile(r"^\W*(?:\d+[.)]\s*)?(?:after|once|before) ([^.,;]{3,80}),\s", re.IGNORECASE)
_DOING = re.compile(
    r"\bhow (?:(?:do|can|could|should|would|does|must) (?:i|we|you|one|they|people|a \w+)|to) (?:\w+ly )?([a-z]+)",
    re.IGNORECASE,
)
_VERB_AFTER_SUBJECT = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|may|might|must|will|would|should|shall|do|does|did|gets?|needs?|"
    r"lasts?|takes?|costs?|runs?|means?|refers?|begins?|starts?|ends?|expires?|contains?|includes?|consists?|provides?|"
    r"allows?|enables?|supports?|requires?|uses?|depends?|goes|comes|returns?|becomes?|stops?|sends?)\b",
    re.IGNORECASE,
)
_KOREAN_SUBJECT = re.compile(r"^(?:\S+ ){0,5}?\S*[가-힣](?:은|는|이란|란|이|가)(?=[ ,])")
_LIST_MARK = re.compile(r"^\W*(?:\d{1,3}[.)]\s*)?")
OPENING = 6
"""Words that stand for the subject where no verb is found."""

# "unused days", "the remaining sum", "사용하지 않은 휴가": a part of the thing, not the thing.
_REST = re.compile(
    r"\b(?:unused|untaken|unspent|unclaimed|remaining|left ?over|additional|extra)\b|carr(?:y|ied) (?:it |them )?over"
    r"|지 (?:않은|못한) |남은 |이월|추가(?:로|적)? ",
    re.IGNORECASE,
)


def instructs(text: str) -> bool:
    """Tell whether a sentence says what to do."""
    if re.search(r"[가-힣]", text):
        return _KOREAN_INSTRUCTS.search(text.strip()) is not None
    return _INSTRUCTS.search(text) is not None


def announces(text: str) -> bool:
    """Tell whether a sentence only says what a page is about."""
    return _ANNOUNCES.search(text) is not None


def names_a_kind(stem: str) -> bool:
    """Tell whether a word before a noun may tell its kind: `partner` of partner leave, not `take` or 20."""
    return stem.isalpha() and stem not in _verb_stems() and stem not in _light_stems()


@lru_cache(maxsize=1)
def _verb_stems() -> frozenset[str]:
    return frozenset(lexicon.stem(verb) for verb in _VERBS)


@lru_cache(maxsize=1)
def _light_stems() -> frozenset[str]:
    return frozenset(lexicon.stem(word) for word in lexicon.FAINT_ENGLISH | lexicon.COMMON_ENGLISH)


def purpose_of(text: str) -> str:
    """Return what a sentence says that it is good for: `to change the dates later`; empty where it does not say."""
    found = _PURPOSE.match(text)
    return found.group("p") or found.group("k") if found else ""


def done_before(text: str) -> str:
    """Return what a sentence takes for done: `after you create a board`; empty where it takes nothing."""
    found = _DONE.match(text)
    return found.group(1) if found else ""


def doing_of(question: str) -> str:
    """Return what a question asks how to do, as one verb: `delete` of "How do I delete a board?"."""
    found = _DOING.search(question)
    return found.group(1).lower() if found else ""


def qualifies(text: str) -> bool:
    """Tell whether a sentence gives a condition or an exception to the one before it."""
    return _QUALIFIES.match(text) is not None


def goes_on(text: str) -> bool:
    """Tell whether a sentence is about what the one before it is about."""
    return _GOES_ON.match(text) is not None


def of_the_rest(text: str, question: str) -> bool:
    """Tell whether a sentence speaks of what is left over, or comes on top, where the question does not."""
    return _REST.search(text) is not None and _REST.search(question) is None


def subject_of(text: str) -> str:
    """Return the words that a sentence is about: what stands before its first verb, or its first words."""
    bare = _LIST_MARK.sub("", text, count=1)
    if re.search(r"[가-힣]", bare):
        topic = _KOREAN_SUBJECT.match(bare)
        return topic.group() if topic else " ".join(bare.split()[:3])
    verb = _VERB_AFTER_SUBJECT.search(bare)
    words = bare[: verb.start()].split() if verb else []
    return " ".join(words if 0 < len(words) <= 2 * OPENING else bare.split()[:OPENING])
