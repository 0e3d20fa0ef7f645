"""What everything does that reads the names of a terminology (`agent.ports.Concepts`).

A test class inherits `ConceptsContract` and gives a fixture `make`: `await make()` returns one that knows `GOUT` and
`METFORMIN`: id, name, semantic type, other names.
"""

GOUT = ("C0018099", "gout", "T047", ("podagra",))
METFORMIN = ("C0025598", "metformin", "T121", ("glucophage",))


class ConceptsContract:
    async def test_what_a_text_names_comes_in_its_order_with_its_own_words(self, make):
        concepts = await make()
        gout, metformin = await concepts.find("I have Podagra and take glucophage")
        assert (gout.id, gout.name, gout.words, gout.types) == ("C0018099", "gout", "Podagra", ("T047",))
        assert (metformin.id, metformin.words, metformin.types) == ("C0025598", "glucophage", ("T121",))

    async def test_a_name_with_a_korean_particle_behind_it_is_found(self, make):
        (gout,) = await (await make()).find("저는 gout가 있어요")
        assert gout.words == "gout"

    async def test_a_text_that_names_nothing_gives_nothing(self, make):
        concepts = await make()
        for text in ("", "  \n", "How are you?", "goutte", "\x00\ufeff" + "🙂" * 50):
            assert list(await concepts.find(text)) == []

    async def test_several_texts_are_read_side_by_side(self, make):
        import asyncio

        concepts = await make()
        found = await asyncio.gather(*(concepts.find(text) for text in ("gout", "nothing", "podagra") * 5))
        assert [[each.words for each in one] for one in found] == [["gout"], [], ["podagra"]] * 5
