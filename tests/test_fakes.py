"""The stand-ins keep the same contracts as what they stand in for."""

import pytest

from tests.contracts.concepts import GOUT, METFORMIN, ConceptsContract
from tests.contracts.knowledge import KnowledgeContract
from tests.fakes_concepts import MemoryConcepts
from tests.fakes_knowledge import MemoryLibrary


class TestMemoryLibrary(KnowledgeContract):
    @pytest.fixture
    def make(self):
        async def make(passages, readers=None, packs=None):
            library = MemoryLibrary(passages, readers, packs)
            return library, library

        return make


class TestMemoryConcepts(ConceptsContract):
    @pytest.fixture
    def make(self):
        async def make():
            return MemoryConcepts([METFORMIN, GOUT])

        return make
