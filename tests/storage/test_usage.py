"""What the calls of the model cost, on either database."""

import pytest

from storage.usage import SqlUsage
from tests.contracts.usage import UsageContract


class TestStoredUsage(UsageContract):
    @pytest.fixture
    def usage(self, database):
        return SqlUsage(database)
