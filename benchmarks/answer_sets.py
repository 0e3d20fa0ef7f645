"""Questions with what a right answer tells, as the benchmarks of answers read them: DATA has `realdocs/`, `clapnq/` ...

A fact is a list of patterns of which one must match. Of ClapNQ, whose answers are sentences that people chose, and of
KorQuAD, whose answers are words of a paragraph, the documents are all their passages together.
"""

import json
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.models.embedders import CACHE

REALDOCS = {"clef": "en", "govuk": "en", "uv": "en", "law": "ko", "skt": "ko", "react": "ko"}
_SAMPLE = 300
"""Questions of KorQuAD that are taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question of a set."""

    id: str
    text: str
    answerable: bool
    files: tuple[str, ...]
    """Documents that answer it, by the end of their names."""
    facts: tuple[tuple[str, ...], ...]
    """What a complete answer tells."""
    kind: str = ""
    alone: str = ""
    """The question so that it stands alone; empty where it does."""
    thread: str = ""
    """Which thread it is asked in; its questions stand in order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Set:
    """Documents, and questions about them."""

    name: str
    documents: tuple[Path, ...]
    """What is to be ingested."""
    questions: tuple[Question, ...]


@contextmanager
def kept_vectors(data: Path, kept: Path | None) -> Iterator[None]:
    """Give an installation the vectors that this file keeps, and keep those that it makes."""
    if kept is None:
        yield
        return
    data.mkdir(parents=True, exist_ok=True)
    if kept.is_file():
        shutil.copyfile(kept, data / CACHE)
    yield
    shutil.copyfile(data / CACHE, kept)


def told(fact: Sequence[str], text: str) -> bool:
    """Tell whether a text tells a fact."""
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in fact)


def plain(text: str) -> str:
    """Return a text without emphasis, addresses of links, and line breaks."""
    text = re.sub(r"\[([^\[\]]*)\]\([^()\s]*\)", r"\1", text)
    text = re.sub(r"(?<![\w/])_+(?=\w)|(?<=\w)_+(?![\w/])", "", text)
    return re.sub(r"\s+", " ", re.sub(r"[*`]+", "", text)).strip()


def is_file(source: str, document: str, files: Sequence[str]) -> bool:
    """Tell whether a passage is of one of these files."""
    return any(place == name or place.endswith("/" + name) for place in (source, document) for name in files)


def realdocs(data: Path, name: str) -> Set:
    """Return a set of real documents."""
    return of_folder(data / "realdocs" / REALDOCS[name] / name)


def of_folder(folder: Path) -> Set:
    """Return the set that lies in a folder: `docs/` and `questions.jsonl`."""
    questions = [
        Question(
            id=row["id"], text=row["text"], answerable=row["answerable"], files=tuple(row.get("files", ())),
            facts=tuple(tuple(fact) for fact in row.get("facts", ())),
            kind=row["kind"], alone=row.get("standalone", ""), thread=row.get("thread", ""),
        )
        for row in map(json.loads, (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    ]  # fmt: skip
    return Set(name=folder.name, documents=(folder / "docs",), questions=tuple(questions))


def clapnq(data: Path, work: Path) -> Set:
    """Return ClapNQ's dev questions over all their passages; a fact is a sentence that people chose."""
    questions, lines = [], []
    for part in ("answerable", "unanswerable"):
        file = data / "clapnq" / f"clapnq_dev_{part}_first150.jsonl"
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            passage = row["passages"][0]
            lines.append(json.dumps({"id": row["id"], "title": passage["title"], "text": passage["text"]}))
            chosen = {sentence for each in row["output"] for sentence in each.get("selected_sentences", ())}
            fact = tuple(re.escape(plain(sentence)[:80]) for sentence in sorted(chosen) if len(plain(sentence)) > 20)
            facts = (fact,) if fact else ()
            answers = part == "answerable" and bool(facts)
            questions.append(
                Question(id=row["id"], text=row["input"], answerable=answers, files=(row["id"],), facts=facts)
            )
    file = work / "clapnq.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return Set(name="clapnq", documents=(file,), questions=tuple(questions))


def korquad(data: Path, work: Path, *, sample: int = _SAMPLE) -> Set:
    """Return so many of KorQuAD's dev questions over all its paragraphs."""
    questions, lines = [], []
    for article in json.loads((data / "korquad" / "KorQuAD_v1.0_dev.json").read_text(encoding="utf-8"))["data"]:
        for n, paragraph in enumerate(article["paragraphs"]):
            name = f"{article['title']}-{n}"
            lines.append(json.dumps({"id": name, "title": article["title"], "text": paragraph["context"]}))
            for asked in paragraph["qas"]:
                fact = (re.escape(plain(asked["answers"][0]["text"])),)
                questions.append(
                    Question(id=asked["id"], text=asked["question"], answerable=True, files=(name,), facts=(fact,))
                )
    file = work / "korquad.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return Set(
        name="korquad",
        documents=(file,),
        questions=tuple(random.Random(0).sample(questions, sample)),
    )
