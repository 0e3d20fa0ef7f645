"""Which model an endpoint serves, where nobody has named one: a server of one's own rarely has OpenAI's."""

import asyncio
import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

logger = logging.getLogger(__name__)

SECONDS = 2.0
"""How long the start waits for the list."""
_NAME = re.compile(r"[\w./:@+-]{1,200}")
"""What is taken for a model's name: it ends up in the log."""
_SECRET = 12
"""Characters from which a key is one, and no "x" or "ollama" that a library wanted."""
_NO_CHAT = re.compile(r"embed|rerank|\bbge\b|\be5\b|\bgte\b|whisper|\btts\b|dall-e|moderation|guard", re.IGNORECASE)
"""Names of models that do not answer questions."""


async def with_served_model(settings: Settings, client: "AsyncOpenAI | None") -> Settings:
    """Return the settings with a model that the endpoint serves, where an address is set and `model` is not.

    The first of its list that may answer questions is taken, and the log says so; where there is no such list,
    the settings stay as they are.
    """
    named = "model" in settings.model_fields_set
    if client is None or named or not settings.openai_base_url or settings.openai_api_version:
        return settings
    served = [name for name in await listed(client, SECONDS) if not _NO_CHAT.search(name)]
    if not served or settings.model in served:
        return settings
    logger.warning(
        "No model is named: answering with %s, %s. Set WEFT_MODEL to choose.",
        served[0],
        f"the first of {len(served)} that the endpoint serves" if len(served) > 1 else "which the endpoint serves",
        extra={"action": "model_chosen"},
    )
    chosen = settings.model_copy(update={"model": served[0]})
    chosen.model_fields_set.discard("model")  # nobody set it
    return chosen


async def listed(client: "AsyncOpenAI", seconds: float) -> Sequence[str]:
    """Return the models that an endpoint lists, in its order; none where it keeps no list that could be read."""
    import openai

    if isinstance(client, openai.AsyncAzureOpenAI):  # it lists what could be deployed, not what is
        return ()
    try:
        async with asyncio.timeout(seconds):
            answer = await client.with_options(max_retries=0, timeout=seconds).models.list()
        names = [each.id for each in answer.data or () if isinstance(each.id, str)]
    except (openai.OpenAIError, TimeoutError, ValueError, TypeError, AttributeError, RecursionError):
        return ()
    key = client.api_key
    return [name for name in names if _NAME.fullmatch(name) and not (len(key) >= _SECRET and key in name)]
