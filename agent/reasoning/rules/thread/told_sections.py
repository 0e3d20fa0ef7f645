"""The sections of the answer before that a message names: 기법이 뭐예요?, "the fees part of what you just told"."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from agent.language.lexicon import earliest, pattern, words
from agent.packs.cases import CasesSpec
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.reading.answer_request import place_of_point
from agent.reasoning.rules.thread.history import content
from agent.types import FollowUp, TurnRecord

_MOST_WORDS = 9
_HEADING = re.compile(r"^\*\*(?P<name>[^*\n]+)\*\*(?: \(\d{4}(?:-\d\d){0,2}\))?$", re.MULTILINE)
"""With the date of its document, where another version is told as well."""
_INSIDE = " › "
_POINTING = pattern("thread.just_told")
_SAYS_NOTHING = (
    words("thread.names_of_sections") | words("reading.answer_filler") | words("reading.about_point")
    | lexicon.FAINT_WORDS
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Named:
    """A heading of an answer, and the words it is known by."""

    name: str
    keys: frozenset[str]
    of_case: bool
    """Whether it is a part of a case, which nobody means but of those that were told."""

    def called(self, keys: Set[str]) -> set[str]:
        """Return those of some words that call it: its own, and for a part of a case these with a syllable: 착안점."""
        longer = {key for key in keys if any(key[:-1] == own for own in self.keys)} if self.of_case else set()
        return longer | (self.keys & keys)


def named(text: str, turn: TurnRecord, cases: Sequence[CasesSpec]) -> FollowUp | None:
    """Return which sections of an answer a message asks for; None where it names none, or something else as well.

    A section of a case is meant by its name alone, any other one only where the message points at what was told.
    """
    if len(text.split()) > _MOST_WORDS:
        return None
    place = earliest("reading.point", text)
    left = text if place is None else f"{text[: place.start()]} {text[place.end() :]}"
    pointing = _POINTING.search(left) is not None
    said = content(_POINTING.sub(" ", left))
    keys = {each.key for each in said if not {each.key, each.text.lower()} & _SAYS_NOTHING}
    common = {key for key in keys if any(spec.is_common(key) for spec in cases)}
    meant = [
        each.name
        for each in _told(turn, cases)
        if (own := each.called(keys)) and keys <= own | (common if each.of_case else set())
        and (each.of_case or pointing)
    ]  # fmt: skip
    if not meant:
        return None
    return FollowUp(kind="section", sections=tuple(meant), point=0 if place is None else place_of_point(place))


def _told(turn: TurnRecord, cases: Sequence[CasesSpec]) -> list[_Named]:
    """Return the headings of an answer below which it told something."""
    of_cases = {name for spec in cases for name in spec.sections}
    names = dict.fromkeys(match["name"].strip() for match in _HEADING.finditer(turn.answer))
    lasts = [(name.rpartition(_INSIDE)[2], _INSIDE in name) for name in names]
    return [
        _Named(name, frozenset(word.key for word in content(name)), name in of_cases)
        for name, inside in dict.fromkeys(lasts)
        if inside or name in of_cases
    ]
