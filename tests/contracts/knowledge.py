"""What every library with its word index does (`agent.ports.LexicalIndex`, `Passages`).

A subclass gives a fixture `make`: `await make(passages, readers, packs)` returns `(index, passages port)`, readers and
packs by collection.
"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.text import tokens
from agent.types import OF_NO_PACK, Audience, Category, Passage, Query, SearchFilter, TermCounts, WeightedTerm

EVERYBODY = Audience(principals=frozenset({"*"}))
OPERATOR = Audience(principals=frozenset(), operator=True)
READERS = ("*", "user:a", "user:b", "channel:c")


def passage(number: int, text: str, *, collection: str = "documents", **fields) -> Passage:
    """Return the only passage of the document `d{number}`, counting from 1."""
    return Passage(
        id=number, document_id=f"d{number}", collection=collection, title="", text=text, document=number, **fields
    )


class KnowledgeContract:
    async def find(self, index, text, *, k=100, filter=SearchFilter(), audience=EVERYBODY, terms=()):
        found = await index.search(Query(text=text, terms=terms), k=k, filter=filter, audience=audience)
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
        return [identity for identity, _ in found]

    async def test_every_match_is_ranked_in_a_tiny_collection_where_idf_is_not_positive(self, make):
        index, _ = await make([passage(1, "leave policy"), passage(2, "leave form")])
        assert await self.find(index, "leave policy") == [1, 2]

    async def test_k_bounds_the_result_and_ties_keep_their_order(self, make):
        index, _ = await make([*(passage(n, "vpn") for n in range(1, 51)), passage(51, "other")])
        assert await self.find(index, "vpn", k=7) == [1, 2, 3, 4, 5, 6, 7]
        assert await self.find(index, "") == [] and await self.find(index, "unknownword") == []

    async def test_title_and_section_belong_to_what_a_passage_says(self, make):
        index, _ = await make([passage(1, "20 days", section="Parental leave"), passage(2, "30 days")])
        assert await self.find(index, "parental leave") == [1]

    async def test_inherited_terms_count_by_their_weight(self, make):
        index, _ = await make([passage(n, text) for n, text in enumerate(("vpn", "laptop", "shift", "x"), start=1)])
        assert await self.find(index, "vpn", terms=(WeightedTerm(text="laptop", weight=0.3),)) == [1, 2]
        assert await self.find(index, "vpn", terms=(WeightedTerm(text="laptop", weight=3.0),)) == [2, 1]

    async def test_a_factor_makes_a_term_count_less_in_text_and_inherited_terms(self, make):
        index, _ = await make([passage(n, text) for n, text in enumerate(("vpn", "laptop", "shift", "x"), start=1)])
        for query in (Query(text="vpn laptop"), Query(text="laptop", terms=(WeightedTerm(text="vpn", weight=1.1),))):
            held = replace(query, factors=(("vpn", 0.5), ("unheard", 0.1)))
            found = await index.search(held, k=9, filter=SearchFilter(), audience=EVERYBODY)
            assert [identity for identity, _ in found] == [2, 1]

    @pytest.mark.parametrize(
        ("filter", "expected"),
        [
            (SearchFilter(sources=("/a",)), [1]),
            (SearchFilter(sources=("a",)), [1]),
            (SearchFilter(language="ko"), [2]),
            (SearchFilter(foreign_to="en"), [2]),
            (SearchFilter(foreign_to="ko"), [1, 3, 4]),
            (SearchFilter(page_range=(3, 5)), [3]),
            (SearchFilter(categories=(Category.TABLE,)), [4]),
            (SearchFilter(entity="제7조"), [2]),
            (SearchFilter(kinds=("finding",)), [1]),
            (SearchFilter(date_range=("2024-01-01", "2024-12-31")), [3]),
            (SearchFilter(date_range=("2024-06-01", "")), [3, 4]),
            (SearchFilter(date_range=("", "2024-12-31")), [3]),
            (SearchFilter(collections=("documents",)), [1, 2, 3, 4]),
            (SearchFilter(collections=("nowhere",)), []),
            (SearchFilter(documents=(2, 4)), [2, 4]),
            (SearchFilter(sources=("/a", "/nowhere"), kinds=("finding",), language="en"), [1]),
            (SearchFilter(entity="제7조", language="en"), []),
            (SearchFilter(page_range=(4, 4), date_range=("", "2024-06-01")), [3]),
        ],
    )
    async def test_filters_act_inside_the_search(self, make, filter, expected):
        index, _ = await make(
            [
                passage(1, "vpn", source="/a", kind="finding"),
                passage(2, "vpn", language="ko", entities=("제7조",)),
                passage(3, "vpn", page=4, date="2024-06-01"),
                passage(4, "vpn", category=Category.TABLE, date="2025-01-01"),
            ]
        )
        assert sorted(await self.find(index, "vpn", filter=filter, k=1)) == expected[:1]
        assert sorted(await self.find(index, "vpn", filter=filter)) == expected

    @pytest.mark.parametrize(
        ("named", "expected"),
        [
            (("cars", OF_NO_PACK), [1, 3, 4]),
            (("ships", "hull", OF_NO_PACK), [2, 3, 4, 5]),
            (("law",), [4]),
            (("law", "ships"), [2, 4]),
            ((OF_NO_PACK,), [3, 4]),
            ((), [1, 2, 3, 4, 5]),
        ],
    )
    async def test_what_is_a_packs_is_found_where_it_is_named_and_what_is_no_packs_by_all(self, make, named, expected):
        collections = ("cars", "ships", "documents", "law", "hull")
        passages = [passage(n, "vpn", collection=name) for n, name in enumerate(collections, start=1)]
        packs = {"cars": "cars", "ships": "ships", "hull": "ships"}
        index, _ = await make(passages, packs=packs)
        assert await self.find(index, "vpn", filter=SearchFilter(collections=named)) == expected
        _, alone = await make(passages[:1], packs=packs)
        assert await alone.empty(audience=EVERYBODY, collections=("ships", OF_NO_PACK))
        assert not await alone.empty(audience=EVERYBODY, collections=("cars", OF_NO_PACK))

    async def test_a_filter_does_not_change_the_scores(self, make):
        index, _ = await make([passage(n, text, page=n) for n, text in enumerate(("vpn", "vpn leave", "x"), start=1)])
        every = dict(await index.search(Query(text="vpn"), k=9, filter=SearchFilter(), audience=EVERYBODY))
        held = SearchFilter(page_range=(2, 2))
        assert await index.search(Query(text="vpn"), k=9, filter=held, audience=EVERYBODY) == [(2, every[2])]

    async def test_passages_come_in_the_order_asked_for_and_unknown_ones_not_at_all(self, make):
        _, passages = await make([passage(n, f"text {n}") for n in range(1, 4)])
        assert [p.id for p in await passages.get([3, 99, 1], audience=EVERYBODY)] == [3, 1]
        found = await passages.by_reference(
            ["documents\td2#0", "documents\td9#0", "other\td1#0", "documents\td1#0", "nonsense"], audience=EVERYBODY
        )
        assert [p.document_id for p in found] == ["d2", "d1"]

    async def test_a_reference_names_a_passage_of_one_collection(self, make):
        here = passage(1, "open words", collection="open")
        there = replace(passage(2, "closed words", collection="closed"), document_id="d1")
        _, passages = await make([here, there], {"closed": frozenset({"user:a"})})
        both = [here.reference, there.reference]
        assert [p.text for p in await passages.by_reference(both, audience=OPERATOR)] == ["open words", "closed words"]
        assert [p.text for p in await passages.by_reference(both, audience=EVERYBODY)] == ["open words"]

    async def test_a_document_is_read_on_from_a_place_up_to_another(self, make):
        here = passage(1, "fourth passage", collection="open", position=3)
        there = replace(passage(2, "closed words", collection="closed", position=3), document_id="d1")
        _, passages = await make([here, there], {"closed": frozenset({"user:a"})})

        async def read(collection, start, stop, audience=EVERYBODY):
            found = await passages.of_document(collection, "d1", start=start, stop=stop, audience=audience)
            return [p.text for p in found]

        assert await read("open", 0, 9) == await read("open", 3, 4) == ["fourth passage"]
        assert await read("open", 0, 3) == await read("open", 4, 9) == []
        assert await read("closed", 0, 9) == [] and await read("closed", 0, 9, OPERATOR) == ["closed words"]
        assert await passages.of_document("open", "d9", start=0, stop=9, audience=OPERATOR) == []

    async def test_terms_are_counted_as_they_stand_in_the_index(self, make):
        index, _ = await make([passage(1, "annual policies"), passage(2, "sick policy"), passage(3, "vpn")])
        (stem,) = tokens("policies")
        counts = await index.counts([stem, "vpn", "x", "policies"], audience=EVERYBODY)
        assert counts == TermCounts(passages=3, holding={stem: 2, "vpn": 1, "x": 0, "policies": 0})

    async def test_terms_a_slip_away_are_told_the_most_frequent_first_where_they_may_be_read(self, make):
        texts = ("vpn tunnel", "tunnels", "funnel", "runnel kunnel", "tunel", "unrelated")
        stored = [passage(n, text, collection="open") for n, text in enumerate(texts, start=1)]
        stored.append(passage(9, "gunnel gunnel", collection="closed"))
        index, _ = await make(stored, {"closed": frozenset({"user:a"})})
        near = await index.near(["tunnel", "wunnel", "tunenl", "nothing"], audience=EVERYBODY)
        assert near == {
            "tunnel": ["funnel", "kunnel", "runnel", "tunel"],
            "wunnel": ["tunnel", "funnel", "kunnel", "runnel"],
            "tunenl": ["tunnel", "tunel"],
            "nothing": [],
        }
        assert "gunnel" in (await index.near(["wunnel"], audience=OPERATOR))["wunnel"]

    async def test_terms_that_sound_alike_are_told_the_most_frequent_first_where_they_may_be_read(self, make):
        stored = [passage(1, "docker"), passage(2, "the dog and Docker"), passage(3, "token 도커"), passage(4, "dogs")]
        stored.append(passage(9, "dock dock", collection="closed"))
        index, _ = await make(stored, {"closed": frozenset({"user:a"})})
        assert await index.sounding(["TK"], audience=EVERYBODY) == ["docker", "dog"]
        assert await index.sounding(["TK", "TKN"], audience=OPERATOR) == ["docker", "dog", "dock", "token"]
        assert await index.sounding(["TK X"], audience=EVERYBODY) == await index.sounding([], audience=OPERATOR) == []

    async def test_what_may_not_be_read_is_not_counted(self, make):
        index, _ = await make(
            [passage(1, "vpn", collection="open"), passage(2, "vpn tunnel", collection="closed"), passage(3, "leave")],
            {"closed": frozenset({"user:a"})},
        )
        seen = await index.counts(["vpn", "tunnel"], audience=EVERYBODY)
        assert seen == TermCounts(passages=2, holding={"vpn": 1, "tunnel": 0})
        everything = await index.counts(["vpn", "tunnel"], audience=OPERATOR)
        assert everything == TermCounts(passages=3, holding={"vpn": 2, "tunnel": 1})

    async def test_a_search_can_be_held_to_the_documents_that_hold_a_word(self, make):
        index, passages = await make(
            [
                passage(1, "annual leave"),
                passage(2, "sick leave", language="ko"),
                passage(3, "vpn"),
                passage(4, "leave"),
            ],
        )
        every = await passages.get([1, 2, 3, 4], audience=EVERYBODY)
        leave, both, none = await index.documents_holding(
            ["leave", "annual leave", "x"], filter=SearchFilter(language="en"), audience=EVERYBODY
        )
        assert [p.id for p in every if p.document in leave] == [1, 4] and list(leave) == sorted(leave)
        assert [p.id for p in every if p.document in both] == [1] and not len(none)
        filter = SearchFilter(documents=tuple(int(i) for i in both))
        assert await self.find(index, "leave vpn", filter=filter) == [1]

    async def test_a_note_of_how_people_ask_finds_a_passage_that_does_not_hold_its_words(self, make):
        index, _ = await make([passage(1, "annual leave", asked=("how many days off",)), passage(2, "vpn")])
        words = ["days off", "leave", "days leave"]
        held = await index.documents_holding(words, filter=SearchFilter(), audience=EVERYBODY)
        assert [len(each) for each in held] == [0, 1, 0]

    async def test_the_documents_are_told_to_those_who_may_read_them(self, make):
        _, passages = await make(
            [passage(1, "x", collection="closed"), passage(2, "y"), passage(3, "z")], {"closed": frozenset({"user:a"})}
        )
        (open_ones, told), (all_of_them, first) = (
            await passages.titles(audience=EVERYBODY, k=9), await passages.titles(audience=OPERATOR, k=1),
        )  # fmt: skip
        assert (open_ones, len(told), all_of_them, len(first)) == (2, 2, 3, 1)
        assert await passages.titles(audience=OPERATOR, collections=("other",), k=9) == (0, [])

    async def test_nothing_is_empty_for_those_who_may_read_it(self, make):
        _, passages = await make([passage(1, "x", collection="closed")], {"closed": frozenset({"user:a"})})
        assert await passages.empty(audience=EVERYBODY)
        assert not await passages.empty(audience=OPERATOR)
        assert await passages.empty(audience=OPERATOR, collections=("other",))

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(
        readers=st.lists(st.frozensets(st.sampled_from(READERS), max_size=3), min_size=1, max_size=4),
        principals=st.frozensets(st.sampled_from(READERS)),
        words=st.lists(st.sampled_from(["vpn", "leave", "휴가", "nothing"]), min_size=1, max_size=3),
        named=st.sets(st.integers(0, 3), max_size=2),
    )
    async def test_nothing_outside_the_audience_ever_comes_back(self, make, readers, principals, words, named):
        rules = {f"c{n}": each for n, each in enumerate(readers)}
        stored = [
            passage(n, text, collection=f"c{n % len(readers)}")
            for n, text in enumerate(("vpn", "leave", "휴가", "vpn leave", "휴가 vpn"), start=1)
        ]
        index, passages = await make(stored, rules)
        audience = Audience(principals=principals)
        allowed = {p.id for p in stored if audience.may_read(rules[p.collection])}
        filter = SearchFilter(collections=tuple(f"c{n}" for n in named))
        assert set(await self.find(index, " ".join(words), filter=filter, audience=audience)) <= allowed
        every = await passages.get([p.id for p in stored], audience=audience)
        assert {p.id for p in every} == allowed
        public = await passages.by_reference([p.reference for p in stored], audience=audience)
        assert {p.id for p in public} == allowed
        for p in stored:
            read = await passages.of_document(p.collection, p.document_id, start=0, stop=9, audience=audience)
            assert {each.id for each in read} == ({p.id} & allowed)
        vpn = sum(p.id in allowed and "vpn" in p.text for p in stored)
        counts = await index.counts(["vpn"], audience=audience)
        assert counts == TermCounts(passages=len(allowed), holding={"vpn": vpn})
        (documents,) = await index.documents_holding(["vpn"], filter=SearchFilter(), audience=audience)
        assert set(documents.tolist()) <= {p.document for p in every}
        assert await passages.empty(audience=audience) == (not allowed)
