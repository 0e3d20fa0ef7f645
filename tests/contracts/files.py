"""What every place for the files of answers does (`agent.ports.Files`).

A test class inherits `FilesContract` and gives a fixture `files`; `await self.read(files, produced)` returns the bytes.
"""

from pathlib import Path

import pytest

from agent.errors import StorageError

MEDIA = "text/markdown"


class FilesContract:
    async def read(self, files, produced) -> bytes:
        return Path(produced.path).read_bytes()  # noqa: ASYNC240 - a few bytes

    async def test_a_file_is_kept_as_it_is(self, files):
        made = await files.keep("t1", "Reply.md", MEDIA, b"# Hello\n", text="a reply")
        assert (made.name, made.media_type, made.text) == ("Reply.md", MEDIA, "a reply")
        assert await self.read(files, made) == b"# Hello\n"

    async def test_a_second_one_of_a_name_takes_its_place(self, files):
        first = await files.keep("t1", "a.md", MEDIA, b"one")
        again = await files.keep("t1", "a.md", MEDIA, b"two")
        assert first.path == again.path and await self.read(files, again) == b"two"

    async def test_turns_do_not_share_names(self, files):
        one = await files.keep("t1", "a.md", MEDIA, b"one")
        two = await files.keep("t2", "a.md", MEDIA, b"two")
        assert await self.read(files, one) == b"one" and await self.read(files, two) == b"two"

    @pytest.mark.parametrize(
        ("name", "kept"),
        [
            ("답장-육아휴직.docx", "답장-육아휴직.docx"),
            ("../../etc/passwd", "-..-etc-passwd"),
            ("a/b\\c.md", "a-b-c.md"),
            (".hidden.md", "hidden.md"),
            ("  spaced \t out\n.md", "spaced out.md"),
            ("zero\u200bwidth\u202egpj.md", "zero width gpj.md"),
            ("NUL.md", "_NUL.md"),
            ("", "file"),
            ("....", "file"),
            ("nul", "_nul"),
        ],
    )
    async def test_a_name_leads_nowhere_else(self, files, name, kept):
        made = await files.keep("t1", name, MEDIA, b"x")
        assert made.name == kept and await self.read(files, made) == b"x"

    async def test_a_long_name_keeps_its_ending(self, files):
        made = await files.keep("t1", "가" * 500 + ".docx", MEDIA, b"x")
        assert made.name.endswith("가.docx") and len(made.name.encode()) <= 200

    @pytest.mark.parametrize("turn", ["", "..", "../t1", "a/b", ".t", "x" * 200, "t\x00"])
    async def test_a_turn_is_a_plain_name(self, files, turn):
        with pytest.raises(StorageError):
            await files.keep(turn, "a.md", MEDIA, b"x")

    async def test_a_file_has_a_bound(self, files):
        with pytest.raises(StorageError, match="too large"):
            await files.keep("t1", "a.md", MEDIA, b"x" * 20_000_001)
