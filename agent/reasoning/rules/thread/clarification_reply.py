"""What a message means that comes after a question back: a choice, more detail, "just answer", or something new."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from agent.addressing import asks
from agent.reasoning.combined_choices import joined
from agent.reasoning.contract import Message
from agent.reasoning.rules.reading import answer_type, document_details, lexicon
from agent.reasoning.rules.reading.choice_number import NUMBER
from agent.reasoning.rules.reading.message_text import plain
from agent.reasoning.rules.thread import context_dependence
from agent.text import strip_particle, tokens, words
from agent.types import Choice, Pending, Settled

DETAIL_WORDS = 12
"""Words of a message that may still be an answer and not a question of its own."""
_CHOICE_WORDS = 6
_ALIKE = 0.82
"""Similarity from which a short message is a misspelt choice."""

_ORDINALS = (
    (r"\bfirst\b|\b1st\b|\bformer\b|첫 ?(?:번째|째)|첫 ?(?:거|것|걸)", 0),
    (r"\bsecond\b|\b2nd\b|둘째|두 ?번째|두번째", 1),
    (r"\bthird\b|\b3rd\b|셋째|세 ?번째", 2),
    (r"\bfourth\b|\b4th\b|넷째|네 ?번째", 3),
    (r"\blast\b|\blatter\b|마지막|맨 ?끝", -1),
)
_ASSUME = re.compile(
    r"^\W*(?:"
    r"(?:please |pls |ok(?:ay)?,? )?(?:just|simply) (?:answer|tell me|go(?: ahead)?|do it|assume)(?: it)?"
    r"|(?:just )?go ahead|(?:i )?(?:do ?n[o']?t|dont) (?:know|care|mind)|no idea|not sure|whatever"
    r"|(?:yes|yeah|yep|yup|sure|correct|exactly|right)(?: please)?|(?:네+|넵+|예|응|ㅇㅇ|맞아요?|그래요?|좋아요?)"
    r"|any(?: of (?:them|those))?|any ?one|either(?: one)?|doesn'?t matter"
    r"|(?:you|u) (?:choose|decide|pick)|up to you|skip"
    r"|(?:그냥|일단|바로) ?(?:답|대답|말|알려|진행|해)\S*(?: ?(?:줘|주세요|해줘|해))?"
    r"|아무거나(?:요)?|상관 ?(?:없어요?|없음|없습니다|없는데요?)"
    r"|(?:잘 )?(?:모르겠|몰라)\S*|알아서\S*(?: \S+)?|무관|패스"
    r")\W*$",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"^\W*(?:(?:for |the )?(?:both|all)(?: (?:of (?:them|those|these|the above)|ones|two|three|four))?|each(?: one)?"
    r"|everything|(?:둘|셋|넷|세 ?개|네 ?개|두 ?개|두 ?가지|세 ?가지)? ?(?:다|모두|전부|각각)(?:요)?|전체)"
    r"(?: please|,? thanks| (?:알려|말해|답해|보여|궁금|필요)\S*(?: ?\S{1,4})?)?\W*$",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"^\W*(?:neither(?: of (?:them|those))?|none(?: of (?:them|those|the above))?"
    r"|(?:둘|셋) ?다 아니\S*|모두 아니\S*)\W*$",
    re.IGNORECASE,
)
_WHAT_IF = re.compile(
    r"^\W*(?:(?:and|so|but|ok) )?what (?:if|happens)\b|^\W*만약|[가-힣]려면(?:요)?\W*$", re.IGNORECASE
)
_LISTED = re.compile(r"(?:(?<!\s)\s++)?(?:,|&|\+|/|\band\b|\bplus\b|그리고|하고|이랑|랑|과|와)\s*", re.IGNORECASE)

_SMALL_TALK = re.compile(
    r"^\W*(?:thanks?(?: you)?|thx|ty|hi|hello|hey|ok(?:ay)?|got it|never ?mind|forget it|stop"
    r"|고마워\S*|감사\S*|안녕\S*|됐어\S*|아니야|괜찮\S*)\W*$",
    re.IGNORECASE,
)


def settle(message: Message, pending: Pending) -> Settled:
    """Return what a message means that came after a question back."""
    text = plain(message.text)
    if not any(words(text)) or _SMALL_TALK.match(text):
        return Settled(kind="new")
    if _ASSUME.match(text):
        return Settled(kind="assume")
    if pending.wanted:
        return document_details.settle(message, pending)
    if _NONE.match(text):
        return Settled(kind="detail")
    if _ALL.match(text):
        return Settled(kind="detail", detail=joined(pending.choices))
    chosen = _several(text, pending.choices)
    if chosen:
        return Settled(kind="detail", detail=joined(chosen))
    number = NUMBER.match(text)
    if number is not None and pending.choices:
        place = int(number.group("n")) - 1
        return Settled(kind="choice", choice=place) if place < len(pending.choices) else Settled(kind="assume")
    one = _chosen(text, pending.choices)
    if one is not None:
        return Settled(kind="choice", choice=one)
    return Settled(kind="new") if _is_question(text) else Settled(kind="detail", detail=text.rstrip(" .!"))


def _several(text: str, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices of a message that names more than one: 1 and 3, 첫 번째랑 두 번째, the staff and the temps."""
    parts = [part for part in _LISTED.split(text.rstrip(" .!?")) if part.strip()]
    if not 1 < len(parts) <= len(choices):
        return []
    places = [_place(part, choices) for part in parts]
    known = list(dict.fromkeys(place for place in places if place is not None))
    return [choices[place] for place in sorted(known)] if len(known) == len(parts) else []


def _place(part: str, choices: Sequence[Choice]) -> int | None:
    """Return the choice that a part of a message is, by its number or its name."""
    number = NUMBER.match(part)
    if number is not None:
        place = int(number.group("n")) - 1
        return place if place < len(choices) else None
    return _chosen(part, choices)


def _chosen(text: str, choices: Sequence[Choice]) -> int | None:
    if len(text.split()) <= _CHOICE_WORDS:
        for pattern, place in _ORDINALS:
            if re.search(pattern, text, re.IGNORECASE):
                place = place if place >= 0 else len(choices) - 1
                return place if place < len(choices) else None
    return _named(text, choices)


def _named(text: str, choices: Sequence[Choice]) -> int | None:
    """Return the one choice that the message names, by what tells it from the others; None where it is not one."""
    said = set(tokens(text)) | {strip_particle(word) for word, _, _ in words(text)}
    labels = [set(tokens(choice.label)) for choice in choices]
    shared = set.intersection(*labels) if len(labels) > 1 else set()
    telling = {word for word in said if len(word) > 1 or word.isascii()} - lexicon.FAINT_ENGLISH - lexicon.FAINT_KOREAN
    found = []
    for place, label in enumerate(labels):
        own = label - set().union(*(other for n, other in enumerate(labels) if n != place)) or label - shared
        share = len(own & said) / len(own) if own else 0.0
        if share >= 0.5 or (own & said and len(telling) <= 2):
            found.append((share, place))
    found.sort(reverse=True)
    if found and (len(found) == 1 or found[0][0] > found[1][0]):
        return found[0][1] if not _is_question(text) or found[0][0] == 1.0 else None
    if not found and len(text.split()) <= _CHOICE_WORDS:
        alike = [_likeness(text, choice.label) for choice in choices]
        best = max(range(len(choices)), key=lambda n: alike[n], default=-1)
        if best >= 0 and alike[best] >= _ALIKE:
            return best
    return None


def _likeness(text: str, label: str) -> float:
    """Return how alike two short texts are, or the text and one word of the label."""
    low, whole = text.lower().strip(" .!?"), label.lower()
    parts = [whole, *(word for word, _, _ in words(label) if len(word) > 3 and word not in lexicon.FAINT_ENGLISH)]
    return max(SequenceMatcher(None, low, part).ratio() for part in parts)


def _is_question(text: str) -> bool:
    """Tell whether a message asks something of its own, and does not only fill a gap."""
    if len(text.split()) > DETAIL_WORDS:
        return True
    if not asks(text):
        return False
    if _WHAT_IF.match(text):
        return True
    terms = answer_type.read(text).terms
    return context_dependence.leans(text, ()) < context_dependence.LEANS and any(
        term.weight > answer_type.FAINT for term in terms
    )
