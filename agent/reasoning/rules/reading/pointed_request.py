"""What a message wants of the messages that it points at: "summarize this thread", "이거 맞아?", a bare mention."""

import re
from dataclasses import dataclass

from agent.text import normalise, strip_particle, words
from agent.types import Aim

READ = 300
"""Characters of a message that are read; a longer one asks something of its own."""


@dataclass(frozen=True, slots=True)
class Aimed:
    """What is wanted, and what else the message says."""

    aim: Aim
    about: tuple[str, ...] = ()
    """The words that are left: whom or what it is about."""
    names_thread: bool = False
    """Whether it speaks of the thread as such."""


_THREAD = re.compile(
    r"\b(?:this|that|the|these|those|our|their|last|above)\s+(?:\w+\s+)?"
    r"(?:threads?|conversations?|discussions?|chats?|messages?|exchange|debate|posts?)\b"
    r"|\b(?:thread|conversation|discussion|messages?|everything) (?:above|so far|up to (?:here|now))\b"
    r"|\b(?:happened|said|discussed|written|going on) (?:in |so far )?here\b"
    r"|(?:(?:이|그|저|위의?|지금까지의?|여기|방금|앞의?)\s?(?:대화|논의|토론|채팅|메시지|얘기|이야기|글)|스레드|쓰레드)"
    r"(?:에서|를|을|의|는|은|가|이)?(?=\s|$)",
    re.IGNORECASE,
)
_SAYS = r"(?:say|said|says|write|wrote|suggest(?:ed)?|propos(?:e|ed)|mention(?:ed)?|ask(?:ed)?|recommend(?:ed)?)"
_IT = r"(?:that|this|it|these|those)"
# The first that a message holds tells its aim.
_PATTERNS: tuple[tuple[Aim, tuple[str, ...]], ...] = (
    (
        "decision",
        (
            r"\bwhat (?:did|have|had) (?:we|they|you(?: guys| all)?|everyone|everybody|people|the team) (?:\w+ )?"
            r"(?:decided?|agreed?|settled?|concluded?|cho(?:o)?sen?|end(?:ed)? up)(?: (?:on|to|with|upon))?\b",
            r"\bwhat(?:'s| is| was| were| has been| got) (?:the |our |their )?(?:final |actual )?"
            r"(?:decided|decisions?|agreed|agreements?|outcomes?|conclusions?|consensus|settled)(?: (?:on|upon))?\b",
            r"\b(?:is|are|was|were) there (?:a|any) (?:decisions?|conclusions?|consensus|agreements?)\b",
            r"\b(?:did|have) (?:we|they) (?:\w+ )?(?:decided?|agreed?|concluded?|settled?)(?: on)?\b",
            r"(?:뭐|뭘|무엇|어떻게|어디|언제|누구|어느|결국)\S*\s?(?:로|으로)?\s?(?:결정|정했|정해|정한|합의)\S*",
            r"(?:어떻게|뭘|뭐|언제)\s?하기로\s?(?:했|한|됐|된|결정)\S*",
            r"(?:결론|결정\s?사항|결정된\s?(?:것|거|내용|사항)|합의된\s?(?:것|거|내용|사항))\S*"
            r"(?:\s?(?:뭐|뭔|무엇|어떻게|났|나왔|있)\S*)?",
        ),
    ),
    (
        "check",
        (
            rf"\b(?:is|are|was|were|isn't|aren't|wasn't) (?:{_IT}|he|she|they|\w+) "
            r"(?:really |still |actually |even |all )*(?:right|correct|true|accurate|valid|up[ -]to[ -]date)\b",
            rf"\bis what (?:he|she|they|\w+) {_SAYS} (?:really |still |actually )?(?:right|correct|true|accurate)\b",
            rf"\b(?:fact[- ]?check|verify|double[- ]?check|confirm)(?: (?:{_IT}|whether|if|for us|for me))*",
            r"\b(?:does|do) (?:this|that|it|these) (?:sound|look|check out|hold)(?: up| right| correct| true)?\b",
            r"(?:정말|진짜|이게|그게|이거|그거)?\s?(?:맞아|맞나|맞는|맞습|맞지|맞죠|맞을까|맞을지)\S*",
            r"사실(?:이|인|임|일|야)\S*|(?:틀린|틀렸|정확한|정확해)\S*\s?(?:거|건|가요|지)?\S*"
            r"|확인\s?(?:좀\s?)?(?:해|부탁)\S*(?:\s?(?:줘|주세요|줄래)\S*)?",
        ),
    ),
    (
        "said",
        (
            rf"\bwhat (?:did|does|has|have) (?:\w+ ){{1,3}}?(?:{_SAYS}|think|mean|want)(?: (?:about|on|to))?\b",
            rf"\bwho (?:{_SAYS}|wants|wanted|thinks)\b",
            r"(?:뭐라고|무슨\s?말을|뭐라|어떤\s?말을)\s?(?:했|하|말|썼|그랬|답)\S*"
            r"|누가\s(?=.*(?:말했|했|그랬|제안|썼|물어))",
        ),
    ),
    (
        "summary",
        (
            r"\bsummari[sz]e\b|\b(?:an? |the )?(?:quick |short |brief )?(?:summary|recap|tl;?dr|digest)(?: of)?\b"
            r"|\bsum (?:it |this |that )?up\b|\b(?:catch (?:me|us) up|bring (?:me|us) up to (?:speed|date))\b"
            r"|\bwhat did (?:i|we) miss\b|\bkey (?:points|takeaways)\b",
            r"\bwhat(?:'s| is| was| has) (?:going on|happening|happened|been (?:said|discussed))\b|\bwhat happened\b"
            r"|\bwhat(?:'s| is| was) (?:this|the) (?:thread|conversation|discussion)\b(?: about)?"
            r"|\bwhat (?:are|were) (?:they|we|people|you) (?:talking|discussing)\b",
            r"(?:요약|정리|간추)\S*|(?:무슨|어떤)\s?(?:얘기|이야기|말|대화|논의)\S*(?:\s?(?:했|하|나눴|오갔|있었)\S*)?",
        ),
    ),
    (
        "answer",
        (
            r"\b(?:can|could|would|will) (?:you|someone|anyone) (?:please |pls )?"
            r"(?:answer|help|reply|respond|explain|look)\b(?: (?:with|to|at|on|here|out|me|us|him|her|them))*",
            r"\b(?:please |pls )?(?:answer|reply to|respond to|help (?:with|him|her|them|us|me|out))\b",
            r"\bwhat (?:do you (?:think|say)|would you say)\b(?: (?:about|of|to))?"
            r"|\bwhat(?:'s| is) (?:the|your) (?:answer|take)\b(?: (?:to|on))?",
            rf"\bany (?:ideas?|thoughts?|clues?|help)\b|\bthoughts\b|\bdo you know(?: {_IT})?\b"
            r"|^(?:please |pls )?help(?: please)?\W*$",
            r"(?:답|답변|대답|응답)(?:을|을\s?좀|\s?좀)?\s?(?:해|좀|부탁|가능|할|줘|줄|알려|드려|달)\S*"
            r"(?:\s?(?:수|있|줘|줄래|주세요|주실|부탁)\S*)*|(?:이거|그거|이\s?질문|그\s?질문)\s?(?:알|아시|답|도와|설명)\S*"
            r"|어떻게\s?생각\S*|(?:알려|도와|설명해)\s?(?:줘|주세요|줄래|줄\s?수)\S*(?:\s?있\S*)?",
        ),
    ),
)
_CUES = tuple((aim, re.compile("|".join(patterns), re.IGNORECASE)) for aim, patterns in _PATTERNS)
_FILLER = frozenset(
    """please pls can could would will you i we me us it its that this these those them they the a an to of for in on at
    here there above so far now just quickly quick short brief briefly give make do does did tell show what was is are
    be been and or hey ok okay thanks thx all everything whole thread threads conversation discussion chat message
    messages post posts channel question questions one again bullet bullets point points list as with from by my our
    their your up right correct true really still actually then about if whether someone something anything team weft
    좀 이 그 저 위 여기 지금 지금까지 이거 그거 이것 그것 이게 그게 것 거 건 수 있
    했어 했나요 했어요 그랬어 말했어 있어 있을까 있나요 있어요 있을까요 해 해줘 해주세요
    줘 주세요 줄래 줄래요 부탁 부탁해 부탁해요 부탁드려요 까지 내용 대화 스레드 쓰레드 논의 토론 채팅 메시지
    글 얘기 이야기 질문 말
    우리 저희 다들 혹시 그래서 그럼 결국 최종 간단히 짧게 나온 나눈 오간 정말 진짜 하나 뭐 무엇
    님 님이 님은 씨 씨가 씨는""".split()
)
_NOT_SAID = re.compile(r"<?https?://\S+|@\S+|^[ \t]*>.*$", re.MULTILINE)


def aim_of(text: str) -> Aimed | None:
    """Return what a message wants of the messages it points at; None for one that asks something of its own.

    One without a word wants what it points at to be answered.
    """
    said = normalise(_NOT_SAID.sub(" ", text)).replace("’", "'")
    if len(said) > READ:
        return None
    if not any(ch.isalnum() for ch in said):
        return Aimed("answer")
    for aim, cue in _CUES:
        found = cue.search(said)
        if found is not None:
            return Aimed(aim, _left(said, found, aim), _THREAD.search(said) is not None)
    return None


def _left(said: str, cue: re.Match[str], aim: Aim) -> tuple[str, ...]:
    """Return the words that neither the cue nor the thread's name takes; whom a cue names is among them."""
    rest = f"{said[: cue.start()]} {said[cue.end() :]}"
    if aim in ("check", "said"):  # "is Bob right?", "what did Bob say?"
        rest = said.replace(cue.group(), " ".join(_named(cue.group())))
    rest = _THREAD.sub(" ", rest)
    return tuple(word for word, _, _ in words(rest) if word not in _FILLER and strip_particle(word) not in _FILLER)


def _named(cue: str) -> list[str]:
    """Return the words of a cue that may be somebody's name."""
    return [word for word, _, _ in words(cue) if word not in _OF_CUES and word[0] < "가"]


_OF_CUES = frozenset(
    """is are was were isn't aren't wasn't what did does do has have who say said says write wrote suggest suggested
    propose proposed mention mentioned ask asked recommend recommended think thinks mean want wants wanted about on to
    he she they we you people everyone everybody even wrong false accurate valid date up fact check factcheck verify
    double confirm sound look out hold up-to-date doublecheck""".split()
)
