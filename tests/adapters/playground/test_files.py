"""Files on the playground: given to the page, kept until their turn, gone with their thread."""

import httpx
import pytest

from storage import uploads
from storage.board import BoardStore
from tests.contracts.attachments import DATA, FetchContract
from tests.servers.playground import playground

BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def adapter(running):
    return running.adapter


async def give(http, data=DATA, name="a.csv", type="text/csv"):
    given = await http.post("/api/uploads", params={"name": name, "type": type}, content=data, headers=BYTES)
    assert given.status_code == 201, given.text
    return given.json()["id"]


async def ask(http, *files, client_id="question-1", **more):
    body = {"text": "What is in it?", "client_id": client_id, "files": list(files), **more}
    return await http.post("/api/messages", json=body)


@pytest.fixture
def offer(http, running):
    async def offer(data: bytes, name: str):
        number = len(running.intake.accepted)
        assert (await ask(http, await give(http, data, name), client_id=f"question-{number}")).status_code == 202
        message = running.intake.accepted[-1]
        return message, message.attachments[0]

    return offer


@pytest.fixture
def withdraw(running):
    async def withdraw(attachment):
        await running.board.let_go(attachment.id)

    return withdraw


class TestPlaygroundFetch(FetchContract):
    pass


async def test_a_question_shows_its_files_and_an_edit_keeps_them(http, running):
    asked = (await ask(http, await give(http, b"a,b\n", "표 1.csv"))).json()
    (post,) = (await http.get(f"/api/threads/{asked['thread']}")).json()["posts"]
    assert post["files"] == [{"name": "표 1.csv", "size": 4}]
    edit = {"text": "And now?", "client_id": "edit-0001", "edit_of": asked["message"], "thread": asked["thread"]}
    assert (await http.post("/api/messages", json=edit)).status_code == 202
    first, second = running.intake.accepted
    assert first.attachments == second.attachments and first.attachments[0].media_type == "text/csv"


async def test_another_process_fetches_what_the_page_was_given(http, running, tmp_path):
    message, attachment = running.intake.accepted, await give(http)
    await ask(http, attachment)
    elsewhere = await BoardStore.open(tmp_path / "weft.db")
    assert await elsewhere.upload_data(attachment) == DATA and message
    await elsewhere.close()


async def test_a_file_goes_with_its_thread(http, running):
    identity = await give(http)
    asked = (await ask(http, identity)).json()
    assert (await http.delete(f"/api/threads/{asked['thread']}")).status_code == 204
    assert await running.board.upload_data(identity) is None


async def test_what_is_too_large_or_unnamed_or_of_another_site_is_refused(http, running):
    running.adapter.upload_bytes = 100
    for params, headers, status in (
        ({"name": ""}, BYTES, 400),
        ({"name": "x" * 500}, BYTES, 400),
        ({"name": "a.csv"}, {"Content-Type": "text/plain"}, 400),
        ({"name": "a.csv"}, {"Content-Type": "multipart/form-data; boundary=x"}, 400),
        ({"name": "a.csv"}, {**BYTES, "Origin": "https://evil.example"}, 403),
    ):
        assert (await http.post("/api/uploads", params=params, content=DATA, headers=headers)).status_code == status


async def test_a_file_beyond_the_limit_is_not_taken(tmp_path):
    async with (
        playground(tmp_path / "b.db", upload_bytes=1_000) as served,
        httpx.AsyncClient(base_url=served.address, timeout=60, params={"name": "a.csv"}) as http,
    ):
        assert (await http.post("/api/uploads", content=b"x" * 1_001, headers=BYTES)).status_code == 413
        assert (await http.post("/api/uploads", content=b"x" * 1_000, headers=BYTES)).status_code == 201
        assert (await http.get("/api/config")).json()["uploads"] == {"bytes": 1_000, "most": 5}


async def test_a_file_that_is_not_there_is_said_before_anything_is_asked(http, running):
    assert (await ask(http, "0123456789abcdef")).status_code == 404
    assert (await ask(http, *["0123456789abcdef"] * 21)).status_code == 400
    assert running.intake.accepted == [] and (await http.get("/api/threads")).json()["threads"] == []


async def test_old_and_too_many_files_are_let_go(tmp_path, monkeypatch):
    board = await BoardStore.open(tmp_path / "b.db")
    monkeypatch.setattr(uploads, "KEPT_BYTES", 25)
    for number in range(4):
        await board.upload(f"u{number}", "a", "", b"0123456789")
    assert [bool(await board.uploaded(f"u{number}")) for number in range(4)] == [False, False, True, True]
    monkeypatch.setattr(uploads, "KEPT_SECONDS", -1.0)
    await board.upload("u9", "a", "", b"0")
    assert await board.uploaded("u3") is None and await board.uploaded("u9") == ("a", "", 1)
    await board.close()
