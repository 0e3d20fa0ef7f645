"""Citation marks: sentences and what they rest on, to Markdown with `[n]` and the list of sources."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent.results import Told
from agent.types import Block, Citation, Sentence, Support


class Numbering:
    """Numbers the blocks in the order in which an answer first rests on them."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._begun = False

    def write(self, sentence: Sentence) -> str:
        """Return the sentence with its lead and marks; the first one of an answer has no space before it."""
        marks = "".join(dict.fromkeys(f"[{self.number(support.block)}]" for support in sentence.support))
        lead = sentence.lead if self._begun else sentence.lead.lstrip()
        self._begun = True
        return lead + _marked(sentence.text, marks)

    def number(self, block: int) -> int:
        """Return the number of a block, giving it the next one where it has none."""
        return self._numbers.setdefault(block, len(self._numbers) + 1)


def _marked(text: str, marks: str) -> str:
    """Put the marks behind the text; behind a code block or a table they need a line of their own."""
    if not marks:
        return text
    last = text.rsplit("\n", 1)[-1].strip()
    if last.startswith("```") or (last.startswith("|") and last.endswith("|")):
        return f"{text}\n\n{marks}"
    return f"{text} {marks}"


def written(sentences: Iterable[Sentence], blocks: Sequence[Block]) -> tuple[str, tuple[Citation, ...]]:
    """Return the answer in Markdown, and one citation a block, by number.

    A citation quotes the first span of its block that the answer rests on.
    """
    numbering = Numbering()
    by_number = {block.n: block for block in blocks}
    parts: list[str] = []
    citations: dict[int, Citation] = {}
    for sentence in sentences:
        parts.append(numbering.write(sentence))
        for support in sentence.support:
            n = numbering.number(support.block)
            if n not in citations:
                citations[n] = _citation(n, by_number[support.block], support)
    return "".join(parts), tuple(citations.values())


def _citation(n: int, block: Block, support: Support) -> Citation:
    passage = block.passage
    return Citation(
        n=n,
        document_id=passage.document_id,
        passage_id=passage.public_id,
        title=passage.title or passage.document_id,
        quote=passage.text[support.start : support.end],
        section=_below(passage.title, passage.section),
        page=passage.page,
        source=passage.source,
        score=block.score,
        collection=passage.collection,
    )


def _below(title: str, section: str) -> str:
    """Return the section without a first heading that only repeats the title."""
    first, _, rest = section.partition(" > ")
    return rest if first == title else section


def renumbered(told: Told, blocks: tuple[Block, ...]) -> tuple[Told, tuple[Block, ...]]:
    """Return what a team wrote on the numbers of these blocks, and the blocks with its own behind them."""
    known = {block.passage.reference: block.n for block in blocks}
    numbers: dict[int, int] = {}
    added: list[Block] = []
    for block in told.blocks:
        n = known.get(block.passage.reference)
        if n is None:
            n = known[block.passage.reference] = len(blocks) + len(added) + 1
            added.append(replace(block, n=n))
        numbers[block.n] = n
    sentences = tuple(_on(sentence, numbers) for sentence in told.sentences)
    return replace(told, sentences=sentences, blocks=()), (*blocks, *added)


def _on(sentence: Sentence, numbers: dict[int, int]) -> Sentence:
    support = tuple(
        Support(block=numbers[place.block], start=place.start, end=place.end)
        for place in sentence.support
        if place.block in numbers
    )
    return replace(sentence, support=support)
