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
    scores = dict(zip((p.id for p in passages), bm25([_said(p) for p in passages], queries), strict=True))
    found = sorted((p for p in passages if scores[p.id] > 0), key=lambda p: -scores[p.id])
    about = _asked_about(files, " ".join(query.text for query in queries))
    if about:
        found = _with_file(found, about, k)
    best = found[:k]
    return tuple(Hit(passage=passage, score=1 / (RRF_K + rank)) for rank, passage in enumerate(best, start=1))


def _said(passage: Passage) -> str:
    return f"{passage.title} {passage.source} {passage.section} {passage.text}"


def _asked_about(files: Sequence[AttachedFile], question: str) -> tuple[AttachedFile, ...]:
    """Return the files that a question is about: those it names, or the latest where it points to one."""
    asked = normalise(question).casefold()
    named = tuple(file for file in files if any(_stands_in(name, asked) for name in _names(file)))
    if named:
        return named
    return tuple(files[:1]) if _ABOUT_FILE.search(asked) else ()


def _names(file: AttachedFile) -> list[str]:
    whole = normalise(file.name).casefold()
    stem = PurePath(whole).stem
    return [whole, *([stem] if len(stem) >= _SHORTEST_NAME and not stem.isdigit() else [])]


def _stands_in(name: str, asked: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?![A-Za-z0-9])", asked) is not None


def _with_file(found: Sequence[Passage], about: Sequence[AttachedFile], k: int) -> list[Passage]:
    """Return the passages found with those of the files: a short file whole and in order, before everything else."""
    everything = [passage for file in about for passage in file.passages]
    ids = {passage.id for passage in everything}
    if len(everything) <= k:
        return [*everything, *(passage for passage in found if passage.id not in ids)]
    ranked = [passage for passage in found if passage.id in ids]
    kept = {passage.id for passage in ranked[: k - k // 3]}
    opening = [passage for passage in everything if passage.id not in kept]
    rest = [passage for passage in found if passage.id not in ids]
    return [*ranked[: k - k // 3], *opening[: k - len(kept)], *rest]
