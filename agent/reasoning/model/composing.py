"""An answer from a model, as cited sentences."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from agent.reasoning.contract import Brief
from agent.reasoning.model.endpoint import Endpoint, Said
from agent.reasoning.model.pieces import Piece, Pieces
from agent.reasoning.model.quoting import Quoting, line
from agent.reasoning.support import locate
from agent.text import ENGLISH_STOP_WORDS, language_of, sentences, words
from agent.types import Language, Sentence, Support

_NO_ANSWER = re.compile(r"\W*NO_ANSWER\b")
LANGUAGES: dict[Language, str] = {"en": "English", "ko": "Korean"}
_TOKENS = 400
_TOKENS_PER_SENTENCE = 120
"""A long Korean sentence with its marks; a table row or a command is shorter."""
_TURNS = 3
_TURN_CHARACTERS = 400
_REMARK_CHARACTERS = 300


def request(brief: Brief) -> list[Said]:
    """Return what the model is asked."""
    quoting = Quoting()
    limits = brief.pack.limits
    remarks = "\n".join(f"- {line(remark, _REMARK_CHARACTERS)}" for remark in brief.suggestions)
    parts = (
        quoting.passages(brief.blocks, characters=limits.context_characters),
        quoting.conversation(brief.turns, most=_TURNS, characters=_TURN_CHARACTERS),
        quoting.block("remarks", remarks) if remarks else "",
        quoting.block("question", brief.question),
    )
    rules = quoting.prompt(
        "compose",
        topic=brief.pack.title.of(brief.language),
        language=LANGUAGES[brief.language],
        sentences=limits.answer_sentences,
    )
    return [rules, {"role": "user", "content": "\n".join(part for part in parts if part)}]


async def compose(endpoint: Endpoint, model: str, brief: Brief) -> AsyncGenerator[Sentence]:
    """Yield the model's sentences as they are finished; none when it says that the passages do not answer."""
    if not brief.blocks:
        return
    tokens = _TOKENS + _TOKENS_PER_SENTENCE * brief.pack.limits.answer_sentences
    pieces = Pieces()
    async with aclosing(endpoint.stream(model, request(brief), tokens=tokens)) as text:
        async for delta in text:
            for piece in pieces.feed(delta):
                if _NO_ANSWER.match(piece.text):
                    return
                yield _sentence(piece, brief)
    for piece in pieces.close():
        if _NO_ANSWER.match(piece.text):
            return
        yield _sentence(piece, brief)


def _sentence(piece: Piece, brief: Brief) -> Sentence:
    """Return the piece with the places that it rests on; a mark without a passage gives none."""
    support = []
    for block in brief.blocks:
        if block.n in piece.cites and (place := _place(piece.text, block.passage.text)):
            support.append(Support(block=block.n, start=place[0], end=place[1]))
    return Sentence(text=piece.text, lead=piece.lead, support=tuple(support))


def _place(text: str, passage: str) -> tuple[int, int] | None:
    """Return what a text rests on. Across languages no words meet, only figures and names do."""
    if place := locate(text, passage):
        return place
    if language_of(text) == language_of(passage):
        return None
    anchors = _anchors(text)
    spans = list(sentences(passage))
    best = max(spans, key=lambda span: len(anchors & _anchors(passage[span[0] : span[1]])), default=None)
    if best is None or not anchors & _anchors(passage[best[0] : best[1]]):
        return (spans[0][0], spans[-1][1]) if spans else None  # the model points at the passage as a whole
    return best


def _anchors(text: str) -> set[str]:
    """Return the words that stay the same in both languages."""
    return {word for word, _, _ in words(text) if word.isascii() and word not in ENGLISH_STOP_WORDS}
