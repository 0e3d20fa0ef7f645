"""English follow-ups that put one word in the place of another: "and on Windows?", "not csv, i meant pdf"."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import followup
from agent.reasoning.offline.focus import Past
from agent.reasoning.offline.topic import SUBJECT, Phrase, phrases_of

LEADS = r"(?:(?:and|but|so|or|then|ok(?:ay)?|no|nope|sorry|actually|wait|hmm+|oh|ah|well|also|now)\b[,.! ]+)*"
ASKED = re.compile(
    rf"^\W*{LEADS}(?:(?:what|how) about|same (?:thing |question )?(?:for|with)|vs\.?|versus|i (?:meant|mean|"
    rf"was asking about)|"
    rf"(?:and|or|but|also|no,?|not|actually))\s+(?P<x>\S.*?)\W*$",
    re.IGNORECASE,
)
_NOT_THAT = re.compile(
    r"^\W*(?:no,? )?not (?:the |for |in )?(?P<old>[^,;.]{1,30}?)(?:,| but| -)\s*(?:but )?(?:i (?:meant|"
    r"mean) )?(?P<x>\S.{0,40}?)\W*$"
    r"|^\W*(?:no,? |sorry,? )?(?:i (?:meant|mean) )?(?P<x2>\S.{0,40}?),? (?:not|"
    r"instead of) (?:the )?(?P<old2>[^,;.]{1,30}?)\W*$",
    re.IGNORECASE,
)
_TOO = re.compile(r"^\W*(?P<x>\S+(?: \S+){0,3}?),? (?:too|as well|also)\W*$", re.IGNORECASE)
_SENTENCE = re.compile(
    r"^(?:how|what|when|where|who|whom|why|which|whose|is|are|am|do|does|can|could|should|will|would|did|was|were|"
    r"may|must|has|have|"
    r"if|then|tell|show|explain|describe|give|i|we|you|they|it|he|she|that|this)\b",
    re.IGNORECASE,
)
PREPOSITION = (
    r"(?:on|in|for|with|from|at|to|under|without|during|after|before|by|as|via|using|about|of|over|below|above)"
)
_PIECE = re.compile(rf"^(?P<p>{PREPOSITION}) (?P<x>\S.*)$", re.IGNORECASE)
SLOT = r"(?:the |an? |my |our |your )?[^\s?,.()]+(?: (?-i:[A-Z0-9])[^\s?,.()]*)*"
_LAST_SLOT = re.compile(
    rf"\b(?P<p>on|in|for|at|during|of|with) (?P<x>{SLOT}(?: [a-z][^\s?,.()]+)?)(?=\W*$|\W*\()", re.IGNORECASE
)
_PERSONS = re.compile(
    r"^(?:the |our |all )?(?:[\w-]+ )?(?:[\w-]+(?:ers|ors|ees|ants|ists|ents|terns)|people|staff|temps|"
    r"new hires|guests|women|men|children|juniors|seniors|adults|part-timers)$",
    re.IGNORECASE,
)
_ASKER = re.compile(r"\b(?P<aux>do|can|could|should|must|may|will|would|did|am|have) (?:i|we)\b", re.IGNORECASE)
ASIDE = re.compile(r"\s\([^()]*\)\s*$")


def corrected(question: str, past: Sequence[Past]) -> str:
    """Take back a word: "not csv, i meant pdf"."""
    match = _NOT_THAT.match(question)
    if match is None:
        return ""
    old, new = match.group("old") or match.group("old2"), match.group("x") or match.group("x2")
    for turn in reversed(past[-2:]):
        at = re.search(rf"\b{re.escape(old.strip())}\b", turn.told, re.IGNORECASE)
        if at:
            return turn.told[: at.start()] + new + turn.told[at.end() :]
    return ""


def swapped(question: str, past: Sequence[Past]) -> str:
    """Put a new phrase where its counterpart stands in the last question."""
    plain = re.sub(rf"^\W*{LEADS}", "", question, flags=re.IGNORECASE)
    asked = ASKED.match(question) or _TOO.match(plain)
    new = asked.group("x") if asked else plain
    new = new.strip(" ?.!,*")
    if not new or len(new.split()) > 6 or _SENTENCE.match(new) or followup.pointing(new):
        return ""
    piece = _PIECE.match(new)
    if piece is not None and _SENTENCE.match(piece.group("x")):
        return ""  # "for how long?"
    if asked is None and piece is None and len(new.split()) > 2:
        return ""
    return _put_in(new, piece, past[-1].told)


def _put_in(new: str, piece: re.Match[str] | None, told: str) -> str:
    last = ASIDE.sub("", told)
    if piece:
        aside = ASIDE.search(told)
        return _in_slot(piece.group("p"), new, last) + (aside.group() if aside else "")
    asker = _ASKER.search(last)
    if asker and _PERSONS.match(new):
        verb = {"am": "are"}.get(asker.group("aux").lower(), asker.group("aux"))
        return f"{last[: asker.start()]}{verb} {new}{last[asker.end() :]}"
    mine, theirs = phrases_of(new), phrases_of(told)
    if not mine or mine[-1].relational:
        return ""
    the = _of_the(new, theirs, last)
    if the is not None:
        return last[: the.start] + mine[-1].text + last[the.end :]
    found = _counterpart(mine[-1], theirs, new)
    if found is not None:
        return told[: found.start] + new.removeprefix("the ") + told[found.end :]
    slot = _LAST_SLOT.search(last)
    if slot and len(new.split()) <= 3 and not _SENTENCE.match(last[slot.end() :].strip(" ?")):
        return last[: slot.start("x")] + new + last[slot.end("x") :]
    return ""


def _of_the(new: str, theirs: Sequence[Phrase], last: str) -> Phrase | None:
    """Return what "the per diem" stands for in "the hotel limit in Tokyo": what is asked of the place, not that."""
    if not new.lower().startswith("the "):
        return None
    found = [phrase for phrase in theirs if phrase.article and phrase.end <= len(last) and not phrase.named]
    return found[0] if len(found) == 1 and found[0].role >= SUBJECT else None


def _counterpart(mine: Phrase, theirs: Sequence[Phrase], new: str) -> Phrase | None:
    """Return the phrase that a new one stands for: by the noun they share, as persons, or as names."""
    for phrase in theirs:  # "sick leave" gives way to "parental leave"
        if (
            len(phrase.stems) == len(mine.stems) > 1
            and phrase.stems[-1] == mine.stems[-1]
            and phrase.stems != mine.stems
        ):
            return phrase
    if _PERSONS.match(new):
        return next((phrase for phrase in theirs if _PERSONS.match(phrase.text)), None)
    if mine.named:
        return next((phrase for phrase in reversed(theirs) if phrase.named), None)
    return None


def _in_slot(preposition: str, new: str, last: str) -> str:
    slot = re.search(rf"\b{preposition} {SLOT}", last, re.IGNORECASE)
    if slot:
        return last[: slot.start()] + new + last[slot.end() :]
    return f"{last.rstrip(' ?.!')} {new}?"
