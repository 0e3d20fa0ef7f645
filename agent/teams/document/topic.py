"""What a document is about: an order without the words that only order it."""

import re
from collections.abc import Iterable

from agent.text import language_of, normalise, strip_particle
from agent.values.names import month_pattern

# What leads from an order to its subject.
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|on the (?:subject|topic|question) of|on|summing up"
    r"|that (?:explains|sums up|covers)|explaining"
    r"|summari[sz]ing|for (?=(?:a |an )?[\w-]+ leave\b)|of(?= our| the))\s+(.+)$",
    re.IGNORECASE,
)
_ABOUT_KOREAN = re.compile(r"^(.+?)\s?(?:에 ?(?:대한|대해서?|관한|관해서?)|관련(?:된|하여|해서?)?)(?=\s|$)")
_OWNER = re.compile(r"^(?:(?:her|his|their|my|our|your|the|a|an|this|that|question of whether) )+", re.IGNORECASE)
_ORDER = frozenset(
    """please can could would you me us draft write prepare create make compose produce give send want need drafting
    reply answer response respond email e-mail mail letter report summary memo document request note short brief
    one-page form a an the to for with sources her his their my our your from until starting question's question
    asked""".split()
)
_ORDER_KOREAN = re.compile(
    r"^(?:초안|답장|답변|답신|회신|메일|이메일|편지|보고서|리포트|요약|요약본|문서|메모|신청서|합의서|요청서|문의|질문"
    r"|글|정리|작성|준비|써|쓰|만들|보내|보낼|해|드릴|줘|주세요|주십시오|부탁|그냥"
    r"|짧은|간단한|간단히|좀|하나)"
    r"(?:을|를|로|의|에|은|는|이|가|한|할|하는|해|해서|하여|해줘|해주세요|합니다|드립니다|드려요|주세요|줘|줘요|어|어줘|서|고|도|라|요|고서|어라){0,3}$"
)
_MONTH = rf"{month_pattern(prose=False)}\b\.?"
_DAY = re.compile(
    rf"(?:\b(?:from|until|till|starting|to|on)\s+)?(?<!\w)(?:\d{{4}}[-./]\d{{1,2}}[-./]\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)"
    r"(?!\w)"
    r"|(?:\d{4}년 ?)?(?:\d{1,2}월 ?)?\d{1,2}일(?:부터|까지|에)?",
    re.IGNORECASE,
)
_TAIL = re.compile(r" with (?:the )?(?:sources|citations)$| please$", re.IGNORECASE)
LONGEST = 160
"""Characters of a topic."""


def topic_of(order: str, told: Iterable[str] = ()) -> str:
    """Return what an order wants written about, without what was told for fields; empty where it says nothing."""
    text = normalise(order).rstrip(" .!?")
    for value in sorted(told, key=len, reverse=True):
        if len(value) > 1 and not value.isdigit():
            text = re.sub(rf"(?<!\w){re.escape(value)}(?:님|씨| 님| 씨)?(?:께|에게|한테)?(?![A-Za-z])", " ", text)
    text = _TAIL.sub("", normalise(_DAY.sub(" ", text)))
    korean = language_of(text) == "ko"
    topic = _korean(normalise(text)) if korean else _english(normalise(text))
    return normalise(topic)[:LONGEST].strip(" ,.;:")


def _english(text: str) -> str:
    about = _ABOUT.search(text)
    kept = [word for word in text.split() if word.lower().strip(".,;:'\"") not in _ORDER]
    return _OWNER.sub("", about.group(1)) if about else " ".join(kept)


def _korean(text: str) -> str:
    about = _ABOUT_KOREAN.match(text)
    if about and about.group(1).strip():
        text = about.group(1)
    return " ".join(
        word
        for word in text.split()
        if len(word) > 1 and not _ORDER_KOREAN.match(strip_particle(word.rstrip(":;,.")).strip())
    )
