"""From a search to the cases it found: their findings, and the sections that the pack names."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from agent.cases import Case, Lookup
from agent.packs.cases import CasesSpec
from agent.retrieval.must_have import times
from agent.retrieval.search import KnowledgeBase
from agent.text import tokens
from agent.types import Audience, Passage, SearchRequest, SearchResult

LONGEST = 400
"""Passages of a case that are read."""
HELD = 0.5
"""Share of the words that must stand somewhere, for there to be anything about them."""


async def look_up(
    result: SearchResult, request: SearchRequest, spec: CasesSpec, knowledge: KnowledgeBase, audience: Audience
) -> Lookup | None:
    """Return the cases of a search that the request asked for; None where no document found is one.

    Where it names nothing, it is about those that the conversation was about last. Raises StorageError.
    """
    wanted = request.must_have
    documents = list({hit.passage.document: hit.passage for hit in reversed(result.hits)}.values())[::-1]
    whole = await asyncio.gather(*(knowledge.of_document(each, 0, LONGEST, audience) for each in documents))
    found = tuple(case for passages in whole if (case := case_of(passages, spec, result.must_have)) is not None)
    if not found:
        return None
    if not wanted and not request.filter.names and request.before:
        return Lookup(cases=_last(found, request.before), likely=1.0)
    held = [word for word in wanted if word in result.must_have]
    if wanted and len(result.nowhere) >= HELD * len(wanted):
        return Lookup(cases=(), near=found)
    dropped = any(warning.startswith("filter_dropped") for warning in result.warnings)
    if dropped and not wanted:  # the industry or code that is all that was named has no case
        return Lookup(cases=(), near=found)
    likely = len(held) / len(wanted) if wanted else 1.0
    likely = likely / 2 if dropped else likely
    return Lookup(cases=found, likely=likely)


def _last(cases: Sequence[Case], before: Mapping[str, float]) -> tuple[Case, ...]:
    """Return the cases that the latest turn rests on; all, where it rests on none of them."""
    weights = [before.get(case.first.document_id, 0.0) for case in cases]
    return tuple(case for case, weight in zip(cases, weights, strict=True) if weight == max(weights))


def case_of(passages: Sequence[Passage], spec: CasesSpec, words: Sequence[str]) -> Case | None:
    """Return a document as a case, its findings with the most of these words first; None for any other document.

    Where it names no findings, they are what stands outside of the pack's sections.
    """
    names = {name.casefold(): name for name in spec.sections}
    sections: dict[str, list[Passage]] = {name: [] for name in spec.sections}
    outside: list[Passage] = []
    for passage in passages:
        name = names.get(passage.innermost.strip().casefold())
        (sections[name] if name and passage.kind == "chunk" else outside).append(passage)
    findings = [passage for passage in outside if passage.kind == "finding"]
    told = tuple((name, tuple(part)) for name, part in sections.items() if part)
    if not findings and not told:
        return None
    terms = [Counter(tokens(word)) for word in words]
    spoken = {passage.id: sum(times(word, passage.text) > 0 for word in terms) for passage in outside}
    chosen = sorted(findings or outside, key=lambda passage: -spoken[passage.id])
    return Case(title=passages[0].title, findings=tuple(chosen), sections=told)
