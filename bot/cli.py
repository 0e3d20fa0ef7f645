"""The command line. Results go to standard output, errors to standard error.

Exit codes: 0 answered, asked back or declined; 1 a failed turn, or an ingest that refused files;
2 wrong usage or settings. The commands themselves are in `bot/commands/`.
"""

import gc
import io
import logging
import sys

import click

from bot.commands.ask import ask
from bot.commands.backup import backup, restore
from bot.commands.channels import channels
from bot.commands.collections import collections
from bot.commands.doctor import doctor
from bot.commands.documents import documents
from bot.commands.eval import evaluate
from bot.commands.gaps import gaps
from bot.commands.groups import groups
from bot.commands.inbox import inbox
from bot.commands.ingest import ingest
from bot.commands.migrate import migrate
from bot.commands.packs import packs
from bot.commands.processes import clock, discord, serve, web, worker
from bot.commands.reindex import reindex
from bot.commands.schedule import schedule
from bot.commands.search import search
from bot.commands.trace import trace
from bot.commands.usage import usage
from bot.commands.watch import watch
from bot.processes.logs import Lines, Sparing

_UNCOLLECTED = 100_000
"""Objects after which the collector looks for garbage: what a command loads, half a million of them, all stays."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="weft", prog_name="weft")
@click.option("-v", "--verbose", is_flag=True, help="Log more.")
def main(*, verbose: bool) -> None:
    """Weft answers a team's questions from its own documents: in Slack, in Discord, in the browser, here."""
    gc.set_threshold(_UNCOLLECTED)
    handler = logging.StreamHandler()
    handler.setFormatter(Lines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(Sparing())
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter shows a question mark instead
            stream.reconfigure(errors="replace")


for command in (
    serve, ask, ingest, documents, collections, groups, channels, search, reindex, doctor, usage, gaps, trace, evaluate,
    packs, web, worker, discord, clock, inbox, backup, restore, migrate, schedule, watch,
):  # fmt: skip
    main.add_command(command)

if __name__ == "__main__":
    main()
