"""Processes of Weft that begin with its modules loaded: forked from one that has them, as that is most of a start.

Where a test, or what it tests, starts `python -m bot.cli` or `python -m storage.ingest.worker`, the process is a child
of the tests like any other, with its own descriptors, environment and folder. Those that start by another way, on
another system than Linux, or in a test that takes the fixture `cold`, are started as they are.

So do `weft` as `python -m honcho` starts it from a Procfile, and the workers of pytest-xdist, which load all of Weft,
each of them.
"""

import ctypes
import gc
import importlib
import os
import pickle
import pkgutil
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import tomllib
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORKER = "import sys;exec(eval(sys.stdin.readline()))"
"""What execnet starts a worker of pytest-xdist with."""
LOADED = {
    "storage.ingest.worker": (
        "docutils.core", "docx", "lxml.html", "openpyxl", "pptx", "pypdfium2", "storage.ingest.parse",
        *(f"storage.ingest.formats.{name}" for name in ("html", "markdown", "office", "pdf", "rst")),
    ),
    "bot.cli": (
        "adapters.discord.adapter", "adapters.slack.adapter", "bot.app", "bot.calendar.clock", "bot.commands.ask",
        "bot.operator.asking", "bot.operator.ingesting", "bot.processes.housekeeping", "bot.processes.serve",
        "bot.processes.web", "openai",
    ),
}  # fmt: skip
"""What is loaded before a module runs, most of which it would load itself."""
FROM = {"honcho": "bot.cli"}
"""Whose process bears another module: one that starts what is loaded there."""
PACKAGES = ("agent", "adapters", "bot", "storage")
BESIDE = ("playwright.async_api", "pytest", "reportlab.pdfgen.canvas", "xlsxwriter")
"""What tests load beside the packages."""
ROOT = Path(__file__).parents[1]
_LENGTH = struct.Struct(">Q")
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <sys/prctl.h>
_start = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_python = sys.executable


@dataclass(frozen=True, slots=True)
class Start:
    """What a process is started with, beside its standard input, output and errors."""

    module: str
    """Its name, or `WORKER`."""
    arguments: Sequence[str]
    environment: dict[str, str]
    folder: str
    session: bool
    """Whether it leads a session of its own."""


class Nursery:
    """A process that has loaded what a module needs, and forks others that run it."""

    def __init__(self, channel: socket.socket, end: Callable[[], str]) -> None:
        self._channel, self._end = channel, end
        self._one = threading.Lock()

    @classmethod
    def started(cls, module: str) -> "Nursery":
        """Start one for a module."""
        channel, far = socket.socketpair()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "OPENAI_"))}
        with far:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", module], cwd=ROOT, env=clean,
                stdin=far, stdout=subprocess.PIPE, stderr=subprocess.PIPE,  # no files, in which one could seek
            )  # fmt: skip
        return cls(channel, lambda: process.communicate()[1].decode())

    def bear(self, start: Start, descriptors: Sequence[int]) -> int:
        """Return the id of a new child of this process."""
        data = pickle.dumps(start)
        with self._one:
            _adopt(True)
            try:
                socket.send_fds(self._channel, [_LENGTH.pack(len(data))], descriptors)
                self._channel.sendall(data)
                return int(_LENGTH.unpack(_exactly(self._channel, _LENGTH.size))[0])
            except (EOFError, OSError) as error:
                raise RuntimeError(self._end()) from error
            finally:
                _adopt(False)

    def close(self) -> None:
        """End it; those that it bore go on."""
        self._channel.close()
        self._end()


def _adopt(whether: bool) -> None:
    """Take on processes whose own parent ends, or leave them to the first process of the system."""
    if _libc().prctl(_SUBREAPER, int(whether), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _exactly(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = channel.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


_nurseries: dict[str, Nursery] = {}
_warm = True
_workers = False
_own: dict[str, str] = {}
"""What modules put into the environment when they were loaded."""


def _execute_child(
    self: subprocess.Popen[Any], args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any,
    env: Any, startupinfo: Any, creationflags: Any, shell: Any, *rest: Any,
) -> None:  # fmt: skip
    """Start a process as `Popen` does, or bear it where it can be; of `rest` the first six are its descriptors."""
    module, arguments = _module(args)
    *_, session, group = rest
    identity = rest[7:11]  # group, groups, user, mask
    plain = not (shell or executable or preexec_fn or pass_fds or "PYTHONHASHSEED" in (env or ()))
    if not (_warm and module and plain and group == -1 and identity == (None, None, None, -1)):
        _start(
            self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell, *rest
        )
        return
    reading, _, _, writing, _, erring = pipes = rest[:6]
    start = Start(
        module=module,
        arguments=arguments,
        environment=dict(os.environ if env is None else env),
        folder=os.fspath(cwd or Path.cwd()),
        session=bool(session),
    )
    given = [given if given != -1 else own for own, given in enumerate((reading, writing, erring))]
    loaded = FROM.get(module, module)
    if loaded not in _nurseries:
        _nurseries[loaded] = Nursery.started(loaded)
    self.pid = _nurseries[loaded].bear(start, given)
    self._child_created = True  # type: ignore[attr-defined]
    self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def _module(args: Any) -> tuple[str, list[str]]:
    """Return the module that a command runs and its arguments, or no module where it is not to be borne."""
    if isinstance(args, str | bytes | os.PathLike) or os.fspath(args[0]) != _python:
        return "", []
    words = [os.fspath(each) for each in args[1:]]
    if words == ["-u", "-c", WORKER]:
        return (WORKER, ["-c"]) if _workers else ("", [])
    if words[:1] == ["-P"]:
        words = words[1:]
    if len(words) < 2 or words[0] != "-m" or words[1] not in (*LOADED, *FROM):
        return "", []
    more_languages = words[1] == "storage.ingest.worker" and words[2:]  # which are read when modules load
    return ("", []) if more_languages else (words[1], words[2:])


def install(*, workers: bool = True) -> None:
    """Bear from now on what can be borne; workers of pytest-xdist, if nobody wants to see them load their modules."""
    global _workers
    _workers = workers
    if sys.platform == "linux":
        subprocess.Popen._execute_child = _execute_child  # type: ignore[attr-defined]


def uninstall() -> None:
    """End the nurseries; what is started from now on is started as it is."""
    subprocess.Popen._execute_child = _start  # type: ignore[attr-defined]
    while _nurseries:
        _nurseries.popitem()[1].close()


@contextmanager
def as_they_are() -> Iterator[None]:
    """Bear nothing meanwhile."""
    global _warm
    _warm, before = False, _warm
    try:
        yield
    finally:
        _warm = before


def _bear(channel: socket.socket) -> Start:
    """Fork whatever is asked for; returns in each new process, with what it was started with."""
    while True:
        head, descriptors, _, _ = socket.recv_fds(channel, _LENGTH.size, 3)
        if not head:
            os._exit(0)
        start: Start = pickle.loads(_exactly(channel, *_LENGTH.unpack(head)))
        told, tells = os.pipe()
        between = os.fork()
        if not between:
            if os.fork():
                os._exit(0)
            if start.session:
                os.setsid()
            os.write(tells, _LENGTH.pack(os.getpid()))
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
            for each in (*descriptors, told, tells):
                os.close(each)
            channel.detach()
            return start
        for each in (*descriptors, tells):
            os.close(each)
        os.waitpid(between, 0)  # from now on its child is that of who asked
        channel.sendall(os.read(told, _LENGTH.size))
        os.close(told)


def _load(module: str) -> None:
    """Load what a module needs; what would fail in a test, as its warnings do, is left for the test."""
    if module != WORKER:
        for name in LOADED[module]:
            importlib.import_module(name)
        return
    from _pytest.config import parse_warning_filter

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    with warnings.catch_warnings():
        for each in project["tool"]["pytest"]["ini_options"]["filterwarnings"]:
            warnings.filterwarnings(*parse_warning_filter(each, escape=False))
        for name in ("tests.own_packs", *_modules(), *BESIDE):
            with suppress(Exception):  # whoever tests it is told
                importlib.import_module(name)


def _modules() -> Iterator[str]:
    """Yield all that is in the packages, but for what runs as a process."""
    for name in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if found.name not in LOADED:
                yield found.name


def _nursery_of_its_own() -> Start | None:
    """Fork one for the commands, which need what a worker has loaded; returns in a worker, and in each new process."""
    channel, far = socket.socketpair()
    if pid := os.fork():
        far.close()
        _nurseries["bot.cli"] = Nursery(channel, lambda: str(os.waitpid(pid, 0)[1] or ""))
        return None
    channel.close()
    with far, open(os.devnull, "wb") as nowhere:
        os.dup2(far.fileno(), sys.stdin.fileno())
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    return _bear(socket.socket(fileno=sys.stdin.fileno()))


def _fork_weft(
    self: subprocess.Popen[Any], args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any,
    env: Any, startupinfo: Any, creationflags: Any, shell: Any, *rest: Any,
) -> None:  # fmt: skip
    """Start a process as `Popen` does, or fork it where it is the line of a Procfile that runs `weft`."""
    if not (shell and isinstance(args, str) and args.startswith(".venv/bin/weft ")):
        _start(
            self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell, *rest
        )
        return
    environment = dict(os.environ if env is None else env)
    read = subprocess.run(["/bin/sh", "-c", f"printf '%s\\0' {args}"], env=environment, check=True, capture_output=True)
    reading, _, _, writing, _, erring = pipes = rest[:6]
    self.pid = os.fork()
    if self.pid:
        self._child_created = True  # type: ignore[attr-defined]
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
        return
    code: object = 1
    try:
        os.setsid()
        for number, descriptor in enumerate((reading, writing, erring)):
            if descriptor != -1:
                os.dup2(descriptor, number)
        os.closerange(3, 1024)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _run(Start("bot.cli", read.stdout.decode().split("\0")[1:-1], environment, os.fspath(cwd or "."), True))
        code = 0
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


def main(module: str) -> None:
    """Load what a module needs, and run it in each process that is asked for."""
    before = dict(os.environ)
    _load(module)
    _own.update({name: value for name, value in os.environ.items() if before.get(name) != value})
    gc.collect()
    gc.freeze()
    start = _bear(socket.socket(fileno=sys.stdin.fileno()))
    if start.module == WORKER:
        start = _nursery_of_its_own() or start
    _run(start)


def _run(start: Start) -> None:
    os.chdir(start.folder)
    os.environ.clear()
    os.environ.update(start.environment | _own)
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if start.module != WORKER:
        if start.module in FROM:
            subprocess.Popen._execute_child = _fork_weft  # type: ignore[attr-defined]
        sys.argv[1:] = start.arguments
        runpy.run_module(start.module, run_name="__main__", alter_sys=True)
        return
    sys.argv[:] = start.arguments
    sys.path[0] = ""
    sys.modules["__main__"] = types.ModuleType("__main__")
    exec(WORKER, vars(sys.modules["__main__"]))


if __name__ == "__main__":
    from tests import warm  # which the tests of a worker see, too

    warm.main(*sys.argv[1:])
