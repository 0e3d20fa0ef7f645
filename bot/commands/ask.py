"""`weft ask`."""

from pathlib import Path

import click

from agent.errors import UsageError
from bot.commands.running import data_option, json_option, load_settings, pack_option, run


@click.command()
@click.argument("question", required=False)
@click.option("--thread", default="", help="Go on in this thread; without it the question stands alone.")
@click.option("--mode", type=click.Choice(["agent", "llm"]), default="agent", help="llm: the model's own words.")
@click.option("--as", "user", help="Ask as this user; without it, as the operator, who may read all.")
@click.option("--channel", help="Ask in this channel: only what all its members may read is used.")
@click.option(
    "--attach",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Answer from this file too, now and later in the thread; may be given several times.",
)
@click.option("--events", is_flag=True, help="Print what happens as it happens, one JSON object a line.")
@click.option(
    "--batch",
    type=click.Path(path_type=Path),
    help='JSONL of {"id", "thread", "text", "as", "channel"}; - for standard input.',
)
@json_option
@pack_option
@data_option
@run
async def ask(
    question: str | None,
    thread: str,
    mode: str,
    user: str | None,
    channel: str | None,
    files: tuple[Path, ...],
    events: bool,
    batch: Path | None,
    as_json: bool,
    pack: str | None,
    data: Path | None,
) -> int:
    """Ask one question, or many, and print the answers."""
    from bot.operator import asking

    if (question is None) == (batch is None):
        raise UsageError("give either a question or --batch FILE")
    if user == "" or channel == "":  # an unset variable must not ask as the operator
        raise UsageError("--as and --channel need a name; leave them out to ask as the operator")
    if files and batch is not None:
        raise UsageError("--attach goes with one question, not with --batch")
    asker = asking.Asker(user=user or "", channel=channel or "", mode="llm" if mode == "llm" else "agent")
    settings = load_settings(pack=pack, data=data)
    if batch is not None:
        return await asking.ask_batch(settings, batch, asker)
    shape: asking.Shape = "events" if events else "json" if as_json else "text"
    return await asking.ask_once(settings, question or "", thread, asker, shape, asking.attached(files))
