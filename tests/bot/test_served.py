"""A server of one's own is asked which model it serves, where nobody has named one."""

import json
import logging

import pytest

from agent.errors import SettingsError
from bot.app import open_engine
from bot.models.endpoint import model_client
from bot.models.model_discovery import with_served_model
from bot.operator.asking import Asker, Console
from bot.processes.serve import try_models
from bot.settings import Settings
from tests.reasoning_model.capable import capable
from tests.servers.openai import OpenAIServer, Raw, refusal


def models(*names: object) -> Raw:
    body = {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": 0, "owned_by": "me"} for name in names],
    }
    return Raw(status=200, body=json.dumps(body).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
async def server(monkeypatch):
    monkeypatch.delenv("WEFT_MODEL", raising=False)
    async with OpenAIServer() as running:
        running.answer(capable)
        yield running


async def chosen(settings: Settings) -> Settings:
    async with model_client(settings) as client:
        return await with_served_model(settings, client)


def set_up(server: OpenAIServer, tmp_path, **given: object) -> Settings:
    return Settings.load(data=tmp_path, openai_base_url=server.url, **given)


@pytest.mark.parametrize(
    ("names", "model"),
    [
        (["qwen3:8b"], "qwen3:8b"),
        (["nomic-embed-text:latest", "bge-m3", "llama3.2:3b", "qwen3:8b"], "llama3.2:3b"),
        (["qwen3:8b", "gpt-4.1-mini"], "gpt-4.1-mini"),
        (["text-embedding-3-small"], "gpt-4.1-mini"),
        ([], "gpt-4.1-mini"),
        (["", None, 7], "gpt-4.1-mini"),
    ],
)
async def test_the_first_that_may_answer_is_taken(server, tmp_path, names, model):
    server.models = models(*names)
    assert (await chosen(set_up(server, tmp_path))).model == model


@pytest.mark.parametrize(
    "answer",
    [
        Raw(status=404, body=b"", headers={}),
        Raw(status=200, body=b"<html>Welcome</html>", headers={"Content-Type": "text/html"}),
        Raw(status=200, body=b'{"data": 3}', headers={"Content-Type": "application/json"}),
        Raw(status=200, body=b'{"data": null}', headers={"Content-Type": "application/json"}),
    ],
)
async def test_an_endpoint_without_a_list_changes_nothing(server, tmp_path, answer):
    server.models = answer
    assert (await chosen(set_up(server, tmp_path))).model == "gpt-4.1-mini"


async def test_an_endpoint_that_is_not_there_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_MODEL", raising=False)
    settings = Settings.load(data=tmp_path, openai_base_url="http://127.0.0.1:9/v1")
    assert (await chosen(settings)).model == "gpt-4.1-mini"


async def test_who_names_a_model_is_not_overruled(server, tmp_path, monkeypatch):
    server.models = models("qwen3:8b")
    assert (await chosen(set_up(server, tmp_path, model="mine"))).model == "mine"
    monkeypatch.setenv("WEFT_MODEL", "gpt-4.1-mini")
    assert (await chosen(set_up(server, tmp_path))).model == "gpt-4.1-mini"
    assert server.requests == []


async def test_a_question_is_asked_of_the_model_that_is_served(server, sampled, caplog):
    server.models = models("nomic-embed-text", "qwen3:8b", "llama3.2:3b")
    with caplog.at_level(logging.INFO):
        async with open_engine(set_up(server, sampled)) as engine:
            asked = Asker().message("How many days of annual leave do I get?", "")
            response = await Console(engine, quiet=True).ask(asked)
    assert response.warnings == () and response.citations
    assert {request.body["model"] for request in server.chats} == {"qwen3:8b"}
    assert [record.message for record in caplog.records if "WEFT_MODEL" in record.message] == [
        "No model is named: answering with qwen3:8b, the first of 2 that the endpoint serves. Set WEFT_MODEL to choose."
    ]


async def test_a_name_that_must_not_be_logged_is_none(server, tmp_path):
    server.models = models("evil\nname", "\x1b[31mred", "sk-very-secret-1", "x" * 300, "fine:8b")
    assert (await chosen(set_up(server, tmp_path, openai_api_key="sk-very-secret"))).model == "fine:8b"


async def test_a_key_that_is_none_forbids_no_name(server, tmp_path):
    server.models = models("mixtral:8x7b")
    assert (await chosen(set_up(server, tmp_path, openai_api_key="x"))).model == "mixtral:8x7b"


async def test_an_endless_list_costs_neither_memory_nor_the_start(server, tmp_path):
    server.models = Raw(status=200, body=b'{"data": [' + b'{"id": "x"},' * 5_000_000, headers={})
    assert (await chosen(set_up(server, tmp_path))).model == "gpt-4.1-mini"


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://127.0.0.1:99999/v1", "http://127.0.0.1:0/v1", "127.0.0.1:11434/v1", "ftp://host/v1"]
)
def test_what_is_no_address_is_said(tmp_path, url):
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL is no address"):
        model_client(Settings.load(data=tmp_path, openai_base_url=url))


async def test_a_key_from_a_file_may_end_in_a_line_break(server, tmp_path):
    server.key = "sk-very-secret"
    server.models = models("fine:8b")
    assert (await chosen(set_up(server, tmp_path, openai_api_key="sk-very-secret\n"))).model == "fine:8b"


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-열쇠"])
def test_what_is_no_key_is_said_and_not_shown(tmp_path, key):
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as raised:
        model_client(Settings.load(data=tmp_path, openai_api_key=key))
    assert "sk-" not in str(raised.value)


@pytest.mark.parametrize(
    ("status", "told"),
    [(401, "check OPENAI_API_KEY"), (404, "the name of the model in WEFT_MODEL"), (200, "")],
)
async def test_the_start_says_what_is_wrong_with_a_model(server, tmp_path, caplog, status, told):
    server.models = models("mine")
    server.answer({"ok": True} if status == 200 else refusal(status, "canary"))
    await try_models(set_up(server, tmp_path, model="mine"))
    lines = [record.getMessage() for record in caplog.records if record.name == "bot.processes.serve"]
    assert len(lines) == bool(told)
    assert all(told in line and "mine (WEFT_MODEL)" in line and "canary" not in line for line in lines)
