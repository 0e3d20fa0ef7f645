"""An answer from a model, as cited sentences."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from agent.reasoning.contract import Brief
from agent.reasoning.model.endpoint import Endpoint, Said
from agent.reasoning.model.leaks import leaks
from agent.reasoning.model.pieces import Piece, Pieces
from agent.reasoning.model.quoting import Quoting, line
from agent.reasoning.model.reading import LANGUAGES
from agent.reasoning.profile_summary import profile_summary
from agent.reasoning.support import locate
from agent.text import ENGLISH_STOP_WORDS, language_of, sentences, words
from agent.types import Sentence, Support

NO_ANSWER = re.compile(r"(?<!\W)\W*+NO_ANSWER\b")
"""How the model says that the passages do not answer."""
_TOKENS = 400
_TOKENS_PER_SENTENCE = 120
"""A long Korean sentence with its marks; a table row or a command is shorter."""
_TURNS = 3
_TURN_CHARACTERS = 400
_REMARK_CHARACTERS = 300
_QUESTION_CHARACTERS = 8000
_FOLLOWED = {
    "why": "give the reasons that the passages give for it",
    "source": "say where it stands, one list item a passage, each with the words that say it",
    "shorter": "give it again in as few words as hold all of its points",
    "longer": "give it again with the details that the passages add",
    "list": "give it again as a list, a point an item",
    "table": "give it again as a table",
    "translate": "give it again, translated",
    "point": "say more about the point of it that the question names",
    "repeat": "give it again",
}
_LENGTHS = {"short": "Answer in one or two sentences.", "long": "Answer in detail."}
_SHAPES = {"list": "Write it as a list.", "table": "Write it as a table."}


def request(brief: Brief) -> list[Said]:
    """Return what the model is asked."""
    quoting = Quoting()
    limits = brief.pack.limits
    parts = (
        quoting.passages(brief.blocks, characters=limits.context_characters),
        quoting.conversation(brief.turns, most=_TURNS, characters=_TURN_CHARACTERS),
        quoting.block("asker", known) if (known := profile_summary(brief.profile, brief.pack, brief.language)) else "",
        quoting.block("remarks", wrong) if (wrong := remarks(brief)) else "",
        quoting.block("question", brief.question[:_QUESTION_CHARACTERS]),
    )
    into = brief.followup.language if brief.followup else None
    rules = quoting.prompt(
        "compose",
        topic=brief.pack.title.of(brief.language),
        language=LANGUAGES[into or brief.language],
        sentences=limits.answer_sentences,
        form="".join(f"\n   {wish}" for wish in _wishes(brief)),
    )
    return [rules, {"role": "user", "content": "\n".join(part for part in parts if part)}]


def remarks(brief: Brief) -> str:
    """Return what an earlier draft was told to do better, a line each."""
    return "\n".join(f"- {line(remark, _REMARK_CHARACTERS)}" for remark in brief.suggestions)


def _wishes(brief: Brief) -> list[str]:
    """Return how the answer is wanted: as the follow-up says, else as its asker always wants it."""
    if brief.followup is not None:
        return [f"The question is about the assistant's last answer: {_FOLLOWED[brief.followup.kind]}."]
    wanted = brief.profile.preferences
    return [*filter(None, (_LENGTHS.get(wanted.length), _SHAPES.get(wanted.format)))]


async def compose(endpoint: Endpoint, model: str, brief: Brief) -> AsyncGenerator[Sentence]:
    """Yield the model's sentences as they are finished; none when it says that the passages do not answer."""
    if not brief.blocks:
        return
    tokens = _TOKENS + _TOKENS_PER_SENTENCE * brief.pack.limits.answer_sentences
    pieces = Pieces()
    async with aclosing(endpoint.stream(model, request(brief), tokens=tokens)) as text:
        async for delta in text:
            for piece in pieces.feed(delta):
                if NO_ANSWER.match(piece.text):
                    return
                yield cited(piece, brief)
    for piece in pieces.close():
        if NO_ANSWER.match(piece.text):
            return
        yield cited(piece, brief)


def cited(piece: Piece, brief: Brief) -> Sentence:
    """Return the piece with the places that it rests on; a mark without a passage gives none.

    One with an address that stands in no passage rests on nothing: it must not be shown.
    """
    support = []
    if leaks(piece.text, sources=[brief.question, *_sources(brief)]):
        return Sentence(text=piece.text, lead=piece.lead)
    for block in brief.blocks:
        if block.n in piece.cites and (place := _place(piece.text, block.passage.text)):
            support.append(Support(block=block.n, start=place[0], end=place[1]))
    return Sentence(text=piece.text, lead=piece.lead, support=tuple(support))


def _sources(brief: Brief) -> list[str]:
    return [part for block in brief.blocks for part in (block.passage.text, block.passage.title, block.passage.source)]


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
