"""Messages about the answer before: why, source?, shorter, as a table, in English, the second point; bare numbers."""

import re
from typing import Literal, get_args

from agent.language.lexicon import earliest, has, mapping, pattern, regex
from agent.language.lexicon import words as listed
from agent.language.registry import languages
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.reading.pointed_request import aim_of
from agent.text import strip_particle, words
from agent.types import FollowUp

Kind = Literal["how", "source", "why", "table", "list", "shorter", "simpler", "longer", "repeat", "another"]

CHOICE = re.compile(
    rf"^\W*(?:{regex('reading.before_choice')}\s*)?#?\(?(?P<n>[1-9])\s*"
    rf"(?:[).:]|{regex('reading.choice_counter')})?(?:\s+{regex('reading.behind_choice')})*\W*$",
    re.IGNORECASE,
)
"""A message that is nothing but the number of a choice: 2, #2, option 2."""
WRITE_ANYWAY = pattern("reading.write_anyway")
"""A message that wants a document written without what was asked for."""
_MOST_WORDS = 9
_FILLER = listed("reading.answer_filler")
_KINDS: dict[Kind, re.Pattern[str]] = {kind: pattern(f"reading.wants_{kind}") for kind in get_args(Kind)}
_INTO = {code: pattern(f"reading.into_{code}") for code in languages() if has(f"reading.into_{code}")}
_TRANSLATES = pattern("reading.translates")
"""What asks for a translation, and not into which language."""
_SIZE = pattern("reading.answer_size")
_POINT_NAMES = pattern("reading.point_names")
_PLACES = mapping("thread.ordinals")
_ABOUT_POINT = listed("reading.about_point") | lexicon.FAINT_WORDS


def about_answer(text: str) -> FollowUp | None:
    """Return what a message wants of the answer before it; None for one that asks something of its own."""
    aimed = aim_of(text)
    if aimed is not None and aimed.aim == "summary" and aimed.names_thread and not aimed.about:
        return FollowUp(kind="recap")  # of a thread with nothing in it but the conversation with Weft
    said = re.sub(r"[^\w\s;']", " ", text.lower()).split()
    if not 0 < len(said) <= _MOST_WORDS:
        return None
    whole, unsized = " ".join(said), " ".join(_SIZE.sub(" ", " ".join(said)).split())
    spoken = {" ".join(word for word in each.split() if word not in _FILLER) for each in (whole, unsized)}
    spoken |= {whole, unsized}
    if unsized != whole and "" in spoken:
        return FollowUp(kind="shorter")
    for kind, wanted in _KINDS.items():
        if any(wanted.fullmatch(each) for each in spoken):
            return FollowUp(kind=kind)
    for each in spoken:
        for language, wanted in _INTO.items():
            if wanted.fullmatch(each):
                return FollowUp(kind="translate", language=language)
        if _TRANSLATES.fullmatch(each):
            return FollowUp(kind="translate")
    return _point(text)


def calls_it_a_point(text: str) -> bool:
    """Tell whether a message names the points of an answer as such: `the second point`, and not `the second one`."""
    return _POINT_NAMES.search(text) is not None


def _point(text: str) -> FollowUp | None:
    found = earliest("reading.point", text)
    if found is None:
        return None
    rest = {word.partition("'")[0] for word, _, _ in words(text[: found.start()] + " " + text[found.end() :])}
    if {word for word in rest if strip_particle(word) not in _ABOUT_POINT} - _ABOUT_POINT:
        return None  # "the first step of the approval process" is another question
    return FollowUp(kind="point", point=place_of_point(found))


def place_of_point(found: re.Match[str]) -> int:
    """Return which point a match of `reading.point` names, from 1; -1 is the last."""
    told = found["nth"].lower()
    if told.isdigit():
        return int(told)
    return _PLACES[told] + 1 if _PLACES[told] >= 0 else -1
