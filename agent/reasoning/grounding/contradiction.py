"""What in a sentence its source says otherwise, in words for the trace and the writer."""

from collections.abc import Sequence

from agent.reasoning.grounding.aligning import SAME_MATTER, nearest
from agent.reasoning.grounding.anchored import turned
from agent.reasoning.grounding.bounds import bound_problems
from agent.reasoning.grounding.dates import date_problems
from agent.reasoning.grounding.denial import is_flipped
from agent.reasoning.grounding.edits import compared, turns
from agent.reasoning.grounding.figures import number_problems
from agent.reasoning.grounding.names import name_problems
from agent.reasoning.grounding.opposing import excluded, opposites
from agent.reasoning.grounding.roles import exchanged, replaced
from agent.reasoning.grounding.wording import sentences_of, whole_of, wording_of

OPPOSITE = "says the opposite of its source"


def facts_amiss(text: str, source: str) -> list[str]:
    """Name the numbers, dates and names of a text that its source does not give; these cross languages."""
    return [*number_problems(text, source), *date_problems(text, source), *name_problems(text, source)]


def contradictions(text: str, source: str, quotes: Sequence[str] = ()) -> list[str]:
    """Name what a text says otherwise than its source; both must be in one language.

    `quotes` are further things the source says as one, such as a table's row with its header.
    """
    out = bound_problems(text, source)
    for sentence in sentences_of(text):
        out += _in_sentence(sentence, source)
    if not _is_copy(text, source) and is_flipped(text, source, quotes):
        out.append(OPPOSITE)
    return list(dict.fromkeys(out))


def _is_copy(text: str, source: str) -> bool:
    """Tell whether all of a text's sentences are copies, whose changes are read one by one."""
    told = [wording_of(sentence) for sentence in sentences_of(text)]
    copies = [[compared(each, near.wording) for near in nearest(each, source)[:2]] for each in told]
    return all(any(copy.is_copy and not copy.leaves_denial for copy in each) for each in copies)


def _in_sentence(sentence: str, source: str) -> list[str]:
    told = wording_of(sentence)
    nearby = nearest(told, source)
    near = [each for each in nearby if each.share >= SAME_MATTER]
    out = opposites(sentence, told, nearby)
    if copies := [(copy, each) for each in nearby if (copy := compared(told, each.wording)).is_copy]:
        whole = whole_of(source)
        out += _all_say([turns(copy.changes) for copy, _ in copies])
        out += [OPPOSITE] if all(copy.denies and not excluded(told, each.wording) for copy, each in copies) else []
        out += _all_say([replaced(copy, told, each.wording, whole) for copy, each in copies])
    if near:
        out += turned(sentence, [each.text for each in near])
        clean = [exchanged(told, sentence, each.wording, each.text) for each in near]
        out += [f"exchanges {clean[0]}"] if all(clean) else []
    return out


def _all_say(problems: Sequence[list[str]]) -> list[str]:
    """Return the first sentence's problems where each of them has one."""
    return problems[0] if problems and all(problems) else []
