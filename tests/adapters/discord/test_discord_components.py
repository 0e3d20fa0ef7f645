"""Cards, menus, links and thumbs on Discord: what they show, where they are not taken, and after a restart."""

import json
import time
from dataclasses import replace

import pytest

from adapters.contract import TodoList
from agent.errors import ClosedError
from agent.language import say
from agent.types import Clarification, DeliveryRef, MessageKind, ReasonKind, Step, StepStatus
from tests.servers.discord import SEND_IN_THREADS
from tests.servers.discord_components import BUTTON, CONTAINER, SELECT, V2, Malformed, checked, parts_of, text_of

STEPS = (
    Step(id="1", team="search", task="Search", status=StepStatus.COMPLETED, sources=("The @everyone Manual", "FAQ")),
    Step(id="2", team="search", task="Compare", status=StepStatus.FAILED, error="the index is damaged"),
)
MANY = Clarification(question="Which one do you mean?", options=tuple(f"Guide {n} " * 15 for n in range(7)))


def todo(status="working", **more):
    return TodoList(steps=STEPS, language="en", status=status, **more)


async def test_the_list_is_a_card_with_the_sources_of_each_step(discord, adapter, deliveries, ask):
    question = await ask()
    await adapter.reply(question, deliveries).show(replace(todo(), phase="searching"))
    [shown] = discord.from_bot(question.message_id)
    assert shown["flags"] & V2 and shown["content"] == "" and shown["components"][0]["type"] == CONTAINER
    assert text_of(shown).splitlines() == [
        "**Working on it** · " + say("at_searching", "en"),
        "✅ Search",
        "-# The @\u200beveryone Manual · FAQ",
        "❌ Compare — the index is damaged",
    ]


async def test_at_its_end_the_list_is_one_line_and_what_failed(discord, adapter, deliveries, ask):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    await reply.show(todo("done", elapsed_ms=4_200.0))
    [shown] = discord.from_bot(question.message_id)
    assert text_of(shown) == "**Done** (4.2 s) · 2 steps\n❌ Compare — the index is damaged"
    assert [button["label"] for button in parts_of(shown, BUTTON)] == [say("show_steps", "en")]


async def test_the_steps_behind_the_line_are_shown_to_who_asks_for_them_also_after_a_restart(
    discord, make, deliveries, ask, listen, intake
):
    adapter = make()
    await adapter.connect()
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    await reply.show(todo("done"))
    [shown] = discord.from_bot(question.message_id)
    await adapter.close()
    await listen(make())  # another process than the one that sent the button
    intake.plans[shown["id"]] = todo("done")
    click = await discord.click(shown, 0, discord.bob)
    await discord.until(lambda: click["state"] == "done")
    assert "-# The @\u200beveryone Manual · FAQ" in click["data"]["content"] and click["data"]["flags"] == 64
    intake.plans.clear()
    click = await discord.click(shown, 0, discord.bob, locale="ko")
    await discord.until(lambda: click["state"] == "done")
    assert click["data"]["content"] == say("answer_not_kept", "ko")


async def test_where_no_card_is_taken_the_list_is_text_and_none_is_tried_again(
    discord, adapter, deliveries, ask, caplog
):
    discord.refuses_components = True
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    await reply.show(todo("done"))
    [shown] = discord.from_bot(question.message_id)
    assert shown["flags"] & V2 == 0 and shown["content"].startswith("**Done**\n✅ Search\n-# ")
    assert sum(bool(request.body.get("components")) for request in discord.requests) == 1
    assert "takes no components" in caplog.text


async def test_a_list_whose_confirmation_was_lost_is_found_in_its_card(discord, adapter, deliveries, ask):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    [shown] = discord.from_bot(question.message_id)
    await deliveries.forget(question.turn_id, "progress")
    await deliveries.begin(question.turn_id, "progress")
    discord.forget_nonces()
    await adapter.reply(question, deliveries).show(todo("stopped"))
    [again] = discord.from_bot(question.message_id)
    assert again["id"] == shown["id"] and text_of(again).startswith("**Stopped**")


async def test_a_card_tells_how_many_are_before_a_question_and_is_the_list_once_its_turn_begins(
    discord, adapter, deliveries, ask
):
    question = await ask()
    await adapter.reply(question, deliveries).show(TodoList(steps=(), language="en", before=3))
    [waiting] = discord.from_bot(question.message_id)
    assert waiting["flags"] & V2 and text_of(waiting) == f"**{say('waits_behind', 'en', count=3)}**"
    await deliveries.forget(question.turn_id, "progress")  # its confirmation was lost
    await deliveries.begin(question.turn_id, "progress")
    discord.forget_nonces()
    await adapter.reply(question, deliveries).show(todo())
    [shown] = discord.from_bot(question.message_id)
    assert shown["id"] == waiting["id"] and text_of(shown).startswith("**Working on it**\n✅ Search")


async def test_sources_open_from_buttons_and_below_them_are_thumbs(
    discord, adapter, deliveries, ask, response, citation
):
    sources = [
        citation(1, source="https://docs.example.com/a b"),
        citation(2, source="https://docs.example.com/a b", title="The same page"),
        citation(3, source="/srv/docs/manual.pdf"),
        citation(4, source="https://docs.example.com/" + "x" * 600),
        citation(5, source="https://docs.example.com/c", title="T" * 300),
    ]
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    await adapter.reply(question, deliveries).finish(response(citations=tuple(sources)))
    [answer] = discord.from_bot(key.thread_id)
    links, thumbs = answer["components"]
    assert [button["url"] for button in links["components"]] == [
        "https://docs.example.com/a%20b", "https://docs.example.com/c",
    ]  # fmt: skip
    assert [button["custom_id"] for button in thumbs["components"]] == ["weft_rate:up", "weft_rate:down"]
    assert "**Sources**" in answer["content"] and "manual" not in json.dumps(links)  # readable without any of it


async def test_an_answer_whose_components_are_refused_is_plain_text(
    discord, adapter, deliveries, ask, response, citation
):
    discord.refuses_components = True
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    await adapter.reply(question, deliveries).finish(response(citations=(citation(source="https://d.example/a"),)))
    [answer] = discord.from_bot(key.thread_id)
    assert answer["content"].startswith("Hold the button [1].") and not answer["components"]


async def test_small_talk_asks_for_no_thumbs(discord, adapter, deliveries, ask, response):
    question = await ask("thanks")
    key = await adapter.open_thread(question, deliveries)
    await adapter.reply(question, deliveries).finish(response("You are welcome.", route="direct"))
    [answer] = discord.from_bot(key.thread_id)
    assert not answer["components"]


async def test_what_cites_nothing_asks_for_no_thumbs(discord, adapter, deliveries, ask, response):
    question = await ask("what is told to its asker alone")
    await adapter.reply(question, deliveries).finish(response("I have answered this privately.", citations=()))
    [answer] = discord.from_bot(question.message_id)
    assert not answer["components"]


async def test_more_choices_than_a_row_holds_are_a_menu_and_picking_one_counts_once(
    discord, adapter, deliveries, ask, response, listening, intake
):
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    await adapter.reply(question, deliveries).finish(response(clarification=MANY, response_type="clarification"))
    shown = dict(discord.from_bot(key.thread_id)[-1])
    [menu] = parts_of(shown, SELECT)
    assert len(menu["options"]) == 7 and "7. Guide 6" in shown["content"]
    first = await discord.pick(shown, 6, discord.alice)
    await discord.until(lambda: first["state"] == "done")
    late = await discord.pick(shown, 1, discord.bob)
    await discord.until(lambda: late["state"] == "done")
    [taken] = [message for message in intake.messages if message.kind is MessageKind.BUTTON]
    assert taken.text.startswith("Guide 6") and taken.key == key
    assert late["data"]["content"] == say("choice_settled", "en")
    assert not discord.from_bot(key.thread_id)[-1]["components"]


@pytest.fixture
async def rated(discord, adapter, deliveries, ask, response, listening, citation):
    """An answer with thumbs, as it stands."""
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    await adapter.reply(question, deliveries).finish(response(citations=(citation(1),)))
    return discord.from_bot(key.thread_id)[-1]


async def test_a_thumb_up_is_kept_and_thanked_for_in_private(discord, intake, rated):
    click = await discord.click(rated, 0, discord.bob, locale="ko")
    await discord.until(lambda: click["state"] == "done")
    [(answer, rating)] = intake.ratings
    assert answer == DeliveryRef(channel_id=rated["channel_id"], message_id=rated["id"])
    assert (rating.user, rating.helpful, rating.reason) == (discord.bob, True, None)
    assert abs(rating.at - time.time()) < 600
    assert click["data"]["content"] == say("web_rating_kept", "ko") and click["data"]["flags"] == 64


async def test_a_thumb_down_is_kept_at_once_and_asks_for_a_reason(discord, intake, rated):
    click = await discord.click(rated, 1, discord.bob)
    await discord.until(lambda: click["state"] == "done")
    assert [rating.helpful for _, rating in intake.ratings] == [False]
    values = {"kind": ["outdated"], "words": "it was moved in May"}
    submitted = await discord.submit(click, discord.bob, values)
    await discord.until(lambda: submitted["state"] == "done")
    answer, rating = intake.ratings[-1]
    assert answer.message_id == rated["id"] and rating.helpful is False
    assert (rating.reason.kind, rating.reason.text) == (ReasonKind.OUTDATED, "it was moved in May")
    assert submitted["data"]["content"] == say("web_reason_kept", "en")


async def test_a_form_submitted_twice_is_the_same_reason_and_no_error(discord, intake, rated, caplog):
    click = await discord.click(rated, 1, discord.bob)
    await discord.until(lambda: click["state"] == "done")
    for _ in range(2):
        submitted = await discord.submit(click, discord.bob, {"kind": ["wrong"], "words": "a secret"})
        await discord.until(lambda submitted=submitted: submitted["state"] == "done")
        assert submitted["data"]["content"] == say("web_reason_kept", "en")
    assert len({(answer, rating.user, rating.reason) for answer, rating in intake.ratings[1:]}) == 1
    assert "secret" not in caplog.text and "ERROR" not in caplog.text


async def test_a_form_without_a_kind_or_of_something_else_is_taken_as_what_it_says(discord, intake, rated):
    click = await discord.click(rated, 1, discord.bob)
    await discord.until(lambda: click["state"] == "done")
    submitted = await discord.submit(click, discord.bob, {"kind": ["no such kind"]})
    await discord.until(lambda: submitted["state"] == "done")
    assert intake.ratings[-1][1].reason.kind is ReasonKind.OTHER


@pytest.mark.parametrize("thumb", [0, 1])
async def test_a_button_of_a_turn_that_is_gone_says_so(discord, intake, rated, thumb):
    intake.known = []
    click = await discord.click(rated, thumb, discord.bob)
    await discord.until(lambda: click["state"] == "done")
    assert click["data"]["content"] == say("answer_not_kept", "en") and intake.ratings == []


async def test_two_thousand_and_one_emoji_are_cut_between_them_however_discord_counts(
    discord, adapter, deliveries, ask, response
):
    question = await ask("🙂" * 2001)
    key = await adapter.open_thread(question, deliveries)
    assert key.thread_id in discord.channels  # its name is short enough
    await adapter.reply(question, deliveries).stream("🙂" * 2001)
    for emoji in ("🙂", "\U0001f9d1\u200d\U0001f680"):
        await adapter.reply(question, deliveries).finish(response(emoji * 2001))
        texts = [message["content"] for message in discord.from_bot(key.thread_id)]
        assert all(text and not text.replace(emoji, "") for text in texts)  # none is cut in two
        assert "".join(texts) == emoji * 2001
    step = replace(STEPS[0], task="🙂" * 2001)
    await adapter.reply(question, deliveries).show(TodoList(steps=(step,), language="en"))
    assert text_of(discord.from_bot(key.thread_id)[-1]).endswith("…")


async def test_a_right_that_is_taken_in_mid_turn_is_told_as_such(discord, adapter, deliveries, ask, response):
    question = await ask()
    key = await adapter.open_thread(question, deliveries)
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    discord.lost_rights = SEND_IN_THREADS
    with pytest.raises(ClosedError, match="lacks a permission"):
        await reply.finish(response())
    assert len(discord.from_bot(key.thread_id)) == 1
    await adapter.whisper(question, "I may not write there any more.")
    assert discord.from_bot(await discord.dm(discord.alice))[-1]["content"] == "I may not write there any more."
    discord.lost_rights = 0
    await reply.finish(response())
    assert [text_of(m) for m in discord.from_bot(key.thread_id)][-1] == "Hold the button [1]."


def test_the_loopback_server_is_as_strict_as_discord():
    text = {"type": 10, "content": "x"}
    for components, flags, content in (
        ([text], 0, ""),
        ([{"type": 1, "components": []}], 0, ""),
        ([{"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": "a"}] * 2}], 0, ""),
        ([{"type": 1, "components": [{"type": 2, "style": 5, "label": "x", "url": "ftp://a"}]}], 0, ""),
        ([text], V2, "beside"),
        ([{"type": 10, "content": "x" * 2001}, {"type": 10, "content": "x" * 2000}], V2, ""),
        ([{"type": 17, "components": [text] * 40}], V2, ""),
        ([{"type": 17, "components": [{"type": 17, "components": [text]}]}], V2, ""),
    ):
        with pytest.raises(Malformed):
            checked(components, flags=flags, content=content)
    assert checked([{"type": 17, "components": [text]}], flags=V2, content="")
