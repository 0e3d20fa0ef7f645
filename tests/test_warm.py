"""A process that is forked from one with its modules loaded is like one that is started as it is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every process is started as it is")
WEFT = [sys.executable, "-m", "bot.cli"]


def told(*words: str, **options) -> tuple[int, str, str]:
    done = subprocess.run([*WEFT, *words], capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [["packs", "list"], ["no-such-command"], ["search"]])
@pytest.mark.long
def test_it_tells_the_same_and_ends_alike(words, tmp_path):
    warmed = told(*words, cwd=tmp_path)
    with warm.as_they_are():
        assert told(*words, cwd=tmp_path, env={"PYTHONPATH": str(warm.ROOT)}) == warmed


def test_folder_and_environment_are_its_own(tmp_path):
    (tmp_path / "weft.toml").write_text("no_such_setting = 1\n")
    code, _, errors = told("documents", "list", cwd=tmp_path)
    assert code == 2 and "no_such_setting" in errors
    environment = {"PYTHONPATH": str(warm.ROOT), "WEFT_PACK": "no_such_pack", "HOME": str(tmp_path)}
    code, _, errors = told("ask", "who?", "--data", str(tmp_path / "data"), cwd=warm.ROOT, env=environment)
    assert code == 2 and "no_such_pack" in errors


def test_it_is_a_child_that_leads_its_session_and_can_be_killed(tmp_path):
    command = [*WEFT, "serve", "--port", "0", "--data", str(tmp_path / "data")]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        place = Path(f"/proc/{process.pid}")
        _, parent, _, session, *_ = (place / "stat").read_text().rpartition(")")[2].split()
        written = (place / "cmdline").read_text().split("\0")
        process.kill()
    assert (int(parent), int(session)) == (os.getpid(), process.pid)
    assert "tests.warm" in written
    assert process.returncode == -signal.SIGKILL
