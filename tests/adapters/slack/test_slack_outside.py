"""Channels shared with another company, people from outside, other workspaces' events: the whole application."""

import asyncio
import json
import logging
import shutil

import pytest
import pytest_asyncio

from adapters.slack.outside import is_ours
from adapters.slack.parse import Identity
from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.ingest.run import ingest
from tests.servers.slack import SlackServer

ASKED = "How high is the salary of grade seven?"
SECRET, PUBLIC = "61,400", "seven o'clock"
ME = Identity(team_id="T1", user_id="UBOT", enterprise_id="E1")


class Room:
    """Channels with people of two companies; `endpoint` is None where Slack is heard over a socket."""

    def __init__(self, slack: SlackServer, engine, endpoint: str | None) -> None:
        self.slack, self.engine, self.endpoint = slack, engine, endpoint

    async def settled(self) -> None:
        async with asyncio.timeout(60):
            while (counts := await self.engine.inbox.counts())["todo"] or counts["doing"]:
                await asyncio.sleep(0.01)

    async def ask(self, text: str = ASKED, *, channel: str = "C1", envelope=None, **more) -> str:
        """Ask by a mention, or directly; return all that was shown of it to anybody."""
        text = text if channel.startswith("D") else f"<@{self.slack.bot_user}> {text}"
        said = self.slack.add(channel, more.pop("user", "U1"), text, more.pop("thread", None), **more)
        before = len(self.slack.calls)
        answer = await self.slack.event(self.endpoint, self.slack.event_of(channel, said), envelope=envelope)
        assert answer.status == 200
        await self.settled()
        return self.shown(before)

    def shown(self, before: int = 0) -> str:
        writing = ("chat.", "files.", "assistant.")
        made = [call for call in self.slack.calls[before:] if call.method.startswith(writing)]
        # What a colleague alone is shown of their own workspace is for nobody else.
        calls = [each.args for each in made if (each.method, each.args.get("user")) != ("chat.postEphemeral", "U1")]
        return json.dumps([calls, self.slack.responses], ensure_ascii=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def prepared(_sample, tmp_path_factory):
    """A data folder with a handbook for everyone, and the salaries for the own workspace alone."""
    folder = tmp_path_factory.mktemp("outside")
    shutil.copytree(_sample, folder / "data")
    for name, text in (("open", f"# Hours\n\nThe office opens at {PUBLIC}."), ("pay", f"# Pay\n\n{PAY}")):
        (folder / name).mkdir()
        (folder / name / f"{name}.md").write_text(text)
    async with open_engine(Settings.load(data=folder / "data")) as engine:
        await SqlAccess(engine.database).create("pay", {"workspace:slack:T1"})
        for name in ("open", "pay"):
            await ingest([folder / name], library=engine.library, collection=name)
    return folder / "data"


@pytest.fixture(params=["http", "socket"])
async def room(request, slack, make_adapter, serve, tmp_path, prepared):
    """Serve that handbook."""
    shutil.copytree(prepared, tmp_path / "data")
    slack.channels |= {"C1": True, "C2": True}
    slack.users |= {"U9": "Eve"}
    slack.teams["U9"] = "T9"
    over_socket = request.param == "socket"
    adapter = make_adapter(app_token=slack.app_token if over_socket else "", ping_interval=1.0)
    async with open_engine(Settings.load(data=tmp_path / "data")) as engine:
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        await adapter.connect()
        if over_socket:
            await slack.until(lambda: slack.sockets)
        else:
            adapter.bind(engine.conversation)
        working = asyncio.create_task(engine.worker([adapter]).run())
        yield Room(slack, engine, None if over_socket else await serve(adapter))
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)


PAY = f"The salary of grade seven is {SECRET} euros a year. The salary of grade eight is 70,000 euros a year."


async def test_among_colleagues_the_workspace_reads_its_own(room):
    assert SECRET in await room.ask()
    assert SECRET in await room.ask(channel="D1")


async def test_in_a_channel_shared_with_another_company_nothing_of_the_own_workspace_is_told(room):
    room.slack.shared_outside.add("C1")
    assert SECRET not in await room.ask()  # asked by a colleague: the others read along
    assert SECRET not in await room.ask(user="U9")
    assert PUBLIC in await room.ask("When does the office open?", user="U9")
    assert SECRET in await room.ask(channel="C2")


async def test_what_was_told_before_a_channel_was_shared_is_not_told_on(room):
    thread = (await room.slack.mention(room.endpoint, ASKED)).ts
    await room.settled()
    assert SECRET in room.shown()
    room.slack.shared_outside.add("C1")
    assert SECRET not in await room.ask("And that of grade seven again?", thread=thread)


async def test_a_person_from_outside_is_a_guest_wherever_they_write(room):
    assert SECRET not in await room.ask(channel="D9", user="U9")
    assert SECRET not in await room.ask(user="U9")
    assert SECRET not in await room.ask(user_team="T9")  # also where the workspace of the event is the own one
    assert SECRET not in await room.ask(source_team="E9")


@pytest.mark.parametrize("kind", ["is_restricted", "is_ultra_restricted", "is_stranger"])
async def test_a_guest_account_is_a_guest_directly_alone_and_in_the_answers_to_it(room, kind):
    room.slack.users["U3"], room.slack.guests["U3"] = "Gil", kind
    room.slack.channels["D3"] = True
    assert SECRET not in await room.ask(channel="D3", user="U3")
    assert SECRET not in await room.ask(user="U3")
    await room.slack.command(room.endpoint, f"private {ASKED}", user="U3")
    await room.settled()
    assert SECRET not in room.shown()
    assert SECRET in await room.ask()  # a colleague in the same channel
    assert SECRET not in json.dumps(room.slack.bot_messages("C1", room.slack.bot_messages("C1")[0]["thread_ts"]))


@pytest.mark.parametrize("trouble", [{"error": "missing_scope"}, {"status": 500}, {"status": 429, "retry_after": 1}])
async def test_who_slack_does_not_tell_counts_as_a_guest_and_the_log_says_so(room, trouble, caplog):
    room.slack.fail("users.info", times=9, **trouble)
    assert SECRET not in await room.ask(channel="D1")
    assert "counts as a guest" in caplog.text


async def test_a_person_is_asked_about_once_a_minute_and_never_for_what_people_say_to_each_other(room):
    for _ in range(3):
        assert SECRET in await room.ask()
    assert [call.args["user"] for call in room.slack.called("users.info")] == ["U1"]
    room.slack.users["U5"] = "Zed"
    await room.slack.message(room.endpoint, "lunch?", channel="C2", user="U5")
    await room.settled()
    assert [call.args["user"] for call in room.slack.called("users.info")] == ["U1"]


async def test_an_edit_by_a_person_from_outside_is_theirs(room):
    sent = await room.slack.mention(room.endpoint, "When does the office open?", user="U9")
    await room.settled()
    before = len(room.slack.calls)
    await room.slack.edit(room.endpoint, "C1", sent.ts, f"<@{room.slack.bot_user}> {ASKED}")
    await room.settled()
    assert len(room.slack.calls) > before and SECRET not in room.shown()


async def test_what_guests_may_read_is_read_in_a_shared_channel(room):
    access = SqlAccess(room.engine.database)
    await access.change_readers("pay", lambda _: frozenset({"group:guests"}))
    assert SECRET not in await room.ask()
    room.slack.shared_outside.add("C1")
    assert SECRET in await room.ask()


@pytest.mark.parametrize("trouble", [None, "missing_scope", "ratelimited"])
async def test_of_a_command_only_the_channel_tells_and_in_doubt_it_is_shared(room, trouble):
    if trouble:
        room.slack.fail("conversations.info", times=9, error=trouble)
    else:
        room.slack.shared_outside.add("C1")
    await room.slack.command(room.endpoint, ASKED)
    await room.settled()
    assert "salary of grade seven" in room.shown() and SECRET not in room.shown()


async def test_a_command_among_colleagues_is_answered_and_its_channel_asked_about_once(room):
    for _ in range(3):
        await room.slack.command(room.endpoint, ASKED, channel="C2")
    await room.settled()
    assert room.shown().count(SECRET) >= 3 and len(room.slack.called("conversations.info")) == 1


async def test_a_command_of_a_person_from_outside_is_theirs(room):
    org = {"team_id": "T1", "enterprise_id": "E1"}
    room.slack.shared_outside.add("C1")
    await room.slack.command(room.endpoint, ASKED, user="U9", **org)
    await room.settled()
    assert SECRET not in room.shown()


FOREIGN = {
    "team_id": "T9", "context_team_id": "T9",
    "authorizations": [{"team_id": "T9", "user_id": "UBOT", "is_bot": True, "is_enterprise_install": False}],
}  # fmt: skip
BARE = {"team_id": "T9", "context_team_id": None, "authorizations": None}


@pytest.mark.parametrize("envelope", [FOREIGN, BARE, {**FOREIGN, "team_id": "T1"}])
async def test_another_workspaces_events_are_acknowledged_logged_once_and_not_answered(room, envelope, caplog):
    with caplog.at_level(logging.WARNING, logger="adapters.slack"):
        for question in (ASKED, "When does the office open?"):
            assert json.loads(await room.ask(question, envelope=envelope)) == [[], []]
    told = [record for record in caplog.records if getattr(record, "action", "") == "slack_other_team"]
    assert len(told) == 1 and "office" not in caplog.text
    assert (await room.engine.inbox.counts()) == {key: 0 for key in await room.engine.inbox.counts()}


async def test_another_workspaces_commands_and_clicks_are_not_answered(room):
    sent = await room.slack.command(room.endpoint, ASKED, team_id="T9")
    assert sent.statuses == [200]
    actions = [{"type": "button", "action_id": "weft_choice_0", "value": ASKED}]
    message = {"ts": room.slack.next_ts(), "text": "Which?", "blocks": [{"type": "actions", "elements": actions}]}
    click = await room.slack.click(room.endpoint, message, 0, team={"id": "T9"})
    assert click.status == 200
    await room.settled()
    assert json.loads(room.shown()) == [[], []]


@pytest.mark.parametrize(
    ("body", "ours"),
    [
        ({"team_id": "T1"}, True),
        ({"team_id": "T9"}, False),
        ({}, True),
        ({"team_id": "T9", "authorizations": [{"team_id": "T1"}]}, True),  # written by somebody of T9
        ({"team_id": "T1", "authorizations": [{"team_id": "T9"}]}, False),
        ({"team_id": "T9", "context_team_id": "T1"}, True),
        ({"team": {"id": "T1"}, "user": {"team_id": "T9"}}, True),  # clicked by somebody of T9
        ({"team": {"id": "T9"}, "user": {"team_id": "T1"}}, False),
        ({"team": {"id": "T9"}, "user": {"team_id": "T9"}, "view": {"app_installed_team_id": "T1"}}, True),
        ({"team": {"id": "T1"}, "user": {"team_id": "T1"}, "view": {"app_installed_team_id": "T9"}}, False),
        ({"team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": True}, True),
        ({"team": None, "enterprise": {"id": "E9"}, "is_enterprise_install": True}, False),
        ({"team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": False}, False),
        ({"team_id": "T2", "enterprise_id": "E1", "is_enterprise_install": "true"}, True),
        ({"team_id": "T2", "enterprise_id": "E1"}, False),
        ({"authorizations": [None], "team_id": "T1"}, False),
        ({"authorizations": "T1", "team_id": ["T1"]}, False),
    ],
)
def test_whose_event_it_is(body, ours):
    assert is_ours(body, ME) is ours


def test_without_an_organization_none_is_the_own():
    alone = Identity(team_id="T1", user_id="UBOT")
    assert not is_ours({"team": None, "enterprise": None, "is_enterprise_install": True}, alone)
    assert not is_ours({"team": None, "enterprise": {"id": ""}, "is_enterprise_install": True}, alone)
