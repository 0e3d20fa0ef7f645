"""Which table a question is about, and all rows of it: from the files that came along, or from the documents."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.context import Context
from agent.language.lexicon import words
from agent.retrieval.scopes import collections_for
from agent.state import TeamTask
from agent.teams.analysis.columns import Columns, read_columns
from agent.teams.analysis.table import Row, Table, tables_of
from agent.teams.analysis.table_question import Asked
from agent.text import tokens
from agent.types import AttachedFile, Block, Category, Hit, Passage, SearchRequest

LEAST_MATCH = 0.3
"""Share of the question's words that a table of the documents must hold: figures on something else are no answer."""
_DOCUMENTS = 6
"""Documents whose tables are looked at."""
_PASSAGES = 20
_AROUND = 2_048
"""Passages of a document that are read on each side of the one that a table was found in."""
_OTHERS = 3
MUCH = 0.15
"""What twice as many rows count where all that a table tells is wanted: the longer one tells more."""
_CLOSE = 0.6
"""Share of the best match that another table must have to be told."""
_ORDERS = frozenset(tokens(" ".join(words("teams.table_orders"))))
"""Terms of a question that say what is to be done, and not with what."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """The table that is computed with."""

    columns: Columns
    match: float
    """Share of the question's words that the table holds, 0..1; 1 where the question has none of its own."""
    others: tuple[str, ...] = ()
    """Names of other tables that match nearly as well."""


async def find_table(task: TeamTask, context: Context, asked: Asked) -> Found | None:
    """Return the table that fits the question best, with all rows that may be read; None where there is none.

    Raises StorageError.
    """
    attached = await asyncio.to_thread(_attached, context.request.attached)
    if attached:
        return await asyncio.to_thread(_best, attached, asked)
    hits = await _hits(task, context)
    tables = await asyncio.to_thread(_in_passages, hits)
    found = await asyncio.to_thread(_best, tables, asked)
    if found is None or found.match < LEAST_MATCH:
        return None
    whole = await _whole(found.columns.table, context)
    return replace(found, columns=await asyncio.to_thread(read_columns, whole))


def match(columns: Columns, asked: Asked) -> float:
    """Return which share of the question's words a table holds, whatever it calls them, in title, header and names."""
    wanted = {word for word in asked.own - _ORDERS if not word[0].isdigit()}  # figures and years are not its subject
    if not wanted:
        return 1.0
    table = columns.table
    held = set(tokens(f"{table.title} {table.section} {table.above} {' '.join(table.header)}"))
    for column in columns.of("name", "period"):
        held.update(term for cell in list(dict.fromkeys(column.cells))[:500] for term in tokens(cell))
    for own, ways in asked.called:
        if any(way <= held for way in ways):
            held |= own
    return len(wanted & held) / len(wanted)


def _attached(files: Sequence[AttachedFile]) -> list[Table]:
    """Return the tables of the files, with the places of their rows in the passages; the latest file first."""
    out: list[Table] = []
    for rank, file in enumerate(reversed(files)):
        blocks = _blocks(file.passages)
        parsed = tables_of(blocks, rank=rank)
        places = {_filled(row.cells): row.support for table in reversed(parsed) for row in reversed(table.rows)}
        for sheet in file.sheets:
            rows = enumerate(sheet.rows, start=2 if sheet.header else 1)
            table = Table(
                title=file.name,
                section="" if sheet.name == file.name else sheet.name,
                header=sheet.header,
                rows=tuple(Row(cells, number, places.get(_filled(cells))) for number, cells in rows),
                blocks=blocks,
                above=next((each.above for each in parsed if each.header == sheet.header), ""),
                whole=sheet.whole,
                rank=rank,
            )
            out.append(table)
        out += [] if file.sheets else parsed
    return out


def _filled(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, cells))


async def _hits(task: TeamTask, context: Context) -> list[Hit]:
    """Return the passages that may hold the table: what earlier steps found, tables, then anything else."""
    earlier = [hit for outcome in task.before for hit in outcome.hits]
    asked = task.step.description or task.question.text
    expansion = await context.reasoner.expand(task.step, task.question, task.understood, context.pack)
    filter = replace(expansion.filter, collections=collections_for(asked, context.pack, task.understood.intent.name))
    request = SearchRequest(
        queries=expansion.queries, k=_PASSAGES, filter=replace(filter, categories=(Category.TABLE,))
    )
    tables = await context.knowledge.search(request, context.request.audience)
    others = await context.knowledge.search(replace(request, filter=filter), context.request.audience)
    found = {hit.passage.reference: hit for hit in (*earlier, *tables.hits, *others.hits)}
    return list(found.values())


def _in_passages(hits: Sequence[Hit]) -> list[Table]:
    """Return the tables in the passages that were found, each passage alone."""
    out: list[Table] = []
    documents: set[tuple[str, str]] = set()
    for rank, hit in enumerate(hits):
        document = (hit.passage.collection, hit.passage.document_id)
        if document not in documents and len(documents) >= _DOCUMENTS:
            continue
        tables = tables_of((Block(n=1, passage=hit.passage, score=hit.score),), rank=rank)
        if tables:
            documents.add(document)
            out += tables
    return out


def _best(tables: Sequence[Table], asked: Asked) -> Found | None:
    """Return the table that fits best; one with figures before one without."""
    scored: list[tuple[float, float, Columns]] = []
    for table in tables:
        columns = read_columns(table)
        fits = match(columns, asked)
        scored.append((_score(columns, fits, asked, table.rank), fits, columns))
    if not scored:
        return None
    best, fits, columns = max(scored, key=lambda each: each[0])
    names = (each.table.name for score, _, each in scored if score >= _CLOSE * best and each.measures)
    others = tuple(name for name in dict.fromkeys(names) if name != columns.table.name)
    return Found(columns=columns, match=fits, others=others[:_OTHERS])


def _score(columns: Columns, fits: float, asked: Asked, rank: int) -> float:
    named = max((asked.part(each.name) for each in columns.measures), default=0.0)
    timed = 0.2 if (asked.kind == "trend" or asked.grain) and columns.of("period") else 0.0
    much = math.log2(1 + len(columns.table.rows)) * MUCH if asked.kind == "summary" and not named else 0.0
    return (fits + 0.5 * named + timed + much + 0.3 / (1 + rank)) * (1.0 if columns.measures else 0.3)


async def _whole(table: Table, context: Context) -> Table:
    """Return all rows of a table that one passage shows a part of, from the other passages of its document."""
    passage = table.blocks[0].passage
    if passage.id < 0:  # of the web: there is no more than was found
        return table
    start, stop = max(0, passage.position - _AROUND), passage.position + _AROUND + 1
    passages = await context.knowledge.of_document(passage, start, stop, context.request.audience)
    tables = await asyncio.to_thread(tables_of, _blocks(passages), rank=table.rank)
    found = next((each for each in tables if _is_same(each, table)), None)
    if found is None:
        return table
    ends = {block.passage.position for block in found.blocks}
    return replace(found, whole=not (ends & {stop - 1, start or -1}))


def _is_same(whole: Table, part: Table) -> bool:
    """Tell whether a table holds the rows of a part of it."""
    first = part.rows[0].support
    reference = part.blocks[0].passage.reference
    numbers = {block.n for block in whole.blocks if block.passage.reference == reference}
    return first is not None and any(
        row.support is not None and row.support.block in numbers and row.support.start == first.start
        for row in whole.rows
    )


def _blocks(passages: Sequence[Passage]) -> tuple[Block, ...]:
    return tuple(Block(n=n, passage=passage, score=0.0) for n, passage in enumerate(passages, start=1))
