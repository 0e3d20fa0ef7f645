"""The latest question back of a thread, found without reading all the answers before it."""

from dataclasses import replace

from storage.postgres.database import PostgresDatabase
from storage.turns import SqlTurns
from tests.storage.turns import stored


def asked(turn_id: str, *, at: float):
    turn = stored(turn_id, at=at)
    return replace(turn, response=replace(turn.response, response_type="clarification"))


async def test_the_latest_but_this_one_is_found_and_no_answer(database):
    turns = SqlTurns(database)
    for turn in (asked("a", at=1.0), asked("b", at=2.0), asked("this", at=3.0), stored("answer", at=4.0)):
        await turns.put(turn)
    thread = stored("a", at=1.0).thread
    found = await turns.asking_back(thread, but="this")
    assert found is not None and found.response.turn_id == "b"
    await turns.put(stored("b", at=2.0))  # answered anew, after an edit
    again = await turns.asking_back(thread, but="this")
    assert again is not None and again.response.turn_id == "a"


async def test_no_answer_is_read_for_it(database):
    turns = SqlTurns(database)
    read = []
    for number in range(50):
        await turns.put(stored(f"t{number}", at=float(number)))

    class Watched:
        def __getattr__(self, name):
            return getattr(database, name)

        async def read(self, work, **kwargs):
            def explained(connection):
                class Noting:
                    def execute(self, statement, values=()):
                        if isinstance(database, PostgresDatabase):
                            connection.execute("SET LOCAL enable_seqscan=off")
                        for row in connection.execute(f"{EXPLAIN[type(database)]} {statement}", values):
                            read.append(str(row[-1]))
                        return connection.execute(statement, values)

                return work(Noting())

            return await database.read(explained, **kwargs)

    EXPLAIN = {PostgresDatabase: "EXPLAIN"}
    EXPLAIN.setdefault(type(database), "EXPLAIN QUERY PLAN")
    assert await SqlTurns(Watched()).asking_back(stored("t0", at=0.0).thread, but="t1") is None
    assert any("turns_asked_back" in line for line in read), read
