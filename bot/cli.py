"""The command line. Results go to standard output, errors to standard error.

Exit codes: 0 answered, asked back or declined; 1 a failed turn, or an ingest that refused files;
2 wrong usage or settings.
"""

import asyncio
import io
import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from agent.errors import StorageError, UsageError, WeftError
from bot.logs import Lines

if TYPE_CHECKING:
    from bot.serve import Role
    from bot.settings import Settings

P = ParamSpec("P")
Command = Callable[P, Coroutine[Any, Any, int]]


def _data(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--data", type=click.Path(path_type=Path), help="The folder that holds all state.")(command)


def _pack(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--pack", help="A pack's name, or the path of its folder.")(command)


def _json(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def _run(command: Command[P]) -> Callable[P, None]:
    """Run an async command; its number is the exit code, and every error one line."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = asyncio.run(command(*args, **kwargs))
        except (UsageError, StorageError) as error:
            click.echo(f"weft: {error}", err=True)
            code = 2
        except WeftError as error:
            click.echo(f"weft: {error}", err=True)
            code = 1
        except BrokenPipeError:
            sys.stderr.close()  # whoever read our output has gone; there is nobody to tell
            code = 1
        except OSError as error:
            click.echo(f"weft: {error}", err=True)
            code = 2
        except KeyboardInterrupt:
            code = 130
        sys.exit(code)

    return run


async def _serve(roles: "Sequence[Role]", **given: object) -> int:
    from bot.serve import run

    logging.getLogger("bot").setLevel(logging.INFO)
    await run(_settings(**given), roles)
    return 0


def _settings(**given: object) -> "Settings":
    from bot.settings import Settings

    return Settings.load(**given)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="weft", prog_name="weft")
@click.option("-v", "--verbose", is_flag=True, help="Log more.")
def main(*, verbose: bool) -> None:
    """Weft answers a team's questions from its own documents: in Slack, in Discord, in the browser, here."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter shows a question mark instead
            stream.reconfigure(errors="replace")


@main.command()
@click.option("--host", help="The address to listen on.")
@click.option("--port", type=int, help="The port to listen on.")
@_pack
@_data
@_run
async def serve(host: str | None, port: int | None, pack: str | None, data: Path | None) -> int:
    """Run everything in one process: the playground, and every platform that has a token."""
    return await _serve(["web", "worker", "discord", "clock"], host=host, port=port, pack=pack, data=data)


@main.command()
@click.option("--host", help="The address to listen on.")
@click.option("--port", type=int, help="The port to listen on.")
@_pack
@_data
@_run
async def web(host: str | None, port: int | None, pack: str | None, data: Path | None) -> int:
    """Run the web server: the playground, Slack, health, metrics."""
    return await _serve(["web"], host=host, port=port, pack=pack, data=data)


@main.command()
@_pack
@_data
@_run
async def worker(pack: str | None, data: Path | None) -> int:
    """Run the turns of messages that other processes took in."""
    return await _serve(["worker"], pack=pack, data=data)


@main.command()
@_pack
@_data
@_run
async def discord(pack: str | None, data: Path | None) -> int:
    """Listen to Discord's gateway."""
    if not _settings(pack=pack, data=data).discord_token.get_secret_value():
        raise UsageError("DISCORD_TOKEN is not set: copy it from the application's page Bot in the developer portal")
    return await _serve(["discord"], pack=pack, data=data)


@main.command()
@_pack
@_data
@_run
async def clock(pack: str | None, data: Path | None) -> int:
    """Do the housekeeping by the clock. Exactly one process may."""
    return await _serve(["clock"], pack=pack, data=data)


@main.command()
@click.argument("question", required=False)
@click.option("--thread", default="", help="Go on in this thread; without it the question stands alone.")
@click.option("--mode", type=click.Choice(["agent", "llm"]), default="agent", help="llm: the model's own words.")
@click.option("--as", "user", default="", help="Ask as this user; without it, as the operator, who may read all.")
@click.option("--channel", default="", help="Ask in this channel: only what all its members may read is used.")
@click.option("--events", is_flag=True, help="Print what happens as it happens, one JSON object a line.")
@click.option(
    "--batch", type=click.Path(path_type=Path), help='JSONL of {"id", "thread", "text"}; - for standard input.'
)
@_json
@_pack
@_data
@_run
async def ask(
    question: str | None,
    thread: str,
    mode: str,
    user: str,
    channel: str,
    events: bool,
    batch: Path | None,
    as_json: bool,
    pack: str | None,
    data: Path | None,
) -> int:
    """Ask one question, or many, and print the answers."""
    from bot import asking

    if (question is None) == (batch is None):
        raise UsageError("give either a question or --batch FILE")
    asker = asking.Asker(user=user, channel=channel, mode="llm" if mode == "llm" else "agent")
    settings = _settings(pack=pack, data=data)
    if batch is not None:
        return await asking.ask_batch(settings, batch, asker)
    shape: asking.Shape = "events" if events else "json" if as_json else "text"
    return await asking.ask_once(settings, question or "", thread, asker, shape)


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--collection", default="documents", show_default=True, help="Where the documents go.")
@_json
@_data
@_run
async def ingest(paths: tuple[Path, ...], collection: str, as_json: bool, data: Path | None) -> int:
    """Add or update documents: Markdown, text, HTML, PDF, DOCX, JSONL, or folders of them."""
    from bot.library import ingest_paths

    return await ingest_paths(_settings(data=data), paths, collection, as_json=as_json)


@main.group()
def documents() -> None:
    """Look after the stored documents."""


@documents.command("list")
@click.option("--collection", default="", help="Only this collection.")
@_json
@_data
@_run
async def documents_list(collection: str, as_json: bool, data: Path | None) -> int:
    """List the stored documents."""
    from bot.library import list_documents

    return await list_documents(_settings(data=data), collection, as_json=as_json)


@documents.command("show")
@click.argument("document_id")
@click.option("--collection", default="", help="Only in this collection.")
@_data
@_run
async def documents_show(document_id: str, collection: str, data: Path | None) -> int:
    """Print the passages of a document."""
    from bot.library import show_document

    return await show_document(_settings(data=data), document_id, collection)


@documents.command("remove")
@click.argument("document_id")
@click.option("--collection", default="", help="Only in this collection.")
@_data
@_run
async def documents_remove(document_id: str, collection: str, data: Path | None) -> int:
    """Remove a document."""
    from bot.library import remove_document

    return await remove_document(_settings(data=data), document_id, collection)


@main.command()
@click.argument("query", required=False)
@click.option("--k", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many passages.")
@click.option("--collection", default="", help="Only this collection.")
@click.option("--as", "user", default="", help="Search as this user.")
@click.option("--channel", default="", help="Search as in this channel.")
@click.option("--batch", type=click.Path(path_type=Path), help='JSONL of {"id", "query"}; - for standard input.')
@_json
@_data
@_run
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
    from bot.library import search_documents

    if (query is None) == (batch is None):
        raise UsageError("give either a query or --batch FILE")
    settings = _settings(data=data)
    return await search_documents(settings, query, batch, k, collection, user, channel, as_json=as_json)


@main.command()
@_data
@_run
async def reindex(data: Path | None) -> int:
    """Make the vectors anew: after a change of the embedding model, or when their file is damaged."""
    from bot.library import reindex as rebuild

    return await rebuild(_settings(data=data))


@main.group()
def packs() -> None:
    """Look at packs."""


@packs.command("list")
def packs_list() -> None:
    """List the packs that ship with Weft."""
    from agent.packs.load import available

    for name in available():
        click.echo(name)


@packs.command("check")
@click.argument("path")
@_run
async def packs_check(path: str) -> int:
    """Check a pack's files."""
    from agent.packs.load import load_pack
    from bot.app import pack_folder

    pack = load_pack(pack_folder(path))
    click.echo(f"{pack.name}: {pack.title.en} / {pack.title.ko}, {len(pack.intents)} intents: fine")
    return 0


if __name__ == "__main__":
    main()
