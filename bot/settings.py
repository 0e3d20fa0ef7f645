"""One settings tree: defaults < `weft.toml` < environment (and `.env`). Read once, by `bot.cli`.

Secrets come from the environment or `.env` only; a secret in `weft.toml` is refused.
"""

import os
from difflib import get_close_matches
from importlib.resources.abc import Traversable
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as PydanticSettingsError

from agent.errors import SettingsError
from agent.values.timetable import zone_of
from bot.variables import NO_TABLE, place, wrong

TOML = "weft.toml"
_EMPTY = SecretStr("")


def _own(name: str) -> Any:
    """Name a setting as its platform does; `WEFT_` before it works too."""
    return AliasChoices(name, f"WEFT_{name}", name.lower())


class ModelSettings(BaseModel):
    """What is known of a model. Prices are of a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    context_tokens: Annotated[int, Field(ge=1024, le=10_000_000)] | None = None
    price_in: Annotated[float, Field(ge=0)] = 0.0
    price_out: Annotated[float, Field(ge=0)] = 0.0
    price_cached: Annotated[float, Field(ge=0)] | None = None
    """Of input that the endpoint knew already; unset: as any input."""


class ChannelModels(BaseModel):
    """The models of one channel, where they differ from the pack's and from the rest of the settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    small: str = ""
    large: str = ""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class Settings(BaseSettings):
    """What an operator can choose."""

    model_config = SettingsConfigDict(
        env_prefix="WEFT_", env_file=".env", toml_file=TOML, extra="ignore", frozen=True, validate_default=True
    )

    # --- where and what
    data: Path = Field(default_factory=lambda: usual_data())
    """The folder that holds all state."""
    database_url: SecretStr = _EMPTY
    """PostgreSQL, for several processes on several machines: postgresql://USER:PASSWORD@HOST:5432/DATABASE."""
    pack: str = "handbook"
    """A pack that ships with Weft, or the path of a folder with a `pack.yaml`; several with commas between them, of
    which the first is in force wherever `weft channels` says nothing else."""

    # --- turns
    concurrency: Annotated[int, Field(ge=1, le=256)] = 8
    """Turns that one process works on at once; those whose answer only waits for its platform do not count."""
    lease_seconds: Annotated[float, Field(ge=2, le=600)] = 30.0
    """How long after a crash a message waits until it is taken up again."""
    shutdown_seconds: Annotated[float, Field(ge=0, le=600)] = 8.0
    """How long turns under way may take when Weft is told to stop; the others wait for the next start."""
    burst_seconds: Annotated[float, Field(ge=0.5, le=30)] = 4.0
    """The pause after which a question is complete, where a channel takes lines typed one after the other as one."""
    rate_user: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Questions of one person that are taken within `rate_seconds`; 0: no limit, here and below. The others wait."""
    rate_channel: Annotated[int, Field(ge=0, le=100_000)] = 0
    """The same of one channel."""
    rate_seconds: Annotated[float, Field(ge=1, le=3600)] = 60.0
    question_limit: Annotated[int, Field(ge=100, le=1_000_000)] = 8000
    """Characters of one question."""
    keep_days: Annotated[int, Field(ge=1, le=3650)] = 30
    """How long an idle conversation, and the words of an answered message, are kept."""

    # --- the calendar
    zone: str = "UTC"
    """The time zone of what is planned, where neither the channel nor who asks tells another: such as Asia/Seoul."""
    channel_zones: dict[str, str] = {}
    """Time zones of single channels, by `slack:T1:C1`."""
    schedule_minutes: Annotated[int, Field(ge=1, le=10_080)] = 60
    """How long a standing question that people set must pause, at least."""

    # --- URLs that are ingested
    fetch_private: bool = False
    """Whether addresses of a private network may be fetched from."""
    fetch_bytes: Annotated[int, Field(ge=1_000, le=10_000_000_000)] = 100_000_000
    """How large a page or file may be."""
    fetch_seconds: Annotated[float, Field(gt=0, le=3_600)] = 60.0
    """How long fetching one may take."""

    # --- search on the web
    tavily_api_key: SecretStr = Field(default=_EMPTY, validation_alias=_own("TAVILY_API_KEY"))
    """With it, what the documents do not answer may be looked up on the web."""
    tavily_base_url: str = Field(default="https://api.tavily.com", validation_alias=_own("TAVILY_BASE_URL"))
    web_search_seconds: Annotated[float, Field(gt=0, le=120)] = 10.0
    """How long looking something up may take."""

    # --- names of a terminology
    medcat_model: Path | None = None
    """The folder or ZIP of a MedCAT model pack, which reads what messages name; needs the extra `medcat`."""

    # --- files that come with a question
    attachment_bytes: Annotated[int, Field(ge=1_000, le=1_000_000_000)] = 50_000_000
    """How large one may be."""
    attachments_most: Annotated[int, Field(ge=0, le=20)] = 5
    """How many of one message are read."""

    # --- the web server
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    token: SecretStr = _EMPTY
    """Needed to use the playground from other machines."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Further names that the playground may be reached by, with commas between them."""
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Addresses or networks of reverse proxies on other machines, whose `X-Forwarded-For` is believed."""

    # --- Slack
    slack_bot_token: SecretStr = Field(default=_EMPTY, validation_alias=_own("SLACK_BOT_TOKEN"))
    slack_app_token: SecretStr = Field(default=_EMPTY, validation_alias=_own("SLACK_APP_TOKEN"))
    """With it, Slack is heard over Socket Mode; without it over HTTP events."""
    slack_signing_secret: SecretStr = Field(default=_EMPTY, validation_alias=_own("SLACK_SIGNING_SECRET"))
    slack_client_id: str = Field(default="", validation_alias=_own("SLACK_CLIENT_ID"))
    """With it and the client secret, many workspaces install Weft by themselves, at `/slack/install`."""
    slack_client_secret: SecretStr = Field(default=_EMPTY, validation_alias=_own("SLACK_CLIENT_SECRET"))
    slack_api_base_url: str = Field(default="https://slack.com/api/", validation_alias=_own("SLACK_API_BASE_URL"))
    slack_mentions_only: bool = False
    """Whether Slack's channels are in the mode `mentions` where `weft channels` says nothing else."""

    # --- Discord
    discord_token: SecretStr = Field(default=_EMPTY, validation_alias=_own("DISCORD_TOKEN"))
    discord_api_base_url: str = Field(default="", validation_alias=_own("DISCORD_API_BASE_URL"))
    discord_gateway_url: str = Field(default="", validation_alias=_own("DISCORD_GATEWAY_URL"))
    discord_message_content: bool = True
    """Needs the privileged intent; without it only mentions, DMs and commands are heard."""
    discord_catch_up_hours: Annotated[float, Field(ge=0, le=720)] = 24.0
    """How old a question may be that was asked while nobody listened, and is answered all the same; 0: none is."""
    discord_shards: str = ""
    """How many connections are held (`4`), which of how many (`0-1/4`), or `auto`; empty: one."""

    # --- the model
    openai_api_key: SecretStr = Field(default=_EMPTY, validation_alias=_own("OPENAI_API_KEY"))
    openai_base_url: str = Field(default="", validation_alias=_own("OPENAI_BASE_URL"))
    model: str = "gpt-4.1-mini"
    small_model: str = ""
    """For routing and checks; empty: the same as `model`."""
    openai_api_version: str = Field(default="", validation_alias=_own("OPENAI_API_VERSION"))
    """Of Azure's API; with it `model` names a deployment."""
    model_timeout: Annotated[float, Field(gt=0, le=600)] | None = None
    """Seconds for one call; for a streamed answer, for a silence. Unset: 30, more for a slow model."""
    model_stream_timeout: Annotated[float, Field(gt=0, le=3600)] | None = None
    """Seconds for a streamed answer as a whole. Unset: as long as the turn has."""
    model_concurrency: Annotated[int, Field(ge=1, le=1000)] = 16
    """Calls that the endpoint gets at once."""
    model_queue_seconds: Annotated[float, Field(gt=0, le=600)] = 10.0
    """How long a call waits for its turn, until the answer is made without it."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    model_seed: int | None = None
    """For answers that can be repeated, where the endpoint knows seeds."""
    answer_tokens: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """The most that one call may write; 0: as much as it needs, by its kind."""
    context_tokens: Annotated[int, Field(ge=1024, le=10_000_000)] = 16_384
    """What a model holds, prompt and answer together, where `models` does not say."""
    models: dict[str, ModelSettings] = {}
    """Context and prices of single models, by name."""
    channel_models: dict[str, ChannelModels] = {}
    """Other models for single channels, by `slack:T1:C1`."""
    limit_turn_tokens: Annotated[int, Field(ge=0)] = 0
    """What one question may use of the model, in and out; 0: no limit, here and below."""
    limit_turn_cost: Annotated[float, Field(ge=0)] = 0.0
    """In the currency of the prices, here and below."""
    limit_user_tokens: Annotated[int, Field(ge=0)] = 0
    """What one person may use in a day."""
    limit_user_cost: Annotated[float, Field(ge=0)] = 0.0
    limit_channel_tokens: Annotated[int, Field(ge=0)] = 0
    """What one channel may use in a day."""
    limit_channel_cost: Annotated[float, Field(ge=0)] = 0.0
    limit_day_tokens: Annotated[int, Field(ge=0)] = 0
    """What everybody may use in a day."""
    limit_day_cost: Annotated[float, Field(ge=0)] = 0.0
    usage_zone: str = "UTC"
    """The time zone in which days begin, for limits and for `weft usage`: a name such as Asia/Seoul."""
    embedding_model: str = ""
    """`local`: the one that the extra `local` brings; else a name that the endpoint knows, or the folder of a model on
    this machine. Empty: search goes by words alone."""
    embedding_query_model: str = ""
    """For questions, where an endpoint has another model for them; empty: the same."""
    embedding_query_prefix: Annotated[str, Field(max_length=80)] | None = None
    """What is put before a question, as some models want it; unset: what the model's folder says."""
    embedding_document_prefix: Annotated[str, Field(max_length=80)] | None = None
    """What is put before a passage. Another one asks for `weft reindex`, as another model does."""
    embedding_dimensions: Annotated[int, Field(ge=1, le=65_536)] | None = None
    """Asked of the endpoint; unset: as many as it gives."""
    embedding_price: Annotated[float, Field(ge=0)] = 0.0
    """Of a million tokens, so that costs can be told."""
    embedding_cache_bytes: Annotated[int, Field(ge=1_000_000)] = 2_000_000_000
    """How large the file of vectors that were paid for may grow."""

    @field_validator("data", mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        if value == "":
            raise ValueError("is empty: name a folder, or leave it out")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(str(ip_network(each, strict=False)) for each in value)
        except ValueError as error:
            raise ValueError(f"{error}: write an address like 10.0.0.5, or a network like 10.0.0.0/24") from None

    @field_validator("allowed_hosts", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(name for name in (part.strip(" []\"'") for part in value.split(",")) if name)
        return value

    @field_validator("usage_zone", "zone")
    @classmethod
    def _zone(cls, value: str) -> str:
        return zone_of(value).key

    @field_validator("channel_zones")
    @classmethod
    def _zones(cls, value: dict[str, str]) -> dict[str, str]:
        return {channel: zone_of(zone).key for channel, zone in value.items()}

    @property
    def packs(self) -> tuple[str, ...]:
        """The names or folders of all packs, the usual one first."""
        return tuple(dict.fromkeys(name.strip() for name in self.pack.split(",") if name.strip())) or (self.pack,)

    @property
    def model_configured(self) -> bool:
        """Tell whether there is a model to ask."""
        return bool(self.openai_api_key.get_secret_value() or self.openai_base_url)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put what the command line says first, then the environment, then the files."""
        return init_settings, env_settings, dotenv_settings, _Toml(settings_cls)

    @classmethod
    def load(cls, **given: object) -> Self:
        """Read the settings. Raises SettingsError, which names each value that is wrong, and says what it may be."""
        named = {name: value for name, value in given.items() if value is not None}
        try:
            return cls(**named)  # type: ignore[arg-type]
        except ValidationError as error:
            raise SettingsError(f"settings: {'; '.join(wrong(error, cls, named))}") from None
        except PydanticSettingsError as error:  # of JSON that is none; its words quote the field
            field = next(name for name in cls.model_fields if f'"{name}"' in str(error))
            raise SettingsError(f"settings: {place(cls, field)}: {NO_TABLE}") from None
        except UnicodeDecodeError:
            raise SettingsError("settings: .env is no text in UTF-8") from None


def usual_data() -> Path:
    """Return the data folder of this user: the one place where it is kept, or `./weft-data` where there is one already.

    The place is that of the XDG Base Directory Specification, which wants a relative `XDG_DATA_HOME` ignored.
    """
    here = Path("weft-data")
    if here.is_dir():
        return here
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        return (named if named.is_absolute() else Path.home() / ".local" / "share") / "weft"
    except RuntimeError:  # nobody's home
        return here


class _Toml(TomlConfigSettingsSource):
    """`weft.toml`, with a clear word about a key that does not belong there."""

    def _read_file(self, path: Path | Traversable) -> dict[str, Any]:
        try:
            values = dict(super()._read_file(path))
        except (OSError, ValueError) as error:
            raise SettingsError(f"{path} cannot be read: {error}") from error
        fields = Settings.model_fields
        for key in values:
            if key not in fields:
                near = get_close_matches(key, fields, n=1)
                meant = f": did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(fields))}"
                raise SettingsError(f"{path}: there is no setting {key!r}{meant}")
            if fields[key].annotation is SecretStr:
                raise SettingsError(f"{path}: {key} is a secret: set it in the environment or in .env instead")
        return values
