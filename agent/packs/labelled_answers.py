"""Answers that name what they answer, a line or a part each: "Start date: 3 March", 소재지 서울시 마포구."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent.language.ko.letters import SYLLABLES
from agent.language.lexicon import regex
from agent.packs.patterns import LONGEST, compiled
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

    A value is what a pattern of its slot finds there; else it ends where another label stands, or before the words
    that lead to what the pattern of another slot finds (계약기간 2027년 3월 1일부터). All else is left. A label that a
    sentence goes on from, as "the tenant of", is none.
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
            name = names[_folded(head["label"])] if head else ""
            value, end = _value(line, head, stop, specs, name, closed=stop in stops) if head else ("", start)
            if value:
                found.setdefault(name, _COPULA.sub("", value))
            left.append(line[end if value else start : stop])
        rest.append("".join(left))
    return found, "\n".join(part for part in rest if part.strip())


_STOP = re.compile(rf"(?<=[{SYLLABLES}])\.$")
_LEADS_ON = re.compile(r",\s+[^\W\d]+(?:\s[^\W\d]+)?\s*$")
"""A few words behind the last comma of a value that lead to what comes next."""


def _value(
    line: str, head: re.Match[str], stop: int, specs: Sequence[SlotSpec], name: str, *, closed: bool
) -> tuple[str, int]:
    """Return the value behind a label, and where it ends; `closed` by what is another slot's."""
    for pattern in next((spec.patterns for spec in specs if spec.name == name), ()):
        match = compiled(pattern).match(line, head.start("label"), stop)
        if match and match.lastindex and (value := match[match.lastindex].strip(" ,;")):
            return value, match.end()
    leads = _LEADS_ON.search(line, head.end(), stop) if closed else None
    end = leads.start() if leads else stop
    return _STOP.sub("", line[head.end() : end].strip(" ,;")), end


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
