"""People's memory on SQLite: the contract, and what deletion leaves behind."""

import pytest

from storage.database import Database
from storage.profiles import SqlProfiles
from storage.schema import PEOPLE
from tests.contracts.profiles import ANN, ProfilesContract, memory
from tests.fakes_profiles import MemoryProfiles


class TestSqliteProfiles(ProfilesContract):
    @pytest.fixture
    async def profiles(self, tmp_path):
        opened = await SqlProfiles.open(tmp_path / "people.db")
        yield opened
        await opened.close()


class TestPostgresProfiles(ProfilesContract):
    @pytest.fixture
    async def profiles(self, postgres_database):
        return SqlProfiles(postgres_database)


class TestMemoryProfiles(ProfilesContract):
    @pytest.fixture
    def profiles(self):
        return MemoryProfiles()


async def test_what_was_forgotten_stands_nowhere_in_the_files(tmp_path):
    profiles = await SqlProfiles.open(tmp_path / "people.db")
    await profiles.fill(ANN, "medical", {"conditions": ["a-rare-disease"]})
    await profiles.keep(ANN, "medical", memory(1, "a-rare-question", "a-rare-answer"))
    await profiles.forget(ANN)
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    await profiles.close()
    assert left and b"rare" not in left


async def test_lists_of_an_older_file_become_values_that_can_be_taken_one_by_one(tmp_path):
    old = await Database.open(tmp_path / "people.db", PEOPLE[:2])
    row = (ANN, "medical", "conditions", '["당뇨", "고혈압"]', 1.0, "t1")
    await old.write(lambda c: c.execute("INSERT INTO slots VALUES(?,?,?,?,?,?)", row).close())
    await old.close()
    profiles = await SqlProfiles.open(tmp_path / "people.db")
    await profiles.fill(ANN, "medical", {}, gone={"conditions": ["당뇨"]})
    assert (await profiles.load(ANN, "medical")).slots == {"conditions": ["고혈압"]}
    await profiles.drop("t1")
    assert (await profiles.load(ANN, "medical")).slots == {}
    await profiles.close()


async def test_it_survives_a_restart(tmp_path):
    profiles = await SqlProfiles.open(tmp_path / "people.db")
    await profiles.fill(ANN, "medical", {"age": 54})
    await profiles.close()
    again = await SqlProfiles.open(tmp_path / "people.db")
    assert (await again.load(ANN, "medical")).slots == {"age": 54}
    await again.close()
