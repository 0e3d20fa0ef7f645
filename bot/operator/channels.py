"""What `weft channels` does: show and set which messages are answered where."""

import json
import re

import click

from agent.errors import UsageError
from agent.types import ChannelMode, Overlap
from bot.app import open_engine
from bot.settings import Settings
from bot.turns.hearing import mode_named
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
    """Print every place of which a mode was set; returns the exit code."""
    async with open_engine(settings) as engine:
        modes, overlaps = dict(await engine.modes.all()), dict(await engine.modes.overlaps())
    places = sorted({*modes, *overlaps}, key=lambda place: (place.platform, place.workspace, place.channel))
    rows = [
        {"place": show_place(place), "mode": modes[place].value if place in modes else None}
        | ({"overlap": overlaps[place].value} if place in overlaps else {})
        for place in places
    ]
    if as_json:
        _print_json(rows)
        return 0
    for row in rows:
        click.echo("\t".join(filter(None, (row["place"], row["mode"], row.get("overlap")))))
    return 0


async def set_mode(settings: Settings, written: str, name: str, *, as_json: bool) -> int:
    """Set one of the modes of a place, and print what holds there now; returns the exit code. Raises UsageError."""
    place = parse_place(written)
    wanted = None if name == "default" else mode_named(name)
    async with open_engine(settings) as engine:
        if wanted is None or isinstance(wanted, Overlap):
            await engine.modes.set_overlap(place, wanted)
        if wanted is None or isinstance(wanted, ChannelMode):
            await engine.modes.set(place, wanted)
        mode, overlap = await engine.modes.mode_of(place), await engine.modes.overlap_of(place)
    if as_json:
        more = {} if overlap is Overlap.QUEUE else {"overlap": overlap.value}
        _print_json({"place": show_place(place), "mode": mode.value, **more})
    else:
        both = mode.value if overlap is Overlap.QUEUE else f"{mode.value}, {overlap.value}"
        click.echo(f"{show_place(place)} is in the mode {both}")
    return 0


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
