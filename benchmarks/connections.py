"""Strangers who hold connections: `python -m benchmarks.connections [--count N] [CASE …] [--json FILE]`.

`weft serve` runs beside us, and others open connections to it and leave them: silent (`idle`), in the middle of a head
(`head`), of a signed event (`post`), of a body without a length (`chunked`), after an answer (`kept`); each from 100
addresses of this machine, and `one` all from one address. Told are how many Weft still holds, what /health takes
meanwhile, the memory above that at rest, how long it takes until they are gone, and how many lines the log got. Every
connection takes one open file here and one in the server: `ulimit -n` must allow for `--count` and some hundreds.
"""

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

from benchmarks.serving import WEFT, without_settings
from tests.servers.slack import SlackServer

ADDRESSES = 100
HEAD = b"POST /slack/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
SENT = {
    "idle": b"",
    "head": HEAD[:60],
    "post": HEAD + b"Content-Length: 100000\r\nX-Slack-Request-Timestamp: %d\r\n\r\n{" % time.time(),
    "short": HEAD + b"Content-Length: 1000\r\n\r\n{",
    "chunked": HEAD + b"Transfer-Encoding: chunked\r\nX-Slack-Request-Timestamp: %d\r\n\r\n1\r\n{\r\n" % time.time(),
    "kept": b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "one": b"",
}
PROBES = 300
PATIENCE = 30.0
"""Seconds after which what is still held is told as held."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What one case came to; times in milliseconds, memory in megabytes."""

    case: str
    opened: int
    held: int
    opening_p99: float
    opening_most: float
    p50: float
    p99: float
    most: float
    memory: float
    gone_after: float | None
    lines: int


class Server:
    """The process, seen from outside."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, log: Path) -> None:
        self.process, self.port, self._log = process, port, log

    @property
    def memory(self) -> float:
        """What it holds in memory, in MB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def held(self) -> int:
        """Its connections: sockets in state ESTABLISHED (01) or CLOSE_WAIT (08) on its port, as the kernel counts."""
        rows = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        mine = f":{self.port:04X}"
        columns = (row.split() for row in rows)
        return sum(1 for each in columns if each[1].endswith(mine) and each[3] in ("01", "08") and each[9] != "0")

    @property
    def lines(self) -> int:
        """How many lines it has logged."""
        return self._log.read_bytes().count(b"\n")


@asynccontextmanager
async def served() -> AsyncIterator[Server]:
    """Run `weft serve` on a new folder, with Slack on the loopback server."""
    with tempfile.TemporaryDirectory(prefix="connections-") as place:
        async with SlackServer() as slack:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            log = Path(place) / "log"
            variables = {
                **without_settings(),
                "SLACK_BOT_TOKEN": slack.bot_token,
                "SLACK_SIGNING_SECRET": slack.signing_secret,
                "SLACK_API_BASE_URL": slack.url,
            }
            with log.open("wb") as out:
                process = await asyncio.create_subprocess_exec(
                    *WEFT, "serve", "--port", str(port), "--data", f"{place}/data", env=variables, stderr=out
                )
            try:
                server = Server(process, port, log)
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
                    while process.returncode is None:
                        with suppress(httpx.TransportError):
                            if (await client.get("/health")).status_code == 200:
                                break
                        await asyncio.sleep(0.1)
                await probe(server, 50)
                yield server
            finally:
                if process.returncode is None:
                    process.terminate()
                await process.wait()


async def once(server: Server, source: str = "127.0.0.1") -> float:
    """Ask for /health on a connection of its own; returns the milliseconds until the answer is whole."""
    begun = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(source, 0))
    writer.write(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    if not answer.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"/health answered {answer[:80]!r}")
    return (time.perf_counter() - begun) * 1000


async def probe(server: Server, times: int, pause: float = 0.005) -> list[float]:
    """Ask so many times, one after the other."""
    took = []
    for _ in range(times):
        took.append(await once(server))
        await asyncio.sleep(pause)
    return sorted(took)


def p(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


async def opened(server: Server, case: str, count: int) -> list[socket.socket]:
    """Open the connections, and send what belongs to the case."""
    loop, held = asyncio.get_running_loop(), []
    for number in range(count):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connection.setblocking(False)
        connection.bind((f"127.1.0.{1 + (0 if case == 'one' else number % ADDRESSES)}", 0))
        await loop.sock_connect(connection, ("127.0.0.1", server.port))
        with suppress(OSError):  # the server may have let go of it already
            connection.send(SENT[case])
        held.append(connection)
        await asyncio.sleep(0)  # whoever asks for /health meanwhile is in this process too
    return held


async def tried(case: str, count: int) -> Told:
    """Run one case on a server of its own."""
    async with served() as server:
        at_rest, lines = server.memory, server.lines
        opening: list[float] = []

        async def meanwhile() -> None:
            while True:
                opening.append(await once(server))
                await asyncio.sleep(0.005)

        asking = asyncio.create_task(meanwhile())
        connections = await opened(server, case, count)
        await asyncio.sleep(1.0)
        asking.cancel()
        await asyncio.wait([asking])
        begun, held, memory = time.monotonic(), server.held, server.memory - at_rest
        took = await probe(server, PROBES)
        memory = max(memory, server.memory - at_rest)
        gone: float | None = None
        while gone is None and time.monotonic() - begun < PATIENCE:
            gone = time.monotonic() - begun if server.held <= count // 100 else None
            await asyncio.sleep(0.5)
        for connection in connections:
            connection.close()
        while server.held:
            await asyncio.sleep(0.1)
        await probe(server, 20)
        opening.sort()
        return Told(
            case=case, opened=count, held=held, opening_p99=p(opening, 0.99), opening_most=opening[-1],
            p50=p(took, 0.5), p99=p(took, 0.99), most=took[-1], memory=memory, gone_after=gone,
            lines=server.lines - lines,
        )  # fmt: skip


async def main(cases: list[str], count: int) -> list[dict[str, object]]:
    """Print a line for each case, and return the figures."""
    print(f"{'case':9}{'opened':>8}{'held':>8}  /health ms: while opening p99, most; then p50, p99, most")
    found = []
    for case in cases:
        told = await tried(case, count)
        found.append(asdict(told))
        gone = (
            f"gone after {told.gone_after:.0f} s"
            if told.gone_after is not None
            else f"still there after {PATIENCE:.0f} s"
        )
        took = f"{told.opening_p99:.0f}, {told.opening_most:.0f}; {told.p50:.1f}, {told.p99:.1f}, {told.most:.1f}"
        print(f"{told.case:9}{told.opened:8}{told.held:8}  {took}; memory {told.memory:+.1f} MB; {gone}; ", end="")
        print(f"{told.lines} lines in the log")
        sys.stdout.flush()
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(SENT)}; without it all")
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    figures = asyncio.run(main(given.cases or list(SENT), given.count))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
