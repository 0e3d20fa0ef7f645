"""What is heard where: modes set by command and in chat, and silence where nobody calls Weft."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from agent.language import say
from agent.types import Around, ChannelMode, MessageKind, Overlap
from bot.cli import main
from bot.turns.conversation import Conversation
from bot.turns.hearing import Hearing, Order, order_in, place_of
from storage.database import Database
from storage.inbox import SqlInbox
from storage.schema import INBOX
from tests.fakes import RecordingAdapter, incoming
from tests.fakes_channels import MemoryChannelModes

PLACE = place_of(incoming().key)


class Managing(RecordingAdapter):
    """A platform on which only some may manage a channel."""

    managers = ("U1",)

    async def may_manage(self, message):
        return message.author.id in self.managers


class Ended:
    def __init__(self, at=None) -> None:
        self.at = at

    async def last_at(self, thread):
        return self.at


class Clock:
    at = 1_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def modes():
    return MemoryChannelModes()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def inbox(tmp_path, clock):
    queue = await Database.open(tmp_path / "inbox.db", INBOX, durable=True)
    yield SqlInbox(queue, now=clock)
    await queue.close()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("mode mentions", Order(ChannelMode.MENTIONS)), ("Mode: off.", Order(ChannelMode.OFF)), ("mode", Order(None)),
        ("channel mode all", Order(ChannelMode.ALL)), ("모드 멘션", Order(ChannelMode.MENTIONS)),
        ("모드: 스레드", Order(ChannelMode.THREAD)), ("모드 전체", Order(ChannelMode.ALL)),
        ("모드 끄기", Order(ChannelMode.OFF)),
        ("mode burst", Order(Overlap.BURST)), ("모드 모아서", Order(Overlap.BURST)),
        ("mode queue", Order(Overlap.QUEUE)), ("모드 바꿔서", Order(Overlap.REPLACE)),
        ("모드", Order(None)), ("mode dark", None), ("how do I switch the mode off", None), ("", None),
    ],
)  # fmt: skip
def test_what_is_said_about_the_mode(text, order):
    assert order_in(incoming(text)) == order
    assert order_in(incoming(text, private=True)) is None
    assert order_in(incoming(text, kind=MessageKind.THREAD_REPLY)) is None


async def test_who_manages_the_channel_may_set_its_mode_and_others_are_told_that_they_may_not(modes, inbox):
    hearing, adapter = Hearing(modes, inbox, Ended()), Managing()
    mine, others = incoming("mode off"), replace(incoming(), author=replace(incoming().author, id="U2"))
    order = Order(ChannelMode.OFF)
    assert await hearing.carry_out(order, others, adapter, "ko") == say("mode_refused", "ko")
    assert await hearing.carry_out(order, mine, RecordingAdapter(), "en") == say("mode_refused", "en")
    assert await modes.mode_of(PLACE) is ChannelMode.THREAD
    assert "“off”" in await hearing.carry_out(order, mine, adapter, "en")
    assert await modes.mode_of(PLACE) is ChannelMode.OFF
    assert "“off”" in await hearing.carry_out(Order(None), others, adapter, "ko")


async def test_how_messages_on_top_of_each_other_are_answered_is_set_like_the_mode(modes, inbox):
    hearing, adapter = Hearing(modes, inbox, Ended()), Managing()
    others = replace(incoming(), author=replace(incoming().author, id="U2"))
    order = Order(Overlap.BURST)
    assert await hearing.carry_out(order, others, adapter, "en") == say("mode_refused", "en")
    assert "“burst”" in await hearing.carry_out(order, incoming("mode burst"), adapter, "en")
    assert await modes.overlap_of(PLACE) is Overlap.BURST and await modes.mode_of(PLACE) is ChannelMode.THREAD
    told = await hearing.carry_out(Order(None), others, adapter, "ko")
    assert "“thread”" in told and say("overlap_burst", "ko") in told


async def test_what_stands_around_a_message_that_calls_nobody(modes, inbox, clock):
    def said(number, who, kind=MessageKind.THREAD_REPLY):
        message = incoming(f"line {number}", message_id=f"m{number}", kind=kind)
        return replace(message, author=replace(message.author, id=who, name=who.lower()), received_at=clock.at)

    hearing = Hearing(modes, inbox, Ended(at=1_030.0))
    for number, who in enumerate(("U1", "U2", "U3")):
        clock.at = 1_000.0 + 60 * number
        await inbox.add(said(number, who))
    clock.at = 1_150.0
    assert await hearing.around(said(9, "U3")) == Around(names=("u1", "u2"), since=("U2", "U3"), minutes=2.0)
    assert await hearing.around(said(9, "U3", MessageKind.MENTION)) is None
    assert await hearing.around(replace(said(9, "U3"), private=True)) is None
    await modes.set(PLACE, ChannelMode.MENTIONS)
    around = await hearing.around(replace(said(9, "U3"), calls=("U7",), replies_to_weft=True))
    assert (around.only_settles, around.calls_others, around.replies_to_weft) == (True, True, True)


async def test_which_messages_are_heard_in_which_mode(modes, inbox):
    conversation = Conversation(inbox, modes)
    known, unknown = incoming(thread="T1").key, incoming(thread="T2").key
    await conversation.accept(incoming(thread="T1"))
    heard = {}
    for mode in ChannelMode:
        await modes.set(PLACE, mode)
        heard[mode.value] = (await conversation.hears(known), await conversation.hears(unknown))
    reply, channel = MessageKind.THREAD_REPLY, MessageKind.CHANNEL
    assert heard == {"mentions": (reply, None), "thread": (reply, None), "all": (reply, channel), "off": (None, None)}


async def test_mentions_only_still_obeys_stop(modes, inbox):
    conversation = Conversation(inbox, modes)
    await modes.set(PLACE, ChannelMode.MENTIONS)
    await conversation.accept(incoming())
    row = await inbox.claim("w", lease=30.0, platforms=("fake",))
    await conversation.accept(incoming("stop", message_id="m2", kind=MessageKind.THREAD_REPLY))
    assert row.id in await inbox.interrupted(row)


async def test_off_is_off_until_it_is_switched_on_again(modes, inbox):
    conversation = Conversation(inbox, modes)
    await modes.set(PLACE, ChannelMode.OFF)
    for kind in (MessageKind.MENTION, MessageKind.THREAD_REPLY, MessageKind.BUTTON, MessageKind.EDIT):
        assert not await conversation.accept(incoming(message_id=kind.value, kind=kind))
    assert (await inbox.counts())["todo"] == 0 and await conversation.is_off(incoming().key)
    assert await conversation.accept(incoming("mode thread", message_id="on"))
    assert await conversation.accept(incoming(message_id="gone", kind=MessageKind.DELETE))
    assert await conversation.accept(incoming(message_id="private", private=True))


def test_the_command_sets_and_lists_modes(tmp_path):
    def weft(*arguments):
        return CliRunner().invoke(main, ["channels", *arguments, "--data", str(tmp_path)])

    assert weft("list").stdout == ""
    assert weft("set", "workspace:slack:T1", "mentions").stdout == "workspace:slack:T1 is in the mode mentions\n"
    assert weft("set", "channel:slack:T1:C1", "all").exit_code == 0
    assert json.loads(weft("list", "--json").stdout) == [
        {"place": "workspace:slack:T1", "mode": "mentions"}, {"place": "channel:slack:T1:C1", "mode": "all"},
    ]  # fmt: skip
    unset = weft("set", "channel:slack:T1:C1", "default", "--json")
    assert json.loads(unset.stdout) == {"place": "channel:slack:T1:C1", "mode": "mentions"}
    assert weft("list").stdout == "workspace:slack:T1\tmentions\n"


def test_the_command_sets_how_messages_on_top_of_each_other_are_answered(tmp_path):
    def weft(*arguments):
        return CliRunner().invoke(main, ["channels", *arguments, "--data", str(tmp_path)])

    place = "channel:slack:T1:C1"
    assert weft("set", place, "burst").stdout == f"{place} is in the mode thread, burst\n"
    assert weft("set", place, "all").stdout == f"{place} is in the mode all, burst\n"
    assert weft("list").stdout == f"{place}\tall\tburst\n"
    assert json.loads(weft("set", place, "replace", "--json").stdout)["overlap"] == "replace"
    assert json.loads(weft("list", "--json").stdout) == [{"place": place, "mode": "all", "overlap": "replace"}]
    assert weft("set", place, "default").exit_code == 0 and weft("list").stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [("general", "all"), ("channel:slack:T1", "all"), ("workspace:irc:T1", "off"), ("channel:slack:T1:C1", "loud")],
)
def test_what_cannot_be_set_is_told(tmp_path, arguments):
    result = CliRunner().invoke(main, ["channels", "set", *arguments, "--data", str(tmp_path)])
    assert result.exit_code == 2 and arguments[0 if arguments[1] != "loud" else 1] in result.stderr
