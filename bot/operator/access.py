"""Readers and members as people write them, and what `weft collections` and `weft groups` do."""

import json
import re
import sys
from collections.abc import Collection, Iterable, Sequence

import click

from agent.errors import StorageError, UsageError
from bot.app import Engine, open_engine
from bot.audience import GUESTS
from bot.operator.asking import PLATFORMS
from bot.operator.collection_names import check_name, check_new, no_collection
from bot.settings import Settings
from storage.access import CollectionInfo, SqlAccess

EVERYONE, NOBODY = "everyone", "nobody"
FORMS = "everyone, workspace:slack:T1, channel:slack:T1:C1, user:discord:G1:U1 or group:finance"
_MEMBER_FORMS = "channel:slack:T1:C1 or user:discord:G1:U1"
_ID = r"[^\s:,#]+"
_PRINCIPAL = re.compile(rf"(workspace:(?P<w>{_ID}):{_ID}|(?:channel|user):(?P<p>{_ID}):{_ID}:{_ID}|group:{_ID})")


def parse_readers(written: Iterable[str]) -> frozenset[str]:
    """Return principals as an audience holds them; commas separate too. Raises UsageError."""
    return frozenset(_principal(word) for word in _words(written) if word != NOBODY)


def parse_members(written: Iterable[str]) -> frozenset[str]:
    """Return what may be in a group: users and channels. Raises UsageError."""
    members = frozenset(_principal(word) for word in _words(written))
    for member in sorted(members):
        if not member.startswith(("user:", "channel:")):
            raise UsageError(f"{show(member)!r} cannot be in a group: write {_MEMBER_FORMS}")
    return members


def show(principal: str) -> str:
    """Return a principal as people write it."""
    return EVERYONE if principal == "*" else principal


def shown(principals: Collection[str]) -> list[str]:
    """Return principals as people write them, in order."""
    return sorted(show(principal) for principal in principals)


def _words(written: Iterable[str]) -> list[str]:
    return [word for text in written for word in text.replace(",", " ").split()]


def _principal(word: str) -> str:
    if word in (EVERYONE, "*"):
        return "*"
    match = _PRINCIPAL.fullmatch(word)
    if match is None:
        raise UsageError(f"{word!r} names nobody: write {FORMS} (ids, not names)")
    platform = match["w"] or match["p"]
    if platform and platform not in PLATFORMS:
        raise UsageError(f"{word!r}: there is no platform {platform!r}; there are {', '.join(PLATFORMS)}")
    return word


# --- weft collections


async def list_collections(settings: Settings, *, as_json: bool) -> int:
    """Print every collection with its readers; returns the exit code."""
    async with open_engine(settings) as engine:
        found = await SqlAccess(engine.database).collections()
    if as_json:
        _print_json([_as_json(info) for info in found])
        return 0
    for info in found:
        sample = "\tsample" if info.sample else ""
        size = f"{_count(info.documents, 'document')}\t{_count(info.passages, 'passage')}"
        click.echo(f"{info.name}\t{size}\t{_readers(info.readers)}{sample}")
    return 0


async def create_collection(settings: Settings, name: str, written: Sequence[str], *, as_json: bool) -> int:
    """Make an empty collection; returns the exit code."""
    await check_new(settings, name)
    readers = parse_readers(written) if _words(written) else frozenset({"*"})
    async with open_engine(settings) as engine:
        access = SqlAccess(engine.database)
        if not await access.create(name, readers):
            raise UsageError(f"there is a collection {name!r} already: `weft collections readers {name}` changes it")
        await _report(access, name, as_json=as_json)
    return 0


async def change_readers(
    settings: Settings,
    name: str,
    *,
    add: Sequence[str],
    remove: Sequence[str],
    put: Sequence[str],
    as_json: bool,
) -> int:
    """Show who may read a collection, or change it; returns the exit code."""
    if _words(put) and (_words(add) or _words(remove)):
        raise UsageError("--set replaces all readers: give it alone, or --add and --remove")
    adding, removing, putting = parse_readers(add), parse_readers(remove), parse_readers(put)

    def changed(readers: frozenset[str]) -> frozenset[str]:
        return putting if _words(put) else (readers | adding) - removing

    async with open_engine(settings) as engine:
        access = SqlAccess(engine.database)
        before = (await _known(access, name)).readers
        for reader in sorted(removing - before):
            click.echo(f"{show(reader)} was no reader of {name}", err=True)
        if _words((*add, *remove, *put)):
            await access.change_readers(name, changed)
        await _report(access, name, as_json=as_json)
    return 0


async def remove_collection(settings: Settings, name: str, *, sure: bool) -> int:
    """Remove a collection with its documents, asking first; returns the exit code."""
    async with open_engine(settings) as engine:
        access = SqlAccess(engine.database)
        info = await _known(access, name)
        if name in engine.pack.holdings():
            raise UsageError(f"{name!r} belongs to the pack and would come back: choose another pack instead")
        if not sure and info.documents:
            if not sys.stdin.isatty():
                raise UsageError(f"{name!r} holds {_count(info.documents, 'document')}: add --yes to remove it all")
            click.confirm(f"Remove {name} and its {_count(info.documents, 'document')}?", abort=True, err=True)
        async with engine.locks.ingesting(name):
            documents = await engine.library.fingerprints(name)
            await engine.library.drop(name, list(documents))
            if not await access.remove(name):
                raise StorageError(f"{name!r} changed meanwhile: try again")
        await engine.meanings.follow()
    count = _count(len(documents), "document")
    click.echo(f"removed {name} with {count}; everyone may read a new collection of this name")
    return 0


async def _known(access: SqlAccess, name: str) -> CollectionInfo:
    found = {info.name: info for info in await access.collections()}
    if name not in found:
        raise UsageError(no_collection(name, found))
    return found[name]


async def _report(access: SqlAccess, name: str, *, as_json: bool) -> None:
    info = await _known(access, name)
    groups = await access.groups()
    if "*" in info.readers and len(info.readers) > 1:
        click.echo(f"{name} is open to everyone: `--remove everyone` leaves the others", err=True)
    for reader in sorted(info.readers):
        kind, _, group = reader.partition(":")
        if kind == "group" and group not in groups:
            click.echo(f"nobody is in {reader} yet: `weft groups add {group} MEMBER...`", err=True)
    if as_json:
        _print_json(_as_json(info))
    else:
        click.echo(f"{name} is read by {_readers(info.readers)}")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _readers(readers: frozenset[str]) -> str:
    return ", ".join(shown(readers)) or f"{NOBODY} but the operator"


def _as_json(info: CollectionInfo) -> dict[str, object]:
    return {
        "name": info.name,
        "documents": info.documents,
        "passages": info.passages,
        "readers": shown(info.readers),
        "sample": info.sample,
    }


# --- weft groups


async def list_groups(settings: Settings, *, as_json: bool) -> int:
    """Print every group with its members; returns the exit code."""
    async with open_engine(settings) as engine:
        groups = await SqlAccess(engine.database).groups()
    if as_json:
        _print_json([{"name": name, "members": list(members)} for name, members in groups.items()])
        return 0
    for name, members in groups.items():
        click.echo(f"{name}\t{', '.join(members)}")
    if not groups:
        click.echo("there is no group: `weft groups add` makes one", err=True)
    return 0


async def add_to_group(settings: Settings, name: str, written: Sequence[str]) -> int:
    """Put users and channels into a group; returns the exit code."""
    check_name("group", name)
    members = parse_members(written)
    async with open_engine(settings) as engine:
        added = await SqlAccess(engine.database).add_members(name, members)
    click.echo(f"{added} added to {name}")
    if name == GUESTS:
        click.echo("what the workspace may read is now closed to them", err=True)
    return 0


async def remove_from_group(settings: Settings, name: str, written: Sequence[str]) -> int:
    """Take members out of a group, or all of them; returns the exit code."""
    members = parse_members(written)
    async with open_engine(settings) as engine:
        access = SqlAccess(engine.database)
        there = (await access.groups()).get(name)
        if there is None:
            raise UsageError(f"there is no group {name!r}: `weft groups list` shows what there is")
        strangers = sorted(members - set(there))
        if strangers:
            raise UsageError(f"{strangers[0]} is not in {name}; there are {', '.join(there)}")
        removed = await access.remove_members(name, members or there)
        if removed == len(there):
            await _say_closed(engine, name)
    click.echo(f"{removed} removed from {name}")
    return 0


async def _say_closed(engine: Engine, group: str) -> None:
    for info in await SqlAccess(engine.database).collections():
        if f"group:{group}" in info.readers:
            click.echo(f"{info.name} still names group:{group}, which is now empty", err=True)


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
