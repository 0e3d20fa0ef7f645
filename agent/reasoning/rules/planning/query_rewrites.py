"""Other ways to search for a question that was searched for in vain."""

from collections.abc import Iterator, Sequence

from agent.reasoning.rules.planning import relevance_feedback
from agent.reasoning.rules.reading import bilingual_terms, spelling
from agent.reasoning.rules.reading.answer_type import COMMON, Term
from agent.reasoning.rules.reading.bilingual_terms import Trade
from agent.results import Again
from agent.text import tokens
from agent.types import Expansion, Query, Step, WeightedTerm

MEANT = 1.0
KEYWORDS = 0.6
RELATED = 0.5
ABROAD = 0.8
"""Weight of the words of the other language: where the first search found no answer, they are what is left."""
REACH = 2
"""From which search on the terms of more passages join, and the question's common words go."""


def again(step: Step, own: str, terms: Sequence[Term], again: Again, trade: Trade = ()) -> Expansion:
    """Return another way to search for a step than the one that was tried: nothing must be there; its filter stays.

    What was found first is the list of words: Korean slips are put right by it, and words that its best passages have
    in common join. The other language's words are searched for by themselves.
    """
    texts = tuple(f"{hit.passage.title}\n{hit.passage.section}\n{hit.passage.text}" for hit in again.hits)
    held = spelling.vocabulary(texts) | bilingual_terms.words(trade)
    meant = spelling.put_right(own, held) if len(own) <= spelling.LONG else own
    further = again.iteration >= REACH
    kept = [term for term in terms if not further or term.weight > COMMON] or list(terms)
    bare = " ".join(term.stem if term.hangul else term.word for term in kept) or own
    bare = spelling.put_right(bare, held) if len(bare) <= spelling.LONG else bare
    joined = relevance_feedback.related(
        again.hits,
        own,
        top=relevance_feedback.TOP * again.iteration,
        most=relevance_feedback.MOST + 2 * again.iteration,
    )
    similar = _similar(kept, weight=0.6 if further else 0.4)
    queries = [
        Query(text=meant, terms=similar, weight=MEANT),
        Query(text=bare, terms=joined, weight=RELATED),
        Query(text=bare, terms=similar, weight=KEYWORDS),
        *_abroad(kept, trade),
    ]
    new = _new(queries, again)
    return Expansion(
        step_id=step.id,
        queries=new or tuple(queries[:1]),
        related_terms=tuple(dict.fromkeys(term.text for query in new for term in query.terms)),
        boost_weights={term.word: round(term.weight, 2) for term in kept},
        filter=again.tried.filter,
    )


def _similar(terms: Sequence[Term], *, weight: float) -> tuple[WeightedTerm, ...]:
    forms = dict.fromkeys(form for term in terms for form in term.similar)
    return tuple(WeightedTerm(text=form, weight=weight) for form in list(forms)[:16])


def _abroad(terms: Sequence[Term], trade: Trade) -> Iterator[Query]:
    """Yield the question in the words of the other language, where they are known."""
    together = bilingual_terms.phrases(terms, trade)
    words: list[str] = []
    for i, term in enumerate(terms):
        words.extend(together.get(i, ()) or (() if i - 1 in together else bilingual_terms.others(term, trade)))
    if words:
        first, *rest = dict.fromkeys(words)
        yield Query(text=first, terms=tuple(WeightedTerm(text=word, weight=0.7) for word in rest), weight=ABROAD)


def _new(queries: Sequence[Query], again: Again) -> tuple[Query, ...]:
    """Return the queries that were not tried, each once."""
    tried = {_key(query) for query in again.tried.queries}
    out: dict[object, Query] = {}
    for query in queries:
        key = _key(query)
        if key not in tried and tokens(query.text):
            out.setdefault(key, query)
    return tuple(out.values())


def _key(query: Query) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(sorted(tokens(query.text))), tuple(sorted(term.text for term in query.terms))
