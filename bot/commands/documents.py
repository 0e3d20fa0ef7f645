"""`weft documents`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.group()
def documents() -> None:
    """Look after the stored documents."""


@documents.command("list")
@click.option("--collection", default="", help="Only this collection.")
@json_option
@data_option
@run
async def documents_list(collection: str, as_json: bool, data: Path | None) -> int:
    """List the stored documents."""
    from bot.library import list_documents

    return await list_documents(load_settings(data=data), collection, as_json=as_json)


@documents.command("show")
@click.argument("document_id")
@click.option("--collection", default="", help="Only in this collection.")
@data_option
@run
async def documents_show(document_id: str, collection: str, data: Path | None) -> int:
    """Print the passages of a document."""
    from bot.library import show_document

    return await show_document(load_settings(data=data), document_id, collection)


@documents.command("remove")
@click.argument("document_id")
@click.option("--collection", default="", help="Only in this collection.")
@data_option
@run
async def documents_remove(document_id: str, collection: str, data: Path | None) -> int:
    """Remove a document."""
    from bot.library import remove_document

    return await remove_document(load_settings(data=data), document_id, collection)
