"""A follow-up turned into a question that stands alone, and what its search inherits."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from agent.reasoning.offline import english_followup, focus, followup, korean, korean_followup, lexicon, points, topic
from agent.reasoning.offline.about_answer import about_answer
from agent.reasoning.offline.focus import Past
from agent.reasoning.offline.followup import leaning
from agent.reasoning.offline.leaning import Leaning
from agent.reasoning.offline.question import COMMON, read
from agent.text import language_of, normalise, tokens, words
from agent.types import Standalone, WeightedTerm

LEANING = 0.35
"""Weight of the last turn's terms in a follow-up's search. With `FAINTLY`, and measured on MTRAG's two public
domains: R@5 .229 -> .295 and .281 -> .279 against the bare last turn; neither is sharp."""
FAINTLY = 0.18
"""Weight of these terms in a question that seems to stand alone."""
FADE = 0.7
"""What inherited terms keep with every turn that passes."""
OPENING = 0.7
"""What terms of the first question keep at least: threads mostly stay with what opened them."""
REMEMBERED = 8
"""Turns that terms are inherited from."""
_POINTS = frozenset({"pronoun", "place", "ones", "short", "many"})
_FORMS = frozenset({"shorter", "list", "table", "repeat", "translate"})
"""What is wanted of an answer that names nothing to look up: the question before it is asked again."""


def standalone(
    text: str, earlier: Sequence[str], asked: Sequence[str] | None = None, answers: Sequence[str] | None = None
) -> Standalone:
    """Return the question with what it takes from earlier ones, oldest first.

    `earlier` are their standalone forms, which the rewriting builds on; `asked` are their own words, which the
    search inherits: a wrong rewriting then cannot grow from turn to turn. `answers` are what they were answered.
    """
    question = normalise(text)
    if not earlier:
        return Standalone(text=question)
    own = list(asked or earlier)
    said = list(answers or [""] * len(own))
    if followup.is_short_talk(question):
        return Standalone(text=question)
    turns = list(zip(own, earlier, said, strict=True))[-REMEMBERED:]
    past = [Past(normalise(a)[: topic.READ], normalise(t)[: topic.READ], s) for a, t, s in turns]
    wanted = about_answer(question)
    if wanted is not None and wanted.kind in _FORMS:  # there is no evidence to put in another form
        last = past[-1].told
        return Standalone(text=last, terms=inherited(last, own, LEANING), changed=True)
    question, lean = _read(question, past)
    terms = inherited(question, own, LEANING if lean else FAINTLY)
    if lean is None:
        return Standalone(text=question, terms=terms)
    rewritten = _rewritten(question, past, lean)
    if rewritten != question:
        last = re.sub(r"\s\([^()]*\)\s*$", "", past[-1].told)
        kept = set(tokens(rewritten))
        replaced = set(tokens(last)) - kept
        if kept & set(tokens(last)) and "(" not in rewritten:  # what gave way is not searched for any more
            terms = tuple(term for term in terms if not replaced.intersection(tokens(term.text)))
    return Standalone(text=rewritten, terms=terms, changed=rewritten != question)


def _read(question: str, past: Sequence[Past]) -> tuple[str, Leaning | None]:
    """Return a question and how it leans; one that names what it goes back to (아까 그 육아휴직 급여) lacks nothing."""
    named = followup.earlier(question)
    if not named:
        return question, depends(question, past)
    left = depends(named, past)
    points_back = left is not None and (left.kind in _POINTS or language_of(named) == "ko")
    return named, left if points_back else None


def _rewritten(question: str, past: Sequence[Past], lean: Leaning) -> str:
    other = points.other_choice(question, past)
    if other:
        return other
    back = followup.back_to(question)
    if back is not None:
        name, rest = back
        if language_of(question) == "ko":
            return korean_followup.about(name, rest)
        return english_followup.rewrite(rest, [Past(name, f"about the {name}")], depends(rest) or Leaning("bare"))
    if language_of(question) == "ko":
        return korean_followup.rewrite(question, past)
    return english_followup.rewrite(question, past, lean)


def depends(question: str, past: Sequence[Past] = ()) -> Leaning | None:
    """Return how the question leans on earlier ones: by a word that points back, or by naming nothing itself.

    What only the turns before it can tell (`the permit`, of a parking permit) is found when they are given.
    """
    lean = leaning(question, past[-1].answer if past else "")
    if lean is not None or len(question) > followup.LONG or followup.is_short_talk(question):
        return lean
    terms = read(question).terms
    if all(term.weight <= COMMON for term in terms) and sum(term.weight == COMMON for term in terms) < 2:
        return Leaning("bare")
    if not past or language_of(question) == "ko":
        return None
    if focus.in_full(question, past):
        return Leaning("short")
    bridge = followup.unidentified(question)
    return bridge if bridge is not None and focus.keeps_to(past, question) else None


def inherited(question: str, earlier: Sequence[str], weight: float) -> tuple[WeightedTerm, ...]:
    """Return the words of earlier questions that this one lacks: weaker with every turn, stronger when said again.

    Those of the first question keep at least `OPENING` of the weight.
    """
    known = set(tokens(question))
    turns = [list(_content(turn[: topic.READ], known)) for turn in earlier[-REMEMBERED:]]
    opening = {term for term, _ in _content(earlier[0][: topic.READ], known)}
    said = Counter(term for turn in turns for term in {term for term, _ in turn})
    out: dict[str, WeightedTerm] = {}
    for age, turn in enumerate(reversed(turns)):
        for term, word in turn:
            share = FADE**age * min(2, said[term])
            kept = max(share, OPENING) if term in opening else share
            out.setdefault(term, WeightedTerm(text=word, weight=round(weight * kept, 4)))
    return tuple(out.values())


def _content(turn: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of a turn that say something new, each after the term it is known by."""
    for word, _, _ in words(turn):
        mine = tokens(word)
        if mine and not set(mine) <= set(known) and word not in lexicon.FAINT_ENGLISH and not _is_korean_filler(word):
            yield mine[-1], word


def _is_korean_filler(word: str) -> bool:
    if not "가" <= word[0] <= "힣":
        return False
    stem = korean.stem_of(word)
    return korean.is_ending(word) or word in lexicon.FAINT_KOREAN or stem in lexicon.FAINT_KOREAN
