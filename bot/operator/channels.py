"""What `weft channels` does: show and set which messages are answered where."""

import json
import re

import click

from agent.errors import UsageError
from agent.packs.load import available
from agent.types import ChannelMode
from bot.app import open_engine
from bot.settings import Settings
from storage.contracts import Place

DEFAULT = "default"
"""What is written for nothing of its own."""
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
    """Print every place whose mode or pack was set; returns the exit code."""
    async with open_engine(settings) as engine:
        modes, packs = dict(await engine.modes.all()), dict(await engine.channel_packs.all())
    places = sorted({*modes, *packs}, key=lambda place: (place.platform, place.workspace, place.channel))
    told = [_told(place, modes.get(place), packs.get(place)) for place in places]
    if as_json:
        _print_json(told)
        return 0
    for each in told:
        pack = f"\tpack {each['pack']}" if "pack" in each else ""
        click.echo(f"{each['place']}\t{each.get('mode', 'default')}{pack}")
    return 0


async def set_place(settings: Settings, written: str, mode: str | None, pack: str | None, *, as_json: bool) -> int:
    """Set mode and pack of a place, and print what holds there now; returns the exit code. Raises UsageError."""
    place = parse_place(written)
    if mode is None and pack is None:
        raise UsageError(f"{written}: say a mode, or --pack NAME")
    async with open_engine(settings) as engine:
        if pack not in (None, DEFAULT) and pack not in engine.packs.packs:
            known = {*available(), *engine.packs.packs}
            if pack not in known:
                raise UsageError(f"there is no pack named {pack!r}; there are {', '.join(sorted(known))}")
            click.echo(f"weft: {pack} acts where weft serve has it: start it with --pack {pack} too", err=True)
        if mode is not None:
            await engine.modes.set(place, None if mode == DEFAULT else ChannelMode(mode))
        if pack is not None:
            await engine.channel_packs.set(place, None if pack == DEFAULT else pack)
        holds, named = await engine.modes.mode_of(place), await engine.channel_packs.pack_of(place)
    if as_json:
        _print_json(_told(place, holds, named or None))
        return 0
    click.echo(f"{show_place(place)} is in the mode {holds.value}{f', with the pack {named}' if named else ''}")
    return 0


def _told(place: Place, mode: ChannelMode | None, pack: str | None) -> dict[str, str]:
    return {
        "place": show_place(place),
        **({"mode": mode.value} if mode is not None else {}),
        **({"pack": pack} if pack is not None else {}),
    }


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
