"""`weft ingest`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--collection", default="documents", show_default=True, help="Where the documents go.")
@click.option("--follow-links", is_flag=True, help="Read also what links within a folder point to outside of it.")
@json_option
@data_option
@run
async def ingest(paths: tuple[str, ...], collection: str, follow_links: bool, as_json: bool, data: Path | None) -> int:
    """Add or update documents: files, folders, zip archives, and URLs (http, https).

    Read are Markdown, reStructuredText, text, HTML, PDF, DOCX, HWPX, PPTX, XLSX, CSV and JSONL. Only what is new or
    changed is read; what is gone from a folder, an archive or a JSONL file is removed.
    """
    from bot.operator.ingesting import ingest_paths

    return await ingest_paths(load_settings(data=data), paths, collection, follow_links=follow_links, as_json=as_json)
