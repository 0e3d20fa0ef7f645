"""Questions with the passages that answer them, read from the public sets that DATA holds, or made of them.

The sets "made of" others are never tuned on: they show whether what helps on one kind of text and
question hurts on another.
"""

import csv
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.types import Query, WeightedTerm
from storage.ingest.parsed import ParsedDocument, ParsedPassage, fingerprint
from storage.ingest.passages import whole

_EARLIER = 0.25
_FADE = 0.7
"""What words of earlier turns weigh, and what of that is left a turn later."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question and the public ids of the passages that answer it."""

    id: str
    query: Query
    relevant: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """Documents, and questions on them by name."""

    name: str
    documents: Sequence[ParsedDocument]
    asked: Mapping[str, Sequence[Asked]]


def document(document_id: str, title: str, texts: Sequence[str]) -> ParsedDocument:
    """Return a document of these passages, titled as ingest does it."""
    return ParsedDocument(
        document_id=document_id,
        title=title or _first_words(texts[0]),
        source=document_id,
        origin=document_id,
        passages=tuple(_at(text, position) for position, text in enumerate(texts)),
        language=whole(texts[0]).language,
        content_hash=fingerprint(title=title, source=document_id, text="\n".join(texts), metadata={}),
    )


def mtrag(data: Path, name: str) -> Collection:
    """Return MTRAG's passages of a domain with its last turns, the paper's rewrites, and the whole conversations."""
    folder = data / "mtrag" / name
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "mtrag_qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        task, passage, _ = line.split("\t")
        relevant[task].add(f"{passage}#0")
    asked: dict[str, list[Asked]] = {}
    for kind, file in (("last turn", "lastturn"), ("rewrite", "rewrite"), ("questions", "questions")):
        entries = {entry["_id"]: _turns(entry["text"]) for entry in _lines(folder / f"{file}.jsonl")}
        asked[kind] = [
            Asked(id=task, query=_query(entries[task]), relevant=frozenset(ids)) for task, ids in relevant.items()
        ]
    documents = [
        document(entry["_id"], entry.get("title", ""), [entry["text"]]) for entry in _lines(folder / "corpus.jsonl.gz")
    ]
    return Collection(name=f"MTRAG {name}", documents=documents, asked=asked)


def published(data: Path, name: str, system: str, kind: str) -> dict[str, list[tuple[str, float]]]:
    """Return the published ranks of a system by task: (public id, score), best first."""
    ranks: dict[str, list[tuple[str, float]]] = defaultdict(list)
    file = data / "mtrag" / name / "runs" / f"{system}_{kind.replace(' ', '')}.tsv"
    for line in file.read_text(encoding="utf-8").splitlines():
        task, passage, _, score = line.split("\t")
        ranks[task].append((f"{passage}#0", float(score)))
    return ranks


def korquad(data: Path) -> Collection:
    """Return KorQuAD's articles, a passage a paragraph, with its questions, and with keywords instead of them."""
    articles = json.loads((data / "korquad" / "KorQuAD_v1.0_dev.json").read_text(encoding="utf-8"))["data"]
    documents, asked, keywords = [], [], []
    choose = random.Random(11)
    for number, article in enumerate(articles):
        texts = list(dict.fromkeys(paragraph["context"] for paragraph in article["paragraphs"]))
        documents.append(document(f"k{number}", article["title"].replace("_", " "), texts))
        for paragraph in article["paragraphs"]:
            position = texts.index(paragraph["context"])
            relevant = frozenset({f"k{number}#{position}"})
            for entry in paragraph["qas"]:
                asked.append(Asked(id=entry["id"], query=Query(text=entry["question"]), relevant=relevant))
            words = _some_words(paragraph["context"], choose, shortest=6, share=0.4, most=4)
            if words:
                keywords.append(Asked(id=f"w{number}.{position}", query=Query(text=words), relevant=relevant))
    return Collection(name="KorQuAD", documents=documents, asked={"questions": asked, "words of a sentence": keywords})


def clapnq(data: Path) -> Collection:
    """Return ClapNQ's questions on their passages, among those of MTRAG's domain of that name."""
    documents, asked = [], []
    for part in ("answerable", "unanswerable"):
        for entry in _lines(data / "clapnq" / f"clapnq_dev_{part}_first150.jsonl"):
            passage = entry["passages"][0]
            documents.append(document(entry["id"], passage["title"], [passage["text"]]))
            relevant = frozenset({f"{entry['id']}#0"})
            asked.append(Asked(id=entry["id"], query=Query(text=entry["input"]), relevant=relevant))
    known = {each.passages[0].text.strip()[:200] for each in documents}
    for entry in _lines(data / "mtrag" / "clapnq" / "corpus.jsonl.gz"):
        bodies = (entry["text"], entry["text"].partition("\n")[2])
        if known.isdisjoint(body.strip()[:200] for body in bodies):
            documents.append(document(entry["_id"], entry["title"], [entry["text"]]))
    return Collection(name="ClapNQ", documents=documents, asked={"questions": asked})


def q2(data: Path) -> Collection:
    """Return the knowledge sentences of Q2 with the chat messages that they answer."""
    documents: dict[str, ParsedDocument] = {}
    asked = []
    with (data / "q2" / "cross_annotation.csv").open(encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file)):
            text = row["knowledge"].strip()
            known = documents.setdefault(text, document(f"q{len(documents)}", row["topic"], [text]))
            query = Query(text=f"{row['message']} {row['topic']}")
            asked.append(Asked(id=str(number), query=query, relevant=frozenset({f"{known.document_id}#0"})))
    return Collection(name="Q2", documents=list(documents.values()), asked={"messages": asked})


def technical(data: Path, passages: int = 20_000, questions: int = 600) -> Collection:
    """Return technical passages, asked for by some words of a sentence, and by an identifier in parts."""
    choose = random.Random(7)
    with gzip.open(data / "speed" / "passages600.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in choose.sample(file.read().splitlines(), passages)]
    documents = [document(f"t{number}", "", [text]) for number, text in enumerate(texts)]
    words: list[Asked] = []
    names: list[Asked] = []
    for number in choose.sample(range(passages), passages):
        relevant = frozenset({f"t{number}#0"})
        some = _some_words(texts[number], choose, shortest=6, share=0.5, most=6)
        if some and len(words) < questions:
            words.append(Asked(id=f"w{number}", query=Query(text=f"how do I {some.lower()}"), relevant=relevant))
        found = re.findall(r"\b[A-Za-z]+(?:[A-Z][a-z]+){2,}\b|\b[a-z]+(?:_[a-z]+)+\b", texts[number])
        others = re.findall(r"\b[a-z]{5,}\b", texts[number])
        if found and len(others) > 3 and len(names) < questions:
            parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", choose.choice(found))
            text = " ".join((*parts, *choose.sample(others, 2))).lower()
            names.append(Asked(id=f"n{number}", query=Query(text=text), relevant=relevant))
    asked = {"words of a sentence": words, "identifiers in parts": names}
    return Collection(name="Technical docs", documents=documents, asked=asked)


def _some_words(text: str, choose: random.Random, *, shortest: int, share: float, most: int) -> str:
    sentences = [each for each in re.split(r"(?<=[.!?])\s", text) if shortest <= len(each.split()) <= 20]
    if not sentences:
        return ""
    words = [word for word in re.findall(r"\w+", choose.choice(sentences)) if choose.random() < share][:most]
    return " ".join(words) if len(words) > 1 else ""


def _query(turns: Sequence[str]) -> Query:
    """Return a turn with the words of those before it at a low weight."""
    terms = [WeightedTerm(text=text, weight=_EARLIER * _FADE**age) for age, text in enumerate(reversed(turns[:-1]))]
    return Query(text=turns[-1], terms=tuple(terms))


def _turns(text: str) -> list[str]:
    return [turn.strip() for turn in text.split("|user|:")[1:]]


def _lines(path: Path) -> list[dict[str, Any]]:
    raw = path.read_bytes()
    text = gzip.decompress(raw) if path.suffix == ".gz" else raw
    return [json.loads(line) for line in text.decode().splitlines()]


def _at(text: str, position: int) -> ParsedPassage:
    return replace(whole(text), position=position)


def _first_words(text: str) -> str:
    line = text.lstrip("#>-*| \t\n").split("\n", 1)[0]
    return line if len(line) <= 80 else line[:80].rsplit(" ", 1)[0] + "…"
