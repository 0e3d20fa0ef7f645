"""One message that asks several things, taken apart."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from agent.language.ko.stems import is_predicate, stem_of
from agent.language.lexicon import pattern, patterns
from agent.language.registry import DEFAULT, profile
from agent.reasoning.rules.reading.answer_type import COMMON, read
from agent.reasoning.rules.reading.comparison import READ, both, compared
from agent.reasoning.rules.reading.question_form import (  # fmt: skip
    BIDDING,
    CONTENT,
    KOREAN_ASKING,
    KOREAN_BIDDING,
    closed,
    content_of,
    is_question,
)
from agent.reasoning.rules.thread import standalone_question
from agent.text import language_of
from agent.types import Language

JOINTS = 24
"""Places at which a message is cut at most; what comes after them stays in its last part."""
LONG = 2_000
"""Characters beyond which a message is a paste: what it asks is not what its sentences ask."""
NAMED, WORDS = 4, 3
"""Things that are asked about side by side, and words of each, at most: what is more is no name."""
_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\d{1,2}[.)]|\(\d{1,2}\)|[①-⑨])\s+(?=\S)")


@lru_cache(maxsize=256)
def parts_of(text: str, *, goes_on: bool = False) -> tuple[str, ...]:
    """Return the questions that a message asks, one a line where it has lines; the message itself when it asks one.

    `goes_on`: more that is wanted follows, so that commas may part what is wanted.
    """
    if "\n" in text:
        lines = tuple(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
        return lines or (text,)
    if len(text) > LONG:
        return (text,)
    numbered = [part.strip() for part in _NUMBERED.split(text)]
    if len(numbered) > 2:
        head, listed = numbered[0], [part for part in numbered[1:] if part]
        return tuple(listed[:JOINTS]) if len(listed) <= JOINTS and not _asks(head, 1.0) else (text,)
    out: list[str] = []
    for piece in _pieces(text, language_of(text), goes_on=goes_on):
        alone = piece
        if out:  # "and how do I request them?"
            resolved = standalone_question.after(piece, out[0])
            alone = resolved if holds((resolved,), piece) else piece
        out.extend(_each(alone))
    return tuple(dict.fromkeys(out))


def _each(text: str) -> tuple[str, ...]:
    """Return a piece as one about each of the things that it names side by side."""
    for found in (compared(text), both(text), _listed(text)):
        if found and all(_asks(part, COMMON) for part in found) and holds(found, text):
            return found
    return (text,)


def _pieces(text: str, language: Language, *, goes_on: bool) -> list[str]:
    """Return the message cut between the things that it asks; what asks nothing stays with what is beside it."""
    spans: list[tuple[int, int, bool]] = []
    start = 0
    for joint in islice(_joints(language).finditer(text), JOINTS):
        stop = joint["stop"] is not None
        end = joint.start() + stop
        if stop or _parts_here(text, start, joint, language, goes_on=goes_on):
            spans.append((start, end, stop))
            start = joint.end()
    spans.append((start, len(text), True))
    out: list[tuple[int, int]] = []
    begin = -1  # of what tells the circumstances of the next question
    for at, end, stop in spans:
        if _stands(text[at:end].strip(), text[begin:end] if begin >= 0 else ""):
            out.append((at if begin < 0 else begin, end))
            begin = -1
        elif stop and end < len(text):
            begin = at if begin < 0 else begin
        elif out:
            out[-1] = (out[-1][0], end)
            begin = -1
    if not out or begin >= 0:
        out = [*out[:-1], (out[-1][0] if out else 0, len(text))]
    if len(out) == 1:
        return [text]
    return [_closed(text[max(0, at) : end].strip(" ,;"), language) for at, end in out]


def _parts_here(text: str, start: int, joint: re.Match[str], language: Language, *, goes_on: bool) -> bool:
    """Tell whether a joint within a sentence parts one thing that is wanted from the next."""
    before, after = text[start : joint.start()].strip(), text[joint.end() : joint.end() + READ]
    said = joint.groupdict()
    if profile(language).verb_last:
        if said.get("bid") is not None:
            return bool(pattern("planning.leading_on").search(before))
        return _stands(before) and is_question(after)
    if not is_question(before):
        return False
    bid = BIDDING.match(after) is not None
    if said.get("and"):
        return not bid or bool(BIDDING.match(before) or said["comma"] or pattern("planning.bids_for").match(after))
    if bid:
        return BIDDING.match(before) is not None
    listed = _joints(language).search(text, joint.end())
    further = listed is not None and listed.groupdict().get("and") is not None
    return goes_on or not pattern("planning.relatives").match(after) or further


def _stands(piece: str, told: str = "") -> bool:
    """Tell whether a piece asks something by itself, or of the circumstances that are told before it."""
    return len(piece.split()) > 1 and is_question(piece) and _asks(told or piece, CONTENT)


def _listed(text: str) -> tuple[str, ...]:
    """Return a request for several things as one for each: each has its article, or all are names of one length."""
    if len(text) > READ:
        return ()
    language = language_of(text)
    form = patterns("planning.lists").get(language)
    match = form.match(text) if form else None
    if match is None:
        return ()
    items = [item.strip() for item in pattern("planning.list_joints", language).split(_whole(match)) if item.strip()]
    lengths = {len(item.split()) for item in items}
    determined = patterns("planning.determined").get(language)
    alike = len(lengths) == 1 and len(items) > 2 and (determined is None or lengths != {1})
    named = determined is not None and len(items) > 1 and all(determined.match(item) for item in items)
    within = pattern("planning.within_items")
    if not (alike or named) or max(lengths) > 5 or any(within.search(item) for item in items):
        return ()
    head = match.groupdict().get("head") or ""
    return tuple(f"{head}{item}{match['tail']}" for item in items)


def side_by_side(text: str) -> tuple[str, ...]:
    """Return a request for a few things with one verb as one for each, where each is a name: "tell me A and B".

    Whether they are several things or one that is called so, the words do not tell: the documents do.
    """
    if len(text) > READ or compared(text) or both(text):
        return ()
    language = language_of(text)
    form = patterns("planning.lists").get(language)
    match = form.match(text) if form else None
    items = _named_side_by_side(_whole(match), language) if match else []
    if match is None or not 1 < len(items) <= NAMED or any(pattern("planning.within_items").search(i) for i in items):
        return ()
    shared = pattern("planning.shared_head")
    if shared.search(items[-1]) and not all(shared.search(item) for item in items):
        return ()
    if any(len(item.split()) > WORDS or is_question(item) or any(map(is_predicate, item.split())) for item in items):
        return ()
    head = match.groupdict().get("head") or ""
    parts = tuple(f"{head}{item}{match['tail']}" for item in items)
    return parts if all(_asks(part, COMMON) for part in parts) and holds(parts, text) else ()


def _whole(match: re.Match[str]) -> str:
    """Return the things of a list without the particle behind them: 병가 is not 병 with one."""
    items, behind = match["items"], match.string[match.end("items") : match.start("tail")]
    last = items.split()[-1]
    return items + behind if behind and stem_of(last + behind) == last + behind else items


def _named_side_by_side(listed: str, language: Language) -> list[str]:
    """Return what stands side by side; none where only commas part it."""
    commas, joints = pattern("planning.list_joints", language), patterns("planning.side_joints").get(language)
    out: list[str] = []
    start = 0
    for joint in joints.finditer(listed) if joints else ():
        word = listed[start : joint.end()].split()[-1]  # 결과 is a word, and 연차와 is one with its particle
        if joint["particle"] is None or stem_of(word) == word.removesuffix(joint["particle"]):
            out.append(listed[start : joint.start()])
            start = joint.end()
    if not out:
        return []
    out.append(listed[start:])
    return [name for item in out for each in commas.split(item) if (name := each.strip())]


def holds(parts: Sequence[str], text: str) -> bool:
    """Tell whether the parts hold all that a text is about."""
    told = " ".join(parts).casefold()
    joined_by = pattern("planning.joined_by")
    return all(
        joined_by.sub("", term.stem).casefold() in told or term.word.casefold() in told for term in content_of(text)
    )


def _joints(language: Language) -> re.Pattern[str]:
    """Return where a message may be cut: behind a `stop` or `comma`, before `and`, between biddings (`bid`)."""
    found = patterns("planning.question_joints")
    return found.get(language, found[DEFAULT])


def _closed(part: str, language: Language) -> str:
    verb_last = profile(language).verb_last
    if part.endswith(("?", ".", "!")) or (not verb_last and BIDDING.match(part)):
        return part
    if verb_last and (pattern("planning.leading_on").search(part) or KOREAN_BIDDING.search(part)):
        return closed(part)
    return f"{part}?"


def _asks(part: str, least: float) -> bool:
    return any(term.weight >= least and not KOREAN_ASKING.search(term.word) for term in read(part).terms)
