"""`weft search`."""

from pathlib import Path

import click

from agent.errors import UsageError
from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.argument("query", required=False)
@click.option("--k", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many passages.")
@click.option("--collection", default="", help="Only this collection.")
@click.option("--as", "user", default="", help="Search as this user.")
@click.option("--channel", default="", help="Search as in this channel.")
@click.option("--batch", type=click.Path(path_type=Path), help='JSONL of {"id", "query"}; - for standard input.')
@json_option
@data_option
@run
async def search(
    query: str | None,
    k: int,
    collection: str,
    user: str,
    channel: str,
    batch: Path | None,
    as_json: bool,
    data: Path | None,
) -> int:
    """Search the documents, without an answer."""
    from bot.searching import search_documents

    if (query is None) == (batch is None):
        raise UsageError("give either a query or --batch FILE")
    settings = load_settings(data=data)
    return await search_documents(settings, query, batch, k, collection, user, channel, as_json=as_json)
