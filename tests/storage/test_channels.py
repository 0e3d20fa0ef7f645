"""The modes of channels: the same contract for the database and for the fake."""

import pytest

from agent.types import ChannelMode
from storage.channels import SqlChannelModes, SqlChannelPacks
from storage.contracts import Place
from tests.contracts.channels import CHANNEL, WHOLE, ChannelModesContract, ChannelPacksContract
from tests.fakes_channels import MemoryChannelModes, MemoryChannelPacks


class TestSqliteChannelModes(ChannelModesContract):
    @pytest.fixture
    def modes(self, database):
        return SqlChannelModes(database)


class TestMemoryChannelModes(ChannelModesContract):
    @pytest.fixture
    def modes(self):
        return MemoryChannelModes()


class TestSqliteChannelPacks(ChannelPacksContract):
    @pytest.fixture
    def packs(self, database):
        return SqlChannelPacks(database)


class TestMemoryChannelPacks(ChannelPacksContract):
    @pytest.fixture
    def packs(self):
        return MemoryChannelPacks()


async def test_a_platform_may_have_another_usual_mode(database):
    modes = SqlChannelModes(database, usual={"slack": ChannelMode.MENTIONS})
    assert await modes.mode_of(CHANNEL) is ChannelMode.MENTIONS
    assert await modes.mode_of(Place(platform="discord", workspace="G1")) is ChannelMode.THREAD
    await modes.set(WHOLE, ChannelMode.THREAD)
    assert await modes.mode_of(CHANNEL) is ChannelMode.THREAD
