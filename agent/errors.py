"""What can go wrong, as one tree. A class's docstring is its message when none is given.

WeftError
├── UsageError             somebody asked for what cannot be: exit code 2
│   ├── SettingsError      a setting is missing or wrong
│   ├── PackError          a pack's file is wrong; names file, key and what is allowed
│   └── QuestionError      a question that cannot be taken (empty, too long)
├── StorageError           the data folder cannot be used
│   ├── LockedError        another process holds the data folder
│   └── CorruptError       a file does not hold what it should; names the repair
├── RefusedFileError       a document cannot be read; the others go on
├── AttachmentError        a file that came with a question cannot be had
├── UnreadableError        messages that a question points at cannot be read
├── ModelError             the model gave no usable answer
├── WebSearchError         the web could not be searched
├── ConceptsError          the names of a text could not be read
├── DeliveryError          a platform did not take a message
│   ├── RateLimitedError   the platform says when to come back
│   ├── UnreachableError   the platform gave no usable answer; it will be back
│   │   └── TokenError     the platform refuses the token; another one may be set
│   └── GoneError          the place or message is not there any more, or closed to us
│       └── ClosedError    the place is there, and Weft may not write to it
└── TurnTimeoutError       a turn passed its deadline
"""

import traceback
from typing import Literal


class WeftError(Exception):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class UsageError(WeftError):
    """This cannot be done as asked."""


class SettingsError(UsageError):
    """A setting is missing or wrong."""


class PackError(UsageError):
    """A pack's file is wrong."""


class QuestionError(UsageError):
    """This question cannot be taken."""


class StorageError(WeftError):
    """The data folder cannot be used."""


class LockedError(StorageError):
    """Another process holds the data folder."""


class CorruptError(StorageError):
    """A file does not hold what it should."""


class RefusedFileError(WeftError):
    """The document cannot be read."""


class AttachmentError(WeftError):
    """The file cannot be had."""

    def __init__(
        self, message: str = "", *, reason: Literal["gone", "too_large", "closed", "elsewhere", "away"] = "away"
    ) -> None:
        super().__init__(message)
        self.reason = reason
        """`closed`: the platform does not give it to Weft; `elsewhere`: another service keeps it."""


class UnreadableError(WeftError):
    """The messages cannot be read."""

    def __init__(self, message: str = "", *, reason: Literal["gone", "closed", "elsewhere", "away"] = "away") -> None:
        super().__init__(message)
        self.reason = reason
        """`closed`: the platform does not show them to Weft; `elsewhere`: the asker, or who reads along, may not."""


class ModelError(WeftError):
    """The model gave no usable answer."""


class WebSearchError(WeftError):
    """The web could not be searched."""


class ConceptsError(WeftError):
    """The names in the text could not be read."""


class DeliveryError(WeftError):
    """The platform did not take the message."""


class RateLimitedError(DeliveryError):
    """The platform asks to wait."""

    def __init__(self, message: str = "", *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds."""


class UnreachableError(DeliveryError):
    """The platform gave no usable answer; whether it did what was asked is unknown."""


class TokenError(UnreachableError):
    """The platform refuses the token."""


class GoneError(DeliveryError):
    """The place is not there any more, or closed to Weft."""


Closed = Literal["not_member", "rights", "locked", "archived", "filtered"]


class ClosedError(GoneError):
    """Weft may not write there."""

    def __init__(self, message: str = "", *, reason: Closed = "rights") -> None:
        super().__init__(message)
        self.reason: Closed = reason
        """`filtered`: a filter of the place's own, such as AutoMod, refuses the text."""


class TurnTimeoutError(WeftError):
    """The turn passed its deadline."""


def where(error: BaseException) -> str:
    """Return the type of an error and the lines it came through: never its words, which may quote a message."""
    frames = traceback.extract_tb(error.__traceback__)
    path = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-4:]))
    return f"{type(error).__name__} at {path}"
