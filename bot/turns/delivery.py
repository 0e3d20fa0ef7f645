"""How an answer reaches who asked: its messages, its files, and what is left where it may not be posted."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from adapters.contract import Adapter, Reply, Whispering
from agent.errors import Closed, ClosedError, DeliveryError, RateLimitedError, UnreachableError
from agent.language import say
from agent.text import section_path
from agent.types import IncomingMessage, Language, ProducedFile, Response

logger = logging.getLogger(__name__)

_CLOSED: dict[Closed, str] = {
    "not_member": "not_in_channel",
    "rights": "closed_rights",
    "locked": "closed_locked",
    "archived": "closed_archived",
    "filtered": "closed_filtered",
}


async def deliver(reply: Reply, response: Response) -> Response:
    """Deliver an answer and its files, and return it as it stands: files that are refused are named below it.

    Raises DeliveryError for an answer that is not taken, RateLimitedError and UnreachableError for a file too.
    """
    await reply.finish(response)
    refused = [file.name for file in response.files if not await _attach(reply, file)]
    if not refused:
        return response
    words = say("file_refused", response.language, names=", ".join(refused))
    response = replace(response, warnings=(*response.warnings, words))
    await reply.finish(response)
    return response


async def _attach(reply: Reply, file: ProducedFile) -> bool:
    """Bring a file to the asker; False when the platform does not take it."""
    try:
        await reply.attach(file)
    except (RateLimitedError, UnreachableError):
        raise
    except DeliveryError as error:
        logger.warning("A file was not taken: %s", error, extra={"action": "file_refused"})
        return False
    return True


async def both(telling: Coroutine[Any, Any, None], closing: Coroutine[Any, Any, None]) -> None:
    """Tell the asker and bring the list to its end; neither waits for the other. Raises what failed, telling first."""
    for outcome in await asyncio.gather(telling, closing, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome


async def whispered(adapter: Adapter, message: IncomingMessage, text: str) -> None:
    """Tell the author of a message something that nobody else sees; that it cannot be told is a warning."""
    if not isinstance(adapter, Whispering):
        return
    try:
        await adapter.whisper(message, text)
    except DeliveryError as error:
        about = {"action": "not_whispered", "turn_id": message.turn_id}
        logger.warning("Somebody could not be told something alone: %s", error, extra=about)


def told_alone(error: ClosedError, response: Response | None, language: Language) -> str:
    """Return what an asker is told where nobody else sees it: why nothing is answered in its place, and the answer."""
    told = [say(_CLOSED[error.reason], language)]
    if response is not None and response.answer:
        told.append(response.answer)
        sources = [f"[{each.n}] {section_path(f'{each.title} > {each.section}')}" for each in response.citations]
        if sources:
            told.append("\n".join([say("sources", language), *sources]))
    return "\n\n".join(told)
