"""Who reads an answer decides what it may be made of."""

from dataclasses import replace

import pytest

from agent.types import Author
from bot.audience import OPERATOR, PLAYGROUND, audience_of
from tests.fakes import incoming

MINE = frozenset({"user:fake:W:U1"})


def test_in_a_channel_only_what_all_its_members_may_read():
    audience = audience_of(incoming(private=False))
    assert audience.principals == {"*", "workspace:fake:W", "channel:fake:W:C"}
    assert not audience.may_read(MINE) and not audience.operator


def test_in_private_also_what_the_asker_may_read_and_nobody_else():
    audience = audience_of(incoming(private=True))
    assert audience.may_read(MINE) and not audience.may_read(frozenset({"user:fake:W:U2"}))


@pytest.mark.parametrize(
    "readers", [{"workspace:fake:OTHER"}, {"workspace:slack:W"}, {"channel:fake:W:OTHER"}, {"user:fake:OTHER:U1"}]
)
def test_another_place_of_the_same_name_is_another_place(readers):
    assert not audience_of(incoming(private=True)).may_read(frozenset(readers))


def test_the_operator_is_only_who_asks_at_the_console_without_a_name():
    console = incoming(platform="console", private=True)
    assert audience_of(replace(console, author=Author(id=""))) is OPERATOR
    assert not audience_of(console).operator
    assert not audience_of(replace(incoming(private=True), author=Author(id=""))).operator


def test_whoever_has_the_page_open_reads_no_more_than_its_answers_may_cite():
    page = audience_of(incoming(platform="playground", private=True))
    page = replace(page, principals=frozenset(p for p in page.principals if not p.startswith(("user:", "channel:"))))
    assert PLAYGROUND.principals == {p.replace(":W", ":local") for p in page.principals}
