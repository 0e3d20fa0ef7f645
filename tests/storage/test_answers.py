"""The responses that `agent.ports.Answers` asks for, as they are stored."""

from dataclasses import replace

import pytest

from storage.turns import SqlTurns
from tests.contracts.answers import AnswersContract
from tests.storage.turns import stored


class TestStoredAnswers(AnswersContract):
    @pytest.fixture
    def answers(self, database):
        return SqlTurns(database)

    @pytest.fixture
    def response(self):
        return stored("t-first", at=1.0).response

    @pytest.fixture
    def keep(self, answers):
        async def keep(response) -> None:
            await answers.put(replace(stored(response.turn_id, at=2.0), response=response))

        return keep
