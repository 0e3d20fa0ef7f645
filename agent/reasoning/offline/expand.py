"""How one question is searched for: itself, its keywords, its standalone form, its synonyms."""

from collections.abc import Sequence

from agent.reasoning.offline.lookup import required
from agent.reasoning.offline.question import COMMON, FAINT, Term, read
from agent.text import tokens
from agent.types import Expansion, Query, Standalone, Step, Understood, WeightedTerm

# Weights of the variations in the fusion, and of a synonym inside its variation. On MTRAG's last turns alone they give
# R@5 .232 and .273 against .233 and .258 for the plain question; at full weight they lose.
KEYWORDS = 0.3
REWRITTEN = 0.3
SYNONYMS = 0.25
SYNONYM = 0.3
ADDED = 0.35
"""What a word that the rewriting added weighs in the first query."""
_MOST = 12


def expand(step: Step, question: Standalone, understood: Understood) -> Expansion:
    """Return three to five ways to search for a step."""
    whole = step.description in ("", question.text)
    own = understood.question if whole and question.changed else step.description or question.text
    asked = read(step.description or question.text, understood.language)
    terms = [term for term in asked.terms if term.weight > FAINT and not term.aside] or list(asked.terms)
    inherited = _inherited(own, question)
    keywords = " ".join(term.word for term in terms) or own
    queries = [Query(text=own, terms=inherited)]
    if question.changed and whole:
        queries.append(Query(text=question.text, weight=REWRITTEN))
    queries.append(Query(text=keywords, terms=inherited, weight=KEYWORDS))
    similar = _synonyms(terms)
    must = required(asked.text, asked.terms, understood.language)
    queries.append(Query(text=keywords, terms=(*inherited, *similar), weight=SYNONYMS))
    return Expansion(
        step_id=step.id,
        queries=tuple(queries),
        must_have=must,
        should_have=tuple(_surface(term) for term in terms if term.weight >= COMMON and _surface(term) not in must),
        related_terms=tuple(term.text for term in similar),
        boost_weights={_surface(term): round(term.weight, 2) for term in terms},
    )


def _surface(term: Term) -> str:
    return term.stem if term.hangul else term.word


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
            if mine and not mine <= known and len(out) < _MOST and (" " in form or not mine & known):
                known |= mine
                out.append(WeightedTerm(text=form, weight=SYNONYM))
    return tuple(out)
