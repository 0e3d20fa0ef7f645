"""What a segment finds best is what rank_bm25 scores best, whatever is left out on the way there."""

from functools import cache

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from storage.merging import merged
from storage.scoring import Admitted, Okapi, Ranked, Scorer
from storage.segment import Segment

PASSAGES, VOCABULARY = 5_000, 900


def row(number: int, words: np.ndarray) -> tuple:
    terms, counts = np.unique(words, return_counts=True)
    return (
        number, 1, number, "paragraph", "chunk", "en", None, "",
        terms.astype(np.int32).tobytes(), counts.astype(np.uint16).tobytes(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> list[np.ndarray]:
    """Passages whose words are as unequally frequent as those of a language; the commonest stand in most of them."""
    chance = np.random.default_rng(3)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    lengths = chance.integers(1, 60, PASSAGES)
    return [chance.choice(VOCABULARY, size=n, p=weights / weights.sum()) + 1 for n in lengths]


@pytest.fixture(scope="module")
def okapi(corpus) -> BM25Okapi:
    return BM25Okapi([words.tolist() for words in corpus], b=0.6)


@pytest.fixture(scope="module")
def scorer(corpus) -> Scorer:
    segment = Segment.build([row(n, words) for n, words in enumerate(corpus)])
    return Scorer.of(segment, statistics(segment))


def statistics(segment: Segment) -> Okapi:
    terms, counts = np.unique(np.diff(segment.offsets), return_counts=True)
    length = int(segment.columns.lengths.sum())
    return Okapi(dict(zip(terms.tolist(), counts.tolist(), strict=True)), passages=len(segment), length=length)


def test_every_terms_idf_is_the_librarys(scorer, okapi):
    ours = statistics(scorer.segment)
    assert ours.avgdl == okapi.avgdl
    assert ours.average_idf == pytest.approx(okapi.average_idf, abs=1e-12)
    frequencies = dict(zip(scorer.segment.terms.tolist(), np.diff(scorer.segment.offsets).tolist(), strict=True))
    assert {term: ours.idf[n] for term, n in frequencies.items()} == pytest.approx(okapi.idf, abs=1e-12)
    assert okapi.epsilon * okapi.average_idf in okapi.idf.values()  # a term that stands in more than half of all


MASKS = {
    "all": lambda n: np.ones(n, dtype=bool),
    "all but some": lambda n: np.arange(n) % 97 != 5,
    "half": lambda n: np.arange(n) % 2 == 0,
    "few": lambda n: np.arange(n) % 31 == 3,
    "none": lambda n: np.zeros(n, dtype=bool),
}


@pytest.fixture(scope="module")
def expected(okapi):
    """Return a function: the library's scores for a term, and where it stands."""
    return cache(lambda term: (okapi.get_scores([term]), np.array([term in each for each in okapi.doc_freqs])))


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_the_best_are_the_librarys_best(scorer, expected, corpus, mask):
    chance = np.random.default_rng(9)
    admitted = Admitted.of(inside := mask(PASSAGES))
    idf = statistics(scorer.segment).idf
    frequencies = dict(zip(scorer.segment.terms.tolist(), np.diff(scorer.segment.offsets).tolist(), strict=True))
    for number in range(60):
        # Some words of a passage; common ones alone; and some that count less, as a follow-up's inherited ones.
        words = chance.choice(corpus[number * 7], size=6) if number % 3 else chance.integers(1, 30, 4)
        query = {int(word): float(chance.choice([1.0, 1.0, 0.3])) for word in words}
        scores = sum(weight * expected(term)[0] for term, weight in query.items())
        matches = sum(expected(term)[1].astype(int) for term in query)
        order = np.lexsort((np.arange(PASSAGES), -matches, -np.round(scores, 9)))
        order = order[inside[order] & (matches[order] > 0)]
        weights = {term: weight * idf[frequencies[term]] for term, weight in query.items()}
        for k in (1, 10, 50, 2000):
            found = Ranked.best([scorer.best(weights, admitted, k)], k)
            assert [i for i, _ in found] == order[:k].tolist()
            assert [score for _, score in found] == pytest.approx(scores[order[:k]].tolist(), abs=1e-6)


def test_terms_that_take_away_leave_nothing_out(scorer):
    inside = Admitted()
    common, rare = 1, int(scorer.segment.terms[-1])
    found = Ranked.best([scorer.best({common: -1.0, rare: 0.0}, inside, PASSAGES)], PASSAGES)
    holding = set()
    for term in (common, rare):
        holding |= set(scorer.segment.rows[scorer.segment.postings(term)].tolist())
    assert {i for i, _ in found} == holding


def test_segments_become_one_without_what_is_gone(corpus):
    rows = [row(n, words) for n, words in enumerate(corpus[:900])]
    parts = [Segment.build(rows[start : start + 300]) for start in range(0, 900, 300)]
    gone = {4, 299, 300, 777}
    kept = [np.array([int(i) not in gone for i in part.columns.ids]) for part in parts]
    whole = Segment.build([each for each in rows if each[0] not in gone])
    one = merged(parts, kept)
    assert one.columns.ids.tolist() == whole.columns.ids.tolist()
    assert one.columns.lengths.tolist() == whole.columns.lengths.tolist()
    for name in ("terms", "offsets", "rows", "counts"):
        assert getattr(one, name).tolist() == getattr(whole, name).tolist()


def test_the_terms_of_a_row_are_found_among_all_postings(corpus):
    segment = Segment.build([row(n, words) for n, words in enumerate(corpus[:50])])
    assert sorted(segment.terms_in(np.array([7, 31]))) == sorted([*set(corpus[7]), *set(corpus[31])])
