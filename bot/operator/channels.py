"""What `weft channels` does: show and set which messages are answered where."""

import json
import re

import click

from agent.errors import UsageError
from agent.packs.load import available
from agent.types import ChannelMode, Overlap
from bot.app import open_engine
from bot.settings import Settings
from bot.turns.hearing import mode_named
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
    """Print every place of which a mode or a pack was set; returns the exit code."""
    async with open_engine(settings) as engine:
        modes, overlaps = dict(await engine.modes.all()), dict(await engine.modes.overlaps())
        packs = dict(await engine.channel_packs.all())
    places = sorted({*modes, *overlaps, *packs}, key=lambda place: (place.platform, place.workspace, place.channel))
    told = [_told(place, modes.get(place), overlaps.get(place), packs.get(place)) for place in places]
    if as_json:
        _print_json(told)
        return 0
    for each in told:
        pack = f"pack {each['pack']}" if "pack" in each else ""
        click.echo("\t".join(filter(None, (each["place"], each.get("mode", DEFAULT), each.get("overlap"), pack))))
    if not told:
        click.echo("every channel has the mode and the pack that all have: `weft channels set` changes one", err=True)
    return 0


async def set_place(settings: Settings, written: str, name: str | None, pack: str | None, *, as_json: bool) -> int:
    """Set a mode or the pack of a place, and print what holds there now; returns the exit code. Raises UsageError."""
    place = parse_place(written)
    if name is None and pack is None:
        raise UsageError(f"{written}: say a mode, or --pack NAME")
    wanted = None if name in (None, DEFAULT) else mode_named(name or "")
    async with open_engine(settings) as engine:
        if pack not in (None, DEFAULT) and pack not in engine.packs.packs:
            known = {*available(), *engine.packs.packs}
            if pack not in known:
                raise UsageError(f"there is no pack named {pack!r}; there are {', '.join(sorted(known))}")
            click.echo(f"weft: {pack} acts where weft serve has it: start it with --pack {pack} too", err=True)
        if isinstance(wanted, Overlap) or name == DEFAULT:
            await engine.modes.set_overlap(place, wanted if isinstance(wanted, Overlap) else None)
        if isinstance(wanted, ChannelMode) or name == DEFAULT:
            await engine.modes.set(place, wanted if isinstance(wanted, ChannelMode) else None)
        if pack is not None:
            await engine.channel_packs.set(place, None if pack == DEFAULT else pack)
        mode, overlap = await engine.modes.mode_of(place), await engine.modes.overlap_of(place)
        named = await engine.channel_packs.pack_of(place)
    shown = None if overlap is Overlap.QUEUE else overlap
    if as_json:
        _print_json(_told(place, mode, shown, named or None))
        return 0
    both = mode.value if shown is None else f"{mode.value}, {shown.value}"
    click.echo(f"{show_place(place)} is in the mode {both}{f', with the pack {named}' if named else ''}")
    return 0


def _told(place: Place, mode: ChannelMode | None, overlap: Overlap | None, pack: str | None) -> dict[str, str]:
    return {
        "place": show_place(place),
        **({"mode": mode.value} if mode is not None else {}),
        **({"overlap": overlap.value} if overlap is not None else {}),
        **({"pack": pack} if pack is not None else {}),
    }


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
