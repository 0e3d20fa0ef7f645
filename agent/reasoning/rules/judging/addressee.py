"""Whether a message that calls nobody is said to Weft: people talk to each other in its threads, too.

What is certain is a rule: who calls somebody else, or asks nothing, does not ask Weft. The rest is one logistic
regression over what is plainly seen of the message, of the thread, and of what the documents hold for it. Its weights
(`addressed.json`) are fitted by `benchmarks/fit_addressed.py`.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agent.addressing import asks
from agent.reasoning.rules.answering import ranked_quotes
from agent.reasoning.rules.answering.likelihood import fitted
from agent.reasoning.rules.answering.weighted_question import asked, terms_in
from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.reasoning.rules.thread.context_dependence import leans
from agent.reasoning.rules.thread.history import content, past_of
from agent.text import language_of, normalise, words
from agent.types import Around, Block, Language, Standalone, TurnRecord, Understood

READ = 600
"""Characters that are read: who writes more than that to colleagues does not ask in passing."""
Figures = Mapping[str, float]

_FORM: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "mark": r"[?？]",
        "question word": r"\b(?:what|which|how|when|where|who|whom|whose|why)\b"
        r"|무엇|뭐|뭔|어떻게|어떡|어떤|무슨|언제|어디|어느|누구|누가|왜|몇|며칠|얼마",
        "opens asking": r"^\W*(?:(?:and|but|so|ok|okay|also|then|hm+|well|그럼|그러면|그리고|근데|혹시)\W+)*"
        r"(?:what|which|how|when|where|who|whom|whose|why|is|are|do|does|can|could|may|must|should|will)\b",
        "order": r"\b(?:tell|show|explain|list|summari[sz]e|translate|compare|describe|sources?)\b"
        r"|알려|보여|설명|정리|요약|번역|비교|출처",
        "polite ending": r"(?:나요|까요|가요|어요|아요|해요|돼요|예요|에요|죠|은요|는요|세요|래요|데요)\W*$",
        "plain ending": r"(?:[가-힣]해|돼|야|냐|니|지|까|어|아|나)\W*$",
        "about": r"^\W*(?:and|or|even|also|what about|how about)\b|[은는도]요?\W*$",
        "you": r"\b(?:you|u|ya|your|yours|y'all)\b",
        "asks you": r"\b(?:did|do|have|are|were|will|would|can|could|shall|didn't|don't|aren't|can't|won't)"
        r"\s+(?:you|u|ya)\b",
        "we": r"\b(?:we|us|our|let's|shall)\b|우리|같이|다들|여러분",
        "i": r"\b(?:i|i'm|i'll|i've|my|me|mine)\b|(?:^|\s)(?:저|제가|저는|저도|나|나는|나도|내가|전)(?:\s|$)",
        "anybody": r"\b(?:any(?:one|body)|some(?:one|body)|every(?:one|body)|guys|folks)\b"
        r"|[가-힣] ?분(?:들?|은|이)?(?: 있|\W*$)",
        "he or she": r"\b(?:he|she|him|her|his|they|them)\b",
        "past": r"\b(?:did|was|were|went|got|had|said|been|wasn't|didn't|weren't)\b"
        r"|[았었했셨났갔왔봤됐렸졌겼꼈쳤켰]\S{0,3}\W*$",
        "ing": r"\b\w{3,}ing\b",
        "day": r"\b(?:today|tonight|tomorrow|yesterday|now|later|already|yet|again|this|next|last)\b"
        r"|오늘|내일|어제|지금|이따|아까|방금|저녁|이번|다음|저번|벌써|아직",
        "honours": r"[가-힣][셨실]|[가-힣]시[는죠게나겠려면]|(?<![주보])세요(?=\W|$)|계[시세신]",
        "request ending": r"(?:주세요|줘요?|줄래요?|주실\s\S+|주시\S*|드릴게요?)\W*$",
        "proposes": r"[가-힣](?:래요?|을까요?|할까요?|갈까요?|자|게요|고요|네요|군요|거든요|대요)\W*$",
        "laughs": r"[ㅋㅎㅠㅜㄱㅅ]{2,}|\b(?:lol|haha\w*|omg|ha)\b|[😀-🙏🚀-🛿🤀-🧿☀-➿]|[:;]-?[)(DP]",
        "thanks": r"\b(?:thanks?|thx|ty|sorry|congrats\w*|welcome|nice|great|cool)\b|감사|고마|축하|죄송|수고|화이팅",
        "name": r"(?<=[a-z,] )[A-Z][a-z]+|[가-힣]{1,5}(?:님|씨|선배|팀장|대리|과장)",
        "link": r"https?://|```|\b[A-Z]{2,}-\d+\b.*\?$",
        "exclaims": r"!",
        "several": r"[.!?,…]\s+\S",
        "number": r"\d",
    }.items()
}  # fmt: skip
_FORMS = frozenset(("shorter", "longer", "list", "table", "translate"))
_CALLED = (
    r"(?:^|[,.!?]\s+|\b(?:hey|hi|hello|thanks|thx|ty|ok|yes|no|sorry)[,\s]+)@?{name}(?:\s*[,:!?—-]|$)"
    r"|,\s*@?{name}\W*$|{name}\s?(?:님|씨|야|아)(?:[,\s!?]|$)"
)
"""How somebody is called by name: at the beginning, after a greeting, at the end, or with a Korean form of address."""


def is_for_others(text: str, around: Around) -> bool:
    """Tell whether a message is plainly said to somebody else, or to nobody: it has no words."""
    if around.calls_others or len(text) > READ or not any(ch.isalpha() for ch in text):
        return True
    return any(_calls(name, text) for name in around.names)


def _calls(name: str, text: str) -> bool:
    """Tell whether a text calls somebody by a name, or by a part of it."""
    parts = {name, *name.split()}
    return any(
        re.search(_CALLED.format(name=re.escape(part)), text, re.IGNORECASE) is not None
        for part in parts
        if len(part) > 1
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """What the documents hold for a message, each within 0..1."""

    likely: float = 0.0
    """How likely they answer it, read in its thread."""
    own: float = 0.0
    """Which part of its own words, by how rare they are, stands in what would be quoted."""


def held_by(
    text: str, question: Standalone, blocks: Sequence[Block], *, language: Language, rarity: Mapping[str, float]
) -> Held:
    """Return what these passages hold for a message, of which `question` is the reading in its thread."""
    if not blocks:
        return Held()
    in_thread = asked(question.text, language, blocks, rarity=rarity, inherited=question.terms)
    found = ranked_quotes.find(in_thread, blocks, model=fitted("words"))
    passages = [quote.block.passage for quote in found.told[:2]]
    there = {term for each in passages for term in terms_in(f"{each.title} {each.section} {each.text}")}
    return Held(likely=found.likely, own=asked(text, language, blocks, rarity=rarity).share(there))


def figures(
    text: str, around: Around, turns: Sequence[TurnRecord], *, asked_by: str, understood: Understood, held: Held
) -> Figures:
    """Return what is seen of a message: how it is put, where it stands, what it is about."""
    text = normalise(text)[:READ]
    korean = language_of(text) == "ko"
    form = {name: float(pattern.search(text) is not None) for name, pattern in _FORM.items()}
    own = {word.key for word in content(text)}
    last = turns[-1] if turns else None
    known = {word.key for word in content(f"{last.question} {last.answer}")} if last else set[str]()
    others = [author for author in around.since if author != asked_by]
    spoken = sum(1 for _ in words(text))
    put = float(asks(text) or form["question word"] > 0)
    return {
        "bias": 1.0,
        "korean": float(korean),
        **form,
        **{
            f"{name}, korean": float(korean) * form[name] for name in ("mark", "question word", "polite ending", "past")
        },
        "asks": put,
        "short": 1 / max(1, spoken),
        "long": min(3.0, spoken / 10),
        "words": min(1.0, len(own) / 4),
        "known": len(own & known) / max(1, len(own)),
        "leans": leans(text, past_of(turns)),
        "first": float(last is None),
        "next": float(last is not None and not around.since),
        "next, same": float(last is not None and not around.since and last.asked_by == asked_by),
        "same": float(last is not None and last.asked_by == asked_by),
        "behind another": float(bool(around.since) and around.since[-1] != asked_by),
        "talk": min(1.0, len(around.since) / 4),
        "others": float(bool(others)),
        "late": math.log1p(around.minutes or 0.0) / 5,
        "about the answer": float(understood.followup is not None),
        "form of the answer": float(understood.followup is not None and understood.followup.kind in _FORMS),
        "leaves": float(understood.route in ("direct", "decline")),
        "held": held.likely,
        "held, asks": held.likely * put,
        "held, talk": held.likely * min(1.0, len(around.since) / 4),
        "own": held.own,
        "own, asks": held.own * put,
        "own, held": held.own * held.likely,
        "own, follows": held.own * float(bool(last) and not around.since),
    }


def is_for_weft(seen: Figures, *, replies: bool = False) -> bool:
    """Tell whether a message of which this is seen is to be answered; a reply to Weft is where it asks anything."""
    if is_about_the_answer(seen) or (replies and seen["asks"] > 0):
        return True
    regression, least = _fitted()
    return seen["asks"] > 0 and regression.of(seen) >= least


def is_about_the_answer(seen: Figures) -> bool:
    """Tell whether a message wants another form of Weft's answer, or asks about it right behind it."""
    return seen["first"] == 0 and (seen["form of the answer"] > 0 or seen["about the answer"] * seen["next"] > 0)


@lru_cache(maxsize=1)
def _fitted() -> tuple[Regression, float]:
    data = json.loads(Path(__file__).with_name("addressee.json").read_text("utf-8"))
    return Regression(0.0, data["weights"]), data["least"]
