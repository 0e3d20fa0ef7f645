"""How turns are answered, through the real client and a REST server on loopback."""

from dataclasses import replace

import pytest

from adapters.contract import Failure, TodoList
from adapters.discord.parse import APPLICATION_ID, INTERACTION_TOKEN
from agent.errors import DeliveryError, GoneError, StorageError, UnreachableError
from agent.types import Clarification, MessageKind, ProducedFile, Step, StepStatus, ThreadKey
from tests.servers.discord_components import text_of


def todo(status="working", **more):
    steps = (
        Step(id="1", team="search", task="Search the documents", status=StepStatus.COMPLETED, result="8 passages"),
        Step(id="2", team="search", task="Compare @everyone", status=StepStatus.IN_PROGRESS),
    )
    return TodoList(steps=steps, language="en", status=status, **more)


def contents(server, channel):
    return [text_of(message) for message in server.from_bot(channel)]


async def test_a_thread_is_made_from_the_question_once(discord, adapter, deliveries, ask, response):
    question = await ask("how do I reset\n**the** router? " + "word " * 40)
    key = await adapter.open_thread(question, deliveries)
    assert key == question.key
    thread = discord.channels[question.message_id]
    assert thread["parent_id"] == discord.general
    assert thread["name"].startswith("how do I reset the router? word")
    assert len(thread["name"]) <= 100
    assert await adapter.open_thread(question, deliveries) == key
    deliveries.known.clear()  # as after a crash before it was noted: Discord says 160004
    await adapter.reply(question, deliveries).finish(response())
    assert contents(discord, question.message_id) == ["Hold the button [1]."]
    assert len(discord.sent("POST", rf"/channels/{discord.general}/messages/\d+/threads")) == 2


async def test_a_question_inside_a_thread_is_answered_there(discord, adapter, deliveries, ask, response):
    thread = await discord.thread(discord.general)
    question = replace(await ask(), key=replace((await ask()).key, thread_id=thread), extra={"stands_in": thread})
    assert (await adapter.open_thread(question, deliveries)).thread_id == thread
    await adapter.reply(question, deliveries).finish(response())
    assert contents(discord, thread) == ["Hold the button [1]."]
    assert discord.sent("POST", r".*/threads$") == []


async def test_a_direct_message_is_answered_in_the_direct_messages(discord, adapter, deliveries, ask, response):
    question = await ask(private=True)
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    await reply.finish(response())
    assert len(contents(discord, question.key.channel_id)) == 2
    assert discord.sent("POST", r".*/threads$") == []


async def test_without_permission_for_threads_the_answer_replies_in_the_channel(
    discord, adapter, deliveries, ask, response
):
    discord.fault("POST", r".*/threads$", status=403, code=50013)
    question = await ask()
    assert await adapter.open_thread(question, deliveries) == question.key
    await adapter.reply(question, deliveries).finish(response())
    [answer] = discord.from_bot(discord.general)
    assert answer["content"] == "Hold the button [1]."
    assert answer["message_reference"]["message_id"] == question.message_id
    assert len(discord.sent("POST", r".*/threads$")) == 1  # what was found out is remembered


async def test_a_question_that_is_gone_is_not_answered_in_the_channel(discord, adapter, deliveries, ask, response):
    question = await ask()
    await discord.delete(discord.general, question.message_id)
    with pytest.raises(GoneError):
        await adapter.reply(question, deliveries).finish(response())
    assert discord.messages(discord.general) == []


async def test_the_plan_is_one_message_that_is_edited(discord, adapter, deliveries, ask):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    await reply.show(todo())
    [plan] = contents(discord, question.message_id)
    assert "✅ Search the documents — 8 passages" in plan
    assert "⏳ Compare @\u200beveryone" in plan
    await adapter.reply(question, deliveries).show(todo("done", elapsed_ms=1234.0))
    assert contents(discord, question.message_id) == ["**Done** (1.2 s) · 2 steps"]
    assert len(discord.sent("PATCH", "/channels/")) == 1


async def test_before_the_first_message_weft_is_typing_where_the_answer_will_stand(discord, adapter, deliveries, ask):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.typing(todo())
    assert discord.typed == [question.message_id] and contents(discord, question.message_id) == []
    await adapter.reply(replace(question, kind=MessageKind.EDIT), deliveries).typing(todo())
    assert len(discord.typed) == 1  # the answer that is edited does not take it away


async def test_a_plan_at_its_end_is_not_posted_anew(discord, adapter, deliveries, ask):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo("done"))
    assert contents(discord, question.message_id) == []
    await reply.show(replace(todo(), phase="checking"))
    [plan] = discord.from_bot(question.message_id)
    assert text_of(plan).splitlines()[0] == "**Working on it** · checking the answer"
    await discord.delete(question.message_id, plan["id"])
    await reply.show(todo("done"))
    assert contents(discord, question.message_id) == []


async def test_a_plan_whose_confirmation_was_lost_is_ended(discord, adapter, deliveries, ask):
    question = await ask()
    discord.fault("POST", r"/channels/\d+/messages$", drop=True, after=True)
    with pytest.raises(UnreachableError):
        await adapter.reply(question, deliveries).show(todo())
    assert len(contents(discord, question.message_id)) == 1
    await adapter.reply(question, deliveries).show(todo("stopped"))
    [plan] = contents(discord, question.message_id)
    assert plan.startswith("**Stopped**")


async def test_an_answer_shows_sources_and_warnings_below(discord, adapter, deliveries, ask, response, citation):
    question = await ask()
    cited = (
        citation(1, title="The [big] *Manual*", section="Reset > Router", page=3, source="https://example.org/a b"),
        citation(4, title="Notes", source="notes/a.md"),
    )
    await adapter.reply(question, deliveries).finish(response(citations=cited, warnings=("Made without the model.",)))
    assert contents(discord, question.message_id) == [
        "Hold the button [1].\n\n"
        "**Sources**\n"
        "[1] [The (big) \\*Manual\\*](<https://example.org/a%20b>) › Reset › Router, p. 3\n"
        "[4] Notes\n\n"
        "-# Made without the model."
    ]


async def test_a_long_answer_is_split_and_its_code_fences_closed(discord, adapter, deliveries, ask, response):
    question = await ask()
    code = "\n".join(f"line {n:04}" for n in range(300))
    await adapter.reply(question, deliveries).finish(response(f"Do this:\n\n```python\n{code}\n```\n\nDone [1]."))
    parts = contents(discord, question.message_id)
    assert len(parts) > 1
    for part in parts:
        assert len(part) <= 2000
        assert part.count("```") % 2 == 0
    assert [line for part in parts for line in part.splitlines() if line.startswith("line")] == code.splitlines()
    assert parts[-1].endswith("Done [1].")


async def test_finishing_twice_is_one_message(discord, adapter, deliveries, ask, response):
    question = await ask()
    for _ in range(2):
        await adapter.reply(question, deliveries).finish(response())
    assert contents(discord, question.message_id) == ["Hold the button [1]."]
    assert discord.sent("PATCH", "/channels/") == []


async def test_a_later_answer_edits_in_place_and_deletes_what_is_too_much(discord, adapter, deliveries, ask, response):
    question = await ask()
    paragraph = "word " * 300
    await adapter.reply(question, deliveries).finish(response(f"{paragraph}\n\n{paragraph}\n\n{paragraph}"))
    before = [message["id"] for message in discord.from_bot(question.message_id)]
    assert len(before) == 3
    edit = replace(question, kind=MessageKind.EDIT, event_id=question.event_id + ":edit:1")
    await adapter.reply(edit, deliveries).finish(response("Shorter now."))
    [left] = discord.from_bot(question.message_id)
    assert (left["id"], left["content"]) == (before[0], "Shorter now.")
    await adapter.reply(edit, deliveries).finish(response(f"{paragraph}\n\n{paragraph}"))
    first, _ = discord.from_bot(question.message_id)
    assert first["id"] == before[0]


@pytest.mark.parametrize("minutes_later", [False, True])
async def test_a_crash_between_sending_and_noting_it_leaves_one_message(
    discord, adapter, deliveries, ask, response, minutes_later
):
    question = await ask()
    await adapter.open_thread(question, deliveries)
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.reply(question, deliveries).show(todo())
    if minutes_later:
        discord.forget_nonces()
    await adapter.reply(question, deliveries).show(todo("done"))
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.reply(question, deliveries).finish(response())
    if minutes_later:
        discord.forget_nonces()
    await adapter.reply(question, deliveries).finish(response())
    plan, answer = contents(discord, question.message_id)
    assert plan.startswith("**Done**")
    assert answer == "Hold the button [1]."


async def test_the_nonce_alone_guards_where_the_history_may_not_be_read(discord, adapter, deliveries, ask, response):
    question = await ask()
    await adapter.open_thread(question, deliveries)
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await adapter.reply(question, deliveries).finish(response("First words."))
    discord.fault("GET", r"/channels/\d+/messages", status=403, code=50013)
    await adapter.reply(question, deliveries).finish(response("Other words."))
    assert contents(discord, question.message_id) == ["Other words."]


async def test_a_deleted_answer_is_sent_anew(discord, adapter, deliveries, ask, response):
    question = await ask()
    await adapter.reply(question, deliveries).finish(response())
    [answer] = discord.from_bot(question.message_id)
    await discord.delete(question.message_id, answer["id"])
    await adapter.reply(question, deliveries).finish(response("Better words."))
    assert contents(discord, question.message_id) == ["Better words."]


async def test_an_answer_too_old_to_be_edited_is_replaced(discord, adapter, deliveries, ask, response):
    question = await ask()
    await adapter.reply(question, deliveries).finish(response())
    [old] = discord.from_bot(question.message_id)
    discord.fault("PATCH", "/channels/", status=429, code=30046)
    await adapter.reply(question, deliveries).finish(response("New words."))
    [new] = discord.from_bot(question.message_id)
    assert new["content"] == "New words."
    assert new["id"] != old["id"]


async def test_an_archived_thread_is_opened_for_an_edit(discord, adapter, deliveries, ask, response):
    question = await ask()
    await adapter.reply(question, deliveries).finish(response())
    await discord.archive(question.message_id)
    await adapter.reply(question, deliveries).finish(response("New words."))
    assert contents(discord, question.message_id) == ["New words."]


async def test_a_locked_thread_is_gone(discord, adapter, deliveries, ask, response):
    question = await ask()
    await adapter.open_thread(question, deliveries)
    await discord.archive(question.message_id, locked=True)
    with pytest.raises(GoneError, match="locked"):
        await adapter.reply(question, deliveries).finish(response())


async def test_every_message_pings_nobody(discord, adapter, deliveries, ask, response, tmp_path):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    file = tmp_path / "a.md"
    file.write_text("x")
    await reply.show(todo())
    await reply.show(todo("failed"))
    await reply.finish(response("@everyone, @here, <@1>, <@&2>, <#3> and </ask:4>"))
    await reply.finish(response("@everyone again"))
    await reply.attach(ProducedFile(name="a.md", media_type="text/markdown", path=str(file)))
    writes = [
        request
        for request in (*discord.sent("POST", ""), *discord.sent("PATCH", ""))
        if request.path.count("/messages") and not request.path.endswith("/threads")
    ]
    assert len(writes) == 5
    assert all(request.body["allowed_mentions"] == {"parse": []} for request in writes)
    said = [request.body.get("content") or "" for request in writes]
    assert not any("@everyone" in text or "@here" in text or "<@" in text or "<#" in text for text in said)
    creates = [request for request in writes if request.method == "POST"]
    assert all(request.body["enforce_nonce"] and len(request.body["nonce"]) <= 25 for request in creates)
    assert all(request.body["flags"] & 4 for request in creates)  # no previews of links
    assert {request.content_type for request in writes if "files" not in request.body} >= {"application/json"}


async def test_questions_back_and_failures_stand_where_the_answer_would(discord, adapter, deliveries, ask, response):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.ask(Clarification(question="Which router?", options=("The old one", "The new one")))
    assert contents(discord, question.message_id) == ["Which router?\n\n1. The old one\n2. The new one"]
    await reply.fail(Failure(text="Something went wrong.", language="en"))
    assert contents(discord, question.message_id) == ["Something went wrong."]


async def test_a_file_is_attached_once_and_replaced(discord, adapter, deliveries, ask, tmp_path):
    question = await ask()
    path = tmp_path / "report.md"
    file = ProducedFile(name="report.md", media_type="text/markdown", path=str(path))
    path.write_text("first")
    for _ in range(2):
        await adapter.reply(question, deliveries).attach(file)
    path.write_text("second")
    await adapter.reply(question, deliveries).attach(file)
    [message] = discord.from_bot(question.message_id)
    [attachment] = message["attachments"]
    assert attachment["filename"] == "report.md"
    assert discord.files[attachment["id"]] == b"second"
    path.unlink()
    with pytest.raises(DeliveryError, match=r"report\.md"):
        await adapter.reply(question, deliveries).attach(file)


@pytest.mark.parametrize(("status", "code"), [(413, 40005), (413, 0), (403, 50013)])
async def test_a_file_that_is_refused_leaves_the_answer_as_it_stands(
    discord, adapter, deliveries, ask, response, tmp_path, status, code
):
    question = await ask()
    path = tmp_path / "report.md"
    path.write_text("much")
    reply = adapter.reply(question, deliveries)
    await reply.finish(response())
    before = contents(discord, question.message_id)
    discord.fault("POST", rf"/channels/{question.message_id}/messages", status=status, code=code, times=99)
    with pytest.raises(DeliveryError):
        await reply.attach(ProducedFile(name="report.md", media_type="text/markdown", path=str(path)))
    assert contents(discord, question.message_id) == before


async def test_erasing_deletes_every_message_of_the_turn(discord, adapter, deliveries, ask, response):
    question = await ask()
    reply = adapter.reply(question, deliveries)
    await reply.show(todo())
    await reply.finish(response())
    await discord.delete(question.message_id, discord.from_bot(question.message_id)[0]["id"])
    await discord.post(question.message_id, discord.bob, "thanks")
    await adapter.erase(replace(question, kind=MessageKind.DELETE), deliveries)
    assert [message["content"] for message in discord.messages(question.message_id)] == ["thanks"]
    assert await deliveries.slots(question.turn_id) == []


async def test_erasing_finds_what_a_crash_left_unnoted(discord, adapter, deliveries, ask, response):
    question = await ask()
    await adapter.open_thread(question, deliveries)
    for send in (
        lambda: adapter.reply(question, deliveries).show(todo()),
        lambda: adapter.reply(question, deliveries).stream("Hold the"),
    ):
        deliveries.fail_next_record = True
        with pytest.raises(StorageError):
            await send()
    assert len(discord.from_bot(question.message_id)) == 2
    await adapter.erase(replace(question, kind=MessageKind.DELETE), deliveries)
    assert discord.from_bot(question.message_id) == [] and await deliveries.slots(question.turn_id) == []


# --- questions asked by command


@pytest.fixture
async def asked(discord, listening, intake):
    """Ask by command, and return the interaction and the message that came of it."""

    async def slash(channel="", text="how do I reset @everyone?"):
        interaction = await discord.slash(channel or discord.general, discord.alice, text)
        await discord.until(lambda: interaction["state"] == "deferred")
        return interaction, intake.messages[-1]

    return slash


async def test_a_command_is_quoted_and_answered_in_a_new_thread(discord, listening, deliveries, asked, response):
    interaction, question = await asked()
    key = await listening.open_thread(question, deliveries)
    [anchor] = discord.messages(discord.general)
    assert anchor["id"] == interaction["message_id"]
    assert anchor["content"] == f"<@{discord.alice}>\n> how do I reset @\u200beveryone?"
    assert key == ThreadKey(
        platform="discord", workspace_id=discord.guild_id, channel_id=discord.general, thread_id=anchor["id"]
    )
    assert discord.channels[key.thread_id]["parent_id"] == discord.general
    assert await listening.open_thread(question, deliveries) == key
    await listening.reply(replace(question, key=key), deliveries).finish(response())
    assert contents(discord, key.thread_id) == ["Hold the button [1]."]
    assert len(discord.messages(discord.general)) == 1


async def test_a_crash_while_the_command_is_quoted_leaves_one_quote(discord, listening, deliveries, asked):
    interaction, question = await asked()
    deliveries.fail_next_record = True
    with pytest.raises(StorageError):
        await listening.open_thread(question, deliveries)
    discord.expire(interaction)
    key = await listening.open_thread(question, deliveries)
    assert [message["id"] for message in discord.messages(discord.general)] == [key.thread_id]


async def test_a_response_that_discord_does_not_know_yet_is_waited_for(discord, listening, deliveries, asked):
    discord.late_webhook = 4
    interaction, question = await asked()
    key = await listening.open_thread(question, deliveries)
    assert key.thread_id == interaction["message_id"] and len(discord.messages(discord.general)) == 1
    assert len(discord.sent("PATCH", "/webhooks")) == 5


async def test_a_response_that_discord_never_knows_is_given_up(discord, listening, deliveries, asked):
    discord.late_webhook = 99
    interaction, question = await asked()
    key = await listening.open_thread(question, deliveries)
    assert key.thread_id != interaction["message_id"] and interaction["state"] == "deferred"


async def test_a_command_whose_token_is_too_old_is_quoted_in_a_message_of_its_own(
    discord, listening, deliveries, asked, response
):
    interaction, question = await asked()
    discord.expire(interaction)
    key = await listening.open_thread(question, deliveries)
    assert key.thread_id != interaction["message_id"]
    assert f"<@{discord.alice}>" in discord.messages(discord.general)[-1]["content"]
    await listening.reply(replace(question, key=key), deliveries).finish(response())
    assert contents(discord, key.thread_id) == ["Hold the button [1]."]


async def test_a_command_in_a_thread_is_quoted_and_answered_there(discord, listening, deliveries, asked, response):
    thread = await discord.thread(discord.general)
    _, question = await asked(thread, "and on Windows?")
    assert (await listening.open_thread(question, deliveries)).thread_id == thread
    await listening.reply(question, deliveries).finish(response())
    assert contents(discord, thread) == [f"<@{discord.alice}>\n> and on Windows?", "Hold the button [1]."]


async def test_a_worker_answers_a_command_that_another_process_heard(discord, make, deliveries, asked, response):
    _, question = await asked()
    assert INTERACTION_TOKEN in question.extra
    assert APPLICATION_ID in question.extra
    worker = make()
    await worker.connect()
    key = await worker.open_thread(question, deliveries)
    await worker.reply(replace(question, key=key), deliveries).finish(response())
    assert contents(discord, key.thread_id) == ["Hold the button [1]."]


async def test_a_command_where_no_thread_can_be_made_is_answered_below_its_quote(
    discord, listening, deliveries, asked, response
):
    discord.fault("POST", r".*/threads$", status=400, code=50024)
    _, question = await asked()
    key = await listening.open_thread(question, deliveries)
    await listening.reply(replace(question, key=key), deliveries).finish(response())
    anchor, answer = discord.from_bot(discord.general)
    assert key.thread_id == anchor["id"]
    assert answer["message_reference"]["message_id"] == anchor["id"]
