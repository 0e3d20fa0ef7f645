"""Names of collections: which a new one may have, and what is said of one that is not there."""

import re
from collections.abc import Iterable

from agent.errors import UsageError
from agent.types import ATTACHED, RESERVED, SAID, WEB
from bot.settings import Settings
from bot.stores import open_database
from storage.access import SqlAccess

_NAME = re.compile(r"[\w.@+-]{1,80}")
_WHAT = {
    WEB: "pages of the web",
    ATTACHED: "files that come with a question",
    SAID: "messages that a question points at",
}


async def check_new(settings: Settings, name: str) -> None:
    """Raise UsageError for a name that no new collection may have; one that is there already goes on under its own."""
    if name.casefold() in RESERVED:
        what = _WHAT[name.casefold()]
        raise UsageError(f"{name!r} is what answers cite {what} by: choose another name for the collection")
    if _NAME.fullmatch(name):
        return
    if name:
        async with open_database(settings) as database:
            if name in [info.name for info in await SqlAccess(database).collections()]:
                return
    check_name("collection", name)


def check_name(kind: str, name: str) -> None:
    """Raise UsageError for a name that no new collection or group may have."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a {kind}: write letters, digits and . _ - @ +, at most 80")


def no_collection(name: str, there_are: Iterable[str]) -> str:
    """Return what to say of a collection that is not there, or of an empty name."""
    known = listed(there_are)
    wrong = f"there is no collection {name!r}" if name else "the name of the collection is empty"
    return f"{wrong}; " + (f"there are {known}" if known else "there is none yet")


def listed(names: Iterable[str]) -> str:
    """Return names beside each other, in quotation marks where they would not be told from what stands around them."""
    return ", ".join(name if _NAME.fullmatch(name) else repr(name) for name in sorted(names))
