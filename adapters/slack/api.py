"""Calls to Slack: one base URL, patience with limits and outages, and its errors in our words."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from agent.errors import (
    Closed,
    ClosedError,
    DeliveryError,
    GoneError,
    RateLimitedError,
    TokenError,
    UnreachableError,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

GONE = frozenset(
    """cant_delete_message cant_update_message edit_window_closed file_deleted file_not_found message_not_found
    thread_not_found user_disabled user_not_found""".split()
)
"""Slack's words for a message or person that is not there any more, or not for Weft to change."""

CLOSED: dict[str, Closed] = {
    "channel_not_found": "not_member",
    "not_in_channel": "not_member",
    "user_not_in_channel": "not_member",
    "is_archived": "archived",
    "is_inactive": "archived",
    "restricted_action_thread_locked": "locked",
    "thread_locked": "locked",
    "cannot_reply_to_message": "rights",
    "channel_type_not_supported": "rights",
    "messages_tab_disabled": "rights",
    "posting_to_channel_denied": "rights",
    "restricted_action": "rights",
    "restricted_action_non_threadable_channel": "rights",
    "restricted_action_read_only_channel": "rights",
    "restricted_action_thread_only_channel": "rights",
}
"""Slack's words for a place that is there, and why Weft may not write to it."""

BAD_TOKEN = frozenset(
    """account_inactive invalid_auth no_permission not_allowed_token_type not_authed org_login_required
    team_access_not_granted token_expired token_revoked two_factor_setup_required""".split()
)
BAD_BLOCKS = frozenset(("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"))
NO_STREAMS = frozenset(
    """feature_not_enabled method_deprecated missing_scope not_allowed_token_type unknown_method
    team_not_supported""".split()
)
"""Slack's words for a workspace in which nothing is streamed."""
ENDED = "message_not_in_streaming_state"
"""Its word for a stream that it has ended, after some five minutes."""
_NO_STREAM = frozenset(("channel_type_not_supported", "message_not_found", ENDED, "stopped_by_user"))
"""Its words for a stream that is over, or a place that has none; messages may be posted there all the same."""
LIMITED = frozenset(("message_limit_exceeded", "rate_limited", "ratelimited"))
OUTAGES = frozenset(("fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"))

_TRIES = 6
_LONGEST_WAIT = 600.0  # seconds that one call waits for rate limits, before the turn is tried again later
_TIMEOUT = aiohttp.ClientTimeout(total=30.0, connect=10.0)


class BlocksRefusedError(DeliveryError):
    """Slack does not take the blocks of this message."""


class StreamRefusedError(DeliveryError):
    """Slack takes no stream here, or nothing more for one."""

    def __init__(self, message: str, *, everywhere: bool = False, ended: bool = False) -> None:
        super().__init__(message)
        self.everywhere = everywhere
        """Whether this is so in the whole workspace."""
        self.ended = ended
        """Whether Slack has ended the stream by itself, so that another one may go on from it."""


class StreamingError(DeliveryError):
    """The message is still being streamed: it is to be stopped before it is changed otherwise."""


class EditClosedError(GoneError):
    """This workspace does not let messages be edited (any more)."""


@contextmanager
def slack_errors(method: str) -> Iterator[None]:
    """Raise what goes wrong in a call to Slack as one of our errors."""
    try:
        yield
    except SlackApiError as error:
        raise _translated(method, error) from error
    except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
        raise UnreachableError(f"Slack could not be reached for {method} ({type(error).__name__}).") from error


def _translated(method: str, error: SlackApiError) -> DeliveryError:
    response: Any = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 404 and not code:  # how a Slack of another flavour may say so
        code = "unknown_method"
    told = f"Slack refused {method}: {code or f'status {status}'}."
    if status == 429 or code in LIMITED:
        return RateLimitedError(told, retry_after=_retry_after(getattr(response, "headers", None) or {}))
    if code == "streaming_state_conflict":
        return StreamingError(told)
    if method.endswith("Stream") and code in NO_STREAMS | _NO_STREAM:
        return StreamRefusedError(told, everywhere=code in NO_STREAMS, ended=code == ENDED)
    if code == "edit_window_closed":
        return EditClosedError(told)
    if code in GONE:
        return GoneError(told)
    if code in CLOSED:
        return ClosedError(told, reason=CLOSED[code])
    if code in BAD_BLOCKS:
        return BlocksRefusedError(told)
    if code in BAD_TOKEN or (code == "missing_scope" and method.startswith("chat.")):  # it is installed anew for both
        return TokenError(told)
    if status >= 500 or code in OUTAGES or not code:
        return UnreachableError(told)
    if method.endswith("Stream"):
        return StreamRefusedError(told)
    return DeliveryError(told)


def _retry_after(headers: Any) -> float:
    try:
        return max(0.0, float(headers.get("Retry-After", 1)))
    except (TypeError, ValueError):
        return 1.0


async def patiently(
    attempt: Callable[[], Awaitable[T]],
    *,
    pause: float,
    look: Callable[[], Awaitable[T | None]] | None = None,
) -> T:
    """Try until Slack takes it: wait as it tells, and go on after an outage, longer each time.

    After an outage nobody knows whether the last attempt worked: `look`, patient itself, finds what it left.
    """
    waited, tries = 0.0, 0
    while True:
        try:
            return await attempt()
        except RateLimitedError as limit:
            waited += limit.retry_after
            if waited > _LONGEST_WAIT:
                raise
            await asyncio.sleep(limit.retry_after)
        except TokenError:  # it is not given another one within seconds
            raise
        except UnreachableError:
            tries += 1
            if tries >= _TRIES:
                raise
            await asyncio.sleep(pause * 2 ** (tries - 1))
            if look is not None and (done := await look()) is not None:
                return done


def make_client(token: str, base_url: str) -> AsyncWebClient:
    """Return a client that leaves retrying to us: a blind one would post a message twice."""
    client = AsyncWebClient(token=token, base_url=base_url, retry_handlers=[], logger=quiet_logger())
    if _is_loopback(base_url):
        client.proxy = None  # the SDK sends even loopback calls to the proxy of the environment
    return client


def open_session() -> aiohttp.ClientSession:
    """Return the session that all calls share."""
    return aiohttp.ClientSession(timeout=_TIMEOUT)


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


class _Discreet(logging.Filter):
    """Keeps addresses with tickets in them, and stack traces, out of what the SDK logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = re.sub(r"\b\w+://\S+", "(address)", record.getMessage())[:300], None
        record.exc_info = record.exc_text = None
        return True


def quiet_logger() -> logging.Logger:
    """Return the logger of Slack's libraries; below warnings they print whole messages and requests."""
    logger = logging.getLogger("adapters.slack.sdk")
    logger.setLevel(logging.WARNING)
    if not logger.filters:
        logger.addFilter(_Discreet())
    return logger


def bolt_logger() -> logging.Logger:
    """Return the logger of bolt, which prints bodies even in its warnings."""
    logger = logging.getLogger("adapters.slack.bolt")
    logger.setLevel(logging.ERROR)
    if not logger.filters:
        logger.addFilter(_Discreet())
    return logger
