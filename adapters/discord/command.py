"""The /ask command: what it looks like, and telling Discord of it only when that changed."""

import logging
from typing import Any

import discord
from discord.http import Route

from adapters.discord.errors import translated
from agent.language import say

logger = logging.getLogger(__name__)

ASK = "ask"
QUESTION = "question"
PRIVATE = "private"
_OPTION_LIMIT = 6000
"""Characters; the most that Discord takes for an option."""


def commands() -> list[dict[str, Any]]:
    """Return the commands as Discord's API wants them."""
    return [
        {
            "name": ASK,
            "type": discord.AppCommandType.chat_input.value,
            "description": say("ask_command", "en"),
            "description_localizations": {"ko": say("ask_command", "ko")},
            "contexts": [0, 1],  # servers, and direct messages with the bot
            "integration_types": [0],
            "options": [
                {
                    "name": QUESTION,
                    "type": discord.AppCommandOptionType.string.value,
                    "description": say("ask_option", "en"),
                    "description_localizations": {"ko": say("ask_option", "ko")},
                    "required": True,
                    "max_length": _OPTION_LIMIT,
                },
                {
                    "name": PRIVATE,
                    "type": discord.AppCommandOptionType.boolean.value,
                    "description": say("ask_alone_option", "en"),
                    "description_localizations": {"ko": say("ask_alone_option", "ko")},
                },
            ],
        }
    ]


async def sync(client: discord.Client) -> None:
    """Register the commands unless Discord has exactly these; it takes few changes a day."""
    with translated():
        if await is_registered(client):
            return
        route = Route("PUT", "/applications/{application_id}/commands", application_id=client.application_id)
        await client.http.request(route, json=commands())
    logger.info("The commands were registered with Discord.", extra={"action": "commands_registered"})


async def is_registered(client: discord.Client) -> bool:
    """Tell whether Discord has exactly these commands."""
    wanted = commands()
    route = Route("GET", "/applications/{application_id}/commands", application_id=client.application_id)
    found = await client.http.request(route, params={"with_localizations": "true"})
    return len(found) == len(wanted) and all(map(_covers, found, wanted))


def _covers(found: Any, wanted: Any) -> bool:
    """Tell whether what Discord returns says all that we want; it adds ids and defaults of its own."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(_covers(found.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(_covers, found, wanted))
    return bool(found == wanted)


def question_of(interaction: discord.Interaction) -> str | None:
    """Return the question of an /ask; None for any other interaction."""
    data: Any = interaction.data or {}
    if interaction.type is not discord.InteractionType.application_command or data.get("name") != ASK:
        return None
    return next((str(option["value"]) for option in data.get("options", ()) if option["name"] == QUESTION), "")


def asks_alone(interaction: discord.Interaction) -> bool:
    """Tell whether the asker of an /ask alone shall see its answer."""
    data: Any = interaction.data or {}
    return any(option["name"] == PRIVATE and option["value"] is True for option in data.get("options", ()))
