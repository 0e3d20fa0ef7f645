"""What is said where many workspaces are half set up, and that whole settings are taken."""

from contextlib import AsyncExitStack

import pytest

from adapters.slack.workspaces import SlackWorkspaces
from agent.errors import SettingsError
from bot.app import open_engine
from bot.doctor.settings import slack as checks
from bot.processes.platforms import open_platforms
from bot.settings import Settings

WHOLE = {"slack_client_id": "1.2", "slack_client_secret": "c", "slack_signing_secret": "a" * 32}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def settings(tmp_path, **more) -> Settings:
    names = {name.upper(): value for name, value in {**WHOLE, **more}.items() if value}
    return Settings.load(data=tmp_path / "data", **names)


async def test_whole_settings_make_an_adapter_of_many_workspaces(tmp_path, sampled) -> None:
    async with open_engine(settings(tmp_path)) as engine, open_platforms(engine, ["web", "worker"]) as platforms:
        assert isinstance(platforms.slack, SlackWorkspaces)
        paths = [route.path for route in platforms.slack.routes()]
        assert paths == ["/slack/events", "/slack/install", "/slack/oauth_redirect"]
    assert (tmp_path / "data" / "installations.db").stat().st_mode & 0o077 == 0
    assert [check.status for check in checks(settings(tmp_path))] == ["ok"]


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"slack_client_secret": ""}, "SLACK_CLIENT_SECRET"),
        ({"slack_client_id": ""}, "SLACK_CLIENT_ID"),
        ({"slack_signing_secret": ""}, "SLACK_SIGNING_SECRET"),
        ({"slack_bot_token": "xoxb-1"}, "SLACK_BOT_TOKEN"),
        ({"slack_app_token": "xapp-1"}, "SLACK_BOT_TOKEN"),
    ],
)
async def test_half_settings_are_refused_by_name(tmp_path, sampled, more, named) -> None:
    half = settings(tmp_path, **more)
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(open_engine(half))
        with pytest.raises(SettingsError, match=named):
            await stack.enter_async_context(open_platforms(engine, ["web"]))
    [check] = checks(half)
    assert check.status == "problem" and named in check.detail
