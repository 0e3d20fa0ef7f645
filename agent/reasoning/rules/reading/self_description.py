"""Messages about the asker: what is known of them, forget it, answer me like this from now on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent.addressing import asks
from agent.packs.pack import Pack
from agent.reasoning.rules.reading.question_form import content_of, is_question
from agent.text import language_of, tokens
from agent.types import Preferences

_MOST_WORDS = 14

_FORGET = re.compile(
    r"^\W*(?:please |pls |can you |could you )?(?:forget|delete|erase|remove|wipe)(?: all| everything| anything| what)?"
    r"(?: (?:that )?you (?:know|remember|have|stored|saved))?(?: (?:about|on|of))? (?:me|my (?:data|profile|memory"
    r"|history|information"
    r"|info|details|preferences|questions))(?: please| now)?\W*$"
    r"|^\W*forget me\b.{0,20}$"
    r"|^\W*(?:나|저|내|제)(?:에 대해|에 관해|에 대한|에 관한)?(?:서)?(?: (?:정보|데이터|기록|기억|프로필"
    r"|내용)\S*)?(?: \S+){0,3}"
    r" ?(?:잊어|지워|삭제)\S*(?: \S{1,4})?\W*$"
    r"|^\W*(?:나|저)(?:를|에 대해)? ?(?:다 |모두 |전부 )?(?:잊어|지워)\S*\W*$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^\W*(?:so |and )?what (?:do|did) you (?:know|remember|have|store[d]?)(?: stored| saved)?(?: about| on| of) me\W*$"
    r"|^\W*(?:show|tell) me (?:what you (?:know|remember)(?: about me)?|my (?:profile|memory|data|preferences))\W*$"
    r"|^\W*(?:who am i|what(?:'s| is) (?:in )?my profile)\W*$"
    r"|^\W*(?:나|저|내|제)(?:에 대해|에 관해|에 대해서|에 관해서)?(?:서)? ?(?:뭘|뭐를|무엇을|뭐|어떤 (?:걸"
    r"|것을))? ?(?:알고|기억하고)"
    r" ?(?:있\S*|계\S*)\W*$"
    r"|^\W*(?:내|제) (?:프로필|정보|기억|기록)\S*(?: ?(?:보여|알려|뭐)\S*(?: \S{1,4})?)?\W*$",
    re.IGNORECASE,
)
_RECOLLECT = re.compile(
    r"\b(?:what (?:did|have) i (?:ask|asked)|did i (?:already |ever )?ask|my (?:last|previous|earlier|past) questions?"
    r"|what (?:did|have) you (?:tell|told|answer|answered|say|said)(?: to)? me (?:about|on|last|yesterday|before"
    r"|earlier)"
    r"|(?:last (?:time|week|month)|the other day|yesterday),? (?:i|you) (?:asked|told|said)|remind me what (?:i"
    r"|you) (?:asked|told|said))"
    r"|(?:내가|제가) ?(?:지난번|저번|예전|전에|어제|지난주|이전)\S*\s?\S{0,6} ?(?:물어|질문|여쭤)"
    r"|(?:지난번|저번|예전|전|어제|지난주|이전)(?:에|에는)? ?(?:내가|제가)? ?(?:물어본|물어봤|질문한|여쭤본|알려준"
    r"|알려줬|답해준|말해준)"
    r"|(?:내|제) (?:지난|이전|예전) 질문",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:from now on|always|in (?:the )?future|by default|going forward|every time|i(?:'d)? prefer|i (?:want"
    r"|like) (?:you to|my)"
    r"|my (?:preferred|preference))\b|앞으로|항상|언제나|이제부터|매번|기본(?:으로|적으로)|늘 ",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"\b(?:keep|make) (?:it|them|your answers?|answers?|things) (?:short|brief|long|detailed)\w*\b", re.IGNORECASE
)
_ANSWER = re.compile(
    r"\b(?:answer(?:s|ing)?|reply|replies|respon\w+|speak|write|talk|tables?|bullets?|lists?|short|brief|long"
    r"|detail\w*)\b"
    r"|답|대답|말해|설명|알려|써|표로|목록|짧게|자세히|길게|영어|한국어",
    re.IGNORECASE,
)
_WISHES: tuple[tuple[re.Pattern[str], Preferences], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), wish)
    for pattern, wish in (
        (r"\b(?:in|speak|use|prefer) english\b|영어로|영문으로", Preferences(language="en")),
        (r"\b(?:in|speak|use|prefer) korean\b|한국어로|한글로|우리말로", Preferences(language="ko")),
        (
            r"\b(?:short(?:er|ly)?|brief(?:er|ly)?|concise(?:ly)?|to the point)\b|짧게|간단히|간단하게|간결하게",
            Preferences(length="short"),
        ),
        (
            r"\b(?:long(?:er)?|detail(?:s|ed)?|thorough(?:ly)?|in depth)\b|자세히|자세하게|상세히|상세하게|길게",
            Preferences(length="long"),
        ),
        (r"\b(?:bullets?|bullet points?|lists?)\b|목록으로|글머리|항목별", Preferences(format="list")),
        (r"\btables?\b|표로", Preferences(format="table")),
    )
)


_TELLS = re.compile(
    r"^\W*(?:(?:hi|hello|ok|okay|well|so|by the way|fyi|and)\b,?\s+)*(?:i(?:['’]m| am| was)\b|i(?:['’]ve| have) been\b"
    r"|(?:i|we) (?:currently |now |also )?(?:work|live|belong|joined|started|sit|serve)\b|we(?:['’]re| are)\b"
    r"|(?:my|our) [\w-]+(?: [\w-]+){0,2} (?:is|are)\b)",
    re.IGNORECASE,
)
_KOREAN_TELLS = re.compile(
    r"(?:이에요|예요|입니다|이야|이다|일하(?:고 있)?\S*|일해\S*|일합니다|근무\S*|다녀\S*|다닙니다|다니\S*|살아\S*"
    r"|삽니다|살고 ?있\S*|속해\S*|소속\S*|입사\S*|됐어요|되었\S*|됐습니다)[\s.!~]*$"
)
_HAS = re.compile(r"^\W*i(?:['’]ve| have)\b(?! been)|있(?:어요?|습니다|어)[\s.!~]*$", re.IGNORECASE)
_MORE = 1
"""Words that may stand beside what is told and kept, before a message is taken to be about something else."""


@dataclass(frozen=True, slots=True)
class AboutMe:
    """What a message wants of the memory of its author."""

    kind: Literal["about", "forget", "prefer", "recollect"]
    preferences: Preferences | None = None


def about_me(text: str) -> AboutMe | None:
    """Return what a message wants of the memory of its author; None for any other message."""
    if not 0 < len(text.split()) <= _MOST_WORDS or len(text) > 200:
        return None
    if _FORGET.search(text):
        return AboutMe("forget")
    if _ABOUT.search(text):
        return AboutMe("about")
    if _RECOLLECT.search(text):
        return AboutMe("recollect")
    wishes = _wishes(text)
    return AboutMe("prefer", wishes) if wishes is not None else None


def _wishes(text: str) -> Preferences | None:
    """Return how somebody wants to be answered from now on; None for a message that says nothing of the sort."""
    if "?" in text or not (_KEEP.search(text) or (_ALWAYS.search(text) and _ANSWER.search(text))):
        return None
    found = [wish for pattern, wish in _WISHES if pattern.search(text)]
    if not found:
        return None
    return Preferences(
        language=next((wish.language for wish in found if wish.language), None),
        length=next((wish.length for wish in found if wish.length), ""),
        format=next((wish.format for wish in found if wish.format), ""),
    )


def tells(text: str, told: Mapping[str, Any], pack: Pack) -> bool:
    """Tell whether a message only tells what is kept of its author, and asks nothing: "I work in the Berlin office"."""
    if not told or len(text) > 200 or len(text.split()) > _MOST_WORDS or asks(text) or is_question(text):
        return False
    has = _HAS.search(text) is not None  # what somebody has may be a trouble, too
    if not has and not (_KOREAN_TELLS if language_of(text) == "ko" else _TELLS).search(text):
        return False
    specs = [spec for spec in pack.slots if spec.name in told]
    kept = f"{' '.join(str(value) for value in told.values())} " + " ".join(
        f"{spec.name} {spec.title.en} {spec.title.ko} {' '.join(name for each in spec.choices for name in each.names)}"
        for spec in specs
    )
    known = set(tokens(kept))
    left = [
        term for term in content_of(text)
        if not known.intersection(tokens(term.word)) and not (_KOREAN_TELLS.search(term.word) or _HAS.search(term.word))
    ]  # fmt: skip
    return len(left) <= (0 if has else _MORE)
