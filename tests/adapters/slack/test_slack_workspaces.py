"""Many workspaces and orgs: installed by OAuth, heard, answered, renewed, uninstalled; Slack and store as they are."""

import json
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from slack_sdk.oauth.installation_store.models.installation import Installation

from adapters.contract import Managed, Readable, Surveying, Whispering, Zoned
from adapters.handing import Handing
from adapters.sharing import Sharing
from adapters.slack.adapter import SlackAdapter
from adapters.slack.installations import BoltInstallations, States
from adapters.slack.workspaces import LOOK_AGAIN, SlackWorkspaces
from agent.errors import TokenError, UnreadableError
from agent.language import say
from agent.types import Author, IncomingMessage, MessageKind, ThreadKey
from storage.installations import FILE, SqlInstallations
from tests.adapters.slack.test_slack_native import response
from tests.clock import pass_time
from tests.contracts.installations import InstallationsContract
from tests.fakes_deliveries import MemoryDeliveries


class MemoryInstallations:
    """Fits the port."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.states: dict[str, float] = {}

    async def put(self, enterprise, team, data):
        self.kept[enterprise, team] = data

    async def get(self, enterprise, team):
        return self.kept.get((enterprise, team))

    async def remove(self, enterprise, team):
        return self.kept.pop((enterprise, team), None) is not None

    async def all(self):
        return sorted(self.kept)

    async def put_state(self, state, *, until):
        self.states = {each: end for each, end in self.states.items() if end >= until - 3600.0} | {state: until}

    async def take_state(self, state):
        return self.states.pop(state, None)


class TestMemoryInstallations(InstallationsContract):
    @pytest.fixture
    def store(self):
        return MemoryInstallations()


@pytest.fixture
async def store(tmp_path):
    store = await SqlInstallations.open(tmp_path / FILE)
    yield store
    await store.close()


@pytest.fixture
async def fleet(slack, store, intake):
    fleet = SlackWorkspaces(
        installations=store, client_id="1.2", client_secret="client-secret", signing_secret=slack.signing_secret,
        api_base_url=slack.url, authorize_url=f"{slack.root}/authorize", retry_pause=0.01,
    )  # fmt: skip
    fleet.bind(intake)
    yield fleet
    await fleet.close()


@pytest.fixture
async def endpoint(fleet, serve):
    return await serve(fleet)


def granted(team: str, token: str, **more) -> dict:
    where = {"id": team, "name": f"Team {team}"} if team else None
    return {"access_token": token, "scope": "chat:write", "team": where, **more}


async def install(slack, endpoint, grant: dict, code: str = "c0de") -> int:
    """Install as a browser does: to Slack, and back with a code."""
    slack.grants[code] = grant
    return await back_with(slack, endpoint, await begun(slack, endpoint), code)


async def begun(slack, endpoint) -> str:
    """Begin to install, as a browser does, and return the mark that Slack is to bring back."""
    async with slack.http.get(endpoint.removesuffix("/slack/events") + "/slack/install") as page:
        text = await page.text()
    link = next(part for part in text.replace("&amp;", "&").split('"') if part.startswith(f"{slack.root}/authorize"))
    asked = parse_qs(urlsplit(link).query)
    assert "chat:write" in asked["scope"][0].split(",")
    return asked["state"][0]


async def back_with(slack, endpoint, state: str, code: str = "c0de") -> int:
    """Come back from Slack with a code, and return what is answered."""
    redirect = endpoint.removesuffix("/slack/events") + "/slack/oauth_redirect"
    cookies = {"slack-app-oauth-state": state}
    async with slack.http.get(redirect, params={"code": code, "state": state}, cookies=cookies) as page:
        return page.status


def event_of(slack, team: str, text: str = "a question", **more) -> tuple[dict, dict]:
    message = slack.add("C1", "U1", f"<@{slack.bot_user}> {text}", team=team)
    event = {**slack.event_of("C1", message), "type": "app_mention"}
    authorization = {"team_id": team, "enterprise_id": more.get("enterprise_id"), "is_enterprise_install": False}
    envelope = {"team_id": team, "context_team_id": team, "authorizations": [authorization], **more}
    return event, envelope


async def test_two_workspaces_are_heard_and_answered_each_with_its_own_token(slack, fleet, endpoint, intake) -> None:
    for team in ("T1", "T2"):
        assert await install(slack, endpoint, granted(team, f"xoxb-{team}")) == 200
        event, envelope = event_of(slack, team)
        assert (await slack.event(endpoint, event, envelope=envelope)).status == 200
    first, second = intake.messages
    assert [each.key.workspace_id for each in (first, second)] == ["T1", "T2"]
    slack.calls.clear()
    await fleet.reply(second, MemoryDeliveries()).finish(response("One. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["One. [1]"] and slack._as == "xoxb-T2"


async def test_what_is_not_signed_reaches_no_workspace(slack, endpoint, intake) -> None:
    assert await install(slack, endpoint, granted("T1", "xoxb-T1")) == 200
    event, envelope = event_of(slack, "T1")
    for signature in ("wrong", "stale", "none", "undated"):
        answer = await slack.event(endpoint, event, envelope=envelope, signature=signature)
        assert answer.status == 401
    assert intake.messages == []


async def test_a_workspace_without_weft_is_acknowledged_and_not_answered(slack, endpoint, intake) -> None:
    event, envelope = event_of(slack, "T9")
    assert (await slack.event(endpoint, event, envelope=envelope)).status == 200
    assert intake.messages == []


@pytest.mark.parametrize("query", [{"error": "access_denied"}, {"code": "c0de", "state": "forged"}, {}])
async def test_an_installation_that_was_not_begun_here_is_refused(slack, store, endpoint, query) -> None:
    slack.grants["c0de"] = granted("T1", "xoxb-T1")
    base = endpoint.removesuffix("/slack/events")
    async with slack.http.get(f"{base}/slack/oauth_redirect", params=query) as page:
        assert "xoxb" not in await page.text()
    assert await store.all() == [] and not slack.called("oauth.v2.access")


async def test_an_org_wide_installation_answers_in_each_workspace_of_the_org(slack, fleet, endpoint, intake) -> None:
    grant = granted("", "xoxb-org", is_enterprise_install=True, enterprise={"id": "E1", "name": "Org"})
    assert await install(slack, endpoint, grant) == 200
    event, envelope = event_of(slack, "T5", enterprise_id="E1")
    envelope["authorizations"][0]["is_enterprise_install"] = True
    assert (await slack.event(endpoint, event, envelope=envelope)).status == 200
    [asked] = intake.messages
    assert asked.key.workspace_id == "T5"
    await fleet.reply(asked, MemoryDeliveries()).finish(response("One. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["One. [1]"] and slack._as == "xoxb-org"


async def test_a_token_is_renewed_before_it_ends_and_used_from_then_on(slack, store, fleet, endpoint) -> None:
    grant = granted("T1", "xoxe.xoxb-old", refresh_token="refresh-1", expires_in=60)
    assert await install(slack, endpoint, grant) == 200
    slack.grants["refresh-1"] = granted("T1", "xoxe.xoxb-new", refresh_token="refresh-2", expires_in=43_200)
    message = asked_in("T1", slack)
    await fleet.reply(message, MemoryDeliveries()).finish(response("One. [1]"))
    assert slack._as == "xoxe.xoxb-new"
    kept = json.loads(await store.get("", "T1"))
    assert (kept["bot_token"], kept["bot_refresh_token"]) == ("xoxe.xoxb-new", "refresh-2")
    assert Installation(**kept).bot_token_expires_at > time.time() + 40_000


async def test_where_another_process_was_faster_its_token_counts(slack, store, fleet, endpoint) -> None:
    grant = granted("T1", "xoxe.xoxb-old", refresh_token="used-up", expires_in=60)
    assert await install(slack, endpoint, grant) == 200  # refreshing is refused: the token is used as it is
    await fleet.reply(asked_in("T1", slack), MemoryDeliveries()).finish(response("One. [1]"))
    assert slack._as == "xoxe.xoxb-old"
    kept = json.loads(await store.get("", "T1"))
    slack.installs["xoxe.xoxb-theirs"] = {"team_id": "T1"}
    far = int(time.time()) + 43_200
    await store.put("", "T1", json.dumps(kept | {"bot_token": "xoxe.xoxb-theirs", "bot_token_expires_at": far}))
    pass_time(LOOK_AGAIN + 1)
    await fleet.reply(asked_in("T1", slack), MemoryDeliveries()).finish(response("Two. [1]"))
    assert slack._as == "xoxe.xoxb-theirs"


@pytest.mark.parametrize("kind", ["app_uninstalled", "tokens_revoked"])
async def test_who_uninstalls_is_forgotten_and_what_waits_waits_for_the_next_installation(
    slack, store, fleet, endpoint, intake, kind
) -> None:
    assert await install(slack, endpoint, granted("T1", "xoxb-T1")) == 200
    event, envelope = event_of(slack, "T1")
    await slack.event(endpoint, event, envelope=envelope)
    [waiting] = intake.messages
    reply = fleet.reply(waiting, MemoryDeliveries())
    del slack.installs["xoxb-T1"]  # in the middle of the turn
    about = {"type": kind, **({"tokens": {"bot": ["U0WEFT"]}} if kind == "tokens_revoked" else {})}
    assert (await slack.event(endpoint, about, envelope=envelope)).status == 200
    assert await store.all() == []
    with pytest.raises(TokenError):
        await reply.finish(response("One. [1]"))
    with pytest.raises(UnreadableError):
        await fleet.around(waiting, most=10)
    assert await install(slack, endpoint, granted("T1", "xoxb-again")) == 200
    await fleet.reply(waiting, MemoryDeliveries()).finish(response("One. [1]"))
    assert [m["text"] for m in slack.bot_messages("C1")] == ["One. [1]"]


async def test_people_s_own_tokens_that_are_revoked_change_nothing(slack, store, endpoint) -> None:
    assert await install(slack, endpoint, granted("T1", "xoxb-T1")) == 200
    _, envelope = event_of(slack, "T1")
    await slack.event(endpoint, {"type": "tokens_revoked", "tokens": {"oauth": ["U1"]}}, envelope=envelope)
    assert await store.all() == [("", "T1")]


async def test_slack_checks_the_address_before_anybody_has_installed_weft(slack, endpoint) -> None:
    body = json.dumps({"type": "url_verification", "challenge": "abc", "token": "t"})
    answer = await slack.post(endpoint, body)
    assert (answer.status, answer.body) == (200, "abc")
    assert (await slack.post(endpoint, "no json at all")).status == 200


async def test_events_that_slack_leaves_out_are_told_to_the_operator(slack, endpoint, caplog) -> None:
    assert await install(slack, endpoint, granted("T1", "xoxb-T1")) == 200
    body = {"type": "app_rate_limited", "team_id": "T1", "minute_rate_limited": 1_518_467_820, "api_app_id": "A1"}
    assert (await slack.post(endpoint, json.dumps(body))).status == 200
    assert [r.action for r in caplog.records if getattr(r, "action", "") == "slack_events_left_out"]


async def test_a_state_is_good_once_and_for_ten_minutes() -> None:
    now = 0.0
    states = States(MemoryInstallations(), clock=lambda: now)
    state, late = await states.async_issue(), await states.async_issue()
    assert await states.async_consume(state) and not await states.async_consume(state)
    now = 601.0
    assert not await states.async_consume(late)


async def test_an_installation_begun_at_one_process_is_ended_at_another_and_once(
    slack, store, fleet, endpoint, intake, serve, tmp_path
) -> None:
    also = await SqlInstallations.open(tmp_path / FILE)
    other = SlackWorkspaces(
        installations=also, client_id="1.2", client_secret="client-secret", signing_secret=slack.signing_secret,
        api_base_url=slack.url, authorize_url=f"{slack.root}/authorize", retry_pause=0.01,
    )  # fmt: skip
    elsewhere = await serve(other)
    slack.grants["c0de"] = granted("T1", "xoxb-T1")
    state = await begun(slack, endpoint)
    assert [await back_with(slack, where, state) for where in (elsewhere, endpoint)] == [200, 401]
    assert await store.all() == [("", "T1")] and len(slack.called("oauth.v2.access")) == 1
    await other.close()
    await also.close()


async def test_while_nothing_can_be_stored_the_installation_says_to_come_again(slack, store, endpoint, caplog) -> None:
    state = await begun(slack, endpoint)
    await store.close()
    assert await back_with(slack, endpoint, state) == 503
    async with slack.http.get(endpoint.removesuffix("/slack/events") + "/slack/install") as page:
        text = await page.text()
    assert page.status == 503 and say("slack_not_installed", "ko") in text and say("slack_not_installed", "en") in text
    assert state not in caplog.text


async def test_no_token_reaches_the_log(slack, store, endpoint, caplog) -> None:
    caplog.set_level(0)
    assert await install(slack, endpoint, granted("T1", "xoxb-T1-secret", refresh_token="xoxe-1-secret")) == 200
    await BoltInstallations(store).async_delete_all(enterprise_id="", team_id="T1")
    assert "secret" not in "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("aiohttp"))


def asked_in(team: str, slack) -> IncomingMessage:
    ts = slack.add("C1", "U1", "a question")["ts"]
    return IncomingMessage(
        key=ThreadKey(platform="slack", workspace_id=team, channel_id="C1", thread_id=ts), event_id=f"e{ts}",
        message_id=ts, author=Author(id="U1"), text="a question", kind=MessageKind.MENTION, received_at=float(ts),
    )  # fmt: skip


@pytest.mark.parametrize("able", [Handing, Managed, Readable, Sharing, Surveying, Whispering, Zoned])
async def test_many_workspaces_are_served_with_all_that_one_is(fleet, able):
    one = SlackAdapter(bot_token="xoxb-1")
    assert isinstance(one, able) and isinstance(fleet, able)


async def test_a_place_that_is_shared_by_now_is_known_in_every_workspace(slack, fleet, endpoint):
    await install(slack, endpoint, granted("T7", slack.bot_token))
    slack.channels["C2"] = True
    slack.shared_outside.add("C2")
    for channel, guests in (("C1", False), ("C2", True)):
        key = ThreadKey(platform="slack", workspace_id="T7", channel_id=channel, thread_id="1.0")
        asked = IncomingMessage(
            key=key, event_id="e", message_id="m", author=Author(id="U1"), text="?", kind=MessageKind.SCHEDULED,
            received_at=1.0,
        )  # fmt: skip
        assert (await fleet.surveyed(asked)).guests is guests
