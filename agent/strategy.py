"""What a search did, told: the words that had to be there, the blocks kept, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.cases import Lookup
from agent.language import say
from agent.retrieval.pack import Left
from agent.types import Block, Language, SearchResult

SHOWN = 20
"""Passages left out that are named."""


def told(
    searches: Sequence[SearchResult],
    blocks: Sequence[Block],
    left: Sequence[Left],
    asked: Sequence[str],
    language: Language,
    lookup: Lookup | None = None,
) -> str:
    """Return the search strategy as a few sentences without zeros; `asked` are the words that had to be there."""
    if not searches:
        return ""
    documents = len({block.passage.document for block in blocks})
    parts = [_of_cases(lookup, language)] if lookup is not None and lookup.cases else []
    if blocks:
        parts.append(say("strategy_kept", language, blocks=len(blocks), documents=documents))
    doubles = sum(each.reason == "duplicate" for each in left)
    if doubles and blocks:
        parts.append(say("strategy_left", language, count=len(left), doubles=doubles))
    elif left and blocks:
        parts.append(say("strategy_left_others", language, count=len(left)))
    found = frequencies(searches)
    if found:
        words = ", ".join(f"{word} ({count})" for word, count in found.items())
        parts.append(say("strategy_words", language, words=words))
    given_up = [word for word in dict.fromkeys(asked) if not any(word in search.must_have for search in searches)]
    if given_up:
        parts.append(say("strategy_given_up", language, words=", ".join(given_up)))
    return " ".join(parts)


def _of_cases(lookup: Lookup, language: Language) -> str:
    findings = sum(len(case.findings) for case in lookup.cases)
    sections: dict[str, int] = {}
    for case in lookup.cases:
        for name, part in case.sections:
            sections[name] = sections.get(name, 0) + len(part)
    held = ", ".join(f"{name} {count}" for name, count in sections.items())
    key = "strategy_cases" if held else "strategy_cases_bare"
    return say(key, language, cases=len(lookup.cases), findings=findings, sections=held)


def frequencies(searches: Sequence[SearchResult]) -> dict[str, int]:
    """Return how often each must-have word stands in what was found."""
    return _summed(search.keyword_freq for search in searches)


def block_counts(searches: Sequence[SearchResult]) -> dict[str, int]:
    """Return in how many of the hits each must-have word stands."""
    return _summed(search.keyword_block_counts for search in searches)


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    out = Counter[str]()
    for each in counts:
        out.update(each)
    return {word: count for word, count in out.items() if count}


def shown(left: Sequence[Left]) -> tuple[Mapping[str, Any], ...]:
    """Return what was left out, as `weft ask --json` prints it."""
    return tuple(
        {
            "passage_id": each.passage.public_id,
            "collection": each.passage.collection,
            "title": each.passage.title,
            "section": each.passage.section,
            "reason": each.reason,
        }
        for each in left[:SHOWN]
    )


def cases_shown(lookup: Lookup | None) -> list[Mapping[str, Any]]:
    """Return how much was found of each case, as `weft ask --json` prints it."""
    return [
        {
            "document_id": case.first.document_id,
            "title": case.title,
            "findings": len(case.findings),
            "sections": {name: len(part) for name, part in case.sections},
        }
        for case in (lookup.cases if lookup else ())
    ]
