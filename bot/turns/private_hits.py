"""How much more an asker would find alone than in a room: a number for the asker, never for the room."""

from dataclasses import replace

from agent.ports import Passages
from agent.retrieval.search import KnowledgeBase
from agent.types import IncomingMessage, SearchRequest
from bot.audience import Memberships, audience_of

COUNTED = 20
"""Passages that are counted at most."""


async def beyond(
    message: IncomingMessage,
    request: SearchRequest,
    *,
    knowledge: KnowledgeBase,
    passages: Passages,
    memberships: Memberships,
) -> int:
    """Return how many of the best passages the asker may read, and not all who read along.

    Even the number would tell the room something: it is for the asker's eyes alone.
    """
    if message.private or not message.author.id:
        return 0
    alone = await audience_of(replace(message, private=True), memberships)
    found = [hit.passage.id for hit in (await knowledge.search(replace(request, k=COUNTED), alone)).hits]
    return len(found) - len(await passages.get(found, audience=await audience_of(message, memberships)))
