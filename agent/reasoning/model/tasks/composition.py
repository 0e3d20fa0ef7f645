"""An answer from a model, as cited sentences."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from agent.language.registry import profile
from agent.packs.pack import FURTHER
from agent.prompts import render
from agent.reasoning.contract import Brief
from agent.reasoning.message.thread_messages import fitting
from agent.reasoning.model.tasks.answer_pieces import Piece, Pieces
from agent.reasoning.model.tasks.citations import Citing
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.reasoning.profile_summary import profile_summary
from agent.types import Aim, Remedy, Sentence

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
    "how": "say how it was found",
    "why": "give the reasons that the passages give for it",
    "source": "say where it stands, one list item a passage, each with the words that say it",
    "shorter": "give it again in as few words as hold all of its points",
    "longer": "give it again with the details that the passages add",
    "simpler": "give it again in plain words for somebody who does not know the trade, each term of it explained",
    "list": "give it again as a list, a point an item",
    "table": "give it again as a table",
    "translate": "give it again, translated",
    "point": "say more about the point of it that the question names",
    "section": "give the section of it again that the question names",
    "repeat": "give it again",
}
_THREAD = "The passages are messages of a thread, oldest first, each with its author as its title."
_AIMS: dict[Aim, str] = {
    "summary": f"{_THREAD} Sum up what was said: what it is about, who said what, what was decided, what is left open. "
    "Name who said it.",
    "decision": f"{_THREAD} Say what was decided, by whom, and what is left open; what was only proposed was not "
    "decided.",
    "said": f"{_THREAD} Tell what was said, and by whom; that somebody says it does not make it true.",
    "check": "`question` is a statement that somebody made. Say first whether the passages say the same, say "
    "otherwise, or only a part of it; then what they say.",
}
"""What is wanted of messages that were pointed at, by `Brief.aim`."""
_OF_THREAD = ("summary", "decision", "said")
"""Of these the passages are messages in their order: what does not fit is not just the last of them."""
_LENGTHS = {"short": "Answer in one or two sentences.", "long": "Answer in detail."}
_SHAPES = {"list": "Write it as a list.", "table": "Write it as a table."}


def request(brief: Brief) -> list[Said]:
    """Return what the model is asked."""
    quoting = Quoting()
    limits = brief.pack.limits
    blocks = brief.blocks
    if brief.aim in _OF_THREAD:
        blocks = fitting(blocks, limits.context_characters, brief.aim)
    parts = (
        quoting.passages(blocks, characters=FURTHER * limits.context_characters),
        quoting.conversation(brief.turns, most=_TURNS, characters=_TURN_CHARACTERS),
        quoting.block("asker", known) if (known := profile_summary(brief.profile, brief.pack, brief.language)) else "",
        quoting.block("remarks", wrong) if (wrong := remarks(brief)) else "",
        quoting.block("question", brief.question[:_QUESTION_CHARACTERS]),
    )
    into = brief.followup.language if brief.followup else None
    language = profile(into or brief.language).name
    return quoting.request(
        "compose",
        parts,
        end=render("compose_end", language=language, form="".join(f" {wish}" for wish in _wishes(brief))),
        topic=brief.pack.title.of(brief.language),
        sentences=limits.answer_sentences,
    )


def remarks(brief: Brief) -> str:
    """Return what an earlier draft was told to do better, a line each."""
    return "\n".join(f"- {line(_remark(each), _REMARK_CHARACTERS)}" for each in brief.suggestions)


def _remark(remedy: Remedy) -> str:
    match remedy.kind:
        case "unanswered":
            return f"Answer this part of the question as well: {remedy.about}"
        case "unsupported":
            return f"{remedy.problem}: {remedy.about}"


def _wishes(brief: Brief) -> list[str]:
    """Return how the answer is wanted: as the follow-up says, else as its asker always wants it."""
    if brief.aim in _AIMS:
        return [_AIMS[brief.aim]]
    if brief.followup is not None:
        return [f"The question is about the assistant's last answer: {_FOLLOWED[brief.followup.kind]}."]
    wanted = brief.profile.preferences
    return [*filter(None, (_LENGTHS.get(wanted.length), _SHAPES.get(wanted.format)))]


async def compose(endpoint: Endpoint, brief: Brief) -> AsyncGenerator[Sentence]:
    """Yield the model's sentences as they are finished; none when it says that the passages do not answer."""
    if not brief.blocks:
        return
    citing = Citing(brief)
    async with aclosing(_pieces(endpoint, brief)) as pieces:
        async for piece in pieces:
            if NO_ANSWER.match(piece.text):
                break
            for sentence in citing.take(piece):
                yield sentence
    for sentence in citing.close():
        yield sentence


async def _pieces(endpoint: Endpoint, brief: Brief) -> AsyncGenerator[Piece]:
    tokens = _TOKENS + _TOKENS_PER_SENTENCE * brief.pack.limits.answer_sentences
    pieces = Pieces()
    async with aclosing(endpoint.stream("large", request(brief), tokens=tokens)) as text:
        async for delta in text:
            for piece in pieces.feed(delta):
                yield piece
    for piece in pieces.close():
        yield piece
