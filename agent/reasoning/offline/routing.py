"""Which way a message goes: answered at once, declined, read in its context, or looked up."""

import re
from dataclasses import dataclass

from agent.packs.pack import IntentSpec, Pack
from agent.reasoning.offline import question
from agent.reasoning.offline.intents import Intents
from agent.types import Route

SURE = 0.6
"""Confidence from which a direct intent is believed."""
OUTSIDE = 0.45
"""Similarity to an out-of-scope example from which a message may be declined."""

_NOISE = re.compile(r"<[@#!][^>]*>|:[a-z0-9_+-]+:|@\S+|[^\w\s]|_")
_GREETING = re.compile(
    r"^(?:(?:hi+|hello+|hey+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|morning|"
    r"evening|sup|안녕(?:하세요|하십니까|히|하신가요)?|반가워요?|반갑습니다|하이|헬로|좋은 (?:아침|"
    r"오후|저녁)(?:이에요|입니다|이네요)?)"
    r"(?: (?:there|all|everyone|everybody|team|folks|guys|bot|weft|again|to you|여러분|모두))*\s*)+$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^(?:(?:ok(?:ay)?|great|perfect|awesome|cool|nice|super|wonderful|yes|oh|네|넵|아|오|와|정말|너무|"
    r"진짜|답변|알려줘서|알려주셔서|도와줘서|도와주셔서)\s+)*"
    r"(?:(?:many |much )?thanks|thank you|thank u|thx|ty|cheers|much appreciated|appreciate it|"
    r"고마워요?|고맙습니다|고맙다|감사해요?|감사합니다|감사드립니다|땡큐)"
    r"(?: (?:a lot|so much|very much|you|again|for (?:your |the )?(?:help|answer|info|information|that|"
    r"this)|that helps|that helped|all|everyone|team|weft|bot|정말|많이|덕분에))*$",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"^(?:(?:(?:can|could) you |please |i need (?:some )?)?help(?: me)?(?: please)?|what can you do(?: "
    r"for me)?|who are you|what are you|how do you work|what can i ask(?: you)?|how (?:do|can) i use "
    r"(?:you|this|weft|this bot)|"
    r"도움말|도와줘|도와주세요|사용법(?:을)?(?: 알려줘| 알려주세요)?|뭘? ?(?:할 수 있어|할 줄 알아)|"
    r"무엇을 할 수 있(?:나요|어요|어)|뭐 할 수 있어|너는? 누구(?:야|니|세요)|누구세요)$",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?<=[a-z]) (?:[A-Z][a-z]+|bye)$")
"""Somebody's name at the end of a greeting or of thanks."""
_BUILT_IN = (("greeting", _GREETING), ("thanks", _THANKS), ("help", _HELP))
_ABOUT_DOCUMENTS = re.compile(
    r"\b(?:polic(?:y|ies)|handbook|guidelines?|documents?|docs|manual|rules?|regulations?|our|we|"
    r"company|team|office|employees?|hr|allowed|may i|procedure|section|according to)\b"
    r"|규정|정책|핸드북|문서|매뉴얼|지침|우리|회사|사내|직원|인사팀|절차|조항",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Routed:
    """Where a message goes, as which intent, how surely, and why."""

    route: Route
    intent: str
    confidence: float
    reason: str


def is_unreadable(text: str) -> bool:
    """Tell whether a message has no words at all."""
    return not _NOISE.sub("", text).strip()


def route(text: str, pack: Pack, intents: Intents, *, leans: str) -> Routed:
    """Return the route of a message; `leans` says how it depends on earlier turns, empty when it does not."""
    if not pack.flags.query_routing_enabled:
        name, confidence, _ = intents.best(text)
        return Routed("research", name or "question", confidence, "routing is switched off")
    if is_unreadable(text):
        return Routed("decline", "unreadable", 1.0, "unreadable")
    spoken = " ".join(_NOISE.sub(" ", text).split())
    if "?" not in text:
        spoken = _CALLED.sub("", spoken)
    for name, pattern in _BUILT_IN:
        if pattern.match(spoken):
            spec = intents.specs.get(name)
            return Routed(spec.route if spec else "direct", name, 1.0, f"the message is only a {name}")
    name, confidence, scores = intents.best(text)
    spec = intents.specs.get(name)
    if spec is not None and spec.route == "direct" and confidence >= SURE and _says_no_more(text, spec, intents):
        return Routed("direct", name, confidence, f"the message is only a {name}")
    if spec is not None and spec.route == "decline" and _is_outside(text, spec, intents, scores):
        return Routed("decline", name, confidence, "declined")
    if spec is not None and spec.route != "research":  # an intent that was not believed must not name the question
        name = max(
            (other for other in scores if intents.specs[other].route not in ("direct", "decline")),
            key=lambda other: scores[other],
            default="question",
        )
        confidence = min(confidence, 1.0 - confidence, scores.get(name, 0.0))
    if leans:
        return Routed("contextualize", name or "question", confidence, f"leans on the conversation: {leans}")
    return Routed("research", name or "question", confidence, "stands alone")


def _says_no_more(text: str, spec: IntentSpec, intents: Intents) -> bool:
    return intents.knows(spec.name, text)


def _is_outside(text: str, spec: IntentSpec, intents: Intents, scores: dict[str, float]) -> bool:
    """Tell whether a message is plainly none of the pack's business; a pointer to documents keeps it in."""
    if _ABOUT_DOCUMENTS.search(text) and not intents.knows(spec.name, text):
        return False
    mine = scores[spec.name]
    inside = max((score for name, score in scores.items() if intents.specs[name].route == "research"), default=0.0)
    known = [term.specific for term in question.read(text).terms]
    alike = OUTSIDE if not any(known) or intents.knows(spec.name, text) else OUTSIDE + 0.1
    return mine >= alike and inside < 0.6 * mine
