"""The page's API over real HTTP."""

import asyncio
import json
from dataclasses import replace

import httpx
import pytest

from adapters.contract import TodoList
from agent.types import MessageKind, ProducedFile, Reason, ReasonKind, Step, StepStatus
from storage.board import BoardStore
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.playground import PASSAGES, citation, playground, response

EVIL = "<img src=x onerror=alert(1)><script>alert(1)</script>[x](javascript:alert(1))\"'&"


async def ask(http, text="How many days?", client_id="question-1", **more):
    asked = await http.post("/api/messages", json={"text": text, "client_id": client_id, **more})
    assert asked.status_code == 202, asked.text
    return asked.json()


def reply(running, index=0):
    return running.adapter.reply(running.intake.accepted[index], MemoryDeliveries())


async def read(http, thread):
    return {post["role"]: post for post in (await http.get(f"/api/threads/{thread}")).json()["posts"]}


class Events:
    """The events of one stream, as they come."""

    def __init__(self, http, **params):
        self.http = http
        self.params = params

    async def __aenter__(self):
        headers = self.params.pop("headers", {})
        self.context = self.http.stream("GET", "/api/stream", params=self.params, headers=headers)
        self.response = await self.context.__aenter__()
        assert self.response.headers["content-type"].startswith("text/event-stream")
        self.lines = self.response.aiter_lines()
        return self

    async def __aexit__(self, *error):
        await self.context.__aexit__(None, None, None)

    async def next(self):
        event = {}
        async with asyncio.timeout(60):
            async for line in self.lines:
                name, _, value = line.partition(": ")
                if name in ("id", "event", "data"):
                    event[name] = json.loads(value) if name == "data" else value
                elif not line and "event" in event:
                    return event
        raise AssertionError("the stream ended")

    async def until(self, matches):
        seen = []
        while True:
            seen.append(await self.next())
            if matches(seen[-1]):
                return seen


def is_answer(event):
    return event["data"].get("role") == "answer" and not event["data"]["draft"]


async def test_the_page_and_its_parts_are_served(http):
    page = await http.get("/")
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    assert "<script>" not in page.text and "style=" not in page.text and "onclick" not in page.text
    for path in ("app.js", "style.css", "mark.svg"):
        part = await http.get(f"/static/{path}")
        assert part.status_code == 200 and part.headers["cache-control"] == "no-cache"
        again = await http.get(f"/static/{path}", headers={"If-None-Match": part.headers["etag"]})
        assert again.status_code == 304
    assert (await http.get("/static/../adapter.py")).status_code == 404
    assert (await http.get("/static/%2e%2e/adapter.py")).status_code == 404


async def test_the_configuration_has_the_words_in_both_languages(http):
    config = (await http.get("/api/config")).json()
    assert config["pack"] == "handbook" and config["title"]["ko"] == "사내 안내서에 물어보세요"
    assert config["prompts"][0]["en"].endswith("?")
    assert config["words"]["en"].keys() == config["words"]["ko"].keys() >= {"web_new", "working", "sources"}
    assert (await http.get("/static/words.json")).json() == config["words"]


async def test_a_question_reaches_the_intake_and_the_page(http, running):
    asked = await ask(http, "  휴가는 며칠인가요?\n둘째 줄", locale="ko-KR")
    (message,) = running.intake.accepted
    assert (message.kind, message.text, message.locale) == (
        MessageKind.DIRECT,
        "  휴가는 며칠인가요?\n둘째 줄",
        "ko-KR",
    )
    assert asked == {"thread": message.key.thread_id, "message": "question-1", "turn": message.turn_id}
    listed = (await http.get("/api/threads")).json()
    assert [(each["id"], each["title"]) for each in listed["threads"]] == [
        (asked["thread"], "휴가는 며칠인가요? 둘째 줄")
    ]
    assert (await read(http, asked["thread"]))["user"]["text"] == message.text


async def test_the_same_question_twice_is_one(http, running):
    first, second = await ask(http), await ask(http)
    third = await ask(http, thread=first["thread"])
    assert first == second and third["message"] == first["message"]
    assert len(running.intake.accepted) == 1
    assert len((await http.get(f"/api/threads/{first['thread']}")).json()["posts"]) == 1


async def test_questions_at_once_all_arrive(http, running):
    await asyncio.gather(*(ask(http, client_id=f"question-{n}") for n in range(20)))
    assert len(running.intake.accepted) == 20
    assert len((await http.get("/api/threads")).json()["threads"]) == 20


async def test_a_turn_is_streamed_in_order(http, running):
    async with Events(http, since="") as events:
        asked = await ask(http)
        seen = await events.until(lambda event: event["data"].get("role") == "user")
        threads = [event for event in seen if event["event"] == "thread"]  # a post moves its thread behind it
        threads = threads or (await events.until(lambda event: event["event"] == "thread"))[-1:]
        assert threads[0]["data"]["title"] == "How many days?"
        turn = reply(running)
        for status in (StepStatus.PENDING, StepStatus.IN_PROGRESS, StepStatus.COMPLETED):
            steps = (Step(id="s1", team="search", task="Search", status=status),)
            await turn.show(TodoList(steps=steps, language="en", elapsed_ms=5))
            (*_, event) = await events.until(lambda event: event["data"].get("role") == "todo")
            assert event["data"]["steps"][0]["status"] == status and event["data"]["age_ms"] >= 0
        await turn.stream("It **is** [1]")
        (draft,) = await events.until(lambda event: event["data"].get("role") == "answer")
        assert draft["data"]["draft"] and '<span class="cite">1</span>' in draft["data"]["html"]
        await turn.finish(response(running.intake.accepted[0], "It is **25**. [1]", citation()))
        (answer,) = await events.until(is_answer)
        assert 'data-cite="1"' in answer["data"]["html"] and answer["data"]["turn"] == asked["turn"]
        assert answer["data"]["citations"][0]["href"] == "https://handbook.example/leave"


async def test_a_stream_goes_on_where_it_broke_off(http, running):
    asked = await ask(http)
    async with Events(http, since="") as events:
        (*_, last) = await events.until(lambda event: event["data"].get("role") == "user")
    await reply(running).finish(response(running.intake.accepted[0], "25"))
    await ask(http, "next", "question-2", thread=asked["thread"])
    async with Events(http, headers={"Last-Event-ID": last["id"]}) as events:
        missed = await events.until(lambda event: event["data"].get("id") == "question-2")
    ids = [event["data"]["id"] for event in missed if event["event"] == "post"]
    assert ids == [f"{asked['turn']}:answer", "question-2"]


async def test_a_stream_without_a_place_begins_now_and_may_be_about_one_thread(http, running):
    first = await ask(http)
    async with Events(http, thread=first["thread"]) as events:
        await ask(http, "another thread", "question-2")
        await ask(http, "this thread", "question-3", thread=first["thread"])
        seen = await events.until(lambda event: event["data"].get("id") == "question-3")
        assert {event["data"].get("thread", event["data"]["id"]) for event in seen} == {first["thread"]}
        assert "question-1" not in [event["data"]["id"] for event in seen]


async def test_what_another_process_writes_is_streamed(http, running, tmp_path):
    asked = await ask(http)
    elsewhere = await BoardStore.open(tmp_path / "weft.db")
    async with Events(http) as events:
        await elsewhere.post(asked["thread"], "x", "error", {"turn": asked["turn"], "text": "from the worker"})
        assert (await events.next())["data"]["text"] == "from the worker"
    await elsewhere.close()


async def test_a_page_survives_a_restart_of_the_server(tmp_path):
    async with (
        playground(tmp_path / "weft.db") as before,
        httpx.AsyncClient(base_url=before.address, timeout=60) as http,
    ):
        asked = await ask(http)
        async with Events(http, since="") as events:
            (*_, last) = await events.until(lambda event: event["data"].get("role") == "user")
            port, message = before.port, before.intake.accepted[0]
            before.adapter.closing.set()
            with pytest.raises(AssertionError, match="the stream ended"):
                await events.until(lambda event: False)
    board = await BoardStore.open(tmp_path / "weft.db")
    await board.post(asked["thread"], f"{asked['turn']}:todo", "error", {"turn": message.turn_id, "text": "meanwhile"})
    await board.close()
    async with (
        playground(tmp_path / "weft.db", port=port) as after,
        httpx.AsyncClient(base_url=after.address, timeout=60) as http,
    ):
        async with Events(http, headers={"Last-Event-ID": last["id"]}) as events:
            seen = await events.until(lambda event: event["data"].get("text") == "meanwhile")
            assert "question-1" not in [event["data"]["id"] for event in seen]
        await ask(http)
        assert len((await http.get(f"/api/threads/{asked['thread']}")).json()["posts"]) == 2


async def test_a_place_on_another_board_is_told_to_start_anew(http):
    await ask(http)
    async with Events(http, since="gone.7") as events:
        assert (await events.next())["event"] == "reset"


async def test_the_server_stops_although_pages_are_open(tmp_path):
    async with httpx.AsyncClient(timeout=60) as client:
        async with playground(tmp_path / "weft.db") as served:
            stream = client.stream("GET", f"{served.address}/api/stream")
            opened = await stream.__aenter__()
        assert [line async for line in opened.aiter_lines() if line.startswith("data")] == []
        await stream.__aexit__(None, None, None)


async def test_text_is_inert_wherever_it_comes_from(http, running):
    asked = await ask(http, EVIL)
    message = running.intake.accepted[0]
    evil = citation(title=EVIL, section=EVIL, quote=EVIL, source="javascript:alert(1)")
    await reply(running).finish(response(message, f"{EVIL} [1]", evil, warnings=(EVIL,)))
    posts = await read(http, asked["thread"])
    html = posts["answer"]["html"]
    assert "<img" not in html and "<script" not in html and "href" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html and 'data-cite="1"' in html
    assert posts["answer"]["citations"][0]["href"] == ""
    # Everything else is text in JSON, which the page sets as text; no browser may take it for a page.
    assert posts["user"]["text"] == EVIL and posts["answer"]["citations"][0]["title"] == EVIL
    await reply(running).stream(f"{EVIL} <b onclick=alert(1)>")
    html = (await read(http, asked["thread"]))["answer"]["html"]
    assert "<b" not in html and "<script" not in html
    raw = await http.get(f"/api/threads/{asked['thread']}")
    assert raw.headers["content-type"] == "application/json" and raw.headers["x-content-type-options"] == "nosniff"


async def test_marks_are_citations_only_where_they_can_be(http, running):
    asked = await ask(http)
    text = "a [1] `[1]` [2] [t [1]](https://e.example/[1]) ![pic](https://e.example/p.png)\n\n    [1]\n\n[1]: https://evil.example"
    await reply(running).finish(response(running.intake.accepted[0], text, citation()))
    html = (await read(http, asked["thread"]))["answer"]["html"]
    assert html.count("data-cite") == 2  # the first, and the one that would have been a link definition
    assert "<code>[1]</code>" in html and "[2]" in html and "<pre><code>[1]" in html
    assert ">t [1]</a>" in html
    assert "<img" not in html and "evil.example&quot;" not in html and 'href="https://evil.example' not in html
    assert 'rel="noopener noreferrer nofollow"' in html and 'target="_blank"' in html


async def test_tables_keep_their_columns_without_style_attributes(http, running):
    asked = await ask(http)
    await reply(running).finish(response(running.intake.accepted[0], "|a|b|\n|:-|-:|\n|1|2|"))
    html = (await read(http, asked["thread"]))["answer"]["html"]
    assert '<td align="right">2</td>' in html and "style" not in html


BAD_BODIES = (
    (b"{", "JSON"),
    (b"[]", ""),
    (b"\xff\xfe", "JSON"),
    (b"[" * 200_000, "JSON"),
    (json.dumps({"client_id": "question-1"}).encode(), "text"),
    (json.dumps({"text": 7, "client_id": "question-1"}).encode(), "text"),
    (json.dumps({"text": "?", "client_id": "x"}).encode(), "client_id"),
    (json.dumps({"text": "?", "client_id": "../../etc/passwd"}).encode(), "client_id"),
    (json.dumps({"text": "?", "client_id": "question-1", "extra": 1}).encode(), "extra"),
)


async def test_a_bad_request_is_told_what_was_wrong(http, running):
    for body, detail in BAD_BODIES:
        refused = await http.post("/api/messages", content=body, headers={"Content-Type": "application/json"})
        assert refused.status_code == 400 and refused.json()["error"] == "bad_request", body[:80]
        assert detail in refused.json()["detail"]
    assert running.intake.accepted == []


async def test_a_form_of_another_site_is_not_taken(http, running):
    body = json.dumps({"text": "?", "client_id": "question-1"})
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        refused = await http.post("/api/messages", content=body, headers={"Content-Type": kind})
        assert refused.status_code == 400
    assert running.intake.accepted == []


async def test_a_long_question_is_the_applications_business_a_huge_body_is_not(http, running):
    await ask(http, "x" * 100_000)
    assert len(running.intake.accepted[0].text) == 100_000
    body = {"text": "x" * 1_100_000, "client_id": "question-2"}
    assert (await http.post("/api/messages", json=body)).status_code == 413

    async def pieces():
        for _ in range(30):
            yield b" " * 50_000

    streamed = await http.post("/api/messages", content=pieces(), headers={"Content-Type": "application/json"})
    assert streamed.status_code == 413
    assert len(running.intake.accepted) == 1


async def test_text_that_cannot_be_stored_is_made_storable(http, running):
    body = b'{"text": "a\\ud800b\\u0000c \\ud83c\\udf34", "client_id": "question-1"}'
    asked = await http.post("/api/messages", content=body, headers={"Content-Type": "application/json"})
    assert asked.status_code == 202
    assert running.intake.accepted[0].text == "a\ufffdbc 🌴"


async def test_a_full_disk_is_told_and_the_question_can_be_sent_again(http, running):
    running.intake.failing = True
    body = {"text": "?", "client_id": "question-1"}
    refused = await http.post("/api/messages", json=body)
    assert refused.status_code == 503 and refused.json()["error"] == "unavailable"
    running.intake.failing = False
    await ask(http)
    assert len(running.intake.accepted) == 1


async def test_a_thread_can_be_renamed_and_deleted(http, running):
    asked = await ask(http)
    path = f"/api/threads/{asked['thread']}"
    assert (await http.patch(path, json={"title": "  Annual\n leave "})).status_code == 204
    assert (await http.get(path)).json()["thread"]["title"] == "Annual leave"
    async with Events(http) as events:
        assert (await http.delete(path)).status_code == 204
        seen = await events.until(lambda event: event["event"] == "thread")
        assert seen[-1]["data"] == {"id": asked["thread"], "removed": True}
    for method in ("GET", "DELETE"):
        assert (await http.request(method, path)).status_code == 404
    assert (await http.patch(path, json={"title": "x"})).status_code == 404
    assert (await http.get("/api/threads")).json()["threads"] == []
    assert [each.kind for each in running.intake.accepted[1:]] == [MessageKind.STOP, MessageKind.DELETE]


async def test_a_question_can_be_edited_and_stopped(http, running):
    asked = await ask(http)
    await ask(http, "How many hours?", "edit-0001", thread=asked["thread"], edit_of="question-1")
    assert (await read(http, asked["thread"]))["user"]["edited"]
    stop = await http.post("/api/messages/question-1/stop", json={"thread": asked["thread"], "language": "ko"})
    assert stop.status_code == 202
    kinds = [(each.kind, each.message_id) for each in running.intake.accepted]
    assert kinds == [(MessageKind(kind), "question-1") for kind in ("direct", "edit", "stop")]
    missing = {"text": "?", "client_id": "edit-0002", "thread": asked["thread"], "edit_of": "question-9"}
    assert (await http.post("/api/messages", json=missing)).status_code == 404
    assert (await http.post("/api/messages/question-9/stop", json={"thread": asked["thread"]})).status_code == 404


async def test_a_passage_comes_with_its_neighbours_as_data(http, running):
    found = (await http.get("/api/passages", params={"document_id": "leave.md", "passage_id": "leave.md#1"})).json()
    assert found["passage"]["text"] == PASSAGES[1].text and found["passage"]["page"] == 3
    assert [each["passage_id"] for each in found["before"]] == ["leave.md#0"]
    assert [each["text"] for each in found["after"]] == [PASSAGES[2].text]
    first = (await http.get("/api/passages", params={"passage_id": "leave.md#0", "collection": "handbook"})).json()
    assert first["before"] == [] and len(first["after"]) == 1


async def test_a_passage_names_its_file_but_links_only_to_the_web(http, running):
    for source, href in (("https://e.example/x", "https://e.example/x"), ("/srv/data/x.md", ""), ("javascript:x", "")):
        running.passages.passages = [replace(PASSAGES[0], source=source)]
        passage = (await http.get("/api/passages", params={"passage_id": "leave.md#0"})).json()["passage"]
        assert (passage["source"], passage["href"]) == (source.removeprefix("/srv/data/"), href)


async def test_a_passage_that_is_not_there_is_not_found(http):
    for query in (
        {},
        {"passage_id": "leave.md#9"},
        {"passage_id": "leave.md#1", "document_id": "other.md"},
        {"passage_id": "leave.md#1", "collection": "secret"},
    ):
        assert (await http.get("/api/passages", params=query)).status_code == 404, query


async def test_a_chart_is_shown_where_it_stands(http, running, tmp_path):
    asked = await ask(http)
    made = tmp_path / "trend.png"
    made.write_bytes(b"\x89PNG\r\n\x1a\n")
    await reply(running).attach(
        ProducedFile(name="trend.png", media_type="image/png", path=str(made), text="It rises.")
    )
    post = (await read(http, asked["thread"]))["file"]
    assert (post["media_type"], post["text"]) == ("image/png", "It rises.")
    got = await http.get(f"/api/files/{asked['thread']}/{post['id']}")
    assert got.headers["content-type"] == "image/png" and got.headers["x-content-type-options"] == "nosniff"
    assert "content-disposition" not in got.headers and got.content == made.read_bytes()


async def test_a_file_is_downloaded_and_never_shown(http, running, tmp_path):
    asked = await ask(http)
    made = tmp_path / "made.html"
    made.write_text("<script>alert(1)</script>")
    file = ProducedFile(name="휴가 계획.html", media_type="text/html", path=str(made))
    await reply(running).attach(file)
    post = (await read(http, asked["thread"]))["file"]
    assert post["name"] == "휴가 계획.html" and str(tmp_path) not in json.dumps(post)
    got = await http.get(f"/api/files/{asked['thread']}/{post['id']}")
    assert got.text == made.read_text() and got.headers["content-disposition"].startswith("attachment")
    assert got.headers["content-type"] == "application/octet-stream"
    assert (await http.get(f"/api/files/{asked['thread']}/question-1")).status_code == 404
    made.unlink()
    assert (await http.get(f"/api/files/{asked['thread']}/{post['id']}")).status_code == 404


async def test_an_answer_is_rated_shown_so_and_nothing_else_is(running, http):
    asked = await ask(http)
    thread, path = asked["thread"], f"/api/threads/{asked['thread']}/posts"
    await reply(running).stream("It")
    early = await http.put(f"{path}/{asked['turn']}:answer/rating", json={"helpful": True})
    await reply(running).finish(response(running.intake.accepted[0], "It is **25**. [1]", citation()))
    answer = (await read(http, thread))["answer"]
    assert early.status_code == 404 and answer["rated"] is None
    for helpful in (False, True, None):
        assert (await http.put(f"{path}/{answer['id']}/rating", json={"helpful": helpful})).status_code == 204
        assert (await read(http, thread))["answer"]["rated"] is helpful
    assert [(turn, each.helpful) for turn, each in running.intake.ratings] == [
        (asked["turn"], helpful) for helpful in (False, True, None)
    ]
    assert (await http.put(f"{path}/{asked['message']}/rating", json={"helpful": True})).status_code == 404
    assert (await http.put(f"{path}/{answer['id']}/rating", json={"helpful": "maybe"})).status_code == 400
    assert len(running.intake.ratings) == 3


async def test_a_thumb_down_may_have_a_reason_of_the_kinds_that_the_page_is_told(running, http):
    asked = await ask(http)
    await reply(running).finish(response(running.intake.accepted[0], "It is **25**. [1]", citation()))
    path = f"/api/threads/{asked['thread']}/posts/{asked['turn']}:answer/rating"
    config = (await http.get("/api/config")).json()
    kinds = config["reasons"]
    assert kinds and all(f"reason_{kind}" in words for kind in kinds for words in config["words"].values())
    why = {"kind": kinds[0], "text": "It is 30."}
    assert (await http.put(path, json={"helpful": False, "reason": why})).status_code == 204
    [(turn, rating)] = running.intake.ratings
    assert turn == asked["turn"] and rating.reason == Reason(kind=ReasonKind(kinds[0]), text="It is 30.")
    for wrong in (
        {"helpful": True, "reason": why},
        {"helpful": False, "reason": {"kind": "rude"}},
        {"helpful": False, "reason": {"kind": kinds[0], "text": "x" * 1001}},
        {"helpful": False, "reason": "because"},
    ):
        assert (await http.put(path, json=wrong)).status_code == 400
    assert len(running.intake.ratings) == 1
