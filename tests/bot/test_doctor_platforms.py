"""`weft doctor` asks the platforms, and changes nothing there."""

import json

import pytest

from adapters.discord.command import commands
from adapters.slack.probe import wanted_scopes
from tests.bot.test_doctor import data, weft  # noqa: F401 - a fixture
from tests.servers.discord import DiscordServer
from tests.servers.slack import SlackServer


async def found(code: int = 0) -> dict[str, dict[str, str]]:
    result = await weft("doctor", "--json")
    assert result.exit_code == code, result.output
    return {check["name"]: check for check in json.loads(result.stdout)["checks"]}


@pytest.fixture
async def slack(data, monkeypatch):  # noqa: F811
    async with SlackServer() as server:
        server.scopes = ",".join(wanted_scopes())
        monkeypatch.setenv("SLACK_API_BASE_URL", server.url)
        monkeypatch.setenv("SLACK_BOT_TOKEN", server.bot_token)
        monkeypatch.setenv("SLACK_APP_TOKEN", server.app_token)
        yield server


@pytest.fixture
async def discord(data, monkeypatch):  # noqa: F811
    async with DiscordServer() as server:
        monkeypatch.setenv("DISCORD_API_BASE_URL", server.api_url)
        monkeypatch.setenv("DISCORD_TOKEN", server.token)
        yield server


async def test_slack_is_asked_who_weft_is_and_what_it_may_do(slack):
    checks = await found()
    assert checks["Slack"]["detail"] == "connected as weft in the workspace Test, Socket Mode"
    assert checks["Slack scopes"]["detail"] == f"all {len(wanted_scopes())} of the manifest"
    assert checks["Slack socket"]["status"] == "ok"
    assert checks["Slack guests"]["status"] == "ok" and not slack.connections
    assert {call.method for call in slack.calls} == {"auth.test", "users.info", "apps.connections.open"}


async def test_without_people_everybody_is_said_to_count_as_a_guest(slack):
    slack.missing_scopes.add("users.info")
    checks = await found(1)
    assert checks["Slack guests"]["status"] == "problem" and "users:read" in checks["Slack guests"]["advice"]


async def test_scopes_that_are_missing_are_named(slack):
    slack.scopes = "chat:write, commands"
    checks = await found(1)
    assert checks["Slack scopes"]["status"] == "problem"
    assert "files:write" in checks["Slack scopes"]["detail"] and "chat:write" not in checks["Slack scopes"]["detail"]
    slack.scopes = ""
    assert (await found())["Slack scopes"]["status"] == "warning"


@pytest.mark.parametrize("code", ["invalid_auth", "token_revoked", "account_inactive", "token_expired"])
async def test_a_token_that_slack_refuses_is_a_problem(slack, code):
    slack.fail("auth.test", status=200, error=code)
    checks = await found(1)
    assert checks["Slack"]["status"] == "problem" and code in checks["Slack"]["detail"]
    assert "SLACK_BOT_TOKEN" in checks["Slack"]["advice"] and slack.bot_token not in json.dumps(checks)


async def test_an_app_token_that_slack_refuses_is_a_problem(slack, monkeypatch):
    monkeypatch.setenv("SLACK_APP_TOKEN", "xapp-old")
    checks = await found(1)
    assert checks["Slack"]["status"] == "ok" and checks["Slack socket"]["status"] == "problem"
    assert "connections:write" in checks["Slack socket"]["advice"]


async def test_slack_out_of_reach_is_a_warning(slack):
    slack.fail("auth.test", status=503)
    assert (await found())["Slack"]["status"] == "warning"


async def test_discord_is_asked_who_weft_is_and_what_it_may_do(discord):
    discord.commands = [{"id": "1", "application_id": discord.bot, **each} for each in commands()]
    checks = await found()
    assert checks["Discord"]["detail"] == "connected as weft in 1 server"
    link = f"client_id={discord.bot}&scope=bot+applications.commands&permissions=309237746688"
    assert link in checks["Discord"]["advice"]
    for name in ("Discord intents", "Discord permissions", "Discord commands"):
        assert checks[name]["status"] == "ok", checks[name]
    assert {request.method for request in discord.requests} == {"GET"}


async def test_what_weft_may_not_do_in_a_server_is_named(discord):
    discord.permissions = (1 << 10) | (1 << 11) | (1 << 16)
    checks = await found()
    told = checks["Discord permissions"]
    assert told["status"] == "warning" and f"Guild ({discord.guild_id})" in told["detail"]
    assert told["detail"].endswith("Send Messages in Threads, Create Public Threads, Attach Files")
    assert "permissions=309237746688" in told["advice"]
    assert checks["Discord commands"]["status"] == "warning"
    discord.permissions = 1 << 3  # an administrator may do everything
    assert (await found())["Discord permissions"]["status"] == "ok"


async def test_an_intent_that_is_off_is_a_problem_only_where_it_is_wanted(discord, monkeypatch):
    discord.application_flags = 0
    checks = await found(1)
    assert checks["Discord intents"]["status"] == "problem"
    monkeypatch.setenv("WEFT_DISCORD_MESSAGE_CONTENT", "false")
    assert (await found())["Discord intents"]["status"] == "ok"


async def test_a_token_that_discord_refuses_is_a_problem(discord, monkeypatch):
    monkeypatch.setenv("DISCORD_TOKEN", "old")
    checks = await found(1)
    assert checks["Discord"]["status"] == "problem" and "Discord refuses DISCORD_TOKEN" in checks["Discord"]["detail"]
