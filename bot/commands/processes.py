"""`weft serve`, and the processes of the Procfile."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.errors import UsageError
from bot.commands.running import data_option, joined, load_settings, packs_option, run

if TYPE_CHECKING:
    from bot.processes.platforms import Role


async def _serve(roles: "Sequence[Role]", **given: object) -> int:
    from bot.processes.serve import run

    logging.getLogger("bot").setLevel(logging.INFO)
    await run(load_settings(**given), roles)
    return 0


@click.command()
@click.option("--host", help="The address to listen on.")
@click.option("--port", type=int, help="The port to listen on.")
@packs_option
@data_option
@run
async def serve(host: str | None, port: int | None, packs: tuple[str, ...], data: Path | None) -> int:
    """Run everything in one process: the playground, and every platform that has a token."""
    return await _serve(["web", "worker", "discord", "clock"], host=host, port=port, pack=joined(packs), data=data)


@click.command()
@click.option("--host", help="The address to listen on.")
@click.option("--port", type=int, help="The port to listen on.")
@packs_option
@data_option
@run
async def web(host: str | None, port: int | None, packs: tuple[str, ...], data: Path | None) -> int:
    """Run the web server: the playground, Slack, health, metrics."""
    return await _serve(["web"], host=host, port=port, pack=joined(packs), data=data)


@click.command()
@packs_option
@data_option
@run
async def worker(packs: tuple[str, ...], data: Path | None) -> int:
    """Run the turns of messages that other processes took in."""
    return await _serve(["worker"], pack=joined(packs), data=data)


@click.command()
@packs_option
@data_option
@run
async def discord(packs: tuple[str, ...], data: Path | None) -> int:
    """Listen to Discord's gateway."""
    if not load_settings(pack=joined(packs), data=data).discord_token.get_secret_value():
        raise UsageError("DISCORD_TOKEN is not set: copy it from the application's page Bot in the developer portal")
    return await _serve(["discord"], pack=joined(packs), data=data)


@click.command()
@packs_option
@data_option
@run
async def clock(packs: tuple[str, ...], data: Path | None) -> int:
    """Do the housekeeping and what the calendar says. One process is the clock; a second one stands by for it."""
    return await _serve(["clock"], pack=joined(packs), data=data)
