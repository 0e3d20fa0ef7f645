"""The commands: what they look like, telling Discord of them when that changed, and what somebody gave with one."""

import logging
from collections.abc import Iterator
from typing import Any

import discord
from discord.http import Route

from adapters.desk import Order
from adapters.discord.errors import translated
from agent.language import say
from agent.language.registry import DEFAULT, languages
from agent.types import Attachment, ChannelMode

logger = logging.getLogger(__name__)

ASK = "ask"
QUESTION = "question"
PRIVATE = "private"
FILE = "file"
WEFT = "weft"
CHANNEL = "weft-channel"
MODE, PACK = "mode", "pack"
_OPTION_LIMIT = 6000
"""Characters; the most that Discord takes for an option."""
SUGGESTIONS = 25
"""Choices that Discord shows while an option is written, of at most `SUGGESTION` characters."""
SUGGESTION = 100

Json = dict[str, Any]
_CHAT, _MESSAGE_MENU = discord.AppCommandType.chat_input.value, discord.AppCommandType.message.value
_SUBCOMMAND, _STRING, _BOOLEAN, _FILE = 1, 3, 5, 11
_EVERYWHERE = {"contexts": [0, 1, 2], "integration_types": [0, 1]}
"""In servers, direct messages with Weft, and those of others; added to a server, or by somebody for themselves."""


def commands() -> list[Json]:
    """Return the commands as Discord's API wants them."""
    return [
        {
            "name": ASK,
            "type": _CHAT,
            **_described("ask_command"),
            **_EVERYWHERE,
            "options": [
                {
                    "name": QUESTION,
                    "type": _STRING,
                    **_described("ask_option"),
                    "required": True,
                    "max_length": _OPTION_LIMIT,
                    "autocomplete": True,
                },
                {"name": PRIVATE, "type": _BOOLEAN, **_described("ask_alone_option")},
                {"name": FILE, "type": _FILE, **_described("ask_file_option")},
            ],
        },
        {
            "name": WEFT,
            "type": _CHAT,
            **_described("weft_command"),
            **_EVERYWHERE,
            "options": [
                {"name": order.value, "type": _SUBCOMMAND, **_described(f"weft_{order.value}")} for order in Order
            ],
        },
        {
            "name": CHANNEL,
            "type": _CHAT,
            **_described("weft_channel_command"),
            "contexts": [0],
            "integration_types": [0],
            "default_member_permissions": str(discord.Permissions(manage_channels=True).value),
            "options": [
                {
                    "name": MODE,
                    "type": _STRING,
                    **_described("weft_mode_option"),
                    "choices": [{"name": mode.value, "value": mode.value} for mode in ChannelMode],
                },
                {"name": PACK, "type": _STRING, **_described("weft_pack_option"), "autocomplete": True},
            ],
        },
        {"name": say("ask_about_menu", DEFAULT), "type": _MESSAGE_MENU, **_named("ask_about_menu"), **_EVERYWHERE},
    ]


def _described(key: str) -> Json:
    """Return a description in the default language, and in those of the others that Discord has."""
    return {"description": say(key, DEFAULT), "description_localizations": _in_others(key)}


def _named(key: str) -> Json:
    return {"name_localizations": _in_others(key)}


def _in_others(key: str) -> dict[str, str]:
    known = {locale.value for locale in discord.Locale}
    return {code: say(key, code) for code in languages() if code != DEFAULT and code in known}


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
    wanted = {each["name"]: each for each in commands()}
    route = Route("GET", "/applications/{application_id}/commands", application_id=client.application_id)
    found = {each["name"]: each for each in await client.http.request(route, params={"with_localizations": "true"})}
    return found.keys() == wanted.keys() and all(_covers(found[name], each) for name, each in wanted.items())


def _covers(found: Any, wanted: Any) -> bool:
    """Tell whether what Discord returns says all that we want; it adds ids and defaults of its own."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(_covers(found.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(_covers, found, wanted))
    return bool(found == wanted)


def data_of(interaction: discord.Interaction) -> Json:
    """Return what came with an interaction."""
    data: Any = interaction.data or {}
    return dict(data)


def option(data: Json, name: str) -> Any:
    """Return what somebody gave for an option, also of a subcommand; None where nothing."""
    return next((each["value"] for each in _options(data) if each["name"] == name and "value" in each), None)


def subcommand(data: Json) -> str:
    """Return the name of the subcommand."""
    return next((str(each["name"]) for each in data.get("options") or () if each["type"] == _SUBCOMMAND), "")


def written(data: Json) -> str:
    """Return what stands in the option that is being written."""
    return next((str(each.get("value", "")) for each in _options(data) if each.get("focused")), "")


def attached(data: Json) -> tuple[Attachment, ...]:
    """Return the files that were given with a command."""
    found = (data.get("resolved") or {}).get("attachments") or {}
    files = [
        found[str(each["value"])] for each in _options(data) if each["type"] == _FILE and str(each["value"]) in found
    ]
    return tuple(
        Attachment(
            id=str(file["id"]),
            name=str(file["filename"]),
            media_type=str(file.get("content_type") or ""),
            size=int(file.get("size") or 0),
            url=str(file["url"]),
        )
        for file in files
    )


def target(data: Json) -> Json | None:
    """Return the message that a command of its menu is about, as Discord sends it along."""
    if data.get("type") != _MESSAGE_MENU:
        return None
    found: Json | None = ((data.get("resolved") or {}).get("messages") or {}).get(str(data.get("target_id")))
    return found


def _options(data: Json) -> Iterator[Json]:
    for each in data.get("options") or ():
        yield each
        yield from _options(each)
