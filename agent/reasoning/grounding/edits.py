"""A sentence that was copied and changed in a word: what the change does to it.

Where nearly all words are those of the source, in their order, the few that differ tell more than any reading of the
whole: a negation put in, `before` for `after`, `north` for `south`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import words
from agent.reasoning.grounding.matching import word_held
from agent.reasoning.grounding.opposites import Kind, kinds_of, others
from agent.reasoning.grounding.polarity import count_of
from agent.reasoning.grounding.wording import PLAIN, SPECIFIC, Wording, wording_of

COPIED = 0.8
"""Share of a text's words that must be the source's, in their order, for it to be a copy."""
_LEFT_OUT = 2
"""Words that are left out of a statement: "do not". More of them are a clause of their own."""
_LONGEST = 4
"""Words of a change on either side."""
_AROUND = 3
"""Words next to a change that are the same in both; fewer only where the sentence has no more."""

_ANSWERS = words("grounding.answers_no")


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the text, and those that the source has in their place."""

    here: tuple[str, ...]
    there: tuple[str, ...]
    named: bool
    """Whether a name, a code or a number is among them."""


@dataclass(frozen=True, slots=True)
class Copy:
    """How a text was changed from a sentence; `share` of its words are the same, in their order."""

    share: float
    changes: tuple[Change, ...]
    leaves_denial: bool
    """Whether it leaves out, between words that it has, a clause that denies something."""
    told: str
    kept: str
    """The words of the source that the text has, or has something else for; not those that it leaves out at length."""

    @property
    def is_copy(self) -> bool:
        """Whether so much is the same that the changes tell what the text says otherwise."""
        return self.share >= COPIED

    @property
    def denies(self) -> bool:
        """Whether a negation was put in or taken out."""
        return (count_of(self.told) - count_of(self.kept)) % 2 == 1


@lru_cache(maxsize=2048)
def compared(text: Wording, source: Wording) -> Copy:
    """Return how a text differs from a sentence of its source."""
    if not text.stems:
        return Copy(0.0, (), False, "", "")
    codes = SequenceMatcher(None, text.stems, source.stems, autojunk=False).get_opcodes()
    same = sum(i2 - i1 for tag, i1, i2, _, _ in codes if tag == "equal")
    changes = []
    kept: list[str] = []
    leaves_denial = False
    for place, (tag, i1, i2, j1, j2) in enumerate(codes):
        mine, theirs = i2 - i1, j2 - j1
        first, last = place == 0, place == len(codes) - 1
        if tag == "equal":
            kept += source.words[j1:j2]
        elif mine:
            kept += source.words[j1 : min(j2, j1 + mine + 1)] if last else source.words[max(j1, j2 - mine - 1) : j2]
        elif not last and not first:
            if theirs <= _LEFT_OUT:
                kept += source.words[j1:j2]
            else:
                leaves_denial = leaves_denial or count_of(" ".join(source.words[j1:j2])) > 0
        if tag == "equal" or max(mine, theirs) > _LONGEST:
            continue
        around = sum(codes[k][2] - codes[k][1] for k in (place - 1, place + 1) if 0 <= k < len(codes))
        if around >= min(_AROUND, len(text.stems) - mine):
            named = _names_in(text, i1, i2) or _names_in(source, j1, j2)
            changes.append(Change(text.words[i1:i2], source.words[j1:j2], named))
    told = text.words[1:] if text.words[0] in _ANSWERS and kept[:1] != [text.words[0]] else text.words
    return Copy(same / len(text.stems), tuple(changes), leaves_denial, " ".join(told), " ".join(kept))


def turns(copy: Copy, source: Wording) -> list[str]:
    """Name the words of a copy that exclude those in whose place they stand, or have nothing to do with them."""
    out = []
    for change in copy.changes:
        mine, theirs = _kinds(change.here), _kinds(change.there)
        against = [(kind, other) for kind in mine for other in others(kind, theirs) if kind not in theirs]
        against = [(kind, other) for kind, other in against if other not in mine]
        if against:
            out += [f"says {mine[kind]} where its source says {theirs[other]}" for kind, other in against]
        elif _is_other(change, source):
            out.append(f"says {' '.join(change.here)} where its source says {' '.join(change.there)}")
    return out


def _is_other(change: Change, source: Wording) -> bool:
    """Tell whether no word of a change stands for one of those in its place, in another form or by another name."""
    mine, theirs = (wording_of(" ".join(words)) for words in (change.here, change.there))
    if _has_digits(change.here) != _has_digits(change.there):  # "two" and "2" are read as numbers
        return False
    told, known = (_telling(each) for each in (mine, theirs))
    if not change.named and not any(map(is_hangul, told)) and not any(map(is_hangul, known)):
        return False
    if not told or not known or any(stem in source.initials for stem in told):
        return False
    if any(word_held(stem, theirs) for stem in told) or any(word_held(stem, mine) for stem in known):
        return False
    # Endings of Korean verbs are many: words with a syllable in common may be one.
    return not set("".join(filter(is_hangul, told))) & set("".join(filter(is_hangul, known)))


def _names_in(text: Wording, start: int, end: int) -> bool:
    return any(
        weight == SPECIFIC and start <= place < end for place, weight in zip(text.content, text.weights, strict=True)
    )


def _has_digits(words: Sequence[str]) -> bool:
    return any(ch.isdigit() for word in words for ch in word)


def _telling(text: Wording) -> list[str]:
    return [text.stems[i] for i, weight in zip(text.content, text.weights, strict=True) if weight > PLAIN]


def _kinds(changed: Sequence[str]) -> dict[Kind, str]:
    return {kind: stems[0] for kind, stems in kinds_of(wording_of(" ".join(changed))).items()}
