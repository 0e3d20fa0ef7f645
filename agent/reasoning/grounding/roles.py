"""Whether a sentence gives to one what its source gives to another: B pays A, a name in another's place."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

from agent.language.ko.letters import SYLLABLES, is_hangul
from agent.language.lexicon import groups, pattern, words
from agent.reasoning.grounding.edits import Change, Copy
from agent.reasoning.grounding.matching import word_held
from agent.reasoning.grounding.synonyms import same_as
from agent.reasoning.grounding.wording import SPECIFIC, Wording, bare, wording_of
from agent.text import strip_particle

_GAIN = 2
"""Pairs of neighbours that the exchanged words must have more than the words as they stand."""
_TURNED = pattern("grounding.passive")
_SUBJECT = words("grounding.subject_particles")
_OTHER = words("grounding.other_particles")
_MARKED = words("grounding.noun_particles")
_SAME = {particle: group[0] for group in groups("grounding.same_particles") for particle in group}


def exchanged(text: Wording, written: str, source: Wording, source_written: str) -> str:
    """Return two words that a text has in each other's place, as `A and B`; empty where it has none."""
    if is_hangul((text.stems or ("",))[0]) or source.joined:
        return _exchanged_korean(written, source_written)
    mine = [text.stems[i] for i in text.content]
    theirs = [source.stems[i] for i in source.content]
    if len(set(mine)) < 3:
        return ""
    known = set(theirs)
    places = [theirs.index(stem) for stem in mine if stem in known]
    if places == sorted(places):
        return ""
    pairs = set(pairwise(theirs))
    as_told = _together(mine, pairs)
    counts, others = Counter(mine), Counter(theirs)
    single = [stem for stem, count in counts.items() if count == 1 and others[stem] == 1]
    for one, other in combinations(single, 2):
        if one[0].isdigit() != other[0].isdigit() or not (_apart(mine, one, other) and _apart(theirs, one, other)):
            continue
        swap = {one: other, other: one}
        if _together([swap.get(stem, stem) for stem in mine], pairs) >= as_told + _GAIN and _turned_round(
            mine, theirs, one, other
        ):
            turned = len(_TURNED.findall(written)) != len(_TURNED.findall(source_written))
            return "" if turned else f"{one} and {other}"  # active here and passive there: the order says nothing
    return ""


def _turned_round(mine: Sequence[str], theirs: Sequence[str], one: str, other: str) -> bool:
    """Tell whether two words follow each other the other way round, and everything else stays in its order."""
    if (mine.index(one) < mine.index(other)) == (theirs.index(one) < theirs.index(other)):
        return False
    rest = [stem for stem in mine if stem not in (one, other) and stem in theirs and theirs.count(stem) == 1]
    places = [theirs.index(stem) for stem in rest]
    return bool(rest) and places == sorted(places)


def _apart(stems: Sequence[str], one: str, other: str) -> bool:
    """Tell whether something is said between two words; side by side they may stand in either order."""
    return abs(stems.index(one) - stems.index(other)) > 1


def _together(stems: Sequence[str], pairs: set[tuple[str, str]]) -> int:
    return sum(pair in pairs for pair in pairwise(stems))


def _exchanged_korean(text: str, source: str) -> str:
    """Compare who acts and on whom, by particles: 가 and 에게 are exchanged."""
    mine, theirs = _parts(text), _parts(source)
    for one, role in mine.items():
        for other, part in mine.items():
            if role == "subject" and part == "other" and theirs.get(one) == "other" and theirs.get(other) == "subject":
                return f"{one} and {other}"
    return ""


def _parts(text: str) -> dict[str, str]:
    """Return the nouns of a Korean sentence that are marked as its subject, or as what is acted on."""
    out: dict[str, str] = {}
    for word in re.findall(rf"[{SYLLABLES}A-Za-z0-9]+", bare(text)):
        for size in (4, 3, 2, 1):
            noun, particle = word[:-size], word[-size:]
            if len(noun) < 1 or (size == 1 and len(strip_particle(word)) == len(word) and len(noun) > 1):
                continue
            role = "subject" if particle in _SUBJECT else "other" if particle in _OTHER else ""
            if role:
                out[noun] = "" if noun in out and out[noun] != role else role
                break
    return out


def replaced(copy: Copy, text: Wording, source: Wording, whole: Wording) -> list[str]:
    """Name the words of a copy that stand where its source has another one.

    Only names, codes and numbers are told, and of Korean words nouns with their particle: of others a word in
    another's place may well be a paraphrase. `whole` is the source with what stands around the sentence.
    """
    out = []
    for change in copy.changes:
        mine = _named(text, change.here_at, len(change.here))
        theirs = _named(source, change.there_at, len(change.there))
        end = change.here_at + len(change.here)
        if (
            mine
            and theirs
            and (mine[0][0].isdigit() or not _goes_on(text, end))
            and not _same_thing(mine, theirs, source)
        ):
            out.append(f"says {' '.join(mine)} where its source says {' '.join(theirs)}")
        elif len(change.here) == len(change.there) == 1 and _other_noun(change, text, source, whole):
            out.append(f"says {change.here[0]} where its source says {change.there[0]}")
    return out


def _named(text: Wording, start: int, size: int) -> list[str]:
    """Return the names, codes and numbers among some words of a text."""
    weights = dict(zip(text.content, text.weights, strict=True))
    return [text.stems[i] for i in range(start, start + size) if weights.get(i, 0.0) >= SPECIFIC]


def _goes_on(text: Wording, place: int) -> bool:
    """Tell whether a name goes on at a place: what was changed before it may be a title, or a first name left out."""
    weights = dict(zip(text.content, text.weights, strict=True))
    return weights.get(place, 0.0) >= SPECIFIC and not text.words[place][0].isdigit()


def _same_thing(mine: Sequence[str], theirs: Sequence[str], source: Wording) -> bool:
    numbers = [each for each in mine if each[0].isdigit()], [each for each in theirs if each[0].isdigit()]
    if bool(numbers[0]) != bool(numbers[1]) or not set(mine).isdisjoint(theirs):
        return True
    other = wording_of(" ".join(theirs))
    return any(word_held(stem, other) > 0 or stem in source.initials for stem in mine)


def _other_noun(change: Change, text: Wording, source: Wording, whole: Wording) -> bool:
    """Tell whether two Korean words are different nouns in the same part of the sentence."""
    here, there = change.here[0], change.there[0]
    stem, other = text.stems[change.here_at], source.stems[change.there_at]
    if not (is_hangul(here) and is_hangul(there)) or stem == here or other == there:
        return False
    if stem in source.joined or set(stem) & set(other):
        return False
    particle, theirs = here[len(stem) :], there[len(other) :]
    if particle not in _MARKED or _SAME.get(particle, particle) != _SAME.get(theirs, theirs):
        return False
    return all(same not in whole.joined for same in same_as(stem))
