"""What people answered, as documents: for the readers of one channel, cited by their link, one for each question."""

from dataclasses import replace

import pytest

from agent.types import KEPT, Audience, Query, SearchFilter
from storage.access import SqlAccess
from storage.contracts import HumanAnswer, Place
from storage.documents import SqlLibrary
from storage.human_answers import SqlHumanAnswers, collection_of

PLACE = Place(platform="slack", workspace="T1", channel="C1")
IN_CHANNEL = Audience(principals=frozenset({"*", "workspace:slack:T1", "channel:slack:T1:C1"}))
ELSEWHERE = Audience(principals=frozenset({"*", "workspace:slack:T1", "channel:slack:T1:C2", "user:slack:T1:U1"}))
ANSWER = HumanAnswer(
    id="t1", question="Where is\n# the yacht?", text="At pier 7.\n\n# Not a title\n\nAsk Frida.", author="Bob",
    at=1_770_000_000.0, link="https://team.slack.com/archives/C1/p1", note="Answered by Bob.",
)  # fmt: skip


@pytest.fixture
async def library(database):
    return SqlLibrary(database)


@pytest.fixture
def answers(library):
    return SqlHumanAnswers(library, SqlAccess(library._database))


async def found(library, audience, *collections):
    filter = SearchFilter(collections=collections)
    ids = [id for id, _ in await library.index.search(Query(text="yacht pier"), k=9, filter=filter, audience=audience)]
    return await library.get(ids, audience=audience)


async def test_it_is_found_in_its_channel_alone_with_title_link_and_date(library, answers):
    await answers.keep(PLACE, ANSWER)
    here = await found(library, IN_CHANNEL)
    assert here and await found(library, ELSEWHERE) == []
    passage = here[0]
    assert (passage.title, passage.source, passage.date) == ("Where is # the yacht?", ANSWER.link, "2026-02-02")
    assert passage.collection == collection_of(PLACE)


async def test_another_answer_takes_the_place_of_the_first_also_twice(library, answers):
    for text in ("At pier 7.", "At pier 8.", "At pier 8."):
        await answers.keep(PLACE, replace(ANSWER, text=text))
    text = " ".join(passage.text for passage in await found(library, IN_CHANNEL))
    assert "pier 8" in text and "pier 7" not in text


async def test_it_is_searched_beside_the_collections_that_a_pack_names(library, answers):
    await answers.keep(PLACE, ANSWER)
    assert await found(library, IN_CHANNEL, "manuals", KEPT)
    assert await found(library, IN_CHANNEL, "manuals") == []
    assert await found(library, ELSEWHERE, "manuals", KEPT) == []


async def test_a_sample_does_not_step_back_for_it(library, answers):
    await library.declare("sample", sample=True)
    await SqlHumanAnswers(library, SqlAccess(library._database)).keep(PLACE, ANSWER)
    assert not await library.has_own()


async def test_readers_that_an_operator_has_set_stay(library, answers):
    access = SqlAccess(library._database)
    await answers.keep(PLACE, ANSWER)
    await access.change_readers(collection_of(PLACE), lambda readers: frozenset({"group:hr"}))
    await answers.keep(PLACE, replace(ANSWER, id="t2"))
    assert await found(library, IN_CHANNEL) == []


async def test_text_that_no_encoding_can_hold_is_kept_as_far_as_it_goes(library, answers):
    await answers.keep(PLACE, replace(ANSWER, text="At pier 7 \ud83d.", question="yacht \udc00?"))
    assert await found(library, IN_CHANNEL)
