"""Names that no collection may have."""

from agent.errors import UsageError
from agent.types import ATTACHED, RESERVED, SAID, WEB

_WHAT = {
    WEB: "pages of the web",
    ATTACHED: "files that come with a question",
    SAID: "messages that a question points at",
}


def refuse_reserved(collection: str) -> None:
    """Raise UsageError for a name that answers cite something else by."""
    if collection.casefold() in RESERVED:
        what = _WHAT[collection.casefold()]
        raise UsageError(f"{collection!r} is what answers cite {what} by: choose another name for the collection")
