"""Answers to several questions in one, told apart: which answers which, and which has none."""

from collections.abc import Sequence
from dataclasses import replace

from agent.types import Language, Sentence
from agent.words import say

LABEL = 80
"""Characters of a part that its answer is labelled with."""


def told_apart(answers: Sequence[tuple[str, Sequence[Sentence]]], *, labelled: bool) -> list[Sentence]:
    """Return the sentences of all parts, each part on lines of its own, under its name where they are compared."""
    out: list[Sentence] = []
    for part, sentences in answers:
        for n, sentence in enumerate(sentences):
            lead = sentence.lead
            if n == 0 and labelled:
                apart = "\n\n" if lead.startswith("\n") else " "
                lead = f"\n\n**{_headed(part)}**:{apart}{lead.lstrip()}"
            elif n == 0 and out and not lead.startswith("\n"):
                lead = "\n\n"
            out.append(replace(sentence, lead=lead))
    return out


def with_gaps(sentences: Sequence[Sentence], missing: Sequence[str], language: Language) -> list[Sentence]:
    """Return the answer led by what it does not answer."""
    if not sentences or not missing:
        return list(sentences)
    told = "\n".join(say("part_without_answer", language, part=_short(part)) for part in missing)
    first = sentences[0]
    return [replace(first, lead=f"{told}\n\n{first.lead.lstrip()}"), *sentences[1:]]


def _headed(part: str) -> str:
    short = _short(part)
    return short[:1].upper() + short[1:]


def _short(part: str) -> str:
    part = part.strip().rstrip("?.!")
    return part if len(part) <= LABEL else part[: LABEL - 1].rsplit(" ", 1)[0] + "…"
