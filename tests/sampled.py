"""Data folders as a first start leaves them, made once: reading the sample handbook takes most of an engine's start."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def _sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from bot.app import open_engine
    from bot.settings import Settings

    folder = tmp_path_factory.mktemp("sample")

    async def begin() -> None:
        async with open_engine(Settings.load(data=folder / "data")):
            pass

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as beside:  # here a loop may be set
        patch.chdir(folder)
        for name in [name for name in os.environ if name.startswith(("WEFT_", "OPENAI_", "TAVILY_"))]:
            patch.delenv(name)
        beside.submit(asyncio.run, begin()).result()
    yield folder / "data"


@pytest.fixture
def sampled(_sample: Path, tmp_path: Path) -> Path:
    """Return a data folder of this test's own, `tmp_path / "data"`, that holds the sample handbook."""
    return Path(shutil.copytree(_sample, tmp_path / "data"))
