"""What every board does (`adapters.playground.board.Board`). A subclass gives `board` and `other`.

`other` is the same board as another process sees it.
"""

import asyncio


async def thread(board, name="t1", title="A question"):
    assert await board.create_thread(name, title)
    return name


async def shown(board, name="t1"):
    return [(post.id, post.role, dict(post.payload)) for post in await board.posts(name)]


class BoardContract:
    async def test_a_thread_is_there_once(self, board):
        assert await board.create_thread("t1", "휴가는 며칠? 🌴")
        assert not await board.create_thread("t1", "another title")
        assert [(each.id, each.title) for each in await board.threads()] == [("t1", "휴가는 며칠? 🌴")]
        assert (await board.thread("t1")).title == "휴가는 며칠? 🌴"
        assert await board.thread("t2") is None

    async def test_posts_keep_the_order_in_which_they_first_appeared(self, board):
        await thread(board)
        for name in ("q", "todo", "answer"):
            assert await board.post("t1", name, "user", {"n": 1})
        assert await board.post("t1", "q", "user", {"n": 2})
        assert await shown(board) == [("q", "user", {"n": 2}), ("todo", "user", {"n": 1}), ("answer", "user", {"n": 1})]

    async def test_the_same_post_twice_is_one_and_no_news(self, board):
        await thread(board)
        await board.post("t1", "a", "answer", {"text": "yes"})
        cursor = await board.cursor()
        assert await board.post("t1", "a", "answer", {"text": "yes"})
        assert await board.cursor() == cursor
        assert (await board.changes_since(cursor)).items == ()
        assert len(await board.posts("t1")) == 1

    async def test_a_post_may_yield_to_the_one_that_is_there(self, board):
        await thread(board)
        await board.post("t1", "a", "answer", {"text": "first"})
        assert await board.post("t1", "a", "error", {"text": "second"}, replace=False)
        assert await shown(board) == [("a", "answer", {"text": "first"})]

    async def test_threads_are_listed_by_their_last_question(self, board):
        await thread(board, "t1")
        await thread(board, "t2")
        await board.post("t1", "a", "answer", {})
        assert [each.id for each in await board.threads()] == ["t2", "t1"]
        await board.post("t1", "q", "user", {})
        assert [each.id for each in await board.threads()] == ["t1", "t2"]
        assert [each.id for each in await board.threads(limit=1)] == ["t1"]

    async def test_a_deleted_thread_takes_nothing(self, board):
        await thread(board)
        await board.post("t1", "q", "user", {"text": "?"})
        assert await board.delete_thread("t1")
        assert not await board.delete_thread("t1")
        assert not await board.post("t1", "a", "answer", {"text": "late"})
        assert not await board.rename_thread("t1", "x")
        assert await board.threads() == () and await board.posts("t1") == ()
        assert await board.create_thread("t1", "again")
        assert [each.title for each in await board.threads()] == ["again"] and await board.posts("t1") == ()

    async def test_a_removed_post_can_come_back_in_its_place(self, board):
        await thread(board)
        await board.post("t1", "a", "answer", {"text": "old"})
        await board.post("t1", "b", "answer", {})
        assert await board.remove("t1", "a")
        assert not await board.remove("t1", "a")
        assert [post.id for post in await board.posts("t1")] == ["b"]
        await board.post("t1", "a", "answer", {"text": "old"}, replace=False)
        assert await shown(board) == [("a", "answer", {"text": "old"}), ("b", "answer", {})]

    async def test_the_feed_tells_everything_once_and_as_it_is_now(self, board):
        await thread(board)
        await board.post("t1", "a", "answer", {"n": 1})
        await board.post("t1", "b", "answer", {"n": 1})
        await board.post("t1", "a", "answer", {"n": 2})
        changes = await board.changes_since("")
        assert not changes.reset
        assert [(change.post_id, change.post and change.post.payload["n"]) for change in changes.items] == [
            ("", None),
            ("b", 1),
            ("a", 2),
        ]
        versions = [change.version for change in changes.items]
        assert versions == sorted(set(versions))
        assert (await board.changes_since(changes.cursor)).items == ()

    async def test_the_feed_tells_of_what_went(self, board):
        await thread(board)
        await thread(board, "t2")
        await board.post("t1", "a", "answer", {})
        cursor = await board.cursor()
        await board.remove("t1", "a")
        await board.delete_thread("t2")
        items = (await board.changes_since(cursor)).items
        assert [(each.thread_id, each.post_id, each.thread, each.post) for each in items] == [
            ("t1", "a", None, None),
            ("t2", "", None, None),
        ]

    async def test_the_feed_of_one_thread(self, board):
        await thread(board, "t1")
        await thread(board, "t2")
        await board.post("t2", "a", "answer", {})
        changes = await board.changes_since("", thread_id="t1")
        assert [change.thread_id for change in changes.items] == ["t1"]
        assert changes.cursor == await board.cursor()

    async def test_a_long_feed_comes_in_pieces_and_whole(self, board):
        await thread(board)
        for n in range(600):
            await board.post("t1", f"p{n}", "answer", {"n": n})
        seen, cursor = [], ""
        while items := (changes := await board.changes_since(cursor)).items:
            seen += [change.post_id for change in items if change.post_id]
            cursor = changes.cursor
        assert seen == [f"p{n}" for n in range(600)]

    async def test_a_strange_cursor_starts_anew(self, board):
        await thread(board)
        cursor = await board.cursor()
        epoch, _, version = cursor.partition(".")
        for strange in ("other.1", f"{epoch}.{int(version) + 1}", "nonsense", f"{epoch}.-1", f"{epoch}."):
            changes = await board.changes_since(strange)
            assert changes.reset and changes.items == () and changes.cursor == cursor

    async def test_waiting_ends_with_a_change_of_this_process(self, board):
        await thread(board)
        waiting = asyncio.create_task(board.wait(await board.cursor()))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        await board.post("t1", "a", "answer", {})
        await asyncio.wait_for(waiting, 60)

    async def test_waiting_ends_with_a_change_of_another_process(self, board, other):
        await thread(board)
        cursor = await board.cursor()
        waiting = asyncio.create_task(board.wait(cursor))
        await other.post("t1", "a", "answer", {"text": "from there"})
        await asyncio.wait_for(waiting, 60)
        assert [change.post_id for change in (await board.changes_since(cursor)).items] == ["a"]

    async def test_waiting_behind_the_times_ends_at_once(self, board):
        cursor = await board.cursor()
        await thread(board)
        await asyncio.wait_for(board.wait(cursor), 60)

    async def test_many_writers_lose_nothing(self, board, other):
        await thread(board)
        await asyncio.gather(
            *((board if n % 2 else other).post("t1", f"p{n}", "answer", {"n": n}) for n in range(60)),
        )
        items = (await board.changes_since("")).items
        assert sorted(change.post_id for change in items if change.post_id) == sorted(f"p{n}" for n in range(60))
        assert len({change.version for change in items}) == 61

    async def test_a_writer_who_gives_up_leaves_the_board_usable(self, board):
        await thread(board)
        writing = asyncio.create_task(board.post("t1", "a", "answer", {}))
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        assert await board.post("t1", "b", "answer", {})
        assert "b" in [post.id for post in await board.posts("t1")]
