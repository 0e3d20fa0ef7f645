"""`weft documents`: what is stored, for those who keep it."""

import difflib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Literal

import click

from agent.errors import UsageError
from agent.types import Passage
from bot.app import Engine, open_engine
from bot.audience import OPERATOR
from bot.operator.collection_names import listed, no_collection
from bot.operator.snippets import printable
from bot.settings import Settings
from storage.access import SqlAccess
from storage.catalogue import StoredDocument, catalogue

Order = Literal["id", "title", "date", "passages", "updated"]
_ORDERS: dict[Order, Callable[[StoredDocument], Any]] = {
    "id": lambda document: (document.collection, document.document_id),
    "title": lambda document: document.title.casefold(),
    "date": lambda document: (document.date == "", document.date),
    "passages": lambda document: -document.passages,
    "updated": lambda document: -document.updated_at,
}
_LINES = "\n\t"
_LOOKED_THROUGH = 20_000
"""Documents among which near ids are looked for; more would take long."""


async def list_documents(settings: Settings, collection: str | None, order: Order, *, as_json: bool) -> int:
    """Print what is stored; returns the exit code."""
    async with open_engine(settings) as engine:
        stored = sorted(await _stored(engine, collection), key=_ORDERS[order])
    if as_json:
        _print_json([asdict(document) for document in stored])
        return 0
    for document in stored:
        columns = (document.collection, document.document_id, document.title, document.date or "-")
        click.echo("\t".join(printable(column) for column in columns) + f"\t{document.passages} passages")
    return 0


async def show_document(settings: Settings, document_id: str, collection: str | None, *, as_json: bool) -> int:
    """Print the passages of a document, of each document of this id; returns the exit code."""
    async with open_engine(settings) as engine:
        found = _of_id(document_id, await _stored(engine, collection))
        passages = [
            await engine.library.around(
                f"{document_id}#0", collection=document.collection, window=document.passages, audience=OPERATOR
            )
            for document in found
        ]
    if as_json:
        shown = zip(found, passages, strict=True)
        _print_json([asdict(document) | {"passages": [_passage(each) for each in parts]} for document, parts in shown])
        return 0
    for document, parts in zip(found, passages, strict=True):
        date = f", {document.date}" if document.date else ""
        place = f"{document.collection}/{document.document_id}, {document.source}{date}"
        click.echo(printable(f"{document.title} ({place})"))
        for passage in parts:
            page = f"  p. {passage.page}" if passage.page is not None else ""
            head = printable(f"{passage.public_id}  {passage.section}") + page
            click.echo(f"\n--- {head}\n{printable(passage.text, keep=_LINES)}")
    return 0


async def remove_documents(settings: Settings, document_ids: Sequence[str], collection: str | None) -> int:
    """Remove documents, all of them or, where one is not there, none; returns the exit code."""
    async with open_engine(settings) as engine:
        stored = await _stored(engine, collection)
        places = [(document_id, _only_one(document_id, stored)) for document_id in dict.fromkeys(document_ids)]
        for document_id, place in places:
            await engine.library.remove(document_id, collection=place)
            click.echo(f"removed {document_id}")
        await engine.meanings.follow()
    return 0


async def _stored(engine: Engine, collection: str | None) -> Sequence[StoredDocument]:
    if collection is not None:
        known = [info.name for info in await SqlAccess(engine.database).collections()]
        if not collection or collection not in known:  # an unset variable must not mean all of them
            raise UsageError(no_collection(collection, known))
    return await catalogue(engine.database, collection=collection or "")


def _of_id(document_id: str, stored: Sequence[StoredDocument]) -> list[StoredDocument]:
    found = [document for document in stored if document.document_id == document_id]
    if not found:
        near = _near(document_id, stored)
        meant = f"did you mean {' or '.join(near)}?" if near else "`weft documents list` shows what there is"
        raise UsageError(f"there is no document {document_id!r}: {meant}")
    return found


def _only_one(document_id: str, stored: Sequence[StoredDocument]) -> str:
    """Return the one collection that holds a document of this id. Raises UsageError."""
    found = _of_id(document_id, stored)
    if len(found) > 1:
        names = listed(document.collection for document in found)
        raise UsageError(f"{document_id} is in {len(found)} collections ({names}): choose one with --collection")
    return found[0].collection


def _near(document_id: str, stored: Sequence[StoredDocument]) -> list[str]:
    ids = list(dict.fromkeys(document.document_id for document in stored))
    name = document_id.rsplit("/", 1)[-1].casefold()
    same = [each for each in ids if each.rsplit("/", 1)[-1].casefold() == name]
    titled = [document.document_id for document in stored if document.title.casefold() == document_id.casefold()]
    near = difflib.get_close_matches(document_id, ids, n=3) if len(ids) <= _LOOKED_THROUGH else []
    return [printable(each) for each in dict.fromkeys((*same, *titled, *near))][:3]


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "passage_id": passage.public_id,
        "section": passage.section,
        "page": passage.page,
        "category": passage.category.value,
        "kind": passage.kind,
        "language": passage.language,
        "entities": list(passage.entities),
        "text": passage.text,
    }


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
