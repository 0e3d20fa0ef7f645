"""Who reads an answer decides what it may be made of."""

from dataclasses import replace

import pytest

from agent.errors import UsageError
from agent.types import Author
from bot.audience import OPERATOR, PLAYGROUND, audience_of
from bot.operator.asking import Asker
from tests.fakes import incoming

MINE = frozenset({"user:fake:W:U1"})


class Groups:
    """Groups in memory; and the principals that readers name."""

    def __init__(self, *, named=(), **groups: set[str]) -> None:
        self.groups, self.named = groups, named

    async def groups_of(self, principals):
        return frozenset(name for name, members in self.groups.items() if members & set(principals))

    async def named_as(self, platform, user):
        return frozenset(self.named)


NONE = Groups()


async def principals(message, groups=NONE) -> set[str]:
    return set((await audience_of(message, groups)).principals)


async def test_in_a_channel_only_what_all_its_members_may_read():
    audience = await audience_of(incoming(private=False), NONE)
    assert audience.principals == {"*", "workspace:fake:W", "channel:fake:W:C"}
    assert not audience.may_read(MINE) and not audience.operator


async def test_in_private_also_what_the_asker_may_read_and_nobody_else():
    audience = await audience_of(incoming(private=True), NONE)
    assert audience.principals == {"*", "workspace:fake:W", "user:fake:W:U1"}
    assert not audience.may_read(frozenset({"user:fake:W:U2"}))


@pytest.mark.parametrize(
    "readers", [{"workspace:fake:OTHER"}, {"workspace:slack:W"}, {"channel:fake:W:OTHER"}, {"user:fake:OTHER:U1"}]
)
async def test_another_place_of_the_same_name_is_another_place(readers):
    assert not (await audience_of(incoming(private=True), NONE)).may_read(frozenset(readers))


async def test_a_group_is_its_people_in_private_and_its_channels_in_public():
    groups = Groups(finance={"user:fake:W:U1"}, sales={"channel:fake:W:C"}, others={"user:fake:W:U2"})
    assert "group:finance" in await principals(incoming(private=True), groups)
    assert await principals(incoming(private=True), groups) & {"group:sales", "group:others"} == set()
    assert "group:sales" in await principals(incoming(private=False), groups)
    assert "group:finance" not in await principals(incoming(private=False), groups)  # the others there are not in it


@pytest.mark.parametrize("private", [True, False])
async def test_guests_do_not_belong_to_the_workspace(private):
    guests = Groups(guests={"user:fake:W:U1", "channel:fake:W:C"})
    held = await principals(incoming(private=private), guests)
    assert "workspace:fake:W" not in held and {"*", "group:guests"} <= held


async def test_where_there_is_no_workspace_a_person_is_known_by_every_name_and_nobody_by_the_workspace():
    message = incoming(private=True)
    message = replace(message, key=replace(message.key, workspace_id="@me"))
    groups = Groups(named={"user:fake:G7:U1"}, finance={"user:fake:G7:U1"})
    assert await principals(message, groups) == {"*", "user:fake:@me:U1", "user:fake:G7:U1", "group:finance"}
    assert "user:fake:G7:U1" not in await principals(incoming(private=True), groups)  # there ids may mean others
    nobody = await principals(replace(message, author=Author(id="")), groups)
    assert nobody == {"*", "user:fake:@me:"}


async def test_the_operator_is_only_who_asks_at_the_console_without_a_name_and_nowhere():
    console = incoming(platform="console", private=True)
    nameless = replace(console, author=Author(id=""))
    assert await audience_of(nameless, NONE) is OPERATOR
    assert not (await audience_of(console, NONE)).operator
    assert not (await audience_of(replace(nameless, private=False), NONE)).operator
    assert not (await audience_of(replace(incoming(private=True), author=Author(id="")), NONE)).operator


async def test_whoever_has_the_page_open_reads_just_what_its_answers_may_cite():
    page = incoming(platform="playground", private=True)
    page = replace(page, key=replace(page.key, workspace_id="local"), author=Author(id="you"))
    assert (await audience_of(page, NONE)) == PLAYGROUND


# --- the console as somebody else


@pytest.mark.parametrize(
    ("asker", "expected"),
    [
        (Asker(user="kim"), {"*", "workspace:console:local", "user:console:local:kim"}),
        (Asker(channel="hr"), {"*", "workspace:console:local", "channel:console:local:hr"}),
        (Asker(user="kim", channel="hr"), {"*", "workspace:console:local", "channel:console:local:hr"}),
        (Asker(user="slack:T1:U1"), {"*", "workspace:slack:T1", "user:slack:T1:U1"}),
        (Asker(user="user:slack:T1:U1"), {"*", "workspace:slack:T1", "user:slack:T1:U1"}),
        (Asker(channel="channel:slack:T1:C1"), {"*", "workspace:slack:T1", "channel:slack:T1:C1"}),
        (
            Asker(user="slack:T1:U1", channel="slack:T1:C1"),
            {"*", "workspace:slack:T1", "channel:slack:T1:C1"},
        ),
        (Asker(user="a tenant"), {"*", "workspace:console:local", "user:console:local:a tenant"}),
        (Asker(user="discord:@me:7"), {"*", "user:discord:@me:7"}),
        (Asker(user="console:local:kim"), {"*", "workspace:console:local", "user:console:local:kim"}),
    ],
)
async def test_the_console_asks_with_the_eyes_of_whom_it_names(asker, expected):
    assert await principals(asker.message("x", "T")) == expected


@pytest.mark.parametrize(
    ("asker", "words"),
    [
        ({"user": "slack:U1"}, "slack:T1:U1"),
        ({"user": "channel:slack:T1:C1"}, "is no user"),
        ({"user": "slack::U1"}, "is no user"),
        ({"user": "U1"}, "'U1' is no user: write its ids, such as slack:T1:U1, or a user of the console's own"),
        ({"user": "<@U0123ABC>"}, "slack:T1:U1"),
        ({"user": "284210012345678901"}, "is no user"),
        ({"user": "everyone"}, "is no user"),
        ({"user": "group:finance"}, "is no user"),
        ({"user": "slack:T1:ann lee"}, "is no user"),
        ({"channel": "C0123ABC"}, "slack:T1:C1"),
        ({"channel": "#general"}, "'#general' is no channel"),
        ({"channel": "slack:T1:#general"}, "is no channel"),
        ({"channel": "slcak:T1:C1"}, "no platform 'slcak'"),
        ({"channel": "@kim"}, "no channel"),
        ({"channel": "slack:T1:@kim"}, "no channel"),
        ({"user": "slack:T1:U1", "channel": "slack:T2:C1"}, "not of one workspace"),
        ({"user": "slack:T1:U1", "channel": "general"}, "not of one workspace"),
    ],
)
def test_who_cannot_be_is_refused(asker, words):
    with pytest.raises(UsageError, match=words):
        Asker(**asker)


def test_a_thread_belongs_to_who_asks_and_where():
    """What was said to one person in private is not the history of another, nor of a room."""
    askers = [Asker(), Asker(user="a"), Asker(user="b"), Asker(user="slack:T1:a"), Asker(channel="a"),
              Asker(user="a", channel="c"), Asker(channel="slack:T1:c")]  # fmt: skip
    assert len({str(asker.message("x", "T").key) for asker in askers}) == len(askers)
    assert Asker(user="a", channel="c").message("x", "T").key == Asker(user="b", channel="c").message("x", "T").key
