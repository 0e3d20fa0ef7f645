"""`weft documents`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.commands.running import data_option, json_option, load_settings, run

if TYPE_CHECKING:
    from bot.operator.library import Order


@click.group()
def documents() -> None:
    """Look after the stored documents."""


@documents.command("list")
@click.option("--collection", help="Only this collection.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(["id", "title", "date", "passages", "updated"]),
    default="id",
    show_default=True,
    help="passages and updated: most and latest first.",
)
@json_option
@data_option
@run
async def documents_list(collection: str | None, order: "Order", as_json: bool, data: Path | None) -> int:
    """List the stored documents: collection, id, title, date, passages."""
    from bot.operator.library import list_documents

    return await list_documents(load_settings(data=data), collection, order, as_json=as_json)


@documents.command("show")
@click.argument("document_id")
@click.option("--collection", help="Only in this collection.")
@json_option
@data_option
@run
async def documents_show(document_id: str, collection: str | None, as_json: bool, data: Path | None) -> int:
    """Print the passages of a document."""
    from bot.operator.library import show_document

    return await show_document(load_settings(data=data), document_id, collection, as_json=as_json)


@documents.command("remove")
@click.argument("document_ids", nargs=-1, required=True)
@click.option("--collection", help="Only in this collection.")
@data_option
@run
async def documents_remove(document_ids: tuple[str, ...], collection: str | None, data: Path | None) -> int:
    """Remove documents."""
    from bot.operator.library import remove_documents

    return await remove_documents(load_settings(data=data), document_ids, collection)
