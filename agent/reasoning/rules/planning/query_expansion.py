"""How a question is searched for: itself with what it inherits and its synonyms; again with fewer or other words.

One well-weighted query found more than five fused ones, on every set of real documents that was measured.
"""

import re
from collections.abc import Iterator, Sequence

from agent.language import say
from agent.language.lexicon import first, pattern
from agent.reasoning.rules.reading import bilingual_terms, trade_synonyms
from agent.reasoning.rules.reading.answer_type import COMMON, SPECIFIC, Question, Term, read, without_aside
from agent.reasoning.rules.reading.bilingual_terms import Trade
from agent.reasoning.rules.reading.search_filters import asked_of, filter_of
from agent.results import Again
from agent.text import tokens
from agent.types import Expansion, Language, Query, Standalone, Step, Understood, WeightedTerm

# Weight of the standalone form in the fusion, and of a synonym beside the question's own words. On MTRAG's last turns
# alone the rewriting finds less than the turn with inherited words; at full weight it costs what these bring.
REWRITTEN = 0.3
SYNONYM = 0.3
OWN_SYNONYM = 0.6
"""Of a synonym that the pack lists: the team knows that it means the same."""
OF_ASKER = 0.5
"""Weight of the question with what its asker told of themselves: it brings what is for them, and crowds nothing out."""
ADDED = 0.35
"""What a word that the rewriting added weighs in the first query."""
KEYWORDS = 0.6
ABROAD = 0.7
"""Weight of a further word in the other language beside the first."""
TOLD = 1.0
"""Weight of what was told as the answer to a question back."""
REACH = 2
"""From which search on the question's common words go."""
_TERMS = 12
REQUIRED = 5
"""Words that documents must hold, at most."""
_QUOTED = re.compile(r"[\"“”„「『]([^\"“”„「」『』]{2,60})[\"“”」』]")
_WHEN = pattern("reading.time_of")


def expand(
    step: Step,
    question: Standalone,
    understood: Understood,
    again: Again | None = None,
    trade: Trade = (),
    synonyms: trade_synonyms.Synonyms = (),
) -> Expansion:
    """Return how to search for a step; with `again` in other ways than those that were tried.

    `trade` are the pack's words in the other language, `synonyms` its others in the same.
    """
    whole = step.description in ("", question.text)
    text = step.description or question.text
    own = asked_of(understood.question if whole and question.changed and question.terms else text)
    asked = read(asked_of(text), understood.language)
    terms = _telling(asked)
    if again is not None:
        return _otherwise(step, own, terms, again)
    other_names = trade_synonyms.others(own, synonyms)
    others = _synonyms(terms)
    similar = (*_of_names(other_names, own), *others)
    queries = [Query(text=own, terms=(*_inherited(own, question), *similar))]
    if question.changed and whole and sorted(tokens(question.text)) != sorted(tokens(own)):
        queries.append(Query(text=asked_of(question.text), terms=similar, weight=REWRITTEN))
    if question.of_asker:
        queries.append(Query(text=own, terms=question.of_asker, weight=OF_ASKER))
    must = required(asked.text, asked.terms, understood.language) or _told_after(question, understood.language)
    return Expansion(
        step_id=step.id,
        queries=tuple(queries),
        abroad=_abroad(terms, trade),
        must_have=must,
        should_have=tuple(surface(term) for term in terms if term.weight >= COMMON and surface(term) not in must),
        related_terms=(*other_names, *(term.text for term in others)),
        boost_weights=_weights(terms),
        filter=filter_of(text),
    )


def _of_names(names: Sequence[str], own: str) -> Iterator[WeightedTerm]:
    """Yield what else things are called, as terms: several words are one thing, and what is said counts already."""
    known = set(tokens(own))
    for name in names:
        words = [word for word in name.split() if not known.issuperset(tokens(word))]
        if words:
            yield WeightedTerm(text=" ".join(words), weight=OWN_SYNONYM / len(name.split()))


def _told_after(question: Standalone, language: Language) -> tuple[str, ...]:
    """Return the words that documents must hold of what somebody told who was asked what to look up."""
    told = " ".join(term.text for term in question.terms if term.weight >= TOLD)
    if not told or question.focus:
        return ()
    text = say("look_up", language, question=without_aside(question.text).rstrip(" ?.!"), words=told)
    return required(text, read(text, language).terms, language)


def required(text: str, terms: Sequence[Term], language: Language) -> tuple[str, ...]:
    """Return the words of a question that documents must hold: mostly none.

    `Cases about force majeure in Berlin`, `합병법인, 대리납부 관련 적출 사례` look documents up by their words; so does
    who puts words in quotes. Other questions are asked in other words than documents are written in.
    """
    quoted = [" ".join(words.split()) for words in _QUOTED.findall(text)]
    match = first("reading.looks_up", text, language)
    about = match["words"].lower() if match else ""
    named = [
        word
        for term, word in ((term, term.stem if term.hangul else term.word) for term in terms)
        if term.weight >= SPECIFIC and not term.aside and word in about and not _WHEN.search(term.word)
    ]
    outside = [word for word in named if not any(word.lower() in words.lower() for words in quoted)]
    return tuple(dict.fromkeys((*quoted, *outside)))[:REQUIRED]


def query_of(text: str, language: Language | None = None) -> Query:
    """Return how a standalone text is searched for."""
    return Query(text=text, terms=_synonyms(_telling(read(text, language))))


def _telling(asked: Question) -> Sequence[Term]:
    return [term for term in asked.terms if term.tells and not term.aside] or list(asked.terms)


def surface(term: Term) -> str:
    """Return a term as it is shown."""
    return term.stem if term.hangul else term.word


def _weights(terms: Sequence[Term]) -> dict[str, float]:
    return {surface(term): round(term.weight, 2) for term in terms}


def _inherited(own: str, question: Standalone) -> tuple[WeightedTerm, ...]:
    known = set(tokens(own))
    added: list[WeightedTerm] = []
    if question.changed:
        for term in read(question.text).terms:
            mine = set(tokens(term.word))
            if mine and not mine <= known and term.tells and not term.aside:
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


def _otherwise(step: Step, own: str, terms: Sequence[Term], again: Again) -> Expansion:
    """Return another way to search for a step than the one that was tried: nothing must be there; its filter stays.

    Its telling words are searched for by themselves.
    """
    kept = [term for term in terms if again.iteration < REACH or term.weight > COMMON] or list(terms)
    bare = Query(text=" ".join(map(surface, kept)) or own, terms=_synonyms(kept), weight=KEYWORDS)
    return Expansion(
        step_id=step.id,
        queries=(bare,),
        related_terms=tuple(dict.fromkeys(term.text for term in bare.terms)),
        boost_weights=_weights(kept),
        filter=again.tried.filter,
    )


def _abroad(terms: Sequence[Term], trade: Trade) -> Query | None:
    """Return the question in the words of another language; None where there are none."""
    words = dict.fromkeys(word for known in bilingual_terms.in_other_language(terms, trade) for word in known)
    if not words:
        return None
    first, *rest = words
    return Query(text=first, terms=tuple(WeightedTerm(text=word, weight=ABROAD) for word in rest), by_meaning=False)
