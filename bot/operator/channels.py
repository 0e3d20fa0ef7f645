"""What `weft channels` does: show and set which messages are answered where."""

import json
import re

import click

from agent.errors import UsageError
from agent.types import ChannelMode
from bot.app import open_engine
from bot.settings import Settings
from storage.contracts import Place

PLATFORMS = ("slack", "discord")
"""Those that have channels."""
_ID = r"[^\s:,#]+"
_PLACE = re.compile(rf"workspace:(?P<wp>{_ID}):(?P<ww>{_ID})|channel:(?P<cp>{_ID}):(?P<cw>{_ID}):(?P<cc>{_ID})")


def parse_place(written: str) -> Place:
    """Return the place that somebody wrote. Raises UsageError."""
    found = _PLACE.fullmatch(written)
    if found is None:
        raise UsageError(f"{written!r} is no place: write channel:slack:T1:C1 or workspace:discord:G1 (ids, not names)")
    platform = found["wp"] or found["cp"]
    if platform not in PLATFORMS:
        raise UsageError(f"{written!r}: {platform!r} has no channels; there are {', '.join(PLATFORMS)}")
    return Place(platform=platform, workspace=found["ww"] or found["cw"], channel=found["cc"] or "")


def show_place(place: Place) -> str:
    """Return a place as people write it."""
    where = f"{place.platform}:{place.workspace}"
    return f"channel:{where}:{place.channel}" if place.channel else f"workspace:{where}"


async def list_channels(settings: Settings, *, as_json: bool) -> int:
    """Print every place whose mode was set; returns the exit code."""
    async with open_engine(settings) as engine:
        found = await engine.modes.all()
    if as_json:
        _print_json([{"place": show_place(place), "mode": mode.value} for place, mode in found])
        return 0
    for place, mode in found:
        click.echo(f"{show_place(place)}\t{mode.value}")
    return 0


async def set_mode(settings: Settings, written: str, name: str, *, as_json: bool) -> int:
    """Set the mode of a place, and print what holds there now; returns the exit code. Raises UsageError."""
    place = parse_place(written)
    async with open_engine(settings) as engine:
        await engine.modes.set(place, None if name == "default" else ChannelMode(name))
        mode = await engine.modes.mode_of(place)
    if as_json:
        _print_json({"place": show_place(place), "mode": mode.value})
    else:
        click.echo(f"{show_place(place)} is in the mode {mode.value}")
    return 0


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
