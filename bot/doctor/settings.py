"""`weft doctor`, everything but the data folder: settings, pack, model, embedding, platforms, clock."""

import asyncio
import os
import re
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from adapters.services.medcat import MedCat
from adapters.services.tavily import wrong_address
from agent.context import usable_seconds
from agent.errors import ConceptsError, WeftError
from agent.language.registry import DEFAULT
from agent.packs.load import load_pack, load_packs
from agent.packs.pack import Limits, PackModels
from bot.app import pack_folder
from bot.doctor import models
from bot.doctor.check import Check, failed, fine, problem, warning
from bot.doctor.models import SECONDS, Patience, Wanted
from bot.models.embedders import open_embedders
from bot.models.model_discovery import with_served_model
from bot.models.reasoners import model_cast
from bot.settings import TOML, Settings
from bot.variables import unknown

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_OFFICIAL = "https://slack.com/api/"
_TAVILY = "https://api.tavily.com"
_SIGNING_SECRET = re.compile(r"[0-9a-f]{32}")
_DISCORD_TOKEN = re.compile(r"[\w-]{18,}\.[\w-]{5,}\.[\w-]{20,}")
_EARLIEST = datetime(2026, 1, 1).timestamp()
"""No clock that is right is before it."""


def settings_files(settings: Settings) -> Iterator[Check]:
    """Tell where the settings come from."""
    found = [name for name in (TOML, ".env") if Path(name).is_file()]
    detail = f"from {', '.join([*found, 'the environment'])}"
    secret = Path(".env")
    if secret.is_file() and secret.stat().st_mode & 0o077:
        yield warning("settings", f"{detail}; other users of this machine may read .env", "run `chmod 600 .env`")
    else:
        yield fine("settings", detail)
    for line in unknown(Settings):
        yield warning("settings", line, "correct its name; another program's may stay")


def packs(folders: Sequence[Path]) -> Iterator[Check]:
    """Tell whether the packs are valid."""
    for loaded in load_packs(folders):
        yield fine("pack", f"{loaded.name}: {loaded.title.of(DEFAULT)}")


async def model(settings: Settings, client: "AsyncOpenAI | None") -> Sequence[Check]:
    """Tell whether the models that may be asked answer, by asking each for a few words; that costs some tokens."""
    if client is None:
        advice = "set OPENAI_API_KEY to add one"
        return [fine("model", "none: answers are taken from the documents word for word", advice)]
    chosen = await with_served_model(settings, client)
    served = "model" not in chosen.model_fields_set and chosen.model != Settings.model_fields["model"].default
    place = "the endpoint's own, since WEFT_MODEL is not set" if served else "WEFT_MODEL"
    try:
        pack = await asyncio.to_thread(load_pack, pack_folder(settings.packs[0]))
        asked, limits = pack.models, pack.limits
    except (WeftError, OSError):  # told by the check of the pack
        asked, limits = PackModels(), Limits()
    patience = Patience(turn=limits.deadline_seconds, left=usable_seconds(limits), call=settings.model_timeout)
    return await models.models(client, _wanted(chosen, asked, place), _host(settings.openai_base_url), patience)


def _wanted(settings: Settings, pack_models: PackModels, place: str) -> dict[str, Wanted]:
    """Return the models that may be asked, by name: those of the settings, where the pack has no others, and channels'.

    The one that writes the answers comes first. `place`: where the model of the settings is set.
    """
    cast = model_cast(settings)
    usual = cast.roles(pack_models)
    large = "pack.yaml" if pack_models.large else place
    small = "pack.yaml" if pack_models.small else "WEFT_SMALL_MODEL" if settings.small_model else large
    found = [(usual["large"], large), (usual["small"], small)]
    for channel, wish in settings.channel_models.items():
        roles = cast.roles(pack_models, wish)
        table = f'{TOML} [channel_models."{channel}"]'
        found += [(roles[role], table) for role, name in (("large", wish.large), ("small", wish.small)) if name]
    wanted: dict[str, Wanted] = {}
    for served, named in found:
        wanted.setdefault(served.name, Wanted(served=served)).places.append(named)
    return wanted


async def embedding(settings: Settings, client: "AsyncOpenAI | None") -> tuple[Sequence[Check], str]:
    """Tell whether texts can be embedded, by embedding two words; returns the embedding's name too, if there is one."""
    name = "embedding"
    if not settings.embedding_model:
        advice = "`make local` and WEFT_EMBEDDING_MODEL=local search by meaning too, on this machine and at no cost"
        return [fine(name, "none: the search goes by words", advice)], ""
    try:
        async with open_embedders(settings, client, cached=False) as embedders:
            if embedders is None:
                advice = "set OPENAI_API_KEY or OPENAI_BASE_URL, or name a folder"
                return [problem(name, f"no endpoint for {settings.embedding_model}", advice)], ""
            known = embedders.passages.name
            where = "on this machine" if embedders.local else f"at {_host(settings.openai_base_url)}"
            try:
                async with asyncio.timeout(None if embedders.local else SECONDS):
                    size = (await embedders.questions.embed(["weft doctor"])).shape[1]
            except TimeoutError:
                return [problem(name, f"{known} {where} does not answer in time", "look at the endpoint")], known
            except WeftError as error:
                return [problem(name, str(error), "searches go by words until then")], known
    except WeftError as error:
        return [failed(name, error)], ""
    return [fine(name, f"{known} {where}, {size} dimensions")], known


def web(settings: Settings) -> Iterator[Check]:
    """Tell whether the web is searched; nothing is asked of it, since every search is paid for."""
    name = "web search"
    key = settings.tavily_api_key.get_secret_value()
    if not key:
        yield fine(name, "off: answers come from the documents alone", "set TAVILY_API_KEY to add it")
        return
    if why := wrong_address(settings.tavily_base_url):
        yield problem(name, why, "check TAVILY_BASE_URL")
    elif settings.tavily_base_url.rstrip("/") == _TAVILY and not key.startswith("tvly-"):
        yield warning(name, "TAVILY_API_KEY does not begin with tvly-", "copy it from app.tavily.com")
    else:
        yield fine(name, f"on, at {_host(settings.tavily_base_url)}; it is not asked now, a search costs")


async def medical_names(settings: Settings) -> list[Check]:
    """Tell whether MedCAT reads what messages name, by loading its model pack; nothing where none is set."""
    if settings.medcat_model is None:
        return []
    name = "MedCAT"
    try:
        await MedCat.open(settings.medcat_model.expanduser())
    except ConceptsError as error:
        return [problem(name, str(error), "check WEFT_MEDCAT_MODEL; `weft serve` does not start until then")]
    return [fine(name, f"reads names by {settings.medcat_model}")]


def slack(settings: Settings) -> Iterator[Check]:
    """Tell what is set for Slack; nothing is asked of it."""
    bot, app, signing = (
        each.get_secret_value()
        for each in (settings.slack_bot_token, settings.slack_app_token, settings.slack_signing_secret)
    )
    name = "Slack"
    if settings.slack_client_id or settings.slack_client_secret.get_secret_value():
        yield from _slack_workspaces(settings)
        return
    if not (bot or app or signing):
        yield fine(name, "not set up")
        return
    ours = settings.slack_api_base_url == _OFFICIAL
    wrong = [
        f"{variable} {why}"
        for variable, value, why in (
            ("SLACK_BOT_TOKEN", bot, "is missing" if not bot else "does not begin with xoxb-"),
            ("SLACK_APP_TOKEN", app, "does not begin with xapp-"),
            ("SLACK_SIGNING_SECRET", signing, "is not 32 hexadecimal digits"),
        )
        if (not value and variable == "SLACK_BOT_TOKEN") or (value and ours and not _looks_right(variable, value))
    ]
    if not (app or signing):
        wrong.append("SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are missing, and one of them is needed")
    if wrong:
        yield problem(name, "; ".join(wrong), "copy them from the app's pages at api.slack.com/apps")
    else:
        yield fine(name, f"bot token, {'Socket Mode' if app else 'HTTP events'}")


def _slack_workspaces(settings: Settings) -> Iterator[Check]:
    values = {
        "SLACK_CLIENT_ID": settings.slack_client_id,
        "SLACK_CLIENT_SECRET": settings.slack_client_secret.get_secret_value(),
        "SLACK_SIGNING_SECRET": settings.slack_signing_secret.get_secret_value(),
    }
    missing = [variable for variable, value in values.items() if not value]
    if missing:
        yield problem("Slack", f"{', '.join(missing)} missing", "copy them from the app's page Basic Information")
    elif settings.slack_bot_token.get_secret_value() or settings.slack_app_token.get_secret_value():
        yield problem(
            "Slack", "SLACK_CLIENT_ID is for many workspaces, SLACK_BOT_TOKEN for one", "leave out either of them"
        )
    else:
        yield fine("Slack", "many workspaces, which install Weft at /slack/install, HTTP events")


def discord(settings: Settings) -> Iterator[Check]:
    """Tell what is set for Discord; nothing is asked of it."""
    token = settings.discord_token.get_secret_value()
    if not token:
        yield fine("Discord", "not set up")
    elif not settings.discord_api_base_url and not _DISCORD_TOKEN.fullmatch(token):
        detail = "DISCORD_TOKEN is not three parts with full stops between them"
        yield problem("Discord", detail, "copy it from the application's page Bot in the developer portal")
    else:
        yield fine("Discord", "token is set")


def clock() -> Iterator[Check]:
    """Tell whether clock and time zone make sense."""
    now, zone = time.time(), os.environ.get("TZ", "")
    shown = datetime.fromtimestamp(now).astimezone()
    detail = f"{shown:%Y-%m-%d %H:%M %z}, zone {zone or shown.tzname()}"
    if now < _EARLIEST:
        yield problem("clock", detail, "set this machine's clock: platforms refuse messages of another time")
        return
    try:
        ZoneInfo(zone.removeprefix(":") or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        if not re.fullmatch(r"[A-Za-z]{3,}[+-]?\d.*|/.*", zone):  # POSIX's own way of writing one
            yield warning("clock", f"there is no time zone {zone!r}, so it is UTC", "set TZ to a name like Asia/Seoul")
            return
    yield fine("clock", detail)


def _looks_right(variable: str, value: str) -> bool:
    if variable == "SLACK_SIGNING_SECRET":
        return bool(_SIGNING_SECRET.fullmatch(value))
    return value.startswith("xoxb-" if variable == "SLACK_BOT_TOKEN" else "xapp-") and value == "".join(value.split())


def _host(base_url: str) -> str:
    """Return the part of a URL that holds no secret."""
    try:
        parts = urlsplit(base_url or "https://api.openai.com")
        return f"{parts.hostname or base_url}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        return "the address in OPENAI_BASE_URL"
