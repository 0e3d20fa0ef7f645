"""How one question is searched for: itself, its keywords, its standalone form, its synonyms, as it was meant."""

from collections.abc import Iterable, Sequence

from agent.reasoning.offline import lexicon, searching, spelling
from agent.reasoning.offline.filtering import files_in, filter_of
from agent.reasoning.offline.lookup import required
from agent.reasoning.offline.question import COMMON, FAINT, Term, read
from agent.results import Again
from agent.text import tokens
from agent.types import Expansion, Query, Standalone, Step, Understood, WeightedTerm

# Weights of the variations in the fusion, and of a synonym inside its variation. On MTRAG's last turns alone they give
# R@5 .232 and .273 against .233 and .258 for the plain question; at full weight they lose.
KEYWORDS = 0.3
REWRITTEN = 0.3
SYNONYMS = 0.25
SYNONYM = 0.3
MEANT = 0.3
"""Weight of the question with its slips put right."""
OTHER_NAME = 1.0
"""The same for a compound by its other name: what is called so is the thing that was asked about."""
ADDED = 0.35
"""What a word that the rewriting added weighs in the first query."""
LEAST, MOST = 3, 5
"""Variations of a question."""
_TERMS = 12


def expand(step: Step, question: Standalone, understood: Understood, again: Again | None = None) -> Expansion:
    """Return three to five ways to search for a step; with `again` other ones than those that were tried."""
    whole = step.description in ("", question.text)
    text = step.description or question.text
    own = understood.question if whole and question.changed else text
    asked = read(text, understood.language)
    terms = [term for term in asked.terms if term.weight > FAINT and not term.aside] or list(asked.terms)
    if again is not None:
        return searching.again(step, own, asked, terms, again)
    inherited = _inherited(own, question)
    keywords = " ".join(term.word for term in terms) or own
    similar = _synonyms(terms)
    queries = [Query(text=own, terms=inherited)]
    if question.changed and whole:
        queries.append(Query(text=question.text, weight=REWRITTEN))
    queries.append(Query(text=keywords, terms=inherited, weight=KEYWORDS))
    named = _by_other_names(keywords, terms)
    queries.append(Query(text=named, terms=(*inherited, *similar), weight=SYNONYMS))
    queries += _as_meant(own, terms, inherited)
    quoted = files_in(text)
    must = tuple(word for word in required(asked.text, asked.terms, understood.language) if word not in quoted)
    return Expansion(
        step_id=step.id,
        queries=distinct([*queries, *searching.fillers(own, keywords, asked)]),
        must_have=must,
        should_have=tuple(surface(term) for term in terms if term.weight >= COMMON and surface(term) not in must),
        related_terms=tuple(term.text for term in similar),
        boost_weights={surface(term): round(term.weight, 2) for term in terms},
        filter=filter_of(text),
    )


def distinct(queries: Iterable[Query]) -> tuple[Query, ...]:
    """Return the first queries that search for different terms: three at least where there are as many, five at most.

    Fillers, the queries of least weight, are taken only up to three.
    """
    out: dict[tuple[object, ...], Query] = {}
    for query in queries:
        if len(out) >= (LEAST if query.weight <= searching.FILLER else MOST):
            continue
        found = sorted(tokens(query.text)), sorted((term.text, term.weight) for term in query.terms)
        out.setdefault((tuple(found[0]), tuple(found[1])), query)
    return tuple(out.values())


def surface(term: Term) -> str:
    """Return a term as it is shown."""
    return term.stem if term.hangul else term.word


def _as_meant(own: str, terms: Sequence[Term], inherited: Sequence[WeightedTerm]) -> Iterable[Query]:
    """Yield the question with its slips put right, then with a compound by its other name: day 1 for first day."""
    meant = spelling.put_right(own, frozenset()) if len(own) <= spelling.LONG else own
    if meant != own:
        yield Query(text=meant, terms=tuple(inherited), weight=MEANT)
    named = _by_other_names(" ".join(term.word for term in terms), terms)
    if named != " ".join(term.word for term in terms):
        yield Query(text=named, terms=tuple(inherited), weight=OTHER_NAME)


def _by_other_names(keywords: str, terms: Sequence[Term]) -> str:
    """Return the keywords with compounds by another name of theirs."""
    for term in terms:
        other = next((name for name in term.similar if " " in name), "")
        if other and term.word in lexicon.COMPOUNDS:
            keywords = keywords.replace(term.word, other)
    return keywords


def _inherited(own: str, question: Standalone) -> tuple[WeightedTerm, ...]:
    known = set(tokens(own))
    added: list[WeightedTerm] = []
    if question.changed:
        for term in read(question.text).terms:
            mine = set(tokens(term.word))
            if mine and not mine <= known and term.weight > FAINT and not term.aside:
                known |= mine
                added.append(WeightedTerm(text=term.word, weight=ADDED))
    rest = [term for term in question.terms if not set(tokens(term.text)) <= known]
    return (*added, *rest)


def _synonyms(terms: Sequence[Term]) -> tuple[WeightedTerm, ...]:
    known = {token for term in terms for token in tokens(term.word)}
    out: list[WeightedTerm] = []
    for term in terms:
        for form in term.similar:
            mine = set(tokens(form))
            if mine and not mine <= known and len(out) < _TERMS and (" " in form or not mine & known):
                known |= mine
                out.append(WeightedTerm(text=form, weight=SYNONYM))
    return tuple(out)
