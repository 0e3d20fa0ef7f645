"""Data folders as a first start leaves them, made once: reading the sample handbook takes most of an engine's start."""

import asyncio
import os
import shutil
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.packs.load import builtin


@contextmanager
def _alone(folder: Path) -> Iterator[ThreadPoolExecutor]:
    """Give a thread in which a loop may run, in a folder without the settings of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as beside:
        patch.chdir(folder)
        for name in [name for name in os.environ if name.startswith(("WEFT_", "OPENAI_", "TAVILY_"))]:
            patch.delenv(name)
        yield beside


def made(folder: Path, work: Coroutine[Any, Any, None]) -> Path:
    """Do the work that fills the data folder inside this one, and return the data folder."""
    with _alone(folder) as beside:
        beside.submit(asyncio.run, work).result()
    return folder / "data"


async def begun(data: Path, pack: str = "", *, own: Path | None = None) -> None:
    """Start an engine, which reads the documents of its pack, and read a folder into the collection `general`."""
    from bot.app import open_engine
    from bot.settings import Settings
    from storage.ingest.run import ingest

    async with open_engine(Settings.load(data=data, **({"pack": pack} if pack else {}))) as engine:
        if own is not None:
            await ingest([own], library=engine.library, collection="general")


@pytest.fixture(scope="session")
def _sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    return made(folder, begun(folder / "data"))


@pytest.fixture
def sampled(_sample: Path, tmp_path: Path) -> Path:
    """Return a data folder of this test's own, `tmp_path / "data"`, that holds the sample handbook."""
    return Path(shutil.copytree(_sample, tmp_path / "data"))


@pytest.fixture(scope="session")
def _owned(_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("owned")
    shutil.copytree(_sample, folder / "data")
    return made(folder, begun(folder / "data", own=builtin("handbook") / "documents"))


@pytest.fixture
def owned(_owned: Path, tmp_path: Path) -> Path:
    """Return a data folder of this test's own, where the handbook is in the collection `general` as well."""
    return Path(shutil.copytree(_owned, tmp_path / "data"))
