"""Fit where a line of Korean ends inside a word: `python -m benchmarks.fit_line_ends DATA [FOLDER ...] [--write]`.

DATA has `korquad/` and `realdocs/`; a FOLDER has `docs/`. Paragraphs are set in lines of some thirty to forty syllables
that end anywhere, as on a page: where a space was, a line's end is between words. What syllables words end and begin
with is counted in KorQuAD and the statutes, the weights are fitted on these and react; the other sets only measure.
Told besides is how many documents that are set between words are taken for others. With --write the weights replace
those in the package (`agent/language/ko/line_ends.json`): no text of any set is in them.
"""

import argparse
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from agent.language.ko import line_ends
from agent.language.ko.letters import is_hangul
from agent.language.ko.line_ends import LineEnds, Weights, is_open
from benchmarks.fit_leaning import fit
from benchmarks.report import Report

COUNTED = ("korquad", "law")
FITTED = ("korquad", "law", "react")
SELDOM = 5
"""Times that a syllable must have been seen to have a figure."""
SHORT = 400
"""Characters below which a document says nothing about itself."""
LONG = 150
"""Paragraphs of a document that are read."""
WIDTHS = (28, 33, 38, 43)
"""Syllables of a line."""
_CODE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\([^)]*\)")
Document = Sequence[str]
"""Its paragraphs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("more", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rng = random.Random(1)
    sets = {name: list(documents) for name, documents in sets_of(given.data, given.more)}
    ends, begins = counted([paragraph for name in COUNTED for document in sets[name] for paragraph in document])
    blank = Weights(ends=ends, begins=begins, figures={}, parted=0.5)
    found = {
        name: [page for each in documents if (page := wrapped(each, rng.choice(WIDTHS)))]
        for name, documents in sets.items()
    }
    rows = [row for name in FITTED for page in found[name] for row in rows_of(page, blank)]
    weights = {name: round(weight, 3) for name, weight in fit(rows).items()}
    parted = float(np.mean([apart for _, apart in rows]))
    made = Weights(ends=ends, begins=begins, figures=weights, parted=round(parted, 3))
    report = Report("Line ends of Korean")
    for name, pages in found.items():
        note(report, name, pages, sets[name], made)
    report.show(None)
    if given.write:
        text = json.dumps(asdict(made), ensure_ascii=False, indent=0)
        Path(line_ends.__file__).with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def sets_of(data: Path, more: Sequence[Path]) -> Iterator[tuple[str, Iterator[Document]]]:
    """Yield the names of the sets, and their documents."""
    squad = json.loads((data / "korquad" / "KorQuAD_v1.0_dev.json").read_text(encoding="utf-8"))["data"]
    yield "korquad", (list(paragraphs("\n".join(each["context"] for each in one["paragraphs"]))) for one in squad)
    folders = {name: data / "realdocs" / "ko" / name / "docs" for name in ("law", "react", "skt")}
    folders |= {"packs": Path("agent/packs")} | {folder.name: folder / "docs" for folder in more}
    for name, folder in folders.items():
        files = sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix in (".md", ".txt", ".html"))
        yield name, (list(paragraphs(file.read_text(encoding="utf-8", errors="replace"))) for file in files)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the lines of a text that are mostly Korean."""
    for line in _LINK.sub("]", _CODE.sub("", text)).splitlines():
        bare = " ".join(line.split())
        if sum(map(is_hangul, bare)) > 30:
            yield bare


def counted(texts: Sequence[str]) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return the log-odds of syllables to end and to begin a word, beside what all together have."""
    apart = Counter(pair for text in texts for pair in line_ends.apart(text))
    beside = Counter(pair for text in texts for pair in line_ends.together(text))
    return tuple(_odds(_by(apart, place), _by(beside, place)) for place in (0, 1))  # type: ignore[return-value]


def _by(pairs: Mapping[str, int], place: int) -> Counter[str]:
    out: Counter[str] = Counter()
    for pair, count in pairs.items():
        out[pair[place]] += count
    return out


def _odds(apart: Counter[str], beside: Counter[str]) -> Mapping[str, float]:
    share = apart.total() / (apart.total() + beside.total())
    usual = math.log(share / (1 - share))
    return {
        syllable: round(math.log((apart[syllable] + share) / (beside[syllable] + 1 - share)) - usual, 1)
        for syllable in sorted(set(apart) | set(beside))
        if apart[syllable] + beside[syllable] >= SELDOM
    }


Page = Sequence[tuple[str, str, bool]]
"""Each line with the one behind it, and whether they are apart."""


def wrapped(document: Document, width: int) -> Page:
    """Return the lines of a document that is long enough, set in so many syllables; Latin words stay whole."""
    if sum(map(len, document)) < SHORT:
        return []
    return [pair for paragraph in document[:LONG] for pair in _lines(paragraph, width)]


def _lines(text: str, width: int) -> Iterator[tuple[str, str, bool]]:
    lines: list[tuple[str, bool]] = []
    while text:
        used, at = 0.0, 0
        while at < len(text) and used < width:
            used += 1.0 if is_hangul(text[at]) else 0.5
            at += 1
        while 0 < at < len(text) and text[at - 1].isalnum() and text[at].isascii() and text[at].isalnum():
            at -= 1
        at = at or width
        rest = text[at:]
        lines.append((text[:at].rstrip(), text[:at].endswith(" ") or rest.startswith(" ")))
        text = rest.lstrip()
    for (line, apart), (following, _) in pairwise(lines):
        yield line, following, apart


def rows_of(page: Page, weights: Weights) -> Iterator[tuple[Mapping[str, float], bool]]:
    """Yield the figures of the line ends that may stand inside a word, and whether they are apart."""
    ends = LineEnds([(line, after) for line, after, _ in page], weights)
    for line, after, apart in page:
        if is_open(line, after):
            yield ends.figures(line, after), apart


def note(report: Report, name: str, pages: Sequence[Page], documents: Sequence[Document], weights: Weights) -> None:
    """Add what comes of a set."""
    right = inside = kept = joined = apart_ends = 0
    for page in pages:
        ends = LineEnds([(line, after) for line, after, _ in page], weights)
        for line, after, apart in page:
            if is_open(line, after):
                told = ends.is_inside(line, after)
                right += told is not apart
                inside += not apart
                joined += told and not apart
                apart_ends += apart
                kept += apart and not told
    total = inside + apart_ends
    whole = [page for each in documents if (page := between_words(each))]
    mistaken = sum(LineEnds([(a, b) for a, b, _ in page], weights).anywhere for page in whole)
    used = "fitted" if name in FITTED else "left out"
    report.add(f"{name} ({used}): line ends", total, "")
    report.add(f"{name}: right", right / max(1, total), "")
    report.add(f"{name}: inside a word, and joined", joined / max(1, inside), "")
    report.add(f"{name}: between words, and kept", kept / max(1, apart_ends), "")
    report.add(f"{name}: documents set between words", len(whole), "")
    report.add(f"{name}: of these, taken for others", mistaken, "")


def between_words(document: Document) -> Page:
    """Return the lines of a document that is set so that all end between words."""
    if sum(map(len, document)) < SHORT:
        return []
    out: list[tuple[str, str, bool]] = []
    for paragraph in document[:LONG]:
        lines = [""]
        for word in paragraph.split():
            if lines[-1] and len(lines[-1]) + len(word) > WIDTHS[1]:
                lines.append(word)
            else:
                lines[-1] = f"{lines[-1]} {word}".strip()
        out.extend((a, b, True) for a, b in pairwise(lines))
    return out


if __name__ == "__main__":
    main()
