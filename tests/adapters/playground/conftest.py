"""The playground, served over HTTP."""

import httpx
import pytest

from tests.servers.playground import playground


@pytest.fixture
async def running(tmp_path):
    async with playground(tmp_path / "weft.db") as served:
        yield served


@pytest.fixture
async def http(running):
    async with httpx.AsyncClient(base_url=running.address, timeout=60) as client:
        yield client
