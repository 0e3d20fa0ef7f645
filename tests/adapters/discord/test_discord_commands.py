"""Commands on Discord: /ask with suggestions and a file, /weft, /weft-channel, the menu of a message."""

import asyncio

import pytest

from adapters.desk import Order, Remembered
from agent.errors import StorageError
from agent.language import say
from agent.types import ChannelMode, MessageKind, Preferences
from bot.app import open_engine
from bot.settings import Settings
from storage.access import SqlAccess
from storage.contracts import Place
from storage.ingest.run import ingest
from tests.servers.discord import EPHEMERAL, TOKEN_SECONDS

ASKED, SECRET = "how high is the salary of grade seven?", "61,400"
MANAGE_CHANNELS = 1 << 4


class ToldDesk:
    """Tells what it was asked, after `gate`."""

    def __init__(self) -> None:
        self.asked = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken = False
        self.preferences = Preferences(length="short")

    def prompts(self, language):
        return (
            ["How many days of leave do I get?", "How do I reset my password?", "x" * 101] if language == "en" else []
        )

    async def carry_out(self, order, asker):
        self.asked.append((order, asker))
        await self.gate.wait()
        if self.broken:
            raise StorageError("the disk is full of secrets")
        return f"**{order.value}** @everyone"

    async def remembered(self, asker, *, most):
        await self.gate.wait()
        if self.broken:
            raise StorageError("the disk is full of secrets")
        return Remembered(preferences=self.preferences)

    async def prefer(self, asker, preferences):
        self.asked.append((preferences, asker))
        self.preferences = preferences

    async def set_mode(self, asker, mode, platform):
        self.asked.append((mode, asker))
        return "set" if await platform.may_manage(asker) else "refused"


@pytest.fixture
def desk():
    return ToldDesk()


@pytest.fixture
async def served(make, listen, desk):
    adapter = make(desk=desk)
    await listen(adapter)
    return adapter


async def done(discord, interaction):
    await discord.until(lambda: interaction["state"] == "done")
    return interaction["data"]


async def test_questions_to_begin_with_are_offered_while_one_is_written(discord, served):
    offered = await done(discord, await discord.write_option(discord.general, discord.alice, ""))
    assert [choice["value"] for choice in offered["choices"]] == [
        "How many days of leave do I get?", "How do I reset my password?",
    ]  # fmt: skip
    offered = await done(discord, await discord.write_option(discord.general, discord.alice, "RESET "))
    assert [choice["name"] for choice in offered["choices"]] == ["How do I reset my password?"]
    offered = await done(discord, await discord.write_option(discord.general, discord.alice, "", locale="ko"))
    assert offered["choices"] == []


@pytest.mark.parametrize("order", [order for order in Order if order is not Order.SETTINGS])
async def test_every_word_of_weft_is_answered_to_its_asker_alone(discord, served, desk, order):
    assert [option["name"] for option in discord.commands[1]["options"]] == [each.value for each in Order]
    told = await done(discord, await discord.weft(discord.general, discord.alice, order.value, locale="ko"))
    assert told["content"] == f"**{order.value}** @\u200beveryone" and told["flags"] == EPHEMERAL
    [(asked, asker)] = desk.asked
    assert (asked, asker.author.id, asker.locale, asker.author_is_guest) == (order, discord.alice, "ko", None)
    assert asker.key.workspace_id == discord.guild_id and asker.key.channel_id == discord.general


async def test_a_slow_answer_is_announced_and_then_told(discord, served, desk, monkeypatch):
    monkeypatch.setattr("adapters.discord.interactions._AT_ONCE", 0.01)
    desk.gate.clear()
    interaction = await discord.weft(discord.general, discord.alice, "memory")
    await discord.until(lambda: interaction["state"] == "deferred")
    assert interaction["data"]["flags"] == EPHEMERAL
    desk.gate.set()
    await discord.until(lambda: interaction["state"] == "done")
    assert discord.from_bot(discord.general)[-1]["content"].startswith("**memory**")


async def test_settings_are_a_form_that_is_kept_when_it_is_sent_also_twice(discord, served, desk, caplog):
    opened = await done(discord, await discord.weft(discord.general, discord.alice, "settings", locale="ko"))
    assert opened["title"] == say("settings_title", "ko") and len(opened["components"]) == 3
    length = opened["components"][1]["component"]
    assert [each["value"] for each in length["options"] if each["default"]] == ["short"]
    for chosen, wanted in (
        ({"language": ["en"], "length": ["any"], "format": ["table"]}, Preferences(language="en", format="table")),
        ({"language": ["any"], "length": ["no such length"]}, Preferences()),
    ):
        for _ in range(2):
            form = {"data": opened, "channel_id": discord.general}
            told = await done(discord, await discord.submit(form, discord.alice, chosen))
            assert told["content"].startswith("**settings**") and told["flags"] == EPHEMERAL
            assert desk.asked[-2][0] == wanted == desk.preferences and desk.asked[-2][1].author.id == discord.alice
    assert "ERROR" not in caplog.text


async def test_a_form_that_is_kept_slowly_is_told_of_all_the_same(discord, served, desk, monkeypatch):
    opened = await done(discord, await discord.weft(discord.general, discord.alice, "settings"))
    monkeypatch.setattr("adapters.discord.interactions._AT_ONCE", 0.01)
    desk.gate.clear()
    form = {"data": opened, "channel_id": discord.general}
    sent = await discord.submit(form, discord.alice, {"language": ["en"], "length": ["any"], "format": ["any"]})
    await discord.until(lambda: sent["state"] == "deferred")
    assert sent["data"]["flags"] == EPHEMERAL
    desk.gate.set()
    await discord.until(lambda: sent["state"] == "done")
    assert discord.from_bot(discord.general)[-1]["content"].startswith("**settings**")


@pytest.mark.parametrize("trouble", ["slow", "broken"])
async def test_where_the_form_cannot_be_opened_in_time_settings_are_told(discord, served, desk, trouble, monkeypatch):
    monkeypatch.setattr("adapters.discord.interactions._AT_ONCE", 0.01)
    desk.broken = trouble == "broken"
    if trouble == "slow":
        desk.gate.clear()
    interaction = await discord.weft(discord.general, discord.alice, "settings")
    if trouble == "slow":
        await discord.until(lambda: interaction["state"] == "deferred")
        desk.gate.set()
    await discord.until(lambda: interaction["state"] == "done")
    told = interaction["data"] if trouble == "broken" else discord.from_bot(discord.general)[-1]
    assert told["content"].startswith(say("not_taken", "en") if trouble == "broken" else "**settings**")


async def test_what_storage_refuses_is_said_in_a_word(discord, served, desk, caplog):
    desk.broken = True
    told = await done(discord, await discord.weft(discord.general, discord.alice, "sources"))
    assert told["content"] == say("not_taken", "en") and "Traceback" not in caplog.text


async def test_who_manages_the_channel_sets_its_mode_by_command(discord, served, desk):
    command = next(each for each in discord.commands if each["name"] == "weft-channel")
    assert command["default_member_permissions"] == str(MANAGE_CHANNELS)
    for permissions, word in ((MANAGE_CHANNELS, "set"), (0, "refused")):
        interaction = await discord.set_channel(
            discord.general, discord.alice, mode="mentions", permissions=permissions
        )
        told = await done(discord, interaction)
        assert told["content"] == word and told["flags"] == EPHEMERAL
    assert desk.asked[0][0] is ChannelMode.MENTIONS
    told = await done(discord, await discord.set_channel(discord.general, discord.alice, permissions=MANAGE_CHANNELS))
    assert told["content"] == "**settings** @\u200beveryone"


async def test_packs_are_offered_by_name_and_title_and_set_by_who_manages_the_channel(
    discord, make, listen, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    settings = Settings.load(data=tmp_path / "data", pack="handbook,tax_audit,medical")
    async with open_engine(settings) as engine:
        await listen(make(desk=engine.desk))
        offered = await done(discord, await discord.write_pack(discord.general, discord.alice, ""))
        assert [each["value"] for each in offered["choices"]] == ["handbook", "tax_audit", "medical"]
        titles = {each["value"]: each["name"] for each in offered["choices"]}
        assert titles["medical"] == f"medical — {engine.packs.packs['medical'].title.of('en')}"
        offered = await done(discord, await discord.write_pack(discord.general, discord.alice, "TAX"))
        assert [each["value"] for each in offered["choices"]] == ["tax_audit"]
        title = engine.packs.packs["medical"].title.of("ko")
        offered = await done(discord, await discord.write_pack(discord.general, discord.alice, title, locale="ko"))
        assert [each["value"] for each in offered["choices"]] == ["medical"]
        place = Place(platform="discord", workspace=discord.guild_id, channel=discord.general)
        for permissions, pack, key in (
            (0, "medical", "mode_refused"),
            (MANAGE_CHANNELS, "nothing", "pack_unknown"),
            (MANAGE_CHANNELS, "medical", "pack_set"),
        ):
            sent = await discord.set_channel(discord.general, discord.alice, pack=pack, permissions=permissions)
            names = "handbook, tax_audit, medical"
            assert (await done(discord, sent))["content"] == say(key, "en", pack=pack, names=names)
            assert await engine.channel_packs.pack_of(place) == ("medical" if key == "pack_set" else "")


async def test_where_there_is_one_pack_none_is_offered(discord, make, listen, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with open_engine(Settings.load(data=tmp_path / "data")) as engine:
        await listen(make(desk=engine.desk))
        assert (await done(discord, await discord.write_pack(discord.general, discord.alice, "")))["choices"] == []
        sent = await discord.set_channel(discord.general, discord.alice, pack="x", permissions=MANAGE_CHANNELS)
        assert (await done(discord, sent))["content"] == say("pack_only_one", "en")


@pytest.mark.parametrize("text", ["???", "🦄" * 2001])
async def test_a_command_without_a_word_is_told_so_and_shown_to_nobody(discord, served, intake, text):
    interaction = await discord.slash(discord.general, discord.alice, text)
    await discord.until(lambda: interaction["state"] == "done")
    assert interaction["data"] == {"content": say("empty_question", "en"), "flags": EPHEMERAL} | interaction["data"]
    assert not intake.messages
    file = discord.attach(b"a,b", "figures.csv", "text/csv")
    await discord.slash(discord.general, discord.alice, text, file=file)  # a file may be all that is asked about
    await discord.until(lambda: intake.messages and not intake.held)


async def test_a_file_comes_with_the_question(discord, served, intake):
    file = discord.attach(b"a,b\n1,2\n", "figures.csv", "text/csv")
    await discord.slash(discord.general, discord.alice, "what is b?", file=file)
    await discord.until(lambda: intake.messages and not intake.held)
    [message] = intake.messages
    [attachment] = message.attachments
    assert (attachment.name, attachment.size, attachment.media_type) == ("figures.csv", 8, "text/csv")
    assert await served.fetch(message, attachment, most=100) == b"a,b\n1,2\n"


@pytest.mark.parametrize("intent", [True, False])
async def test_a_message_is_asked_about_by_its_menu_also_without_the_content_intent(
    discord, make, listen, intake, intent
):
    discord.hides_content = not intent
    adapter = make(message_content=intent)
    await listen(adapter)
    said = await discord.post(discord.general, discord.bob, "how do I reset it?")
    await discord.ask_about(discord.general, said, discord.alice)
    await discord.until(lambda: intake.messages and not intake.held)
    message = intake.messages[-1]
    assert (message.kind, message.text, message.private) == (MessageKind.COMMAND, "", True)
    excerpt = await adapter.pointed_at(message, message.points_at[0], most=50)
    [read] = excerpt.said
    assert (read.text, read.author.id, excerpt.target, excerpt.here) == (
        "how do I reset it?", discord.bob, (said,), True,
    )  # fmt: skip
    assert ("how do I reset it?" in str(message.extra)) is not intent  # kept only where it cannot be read again


async def test_who_has_weft_for_themselves_is_answered_alone_and_as_a_guest(
    discord, served, intake, deliveries, response
):
    server = discord.snowflake()
    interaction = await discord.slash(discord.general, discord.bob, "how long?", outside=server)
    await discord.until(lambda: intake.messages and not intake.held)
    [message] = intake.messages
    assert (message.key.workspace_id, message.private, message.guests, message.author_is_guest) == (
        server, True, True, True,
    )  # fmt: skip
    assert interaction["data"]["flags"] == EPHEMERAL
    await served.reply(message, deliveries).finish(response("word " * 2500))
    shown = [message for message in discord.from_bot(discord.general) if message["flags"] & EPHEMERAL]
    shown += discord.from_bot(await discord.dm(discord.bob))  # after five messages Discord takes no more
    assert len(shown) > 6 and "".join(m["content"] for m in shown).count("word") == 2500
    assert not discord.sent("POST", rf"/channels/{discord.general}/messages$")  # Weft has no place there


async def test_a_token_in_its_fifteenth_minute_still_answers_and_after_it_a_direct_message_does(
    discord, served, intake, deliveries, response
):
    for age, direct in ((TOKEN_SECONDS - 1, 0), (TOKEN_SECONDS, 1)):
        interaction = await discord.slash(discord.general, discord.alice, "how long?", private=True)
        await discord.until(lambda interaction=interaction: interaction["state"] == "deferred" and not intake.held)
        discord.clock += age
        await served.reply(intake.messages[-1], deliveries).finish(response())
        assert len(discord.from_bot(await discord.dm(discord.alice))) == direct
        assert (interaction["state"] == "done") is not bool(direct)


async def test_a_late_callback_is_answered_in_a_message_all_the_same(discord, served, intake, deliveries, response):
    intake.gate.clear()
    await discord.slash(discord.general, discord.alice, "how long?")
    await discord.until(lambda: intake.tried)
    discord.clock += 4.0  # Discord has told its user that nothing came
    intake.gate.set()
    await discord.until(lambda: intake.messages and not intake.held)
    key = await served.open_thread(intake.messages[0], deliveries)
    await served.reply(intake.messages[0], deliveries).finish(response())
    assert discord.from_bot(key.thread_id)[-1]["content"] == "Hold the button [1]."


async def test_the_desk_of_the_application_tells_each_what_they_may_know(discord, make, tmp_path, sampled):
    (tmp_path / "pay").mkdir()
    (tmp_path / "pay" / "pay.md").write_text(f"# Pay\n\nThe salary of grade seven is {SECRET} euros a year.")
    async with open_engine(Settings.load(data=sampled)) as engine:
        await SqlAccess(engine.database).create("pay", {f"workspace:discord:{discord.guild_id}"})
        await ingest([tmp_path / "pay"], library=engine.library, collection="pay")
        adapter = make(desk=engine.desk)
        listening = asyncio.create_task(adapter.listen(engine.conversation))
        working = asyncio.create_task(engine.worker([adapter]).run())
        await discord.until(lambda: discord.gateway.open_sessions or listening.done())
        told = await done(discord, await discord.weft(discord.general, discord.alice, "sources"))
        assert "`pay`" in told["content"]
        elsewhere = await discord.weft(discord.general, discord.bob, "sources", outside=discord.snowflake())
        assert "`pay`" not in (await done(discord, elsewhere))["content"]
        said = await discord.post(discord.general, discord.bob, ASKED)
        about = await discord.ask_about(discord.general, said, discord.alice)
        await discord.until(lambda: about["state"] == "done", timeout=60.0)
        shown = next(m for m in discord.from_bot(discord.general) if m["id"] == about["message_id"])
        assert SECRET in shown["content"] and shown["flags"] == EPHEMERAL
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)
