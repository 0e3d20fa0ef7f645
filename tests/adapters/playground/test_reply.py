"""What a turn writes on the board, and what people do on the page."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.contract import HEADING, Failure, TodoList
from adapters.playground.adapter import NotListeningError, NotThereError, PlaygroundAdapter, title_of
from adapters.playground.present import post_view
from agent.errors import DeliveryError, GoneError, StorageError
from agent.language import say
from agent.types import (
    Author,
    Clarification,
    IncomingMessage,
    MessageKind,
    ProducedFile,
    Step,
    StepStatus,
    ThreadKey,
)
from storage.board import BoardStore
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.playground import ScriptedIntake, citation, response


@pytest.fixture
async def board(tmp_path):
    opened = await BoardStore.open(tmp_path / "weft.db")
    yield opened
    await opened.close()


@pytest.fixture
async def adapter(board):
    adapter = PlaygroundAdapter(board)
    adapter.intake = ScriptedIntake(adapter)
    return adapter


@pytest.fixture
async def message(adapter):
    await adapter.ask(thread="", text="How many days?", client_id="question-1", locale="ko")
    return heard(adapter)[0]


@pytest.fixture
def reply(adapter, message):
    return adapter.reply(message, MemoryDeliveries())


def heard(adapter):
    return adapter.intake.accepted


async def posts(adapter, message):
    return [(post.role, post.payload) for post in await adapter.board.posts(message.key.thread_id)]


def todo(status="working", step=StepStatus.PENDING, result=""):
    step = Step(id="s1", team="search", task="Search", status=step, result=result)
    return TodoList(steps=(step,), language="en", status=status, elapsed_ms=12.4)


async def test_a_first_question_opens_a_thread_of_its_own(adapter, message):
    assert str(message.key) == f"playground:local:web:{message.key.thread_id}"
    assert (message.kind, message.private, message.author.id, message.locale) == (MessageKind.DIRECT, True, "you", "ko")
    assert message.text == "How many days?" and message.message_id == "question-1"
    assert (await adapter.board.threads())[0].title == "How many days?"
    assert await adapter.open_thread(message, MemoryDeliveries()) == message.key


async def test_a_second_question_stays_in_the_thread(adapter, message):
    asked = await adapter.ask(thread=message.key.thread_id, text="And part time?", client_id="question-2")
    second = heard(adapter)[1]
    assert second.kind is MessageKind.THREAD_REPLY and second.key == message.key
    assert asked.turn == second.turn_id != message.turn_id
    assert len(await adapter.board.threads()) == 1


async def test_a_question_sent_twice_is_one(adapter, message):
    again = await adapter.ask(thread="", text="How many days?", client_id="question-1")
    assert again.thread == message.key.thread_id
    assert len(heard(adapter)) == 1
    assert len(await posts(adapter, message)) == 1 and len(await adapter.board.threads()) == 1


async def test_a_question_that_could_not_be_kept_leaves_no_trace(adapter):
    adapter.intake.failing = True
    with pytest.raises(StorageError):
        await adapter.ask(thread="", text="?", client_id="question-1")
    assert await adapter.board.threads() == ()


async def test_nothing_is_taken_while_nobody_listens(board):
    with pytest.raises(NotListeningError):
        await PlaygroundAdapter(board).ask(thread="", text="?", client_id="question-1")


async def test_a_thread_that_is_not_there_takes_no_question(adapter):
    with pytest.raises(NotThereError):
        await adapter.ask(thread="nowhere", text="?", client_id="question-1")


async def test_a_turn_has_one_todo_and_one_answer(adapter, message, reply):
    await reply.show(todo())
    await reply.show(todo("done", StepStatus.COMPLETED, "12 passages"))
    await reply.stream("It is")
    await reply.stream("It is 25. [1]")
    for _ in range(2):
        await reply.finish(response(message, "It is 25. [1]", citation()))
    question, shown, answer = await posts(adapter, message)
    assert question[0] == "user"
    assert shown[1]["status"] == "done" and shown[1]["steps"][0]["status"] == "completed"
    assert answer[0] == "answer" and answer[1]["text"] == "It is 25. [1]" and "draft" not in answer[1]
    assert answer[1]["citations"][0]["passage_id"] == "leave.md#1"


async def test_another_process_goes_on_with_the_same_posts(adapter, message, reply, tmp_path: Path):
    await reply.show(todo())
    elsewhere = await BoardStore.open(tmp_path / "weft.db")
    again = PlaygroundAdapter(elsewhere).reply(message, MemoryDeliveries())
    await again.show(todo("done"))
    await again.finish(response(message, "25"))
    await elsewhere.close()
    assert [role for role, _ in await posts(adapter, message)] == ["user", "todo", "answer"]


async def test_a_question_back_takes_the_place_of_the_answer(adapter, message, reply):
    back = Clarification(question="Which country?", options=("Korea", "Spain"))
    await reply.stream("draft")
    await reply.ask(back)
    await reply.finish(response(message, "Which country?", clarification=back, response_type="clarification"))
    roles = await posts(adapter, message)
    assert [role for role, _ in roles] == ["user", "clarification"]
    assert list(roles[1][1]["options"]) == ["Korea", "Spain"]


async def test_a_failure_is_told(adapter, message, reply):
    await reply.stream("half")
    await reply.fail(Failure(text="Something went wrong.", language="en"))
    assert (await posts(adapter, message))[1][0] == "error"
    await reply.finish(response(message, "It did work", response_type="error", status="failed"))
    assert [role for role, _ in await posts(adapter, message)] == ["user", "error"]


async def test_a_file_is_offered_once(adapter, message, reply):
    for _ in range(2):
        await reply.attach(ProducedFile(name="report.md", media_type="text/markdown", path="/somewhere/report.md"))
    assert [role for role, _ in await posts(adapter, message)] == ["user", "file"]


async def test_erasing_takes_down_what_the_turn_posted_and_nothing_else(adapter, message, reply):
    await reply.show(todo())
    await reply.finish(response(message, "25"))
    await adapter.ask(thread=message.key.thread_id, text="next", client_id="question-2")
    other = adapter.reply(heard(adapter)[1], MemoryDeliveries())
    await other.finish(response(heard(adapter)[1], "other"))
    await adapter.erase(message, MemoryDeliveries())
    assert [role for role, _ in await posts(adapter, message)] == ["user", "user", "answer"]


async def test_an_answer_to_a_deleted_thread_is_gone(adapter, message, reply):
    await adapter.forget(message.key.thread_id)
    with pytest.raises(GoneError):
        await reply.finish(response(message, "25"))


async def test_a_board_that_fails_is_a_failed_delivery(message, tmp_path):
    board = await BoardStore.open(tmp_path / "other.db")
    await board.close()
    with pytest.raises(DeliveryError, match="closed"):
        await PlaygroundAdapter(board).reply(message, MemoryDeliveries()).show(todo())


async def test_deleting_a_thread_stops_and_forgets_its_turns(adapter, message):
    await adapter.ask(thread=message.key.thread_id, text="next", client_id="question-2")
    await adapter.forget(message.key.thread_id)
    kinds = [(each.kind, each.message_id) for each in heard(adapter)[2:]]
    assert kinds[0][0] is MessageKind.STOP
    assert kinds[1:] == [(MessageKind.DELETE, "question-1"), (MessageKind.DELETE, "question-2")]
    assert heard(adapter)[3].turn_id == message.turn_id
    assert await adapter.board.threads() == ()


async def test_an_edit_asks_again_in_place(adapter, message, reply):
    await reply.show(todo("done"))
    await reply.finish(response(message, "25"))
    edit = {"thread": message.key.thread_id, "message_id": "question-1", "text": "How many hours?", "client_id": "e1"}
    await adapter.edit(**edit)
    (_, edited) = heard(adapter)
    assert (edited.kind, edited.message_id, edited.turn_id) == (MessageKind.EDIT, "question-1", message.turn_id)
    assert edited.event_id != message.event_id
    assert [(role, payload["text"]) for role, payload in await posts(adapter, message)] == [("user", "How many hours?")]
    assert (await adapter.board.threads())[0].title == "How many hours?"
    await reply.finish(response(edited, "200"))
    await adapter.edit(**edit)
    assert [payload["text"] for _, payload in await posts(adapter, message)] == ["How many hours?", "200"]
    assert len(heard(adapter)) == 2


async def test_an_edit_that_could_not_be_kept_can_be_repeated(adapter, message):
    edit = {"thread": message.key.thread_id, "message_id": "question-1", "text": "New words", "client_id": "e1"}
    adapter.intake.failing = True
    with pytest.raises(StorageError):
        await adapter.edit(**edit)
    adapter.intake.failing = False
    await adapter.edit(**edit)
    assert heard(adapter)[1].text == "New words"


async def test_an_edit_of_what_came_to_nothing_is_a_question(adapter, message, reply):
    edit = {"thread": message.key.thread_id, "message_id": "question-1", "text": "New words"}
    await adapter.edit(**edit, client_id="e1")  # it still runs: the application edits it when it is done
    await reply.fail(Failure(text="Stopped as you asked.", language="en"))
    await adapter.edit(**edit, client_id="e2")
    await reply.finish(response(message, "no", response_type="error", status="failed"))
    await adapter.edit(**edit, client_id="e3")
    kinds = [each.kind for each in heard(adapter)]
    assert kinds == [MessageKind.DIRECT, MessageKind.EDIT, MessageKind.DIRECT, MessageKind.EDIT]
    assert {each.turn_id for each in heard(adapter)} == {message.turn_id}


async def test_stopping_names_the_thread_and_answers_what_waits(adapter, message, reply):
    await reply.show(todo())
    await adapter.ask(thread=message.key.thread_id, text="next", client_id="question-2")
    await adapter.stop(thread=message.key.thread_id, message_id="question-1", language="ko")
    stop = heard(adapter)[2]
    assert (stop.kind, stop.key, stop.turn_id) == (MessageKind.STOP, message.key, message.turn_id)
    dropped = (await adapter.board.posts(message.key.thread_id))[-1]
    assert dropped.role == "error" and dropped.payload["turn"] == heard(adapter)[1].turn_id
    assert "중지" in dropped.payload["text"]


async def test_stopping_leaves_an_answer_alone(adapter, message, reply):
    await reply.finish(response(message, "25"))
    await adapter.ask(thread=message.key.thread_id, text="next", client_id="question-2")
    await adapter.stop(thread=message.key.thread_id, message_id="question-2", language="en")
    assert (await posts(adapter, message))[1][1]["text"] == "25"


async def test_titles_are_cut_between_words():
    assert title_of("  How   many\ndays? ") == "How many days?"
    assert title_of("word " * 40) == "word " * 14 + "word…"
    assert len(title_of("x" * 500)) == 80
    assert title_of("") == ""


async def test_what_the_clock_asks_begins_a_thread_on_the_page(adapter):
    key = ThreadKey(platform="playground", workspace_id="local", channel_id="web", thread_id="")
    standing = IncomingMessage(
        key=key, event_id="plan:1:9", message_id="plan-1-9", author=Author(id="you"), text="who is on call?",
        kind=MessageKind.SCHEDULED, received_at=1.0, private=True, extra={HEADING: "Standing question, every hour:"},
    )  # fmt: skip
    opened = [await adapter.open_thread(standing, MemoryDeliveries()) for _ in range(2)]
    assert opened[0] == opened[1] and opened[0].thread_id
    message = replace(standing, key=opened[0])
    await adapter.reply(message, MemoryDeliveries()).finish(response(message, "Kim."))
    (thread,) = await adapter.board.threads()
    assert thread.title == "Standing question, every hour:"
    shown = [(role, payload["text"]) for role, payload in await posts(adapter, message)]
    assert shown == [("user", "who is on call?"), ("answer", "Kim.")]
    # and people ask on there
    await adapter.ask(thread=opened[0].thread_id, text="and tomorrow?", client_id="q2")
    notice = replace(standing, kind=MessageKind.NOTICE, message_id="notice-1", extra={}, text="Backup is done.")
    assert (await adapter.open_thread(notice, MemoryDeliveries())).thread_id != opened[0].thread_id


async def test_the_zone_of_a_browser_is_that_of_what_is_planned_in_it(adapter):
    await adapter.ask(thread="", text="every day at 9 ask who is in", client_id="q1", zone="Asia/Seoul")
    await adapter.ask(thread="", text="how many days?", client_id="q2")
    assert [await adapter.zone_of(message) for message in heard(adapter)] == ["Asia/Seoul", ""]


async def test_who_waits_is_told_so_until_their_turn_begins(adapter, message, reply):
    for shown, words in (
        (TodoList(steps=(), language="en", before=3), say("waits_behind", "en", count=3)),
        (TodoList(steps=(), language="en", starts_in=39.2), say("waits_for_rate", "en", seconds=40)),
        (TodoList(steps=(), language="en"), ""),
    ):
        await reply.show(shown)
        views = [post_view(post, 0.0) for post in await adapter.board.posts(message.key.thread_id)]
        assert [(view["status"], view["waits"]) for view in views if view["role"] == "todo"] == [("working", words)]
