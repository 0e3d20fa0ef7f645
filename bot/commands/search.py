"""`weft search`."""

from pathlib import Path
from typing import Any

import click

from agent.errors import UsageError
from bot.commands.running import data_option, json_option, load_settings, run


@click.command()
@click.argument("query", required=False)
@click.option("--k", type=int, default=10, show_default=True, help="How many passages.")
@click.option("--collection", multiple=True, help="Only this collection; may be given several times, as may others.")
@click.option("--source", multiple=True, help="Only documents from this path or address.")
@click.option("--category", multiple=True, help="Only heading, paragraph, table, list, code or figure.")
@click.option("--kind", multiple=True, help="Only chunk or finding.")
@click.option("--pages", help="Only these pages: 3 or 3-7.")
@click.option("--entity", help="Only passages that name this.")
@click.option("--language", help="Only en or ko.")
@click.option("--since", help="Only documents dated this day or later: 2026-03-31.")
@click.option("--until", help="Only documents dated this day or earlier.")
@click.option("--must", multiple=True, help="A word that the documents must hold.")
@click.option("--as", "user", help="Search as this user, who may be a platform's: slack:T1:U1.")
@click.option("--channel", help="Search as in this channel, which may be a platform's: slack:T1:C1.")
@click.option(
    "--batch",
    type=click.Path(path_type=Path),
    help='JSONL of {"id", "query"}, with these options as keys where they differ; - for standard input.',
)
@json_option
@data_option
@run
async def search(
    query: str | None, user: str | None, batch: Path | None, as_json: bool, data: Path | None, **options: Any
) -> int:
    """Search the documents, without an answer."""
    from bot.operator.searching import search_documents

    if (query is None) == (batch is None):
        raise UsageError("give either a query or --batch FILE")
    given = {name: value for name, value in {**options, "as": user}.items() if value is not None and value != ()}
    return await search_documents(load_settings(data=data), query, batch, given, as_json=as_json)
