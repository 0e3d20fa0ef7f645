"""`weft ingest`."""

from pathlib import Path

import click

from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--collection", default="documents", show_default=True, help="Where the documents go.")
@json_option
@data_option
@run
async def ingest(paths: tuple[Path, ...], collection: str, as_json: bool, data: Path | None) -> int:
    """Add or update documents: Markdown, text, HTML, PDF, DOCX, JSONL, or folders of them."""
    from bot.ingesting import ingest_paths

    return await ingest_paths(load_settings(data=data), paths, collection, as_json=as_json)
