"""What of a message the answer does not tell: parts that nothing was found for, that failed, or were not done."""

from agent.language import say
from agent.language.ko.stems import noun_of
from agent.nodes.compose import asked_in
from agent.nodes.pack import looked_up
from agent.reasoning.rules.answering.other_names import identifiers_missing
from agent.reasoning.rules.planning.things import bare_names, beside, name_of
from agent.reasoning.rules.reading.answer_type import without_aside
from agent.reasoning.rules.reading.bilingual_terms import in_other_language
from agent.reasoning.rules.reading.question_form import stands
from agent.retrieval.general_words import names_not_held
from agent.state import State
from agent.text import shortened, terms_of, tokens
from agent.types import Language, Step, StepStatus
from agent.word_frequency import factor

PART = 120
"""Characters of a part that is named."""
WORDS = 3
"""Names that no document mentions and that are named, at most."""


def untold(state: State, language: Language) -> list[str]:
    """Return a line for each part of the plan whose outcome neither the answer nor a team tells.

    Where the answer is empty, it says by itself that nothing was found.
    """
    if state.plan is None:
        return []
    steps = [step for step in state.plan.steps if step.purpose == "answer"]
    sentences = state.draft.sentences if state.draft else ()
    failed = [step.task for step in steps if step.status is StepStatus.FAILED]
    lines = [say("work_failed", language, steps="; ".join(failed))] if failed else []
    for step in steps:
        if step.status is StepStatus.SKIPPED and step.error:
            name = step.task if step.team != "search" else asked_in(step)
            lines.append(say("part_not_done", language, part=shortened(name.rstrip("?.! "), PART), why=step.error))
    if state.draft is None or not (sentences or state.told):
        return lines
    left = _open(state, steps)
    return [
        *(say("part_without_answer", language, part=_short(part)) for part in left),
        *_unmentioned(state, left, language),
        *lines,
    ]


def _unmentioned(state: State, left: list[str], language: Language) -> list[str]:
    """Return a line for the names that no document mentions, of those that stand side by side or that are all there is.

    So are identifiers, which are written no other way. What another language calls otherwise is mentioned there.

    Of other words of a question that says little: they are often said otherwise.
    """
    blocks = [block.passage for block in state.blocks]
    if state.plan is None or looked_up(state) or all(passage.language != language for passage in blocks):
        return []  # a look-up tells itself what it misses; in another language it is called otherwise
    text = "\n".join(f"{each.title} {each.section} {each.text}" for each in blocks)
    held = frozenset(tokens(text))
    asked = {step.id: asked_in(step) for step in state.plan.steps if step.purpose == "answer"}
    names: dict[str, None] = {}  # in the order of the message
    for outcome in state.outcomes:
        part = asked.get(outcome.step_id, "")
        if outcome.search is not None and part not in left:
            own = without_aside(part)  # what the turns before named was said there
            nowhere = outcome.search.unheld - held  # a file that was sent holds more
            mine = [
                written
                for written, term in {**beside(part), **bare_names(part)}.items()
                if not any(stands(name, without=nowhere) for name in (written, *term.similar))
                and not any(held.issuperset(tokens(name)) for name in in_other_language([term])[0])
            ]
            mine += [word for word, term in names_not_held(part, held).items() if term in nowhere]
            mine += [each for each in identifiers_missing(text, part) if nowhere.issuperset(terms_of(each)[:1])]
            names |= dict.fromkeys(noun for name in mine if name in own and _names(noun := noun_of(name)))
    return [say("not_mentioned", language, words=", ".join(list(names)[:WORDS]))] if names else []


def _names(word: str) -> bool:
    """Tell whether a word may name something: it is none that people ask with, whatever they ask."""
    return any(factor(term) == 1 for term in tokens(word))


def name_beside(state: State) -> str:
    """Return what the composed sentences answer, where one question stands beside a document or a chart."""
    if state.plan is None or not state.told or state.draft is None or not state.draft.sentences:
        return ""
    asked = [step for step in state.plan.steps if step.purpose == "answer" and step.team == "search"]
    return _short(asked_in(asked[0])) if len(asked) == 1 else ""


def _open(state: State, steps: list[Step]) -> list[str]:
    """Return the parts that were done, and that nothing of what is told is of."""
    done = [step for step in steps if step.status is StepStatus.COMPLETED]
    asked = {asked_in(step): step for step in done if step.team == "search"}
    told = {outcome.step_id for outcome in state.outcomes if outcome.told is not None}
    made = [step.task for step in done if step.team != "search" and step.id not in told]
    if state.grade is not None:
        return [*state.grade.unanswered, *made]
    assert state.draft is not None  # noqa: S101 - asked before
    if not state.draft.sentences:
        return [*asked, *made]
    known = {part for sentence in state.draft.sentences for part in sentence.part.split("\n")}
    found = {outcome.step_id for outcome in state.outcomes if outcome.hits}
    left = [part for part, step in asked.items() if step.id not in found or (any(known) and part not in known)]
    return [*(left if len(asked) > 1 else []), *made]


def _short(part: str) -> str:
    return shortened(name_of(part).rstrip("?.! "), PART)
