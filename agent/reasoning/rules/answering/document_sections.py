"""Documents without a model: every section is what the documents say about its question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.reasoning.document_contract import DocumentBrief, question_of
from agent.reasoning.rules.answering.composition import answers, quoted
from agent.types import Sentence, Support


def drafted(brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
    """Return the sentences of each section; none for a section that the blocks do not surely answer.

    What one section tells is not told again by the next.
    """
    out: dict[str, Sequence[Sentence]] = {}
    told: set[tuple[Support, ...]] = set()
    for section in brief.template.sections:
        parts = answers(replace(brief.brief, question=question_of(section, brief)))
        sentences = [each for part in parts if part.found.sure for each in quoted(part.found)]
        out[section.name] = [sentence for sentence in sentences if sentence.support not in told]
        told.update(sentence.support for sentence in sentences)
    return out
