"""Discord's errors in our words: the one place where discord.py's exceptions are translated."""

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError

import aiohttp
import discord

from agent.errors import (
    Closed,
    ClosedError,
    DeliveryError,
    GoneError,
    RateLimitedError,
    SettingsError,
    TokenError,
    UnreachableError,
)

OLD_MESSAGE_EDITS = 30046
"""Too many edits of messages older than one hour."""
ARCHIVED = 50083
INVALID_FORM = 50035
"""A part of a message is too long or malformed."""
NO_MORE_FOLLOW_UPS = 40094
"""After five, where Weft was added by somebody for themselves."""
NO_HISTORY = 160002
"""A reply to a message, where Weft may not read the history."""
UNKNOWN_WEBHOOK = 10015
"""Also of an interaction that is not acknowledged yet, and for some seconds after."""
THREAD_EXISTS = 160004

# https://docs.discord.com/developers/topics/opcodes-and-status-codes
_GONE = {
    10003: "the channel is not there any more",
    10008: "the message is not there any more",
    50007: "the person takes no direct messages from Weft",
}
_CLOSED: dict[int, tuple[Closed, str]] = {
    50001: ("rights", "Weft cannot see the channel"),
    50013: ("rights", "Weft lacks a permission in the channel"),
    NO_HISTORY: ("rights", "Weft may not read the history of the channel"),
    ARCHIVED: ("archived", "the thread is archived"),
    160005: ("locked", "the thread is locked"),
    200000: ("filtered", "AutoMod refuses the text"),
    200001: ("filtered", "AutoMod refuses the title"),
    240000: ("filtered", "the message holds a link that this server blocks"),
}
_REFUSED = {
    20028: "the channel's write limit is reached",
    40005: "the file is too large for this server",
    50006: "the message is empty",
    INVALID_FORM: "a part of the message is too long or malformed",
}


@contextmanager
def translated() -> Iterator[None]:
    """Raise our errors for discord.py's; no message text gets into them."""
    try:
        yield
    except discord.LoginFailure as error:
        raise SettingsError(
            "Discord refuses DISCORD_TOKEN: copy the bot's token from the developer portal (Bot > Reset Token)."
        ) from error
    except discord.PrivilegedIntentsRequired as error:
        raise SettingsError(
            "Discord refuses the message content intent: switch on 'Message Content Intent' in the developer portal "
            "(page Bot), or set WEFT_DISCORD_MESSAGE_CONTENT=false (follow-ups then need a mention)."
        ) from error
    except discord.ConnectionClosed as error:
        if error.code == 4004:
            raise SettingsError("Discord refuses DISCORD_TOKEN: it was reset while Weft was running.") from error
        raise UnreachableError(f"Discord closed the gateway with code {error.code}.") from error
    except discord.RateLimited as error:
        raise RateLimitedError("Discord asks to wait.", retry_after=error.retry_after) from error
    except discord.HTTPException as error:
        raise _translation(error) from error
    except discord.DiscordException as error:
        raise DeliveryError(f"Discord could not be used: {type(error).__name__}.") from error
    except JSONDecodeError as error:  # a proxy's page in place of an answer
        raise UnreachableError("Discord's answer cannot be read.") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise UnreachableError(f"Discord could not be reached: {type(error).__name__}.") from error


def _translation(error: discord.HTTPException) -> DeliveryError:
    if error.status == 429:
        return RateLimitedError("Discord asks to wait.", retry_after=_retry_after(error))
    if error.status >= 500:
        return UnreachableError(f"Discord answers {error.status}.")
    if error.status == 401:
        return TokenError("Discord refuses DISCORD_TOKEN: copy the bot's token from the developer portal.")
    if error.code in _CLOSED or (error.status == 403 and error.code not in _GONE):
        reason, why = _CLOSED.get(error.code, ("rights", "the place is closed to Weft"))
        return ClosedError(f"Discord says that {why} ({error.code}).", reason=reason)
    if error.code in _GONE or error.status == 404:
        return GoneError(f"Discord says that {_GONE.get(error.code, 'the place is not there')} ({error.code}).")
    if error.code in _REFUSED:
        return DeliveryError(f"Discord says that {_REFUSED[error.code]} ({error.code}).")
    return DeliveryError(f"Discord refuses the request: status {error.status}, code {error.code}.")


def _retry_after(error: discord.HTTPException) -> float:
    try:
        return float(error.response.headers["Retry-After"])
    except (KeyError, ValueError):
        return 5.0
