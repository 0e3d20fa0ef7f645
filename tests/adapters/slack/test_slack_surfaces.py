"""`/weft`, the home, modals, the message shortcut, prompts and Stop: over signed requests, as Slack sends them."""

import json
from dataclasses import replace

import pytest

from adapters.contract import TodoList
from adapters.desk import Fact, Order, Remembered, Shelf
from adapters.slack import views
from adapters.slack.surfaces import ASK_ABOUT
from agent.language import say
from agent.types import (
    ChannelMode,
    Citation,
    IncomingMessage,
    Memory,
    MessageKind,
    Passage,
    Preferences,
    Rating,
    Reason,
    ReasonKind,
)
from tests.adapters.slack.test_slack_native import incoming, response
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.slack_blocks import view_fault


class MemoryDesk:
    """A desk at which U1 has asked two questions, and only U2 reads the vault."""

    def __init__(self) -> None:
        self.askers: list[IncomingMessage] = []
        self.orders: list[Order] = []
        self.preferred: list[Preferences] = []
        self.modes = {"C1": ChannelMode.THREAD}
        self.managers: set[str] = set()
        self.facts = [Fact(name="office", title="Office", value="Seoul *bold* <!channel>")]
        self.questions = [
            Memory(turn_id=f"t{n}", question=f"**Question {n}?**", answer="", at=float(n)) for n in (2, 1)
        ]

    def title(self, language):
        return {"en": "the handbook", "ko": "안내서"}[language]

    def description(self, language):
        return "Answers from the handbook."

    def prompts(self, language):
        return [f"Prompt {n} ({language}) " + "and so on " * 30 for n in range(6)]

    async def carry_out(self, order, asker):
        self.askers.append(asker)
        self.orders.append(order)
        return f"**{order.value}** for {asker.author.id} <!channel>"

    async def sources(self, asker):
        self.askers.append(asker)
        shelves = [Shelf(name="open", documents=3, passages=9)]
        return shelves + ([Shelf(name="vault", documents=1, passages=1)] if asker.author.id == "U2" else [])

    async def remembered(self, asker, *, most=10):
        if asker.author.id != "U1":
            return Remembered()
        return Remembered(facts=tuple(self.facts), questions=tuple(self.questions), preferences=Preferences())

    async def prefer(self, asker, preferences):
        self.preferred.append(preferences)

    async def forget(self, asker):
        self.facts, self.questions = [], []
        return 3

    async def forget_fact(self, asker, name):
        self.facts = [fact for fact in self.facts if fact.name != name]

    async def forget_question(self, asker, turn_id):
        self.questions = [each for each in self.questions if each.turn_id != turn_id]
        return True

    async def stop(self, asker):
        return 0

    async def mode(self, asker):
        return None if asker.private else self.modes[asker.key.channel_id]

    async def set_mode(self, asker, mode, platform):
        if asker.author.id not in self.managers:
            return "Only somebody who manages this channel can change that."
        self.modes[asker.key.channel_id] = mode
        return "Set."

    async def passage(self, asker, reference):
        self.askers.append(asker)
        if asker.author.id != "U2" or reference != "vault\tvault#0":
            return None
        text, section = "Code <@U1> 77-31.", "The vault > Doors > Codes"
        return Passage(id=1, document_id="vault", collection="vault", title="The vault", text=text, section=section)


@pytest.fixture
def desk() -> MemoryDesk:
    return MemoryDesk()


@pytest.fixture
async def adapter(make_adapter, desk):
    adapter = make_adapter(desk=desk)
    await adapter.connect()
    return adapter


# --- /weft


@pytest.mark.parametrize(("word", "order"), [("", Order.HELP), ("sources", Order.SOURCES), ("잊어줘", Order.FORGET)])
async def test_a_word_behind_the_command_is_carried_out_for_its_asker_alone(slack, endpoint, desk, word, order) -> None:
    [answer] = (await slack.command(endpoint, word, command="/weft")).answers
    assert desk.orders == [order] and desk.askers[0].author.id == "U1"
    assert answer.status == 200 and f"*{order.value}* for U1" in answer.body
    assert "<!channel>" not in answer.body and not slack.bot_messages("C1")


async def test_an_unknown_word_is_named_with_the_help(slack, endpoint, desk) -> None:
    [answer] = (await slack.command(endpoint, "fly *away*", command="/weft")).answers
    assert "fly" in answer.body and desk.orders == [Order.HELP]


async def test_the_other_command_still_asks(slack, endpoint, desk, intake) -> None:
    await slack.command(endpoint, "sources")
    assert desk.orders == [] and [m.text for m in intake.messages] == ["sources"]


async def test_settings_are_a_modal_that_is_kept_when_it_is_submitted_also_twice(slack, endpoint, desk) -> None:
    desk.managers = {"U1"}
    await slack.command(endpoint, "settings", command="/weft")
    [view] = await slack.until(lambda: slack.views)
    values = {
        "language": {"language": {"type": "static_select", "selected_option": {"value": "ko"}}},
        "length": {"length": {"type": "static_select", "selected_option": {"value": "any"}}},
        "format": {"format": {"type": "static_select", "selected_option": {"value": "table"}}},
        "mode": {"mode": {"type": "static_select", "selected_option": {"value": "all"}}},
    }
    for _ in range(2):
        answer = await slack.submit(endpoint, view, values)
        assert (answer.status, answer.body) == (200, "")
    assert desk.preferred == [Preferences(language="ko", format="table")] * 2
    assert desk.modes["C1"] is ChannelMode.ALL


async def test_who_does_not_manage_the_channel_is_told_so_in_the_modal_and_nothing_is_changed(
    slack, endpoint, desk
) -> None:
    await slack.command(endpoint, "settings", command="/weft")
    [view] = await slack.until(lambda: slack.views)
    values = {"mode": {"mode": {"type": "static_select", "selected_option": {"value": "off"}}}}
    answer = await slack.submit(endpoint, view, values)
    assert json.loads(answer.body) == {
        "response_action": "errors",
        "errors": {"mode": "Only somebody who manages this channel can change that."},
    }
    assert desk.modes["C1"] is ChannelMode.THREAD and desk.preferred == []


async def test_a_modal_that_comes_too_late_is_told_as_such(slack, endpoint, desk) -> None:
    slack.fail("views.open", status=200, error="expired_trigger_id", times=2)
    [answer] = (await slack.command(endpoint, "settings", command="/weft")).answers
    assert answer.status == 200
    await slack.until(lambda: slack.responses)
    await slack.shortcut(endpoint, slack.add("C1", "U2", "x"), ASK_ABOUT)
    await slack.until(lambda: len(slack.responses) == 2)
    told = {(each["text"], each["response_type"]) for each in slack.responses}
    assert told == {(say("form_late", "en"), "ephemeral")} and slack.views == []


# --- the app's home, prompts


async def opened(slack, endpoint, tab: str, user: str = "U1"):
    event = {"type": "app_home_opened", "user": user, "channel": "D1", "tab": tab, "event_ts": slack.next_ts()}
    return await slack.event(endpoint, event)


def told(view) -> str:
    return json.dumps(view["blocks"], ensure_ascii=False)


async def test_the_home_shows_what_weft_knows_and_what_it_knows_of_this_person(slack, endpoint, desk) -> None:
    assert (await opened(slack, endpoint, "home")).status == 200
    await slack.until(lambda: "U1" in slack.homes)
    assert all(each in told(slack.homes["U1"]) for each in ("the handbook", "open", "Question 2?", "Seoul"))
    assert "*Question 2?*" in told(slack.homes["U1"]) and "**" not in told(slack.homes["U1"])  # as Slack writes bold
    assert "vault" not in told(slack.homes["U1"]) and "<!channel>" not in told(slack.homes["U1"])
    await opened(slack, endpoint, "home", user="U2")
    await slack.until(lambda: "U2" in slack.homes)
    assert "vault" in told(slack.homes["U2"]) and "Question" not in told(slack.homes["U2"])


async def test_the_home_is_told_in_the_language_of_the_person(slack, endpoint, desk) -> None:
    slack.locales["U1"] = "ko-KR"
    await opened(slack, endpoint, "home")
    await slack.until(lambda: "U1" in slack.homes)
    assert "안내서" in told(slack.homes["U1"]) and say("forget_one", "ko") in told(slack.homes["U1"])


async def test_what_is_remembered_is_deleted_from_the_home(slack, endpoint, desk) -> None:
    await opened(slack, endpoint, "home")
    view = await slack.until(lambda: slack.homes.get("U1"))
    await slack.press_in_view(endpoint, view, f"{views.FORGET_QUESTION}t1")
    await slack.until(lambda: "Question 1?" not in told(slack.homes["U1"]))
    await slack.press_in_view(endpoint, slack.homes["U1"], f"{views.FORGET_FACT}office")
    await slack.until(lambda: "Seoul" not in told(slack.homes["U1"]))
    await slack.press_in_view(endpoint, slack.homes["U1"], views.FORGET_ALL)
    await slack.until(lambda: "Question 2?" not in told(slack.homes["U1"]))
    await slack.press_in_view(endpoint, slack.homes["U1"], views.OPEN_SETTINGS)
    [modal] = await slack.until(lambda: slack.views)
    assert [block["block_id"] for block in modal["blocks"]] == ["language", "length", "format"]


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
async def test_prompts_of_the_pack_are_suggested_in_the_messages_tab(slack, endpoint, desk, locale) -> None:
    slack.locales["U1"] = locale
    await opened(slack, endpoint, "messages")
    [shown] = await slack.until(lambda: slack.prompts)
    assert shown["channel_id"] == "D1" and len(shown["prompts"]) == 4
    assert shown["prompts"][0]["message"] == desk.prompts(locale[:2])[0]
    assert all(len(each["title"]) <= 75 for each in shown["prompts"])
    thread = {"user_id": "U1", "channel_id": "D1", "thread_ts": "1.2", "context": {}}
    await slack.event(endpoint, {"type": "assistant_thread_started", "assistant_thread": thread})
    assert (await slack.until(lambda: slack.prompts[1:]))[0]["thread_ts"] == "1.2"


async def test_who_invites_weft_is_told_how_to_ask_it_once(slack, endpoint) -> None:
    joined = {"type": "member_joined_channel", "channel": "C1", "channel_type": "C", "team": "T1", "inviter": "U1"}
    await slack.event(endpoint, {**joined, "user": "U2"})
    for channel in ("C1", "C1", "C2"):  # Slack may tell of it again
        await slack.event(endpoint, {**joined, "channel": channel, "user": slack.bot_user})
    await slack.until(lambda: slack.bot_messages("C2"))
    [hello] = slack.bot_messages("C1")
    assert "the handbook" in hello["text"]


# --- sessions and Stop


async def test_a_session_has_the_question_as_its_title_and_ends_with_the_answer(slack, adapter) -> None:
    message = incoming(slack.add("C1", "U1", "a question")["ts"], text="How many   days?\nPlease " + "x" * 300)
    reply = adapter.reply(message, MemoryDeliveries())
    todo = TodoList(steps=(), language="en")
    await reply.typing(todo)
    await reply.typing(todo)
    await reply.finish(response("One. [1]"))
    assert [each["status"] for each in slack.sessions] == ["processing", "active"]
    assert slack.sessions[0]["title"].startswith("How many days? Please") and len(slack.sessions[0]["title"]) <= 200
    assert slack.sessions[0]["initiator_user_id"] == "U1"
    assert [each["status"] for each in slack.statuses] == [say("status", "en", at=todo.at)] * 2


async def test_an_app_that_is_no_agent_answers_as_before(slack, adapter) -> None:
    slack.agent = False
    for _ in range(2):
        message = incoming(slack.add("C1", "U1", "a question")["ts"])
        reply = adapter.reply(message, MemoryDeliveries())
        await reply.typing(TodoList(steps=(), language="en"))
        await reply.finish(response("One. [1]"))
    assert len(slack.called("agents.sessions.setStatus")) == 1 and len(slack.bot_messages("C1")) == 2


async def test_a_session_that_a_process_before_this_one_began_is_ended_too(slack, make_adapter) -> None:
    message = incoming(slack.add("C1", "U1", "a question")["ts"])
    deliveries = MemoryDeliveries()
    for number in range(2):
        adapter = make_adapter()
        await adapter.connect()
        reply = adapter.reply(message, deliveries)
        if number == 0:
            await reply.typing(TodoList(steps=(), language="en"))
    await reply.finish(response("One. [1]"))
    assert [each["status"] for each in slack.sessions] == ["processing", "active"]


@pytest.mark.parametrize("channel", ["C1", "D1"])
async def test_stop_stops_the_thread_and_ends_its_session(slack, endpoint, intake, channel) -> None:
    event = {
        "type": "agent_session_stopped", "channel": channel, "thread_ts": "1782234671.392669", "user": "U1",
        "streaming_message_ts": [], "event_ts": slack.next_ts(),
    }  # fmt: skip
    for _ in range(2):
        assert (await slack.event(endpoint, event)).status == 200
    stops = [(message.kind, message.key.thread_id) for message in intake.messages]
    assert (MessageKind.STOP, "1782234671.392669") in stops
    assert ((MessageKind.STOP, "D1") in stops) == (channel == "D1")
    assert len(stops) == len(set(stops))
    await slack.until(lambda: slack.sessions)
    assert slack.sessions[0]["status"] == "active"


# --- the message shortcut


async def test_a_message_is_asked_about_in_its_thread(slack, adapter, endpoint, intake) -> None:
    target = slack.add("C1", "U2", "The gym opens at 7.")
    assert (await slack.shortcut(endpoint, target, ASK_ABOUT)).status == 200
    [view] = await slack.until(lambda: slack.views)
    for _ in range(2):  # submitted twice
        answer = await slack.submit(endpoint, view, {"question": {"q": {"type": "plain_text_input", "value": "True?"}}})
        assert (answer.status, answer.body) == (200, "")
    [asked] = intake.messages
    assert (asked.kind, asked.text, asked.author.id) == (MessageKind.SHORTCUT, "True?", "U1")
    assert asked.key.thread_id == target["ts"] and asked.points_at[0].message_id == target["ts"]
    deliveries = MemoryDeliveries()
    assert await adapter.open_thread(asked, deliveries) == asked.key
    await adapter.reply(asked, deliveries).finish(response("It does. [1]"))
    anchor, posted = slack.bot_messages("C1", target["ts"])
    assert "True?" in anchor["text"] and posted["thread_ts"] == target["ts"]


async def test_a_question_that_begins_like_a_choice_is_asked_whole(slack, endpoint, intake) -> None:
    await slack.shortcut(endpoint, slack.add("C1", "U2", "x"), ASK_ABOUT)
    [view] = await slack.until(lambda: slack.views)
    words = "any exceptions to this?"
    await slack.submit(endpoint, view, {"question": {"q": {"type": "plain_text_input", "value": words}}})
    assert [message.text for message in intake.messages] == [words]


async def test_without_words_it_is_asked_what_the_documents_say(slack, endpoint, intake) -> None:
    slack.locales["U1"] = "ko-KR"
    target = slack.add("C1", "U2", "체육관은 7시에 엽니다.")
    await slack.shortcut(endpoint, target, ASK_ABOUT)
    [view] = await slack.until(lambda: slack.views)
    await slack.submit(endpoint, view, {"question": {"q": {"type": "plain_text_input", "value": None}}})
    assert [message.text for message in intake.messages] == [say("ask_about_this", "ko")]


async def test_where_weft_is_off_the_modal_says_so(slack, endpoint, intake) -> None:
    intake.off = {"C1"}
    await slack.shortcut(endpoint, slack.add("C1", "U2", "x"), ASK_ABOUT)
    [view] = await slack.until(lambda: slack.views)
    answer = await slack.submit(endpoint, view, {"question": {"q": {"type": "plain_text_input", "value": "True?"}}})
    assert say("off_here", "en") in json.loads(answer.body)["errors"]["question"]
    assert intake.messages == []


# --- sources, thumbs


async def test_a_source_without_an_address_opens_for_who_may_read_it_at_the_click(slack, adapter, endpoint) -> None:
    message = incoming(slack.add("C1", "U1", "a question")["ts"])
    cited = Citation(
        n=1, document_id="vault", passage_id="vault#0", title="The vault", quote="q", source="/srv/v.md",
        collection="vault",
    )  # fmt: skip
    linked = replace(cited, n=2, source="https://x.test/v")
    await adapter.reply(message, MemoryDeliveries()).finish(response("One. [1][2]", citations=(cited, linked)))
    [posted] = slack.bot_messages("C1")
    buttons = next(block for block in posted["blocks"] if block["type"] == "actions")["elements"]
    assert [(each["text"]["text"], each["accessibility_label"]) for each in buttons] == [("Open [1]", "[1] The vault")]
    for user in ("U2", "U1"):
        await slack.click(endpoint, posted, 0, user=user)
    shown, closed = await slack.until(lambda: slack.views[1:] and slack.views)
    assert "77-31" in told(shown) and "<@U1>" not in told(shown)
    assert shown["blocks"][0]["text"]["text"] == "*The vault* › Doors › Codes"
    assert "77-31" not in told(closed) and say("source_closed", "en") in told(closed)


async def test_a_source_is_shown_with_its_tables_within_what_a_modal_takes(slack) -> None:
    rows = "\n".join(f"| {n} & more | **{n * 100}** |" for n in range(400))
    text = f"## Pay <@U1>\n\n| grade | pay |\n| --- | --- |\n{rows}\n\nAll of it."
    found = Passage(id=1, document_id="d", collection="c", title="Pay", text=text, section="")
    view = views.passage(found, "en")
    assert not view_fault(view)
    shown = [block["text"]["text"] for block in view["blocks"]]
    head = "```\ngrade       pay\n----------  -----\n"
    assert shown[1].startswith("*Pay &lt;@U1&gt;*\n\n" + head)
    assert "\n1 &amp; more    100\n" in shown[1] and "\n399 &amp; more  39900\n```" in shown[-1]
    assert all(head in each for each in shown[1:]) and shown[-1].endswith("All of it.")


async def test_a_thumb_down_asks_for_the_reason_which_is_kept(slack, adapter, endpoint, intake) -> None:
    message = incoming(slack.add("C1", "U1", "a question")["ts"])
    await adapter.reply(message, MemoryDeliveries()).finish(response("One. [1]"))
    [posted] = slack.bot_messages("C1")
    await slack.press_feedback(endpoint, posted, 1)
    [view] = await slack.until(lambda: slack.views)
    values = {
        "kind": {"kind": {"type": "radio_buttons", "selected_option": {"value": "outdated"}}},
        "text": {"text": {"type": "plain_text_input", "value": "It is 26 by now."}},
    }
    for _ in range(2):
        assert (await slack.submit(endpoint, view, values)).status == 200
    (_, first), (ref, rating) = intake.ratings[:2]
    assert first.reason is None and first.helpful is False
    assert ref.message_id == posted["ts"]
    assert rating == Rating(
        user="U1", helpful=False, at=rating.at, reason=Reason(kind=ReasonKind.OUTDATED, text="It is 26 by now.")
    )


async def test_a_press_on_an_answer_that_is_gone_says_so(slack, adapter, endpoint, intake, monkeypatch) -> None:
    async def gone(answer, rating) -> bool:
        return False

    monkeypatch.setattr(intake, "rate", gone)
    message = incoming(slack.add("C1", "U1", "a question")["ts"])
    await adapter.reply(message, MemoryDeliveries()).finish(response("One. [1]"))
    await slack.press_feedback(endpoint, slack.bot_messages("C1")[0], 1)
    [told_alone] = await slack.until(lambda: slack.responses)
    assert told_alone["text"] == say("question_over", "en") and slack.views == []


@pytest.mark.parametrize("metadata", ["", "no json", "[1]", '{"channel": 7}'])
@pytest.mark.parametrize("callback", [views.ASK, views.SETTINGS, views.REASON, "of another app"])
async def test_a_modal_that_is_not_as_it_was_sent_changes_nothing(
    slack, endpoint, intake, desk, callback, metadata
) -> None:
    view = {"id": "V9", "type": "modal", "callback_id": callback, "private_metadata": metadata, "blocks": []}
    answer = await slack.submit(endpoint, view, {})
    assert answer.status == 200 and intake.messages == [] and intake.ratings == []
