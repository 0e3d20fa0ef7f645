"""Names of a terminology become names of a pack's slots: what is denied or told of others is read as ever."""

import pytest

from agent.errors import ConceptsError
from agent.packs.load import builtin, load_pack
from agent.reasoning.rules.reading.concept_names import with_concepts
from agent.reasoning.rules.reading.own_facts import facts_of
from agent.reasoning.rules.reading.slots import slots_of
from tests.fakes_concepts import MemoryConcepts

DIABETES = ("C0011849", "Diabetes Mellitus", "T047", ("sugar disease",))
GOUT = ("C0018099", "Gout", "T047", ("podagra",))
HAND = ("C0018563", "Hand", "T023", ())
KNOWN = MemoryConcepts([DIABETES, GOUT, HAND])


@pytest.fixture(scope="module")
def pack():
    return load_pack(builtin("medical"))


async def told(pack, *texts, concepts=KNOWN):
    pack = await with_concepts(pack, texts, concepts)
    return slots_of(texts[-1], pack.slots), facts_of(texts[-1], pack.slots)


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("I have sugar disease", ["diabetes"]),  # a choice of the pack, by its concept
        ("I have podagra and diabetes", ["gout", "diabetes"]),  # all of a semantic type, by its name
        ("저는 podagra가 있어요", ["gout"]),
        ("I hurt my hand", None),  # of another semantic type
    ],
)
async def test_what_a_terminology_knows_tells_a_slot(pack, text, conditions):
    slots, facts = await told(pack, text)
    assert slots.get("conditions") == conditions
    assert facts.told.get("conditions") == conditions


async def test_what_is_denied_or_of_somebody_else_is_not_ones_own(pack):
    slots, facts = await told(pack, "I don't have podagra")
    assert slots == {} and facts.told == {} and facts.gone == {"conditions": ("gout",)}
    slots, facts = await told(pack, "my mother has sugar disease")
    assert slots == {"conditions": ["diabetes"]} and facts.told == {}


async def test_the_packs_own_names_keep_their_value(pack):
    wrong = MemoryConcepts([("C0018099", "gout", "T047", ("diabetes",))])
    assert (await told(pack, "I have diabetes", concepts=wrong))[0] == {"conditions": ["diabetes"]}


async def test_earlier_messages_of_the_thread_lend_their_names(pack):
    known = await with_concepts(pack, ["I have podagra", "may I eat liver?"], KNOWN)
    assert slots_of("I have podagra", known.slots) == {"conditions": ["gout"]}


async def test_a_pack_that_wants_none_reads_none(pack):
    off = pack.model_copy(update={"flags": pack.flags.model_copy(update={"medcat2_enabled": False})})
    concepts = MemoryConcepts([GOUT])
    for without in (off, load_pack(builtin("handbook"))):
        assert not without.reads_concepts and await with_concepts(without, ["podagra"], concepts) is without
    assert concepts.read == []


async def test_a_message_is_read_no_further_than_patterns_are(pack):
    concepts = MemoryConcepts([GOUT])
    await with_concepts(pack, ["a " * 5_000], concepts)
    assert len(concepts.read[0]) <= 1_500


async def test_a_failure_is_not_hidden(pack):
    with pytest.raises(ConceptsError):
        await with_concepts(pack, ["gout"], MemoryConcepts(None))
