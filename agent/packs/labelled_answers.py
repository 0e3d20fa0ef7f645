"""Answers that name what they answer, a line or a part each: "Start date: 3 March", 소재지 서울시 마포구."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent.language.lexicon import regex
from agent.packs.patterns import LONGEST
from agent.packs.slots import SlotSpec
from agent.text import ENGLISH_STOP_WORDS

_LABEL = re.compile(
    r"^\s*+(?:[-*•]\s*+|\d{1,2}[.)]\s*+)?(?P<label>[^:=：\n]{1,60}?)\s*+(?:[:：=]|(?<=\s)[-–—]\s)\s*+(?P<value>\S.*)$"
)
_COPULA = re.compile(rf"{regex('teams.copulas')}[.!]?$")
_MARKUP = re.compile(r"[*_`\"“”]")


Synonyms = Sequence[Sequence[str]]
"""Groups of words that mean the same to a team."""


def labelled(text: str, specs: Sequence[SlotSpec], synonyms: Synonyms = ()) -> tuple[dict[str, str], str]:
    """Return what the labels of a text give, by the names of the slots, and the lines that are left.

    A label is a slot's title in any language, what else the team calls that, or the slot's name; of two slots with one
    label the first has it.
    """
    names = {_folded(label): name for label, name in _labels(specs, synonyms).items()}
    found: dict[str, str] = {}
    rest: list[str] = []
    for line in text.splitlines():
        left = []
        for part in _parts(line):
            match = _LABEL.match(part)
            name = names.get(_folded(match["label"])) if match else None
            if match and name:
                found[name] = match["value"].strip(" ,;")
            else:
                left.append(part)
        if left:
            rest.append("; ".join(part.strip() for part in left))
    return found, "\n".join(rest)


def headed(text: str, specs: Sequence[SlotSpec], synonyms: Synonyms = ()) -> tuple[dict[str, str], str]:
    """Return what follows labels in a sentence, as `labelled` does: 주소는 서울시 마포구, tenant Kim, "my flat is 3B".

    A value ends where another label stands, or the pattern of a slot matches: all that is left, with what stands before
    the first label. A label that a sentence goes on from, as "the tenant of", is none.
    """
    labels = _labels(specs, synonyms)
    if not labels:
        return {}, text
    names = {_folded(label): name for label, name in labels.items()}
    among = "|".join(r"\s?".join(map(re.escape, label.split())) for label in labels)
    heads = re.compile(
        rf"(?<!\w){regex('teams.label_openers')}?(?P<label>{among})(?:{regex('teams.label_joins')})?[:：=]?\s+(?=\S)",
        re.IGNORECASE,
    )
    found: dict[str, str] = {}
    rest: list[str] = []
    for line in text.splitlines():
        starts = {head.start(): head for head in heads.finditer(line) if not _goes_on(line[head.end() :])}
        inside = [range(head.start() + 1, head.end() + 1) for head in starts.values()]
        stops = {start for start in _marked(line, specs) if not any(start in each for each in inside)}
        left = []
        for start, stop in pairwise([0, *sorted({*starts, *stops} - {0}), len(line)]):
            head = starts.get(start)
            value = line[head.end() : stop].strip(" ,;") if head else ""
            if head and value:
                found.setdefault(names[_folded(head["label"])], _COPULA.sub("", value))
            else:
                left.append(line[start:stop])
        rest.append("".join(left))
    return found, "\n".join(part for part in rest if part.strip())


def _goes_on(behind: str) -> bool:
    return behind.split()[0].lower() in ENGLISH_STOP_WORDS


def _marked(line: str, specs: Sequence[SlotSpec]) -> Iterator[int]:
    """Yield where the patterns of these slots match."""
    for spec in specs:
        for pattern in spec.patterns:
            yield from (match.start() for match in re.finditer(pattern, line[:LONGEST], re.IGNORECASE))


def _labels(specs: Sequence[SlotSpec], synonyms: Synonyms) -> dict[str, str]:
    """Return the name of the slot that each label stands for, the longest labels first."""
    names: dict[str, str] = {}
    for spec in specs:
        for label in (*spec.title.texts.values(), spec.name.rpartition(".")[2].replace("_", " ")):
            for same in (label, *(word for group in synonyms if label in group for word in group)):
                names.setdefault(same, spec.name)
    return dict(sorted(names.items(), key=lambda each: -len(each[0])))


def _parts(line: str) -> Iterator[str]:
    """Yield the parts of a line: a comma divides only where a label follows it."""
    yield from re.split(r"\s*;\s*|,\s*(?=[^,:;=：]{1,60}[:：=])", line)


def _folded(label: str) -> str:
    return "".join(_MARKUP.sub("", label).lower().replace("_", " ").split())
