import stat

import pytest

from storage.database import Database
from storage.installations import FILE, SqlInstallations
from storage.schema import WEFT
from tests.contracts.installations import InstallationsContract


class TestSqliteInstallations(InstallationsContract):
    @pytest.fixture
    async def store(self, tmp_path):
        store = await SqlInstallations.open(tmp_path / FILE)
        yield store
        await store.close()

    async def test_the_file_is_its_owner_s_alone_and_keeps_over_a_restart(self, store, tmp_path):
        await store.put("", "T1", "xoxb-secret")
        for file in tmp_path.glob(f"{FILE}*"):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
        other = await SqlInstallations.open(tmp_path / FILE)
        assert await other.get("", "T1") == "xoxb-secret"
        await other.close()

    async def test_a_first_start_warns_of_nothing(self, tmp_path, caplog):
        await (await Database.open(tmp_path / "weft.db", WEFT)).close()
        await (await SqlInstallations.open(tmp_path / FILE)).close()
        assert caplog.text == ""


class TestInstallationsOnPostgres(InstallationsContract):
    @pytest.fixture
    async def store(self, postgres_database):
        return SqlInstallations(postgres_database)
