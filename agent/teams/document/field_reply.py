"""What a reply tells for the fields that were asked for: by their titles, by their patterns, or in their order."""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from agent.language.lexicon import pattern, regex
from agent.packs.escaping import clean
from agent.packs.labelled_answers import Synonyms, headed, labelled
from agent.packs.slots import SlotSpec
from agent.reasoning.rules.reading.slots import slots_of
from agent.teams.document.values import SEPARATOR, as_told
from agent.values.dates import range_in

Extract = Callable[[str, Sequence[SlotSpec]], Awaitable[Mapping[str, Any]]]

_OPEN = re.compile(rf"^\W*{regex('teams.left_open')}?\W*$", re.IGNORECASE)
_SPLITS = (
    re.compile(r"(?:(?<!\s)[^\S\n]++)?\n\s*+"),
    re.compile(r"(?:(?<!\s)\s++)?[;；]\s*+"),
    re.compile(r"(?:(?<!\s)\s++)?(?:,(?!\d)(?!\s*\d{4}\b(?![.-]\d))|，|、)\s*+"),
)
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)")
_QUOTED = re.compile(r"^[^\S\n]*+>.*$", re.MULTILINE)
_REMARK = 60
"""Characters of a value that may only say that there is none."""
_SHORT = 6
"""Words of a reply that may be the first of several things asked for; a longer one is a remark."""


async def told_in_reply(
    text: str,
    specs: Sequence[SlotSpec],
    missing: Collection[str],
    given: Collection[str],
    extract: Extract,
    synonyms: Synonyms = (),
) -> dict[str, str]:
    """Return what the reply tells, by field; empty text for a field that it says is to stay open.

    One that ends with "just write it" leaves open what it does not tell.

    A field that was told before is told anew by its title or its pattern, or by a correction that fits it alone.
    `extract` is asked once, about the fields of text, where the reply may be a sentence about several.
    """
    parts = _parts(text)
    if len(parts) > 1 and pattern("reading.write_anyway").match(parts[-1]):
        before = text[: text.rindex(parts[-1])].rstrip(" \n,;，、；.")
        told = await told_in_reply(before, specs, missing, given, extract, synonyms)
        return {**dict.fromkeys(missing, ""), **told}
    found, rest = labelled(_QUOTED.sub("", text), specs, synonyms)
    more, rest = headed(rest, [spec for spec in specs if spec.name not in found], synonyms)
    told = {name: value_of(value, _named(name, specs)) for name, value in {**more, **found}.items()}
    correction = pattern("profile.corrects").match(rest)
    rest = rest[correction.end() :].lstrip(" ,.:!") if correction else rest.strip()
    if not clean(rest):
        return told
    specs = [spec for spec in specs if spec.name not in told]
    marked = _marked(rest, specs)
    if correction and not marked:
        marked = _corrected(rest, [spec for spec in specs if spec.name in given])
    wanted = [spec for spec in specs if spec.name in missing]
    if marked and correction:
        return {**marked, **told}
    if len(wanted) == 1 and not marked:
        return {**told, wanted[0].name: value_of(rest, wanted[0])}
    texts = [spec for spec in wanted if spec.type == "text" and spec.name not in marked]
    marked |= as_told(await extract(clean(rest), texts), texts) if texts else {}
    parts = _parts(rest)
    if len(parts) > 1:
        return {**_by_parts(parts, specs, wanted, marked), **told}
    return {**(marked or _guessed(rest, wanted)), **told}


def _guessed(text: str, wanted: Sequence[SlotSpec]) -> dict[str, str]:
    """Return what a text without marks and divisions gives: what fits a field's type, or a few words for the first."""
    of_each_type = {spec.type: spec for spec in reversed(wanted)}  # one date cannot be both the first day and the last
    fitting = _typed(text, list(of_each_type.values()))
    plain = next((spec for spec in wanted if spec.type == "text"), None)
    if fitting or plain is None or len(text.split()) > _SHORT or len(text) > 2 * _REMARK:
        return fitting
    return {plain.name: value_of(text, plain)}


def _by_parts(
    parts: Sequence[str], specs: Sequence[SlotSpec], wanted: Sequence[SlotSpec], found: Mapping[str, str]
) -> dict[str, str]:
    """Return what the parts of a reply give: those with a mark first, then those that fit a type, then in order."""
    told: dict[str, str] = {}
    left: list[str] = []
    for part in parts:
        marked = {name: value for name, value in found.items() if name not in told and value in clean(part)}
        marked |= _marked(part, [spec for spec in specs if spec.name not in told])
        told |= marked
        left += [] if marked else [part]
    for spec in wanted:
        if spec.type == "text" or spec.name in told:
            continue
        for part in left:
            if spec.name in _typed(part, [spec]):
                told[spec.name] = value_of(part, spec)
                left.remove(part)
                break
    still = [spec for spec in wanted if spec.name not in told]
    for spec in still[:-1]:
        if left:
            told[spec.name] = value_of(left.pop(0), spec)
    if left and still:  # the last one takes all that is left: a comma may stand in a value
        told[still[-1].name] = value_of(", ".join(left), still[-1])
    return told


def _parts(text: str) -> list[str]:
    """Return the lines of a text, or what semicolons or commas divide, where one of them divides it at all."""
    for split in _SPLITS:
        parts = [part for each in split.split(text) if (part := _BULLET.sub("", each).strip(" ,;"))]
        if len(parts) > 1:
            return parts
    return [text]


def value_of(text: str, spec: SlotSpec) -> str:
    """Return a value as it was told; a date or a name that is all of it in the form that is kept."""
    plain = clean(_BULLET.sub("", text)).strip(" ,;")
    if len(plain) <= _REMARK and _OPEN.match(plain):
        return ""
    if spec.type == "list":
        found = _typed(plain, [spec]).get(spec.name)
        return found or SEPARATOR.join(_parts(plain))
    if spec.type == "number":
        return plain
    marked = _marked(plain, [spec]).get(spec.name)
    if marked is not None:
        return marked
    return _typed(plain, [spec]).get(spec.name, plain)


def _marked(text: str, specs: Sequence[SlotSpec]) -> dict[str, str]:
    """Return what patterns and the names of choices find anywhere in a text, and a range for two dates."""
    marking = [spec for spec in specs if spec.patterns or spec.choices]
    return of_range(text, specs) | as_told(slots_of(clean(text), marking), marking)


def of_range(text: str, specs: Sequence[SlotSpec]) -> dict[str, str]:
    """Return the first and the last day of a range, where there are two fields that they can be for."""
    days, told = [spec for spec in specs if spec.type == "date"], range_in(text)
    both = zip(days, told, strict=True) if told and len(days) == len(told) else ()
    return {spec.name: day.iso for spec, day in both if day.exists}


def _typed(text: str, specs: Sequence[SlotSpec]) -> dict[str, str]:
    """Return what fits a field by its type: any date for a date, any number for a number, a choice by its names."""
    bare = [spec.model_copy(update={"patterns": ()}) if spec.type == "date" else spec for spec in specs]
    fitting = [spec for spec in bare if spec.type != "text"]
    return as_told(slots_of(clean(text), fitting), fitting)


def _corrected(text: str, specs: Sequence[SlotSpec]) -> dict[str, str]:
    """Return what a correction replaces, where there is one field alone that it can mean."""
    fitting = _typed(text, specs)
    kinds = [spec.type for spec in specs if spec.name in fitting]
    return {name: value for name, value in fitting.items() if kinds.count(_named(name, specs).type) == 1}


def _named(name: str, specs: Sequence[SlotSpec]) -> SlotSpec:
    return next(spec for spec in specs if spec.name == name)
