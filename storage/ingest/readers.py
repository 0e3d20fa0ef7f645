"""Several reader processes at once; their batches come back in the order of the files."""

import asyncio
import contextlib
import os
import pickle
import signal
import sys
from collections.abc import AsyncGenerator, Coroutine, Sequence

from agent.errors import RefusedFileError, StorageError
from agent.language.registry import ROOTS
from storage.ingest.parsed import Batch, Limits
from storage.ingest.sources import WorkItem
from storage.ingest.worker import LENGTH, Answer

Read = Batch | RefusedFileError | None
"""None: the file is done, all of it was read."""

_AHEAD = 4
"""Batches that a file further down may have waiting."""
_MOST = 4
_SHARE = 100_000
"""Bytes of files for which another process is worth its start: so much text is read in the time that takes."""
_START = 60.0
"""Seconds that a process may take to start on a busy machine."""


async def read_all(items: Sequence[WorkItem], limits: Limits) -> AsyncGenerator[tuple[WorkItem, Read], None]:
    """Yield every file's batches and then None, or the reason why it was refused."""
    queues: list[asyncio.Queue[Read | Exception]] = [asyncio.Queue(_AHEAD) for _ in items]
    todo = iter(zip(items, queues, strict=True))

    async def work() -> None:
        async with contextlib.aclosing(Reader(limits)) as reader:
            for item, queue in todo:
                try:
                    async with contextlib.aclosing(reader.read(item)) as batches:
                        async for batch in batches:
                            await queue.put(batch)
                    await queue.put(None)
                except Exception as error:  # raised where the batches are taken
                    await queue.put(error)

    size = sum(item.size for item in items)
    count = limits.readers or min(os.cpu_count() or 1, _MOST, 1 + size // _SHARE)
    tasks = [asyncio.create_task(work()) for _ in range(min(count, len(items)))]
    try:
        for item, queue in zip(items, queues, strict=True):
            while True:
                read = await queue.get()
                if isinstance(read, Exception) and not isinstance(read, RefusedFileError):
                    raise read
                yield item, read
                if not isinstance(read, Batch):
                    break
        await asyncio.gather(*tasks)  # each ends its process
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Reader:
    """A reader process, started for its first file and again after one that killed it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.process: asyncio.subprocess.Process | None = None

    async def read(self, item: WorkItem) -> AsyncGenerator[Batch, None]:
        """Yield what the file holds. Raises RefusedFileError, also where reading it takes too long."""
        whole = False
        try:
            process = self.process or await self._start()
            await self._send(process, item)
            while True:
                kind, value = await self._answer(process, self._limits.seconds)
                if isinstance(value, Batch):
                    yield value
                    continue
                whole = True
                if kind == "refused":
                    raise RefusedFileError(value or "it cannot be read")
                return
        finally:
            if not whole:
                await self.aclose()

    async def aclose(self) -> None:
        """End the process, whatever it does."""
        process, self.process = self.process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await _whole(_ended(process))

    async def _send(self, process: asyncio.subprocess.Process, item: WorkItem) -> None:
        assert process.stdin is not None  # noqa: S101 - it was opened as a pipe
        data = pickle.dumps((item, self._limits))
        process.stdin.write(LENGTH.pack(len(data)) + data)
        with contextlib.suppress(ConnectionError):  # the answer tells that the process has ended
            await process.stdin.drain()

    async def _answer(self, process: asyncio.subprocess.Process, seconds: float) -> Answer:
        assert process.stdout is not None  # noqa: S101
        try:
            async with asyncio.timeout(seconds):
                (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
                answer: Answer = pickle.loads(await process.stdout.readexactly(length))  # noqa: S301
                return answer
        except TimeoutError as error:
            raise RefusedFileError(f"reading it takes longer than {seconds:g} s, the limit") from error
        except asyncio.IncompleteReadError as error:
            code = await process.wait()
            if code == -signal.SIGXCPU:
                raise RefusedFileError("reading it takes too much computing: its mark-up is nested or huge") from error
            raise RefusedFileError(f"reading it crashed the parser (exit code {code})") from error

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            process = self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "storage.ingest.worker",
                *map(str, ROOTS[1:]),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=environment(),
            )
        except OSError as error:
            raise StorageError(f"The process that reads documents cannot be started: {error.strerror}.") from error
        try:
            await self._answer(process, _START)
        except RefusedFileError as error:
            raise StorageError("The process that reads documents does not start.") from error
        return process


async def _ended(process: asyncio.subprocess.Process) -> None:
    # `wait` also waits for the end of the output, which nobody sees while much of it is unread.
    while process.stdout and await process.stdout.read(1 << 20):
        pass
    await process.wait()
    if process.stdin:
        process.stdin.close()
    await asyncio.sleep(0)  # asyncio lets go of a process in the round of the loop after its end


async def _whole(work: Coroutine[None, None, None]) -> None:
    """Do this to its end, however often the caller is cancelled meanwhile; the cancellation comes after it."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


def environment() -> dict[str, str]:
    """Return what a reader process knows of this one: where the modules are, and none of the secrets."""
    known = {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    return known | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
