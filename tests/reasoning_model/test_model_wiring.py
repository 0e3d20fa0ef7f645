"""From the settings to the request: which endpoint, which model, which limits."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.errors import PackError, SettingsError
from agent.language import say
from agent.packs.load import load_pack
from agent.packs.pack import Pack, PackModels
from bot.models.endpoint import model_client
from bot.models.reasoners import reasoners
from bot.settings import Settings
from storage.database import Database
from storage.schema import WEFT
from storage.usage import SqlUsage
from tests.reasoning_model.making import PACK, brief, message
from tests.reasoning_model.test_model_usage import USAGE, request
from tests.servers.openai import OpenAIServer, obliging


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "weft.db", WEFT)
    yield database
    await database.close()


async def asked(settings: Settings, pack: Pack, database: Database, *channels: str) -> list[str]:
    """Return the notices of a question in each channel."""
    told: list[str] = []
    client = model_client(settings)
    async with client, reasoners(settings, client, pack, database) as for_turn:
        for channel in channels:
            reasoner = for_turn(request(channel=channel), told.append)
            await reasoner.understand(message("When does the library close?"))
            assert [sentence async for sentence in reasoner.compose(brief())]
    return told


async def test_a_channel_may_have_other_models(server: OpenAIServer, database: Database, tmp_path: Path) -> None:
    server.answer(obliging)
    (tmp_path / "weft.toml").write_text(
        f"""
        openai_base_url = "{server.url}"
        model = "usual"
        small_model = "little"
        temperature = 0.3
        model_seed = 5
        [channel_models."slack:T1:C2"]
        large = "special"
        temperature = 0.9
        """
    )
    pack = PACK.model_copy(update={"models": PackModels(small="pack-small")})
    assert await asked(Settings.load(), pack, database, "C1", "C2") == []
    sent = [(chat.body["model"], chat.body["temperature"], chat.body["seed"]) for chat in server.chats]
    assert sent == [("pack-small", 0.3, 5), ("usual", 0.3, 5), ("pack-small", 0.9, 5), ("special", 0.9, 5)]


async def test_calls_are_counted_with_their_prices_and_stopped_at_a_limit(
    server: OpenAIServer, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer(obliging)
    server.usage = USAGE
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("WEFT_MODELS", json.dumps({"gpt-4.1-mini": {"price_in": 10, "price_out": 30}}))
    monkeypatch.setenv("WEFT_LIMIT_CHANNEL_COST", "0.003")
    settings = Settings.load()
    told = await asked(settings, PACK, database, "C1", "C1", "C2")
    assert len(server.chats) == 4  # two questions cost 0.0032; the second of C1 is answered by the rules
    (notice,) = told
    assert notice.partition("20")[0] == say("budget_channel", "en", until="20").partition("20")[0]
    sums = {each.name: each for each in await SqlUsage(database).sums("2020-01-01", "channel")}
    assert sums["slack:T1:C1"].cost == pytest.approx(0.0032)
    assert (sums["slack:T1:C1"].calls, sums["slack:T1:C1"].fallbacks) == (2, 2)


@pytest.mark.parametrize("path", ["", "/", "/openai/deployments/blue"])
async def test_azure_is_asked_in_its_own_way(server: OpenAIServer, database: Database, path: str) -> None:
    server.answer(obliging)
    server.key = "azure-key"
    server.formats = {"json_object"}
    base = server.url.removesuffix("/v1") + path
    settings = Settings.load(
        openai_base_url=base, openai_api_key="azure-key", openai_api_version="2024-10-21", model="blue"
    )
    assert await asked(settings, PACK, database, "C1") == []
    assert {chat.path for chat in server.chats} == {"/openai/deployments/blue/chat/completions"}


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('usage_zone = "Mars/Olympus"', "Mars/Olympus"),
        ("limit_day_cost = -1", "limit_day_cost"),
        ("[models.m]\nprice = 1", "models.m.price"),
        ("[channel_models.c]\ntemperature = 3", "channel_models.c.temperature"),
        ("context_tokens = 10", "context_tokens"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, toml: str, words: str) -> None:
    (tmp_path / "weft.toml").write_text(toml)
    with pytest.raises(SettingsError, match=words):
        Settings.load()


def test_a_pack_may_name_its_models(tmp_path: Path) -> None:
    text = "name: mine\ntitle: {en: Mine, ko: 우리}\ndescription: {en: Ours, ko: 우리}\nmodels:\n  large: big\n"
    (tmp_path / "pack.yaml").write_text(text)
    assert load_pack(tmp_path).models == PackModels(large="big")
    (tmp_path / "pack.yaml").write_text(text + "  huge: x\n")
    with pytest.raises(PackError, match="huge"):
        load_pack(tmp_path)
