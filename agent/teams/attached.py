"""The files that came with a question, as passages that an answer may rest on."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from agent.language.lexicon import pattern
from agent.retrieval.fuse import RRF_K
from agent.teams.ranking import bm25
from agent.text import normalise
from agent.types import AttachedFile, Hit, Passage, Query

_ABOUT_FILE = pattern("teams.attached_file")
"""How people point to a file without naming it."""
_SHORTEST_NAME = 3
"""Characters of a file's name that may stand for it in a sentence."""


def attached_hits(files: Sequence[AttachedFile], queries: Sequence[Query], k: int) -> tuple[Hit, ...]:
    """Return at most `k` passages of the attached files, best first, by BM25 over all of them.

    A question about a file itself ("this file", its name) is also given what the words do not find: all of a file that
    has no more than `k` passages, in its own order, or the beginning of a longer one. That file is the one named, or
    else the latest. Its time grows with the files (about 0.1 s a million characters): call it on a thread.
    """
    if k < 1:
        return ()
    passages = [passage for file in files for passage in file.passages]
    texts = [f"{each.title} {each.source} {each.section} {each.text}" for each in passages]
    scored = sorted(zip(bm25(texts, queries), passages, strict=True), key=lambda each: -each[0])
    found = [passage for score, passage in scored if score > 0]
    if about := asked_about(files, " ".join(query.text for query in queries)):
        found = _with_file(found, about, k)
    return tuple(Hit(passage=passage, score=1 / (RRF_K + rank)) for rank, passage in enumerate(found[:k], start=1))


def asked_about(files: Sequence[AttachedFile], question: str) -> Sequence[AttachedFile]:
    """Return the files that a question is about: those it names, or the latest where it points to one."""
    asked = normalise(question).casefold()
    named = [file for file in files if re.search(rf"(?<!\w)(?:{_names(file)})(?![A-Za-z0-9])", asked)]
    return named or (files[:1] if _ABOUT_FILE.search(asked) else ())


def _names(file: AttachedFile) -> str:
    """Return what a file may be called in a sentence, as a pattern."""
    whole = normalise(file.name).casefold()
    stem = PurePath(whole).stem
    short = [stem] if len(stem) >= _SHORTEST_NAME and not stem.isdigit() else []
    return "|".join(map(re.escape, (whole, *short)))


def _with_file(found: Sequence[Passage], about: Sequence[AttachedFile], k: int) -> list[Passage]:
    """Return the passages found with those of the files: a short file whole and in order, before everything else."""
    everything = [passage for file in about for passage in file.passages]
    ids = {passage.id for passage in everything}
    rest = [passage for passage in found if passage.id not in ids]
    if len(everything) <= k:
        return [*everything, *rest]
    ranked = [passage for passage in found if passage.id in ids][: k - k // 3]
    opening = [passage for passage in everything if passage not in ranked]
    return [*ranked, *opening[: k - len(ranked)], *rest]
