"""The modes of channels: the same contract for the database and for the fake."""

import pytest

from agent.types import ChannelMode
from storage.channels import SqliteChannelModes, SqliteChannelPacks
from storage.contracts import Place
from storage.database import Database
from storage.schema import WEFT
from tests.contracts.channels import CHANNEL, WHOLE, ChannelModesContract, ChannelPacksContract
from tests.fakes_channels import MemoryChannelModes, MemoryChannelPacks


@pytest.fixture
async def database(tmp_path):
    opened = await Database.open(tmp_path / "weft.db", WEFT)
    yield opened
    await opened.close()


class TestSqliteChannelModes(ChannelModesContract):
    @pytest.fixture
    def modes(self, database):
        return SqliteChannelModes(database)


class TestMemoryChannelModes(ChannelModesContract):
    @pytest.fixture
    def modes(self):
        return MemoryChannelModes()


class TestSqliteChannelPacks(ChannelPacksContract):
    @pytest.fixture
    def packs(self, database):
        return SqliteChannelPacks(database)


class TestMemoryChannelPacks(ChannelPacksContract):
    @pytest.fixture
    def packs(self):
        return MemoryChannelPacks()


async def test_a_platform_may_have_another_usual_mode(database):
    modes = SqliteChannelModes(database, usual={"slack": ChannelMode.MENTIONS})
    assert await modes.mode_of(CHANNEL) is ChannelMode.MENTIONS
    assert await modes.mode_of(Place(platform="discord", workspace="G1")) is ChannelMode.THREAD
    await modes.set(WHOLE, ChannelMode.THREAD)
    assert await modes.mode_of(CHANNEL) is ChannelMode.THREAD
