"""Work out what a message wants of the messages that it points at, before it is read like any other."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.language import say
from agent.nodes.understand import said_to_weft, side_talk
from agent.pointed_messages import Pointed, blocks_of
from agent.reasoning.contract import Message, answered
from agent.reasoning.rules.thread.pointed_target import Wish, lent, plain, wish_of
from agent.state import State, Update
from agent.text import language_of, normalise, says_anything
from agent.types import Intent, Language, Pending, Said, Standalone, TurnRecord, Understood

POINTED = "pointed"
"""The intent of a message that wants something of other messages."""
_TALK = 2
"""Messages of others that make a thread more than a conversation with Weft."""


async def point(state: State, runtime: Runtime[Context]) -> Update:
    """Take up the messages that are to be told of, the statement that is to be checked, the question to be answered.

    A message with words of its own may lean on what it points at, as it does on the turns before it.
    """
    context = runtime.context
    if context.request.clicked:
        return {}
    if context.request.around is None:
        return await _taken_up(context.request.pointed, state, context)
    if waits(state.pending, context):
        return {}  # it answers a question back
    if not await said_to_weft(state, context):
        return {"understood": side_talk(context.request.text, context)}
    talk = context.request.talk
    return {"heard": True, **await _taken_up(await talk(patient=True) if talk is not None else None, state, context)}


def waits(pending: Pending | None, context: Context) -> bool:
    """Tell whether something waits for an answer of this asker."""
    return pending is not None and not pending.made and pending.asked_of == context.request.asked_by


async def _taken_up(pointed: Pointed | None, state: State, context: Context) -> Update:
    """Return what becomes of a message to Weft, by what was read for it."""
    if pointed is None:
        return {}
    text, told = context.request.text, answered(state.earlier) is not None
    bare = not says_anything(text)
    language = language_of(text, _language_of(pointed.said, context))
    if bare and not pointed.said:
        return _nothing(pointed, text, language)
    if waits(state.pending, context) and not pointed.target:
        return {}  # it answers a question back
    if told and not bare and not (pointed.target or pointed.trouble) and len(_of_others(pointed, state)) < _TALK:
        return {}  # there is nothing but the conversation with Weft
    wish = await asyncio.to_thread(wish_of, text, pointed, answered=told)
    notices = (say(pointed.trouble, language),) if pointed.trouble else ()
    if wish is None:
        return {"warnings": notices, **_leaning(state, pointed)}
    if wish.target is None and not wish.messages:
        return _nothing(pointed, text, language)
    if wish.target is not None:
        return {"warnings": notices, **await _of_theirs(wish, wish.target, language, context)}
    cut = (say("thread_cut", language, messages=f"{len(pointed.said):,}"),) if pointed.cut else ()
    return {
        "warnings": (*notices, *cut),
        "pointing": True,
        "aim": wish.aim,
        "blocks": blocks_of(wish.messages, language),
        "understood": _understood(normalise(text), language),
        "standalone": Standalone(text=normalise(text)),
    }


def _of_others(pointed: Pointed, state: State) -> list[Said]:
    """Return the messages that are not questions to Weft."""
    asked = {turn.message_id for turn in state.earlier}
    return [each for each in pointed.said if each.id not in asked]


async def _of_theirs(wish: Wish, target: Said, language: Language, context: Context) -> Update:
    """Return the reading of somebody else's words: nothing that they tell of themselves is the asker's."""
    request = context.request
    alone = Message(text=wish.words, pack=context.pack, locale=request.locale)
    understood = await context.reasoner.understand(alone)
    outside = understood.route == "decline" and wish.aim == "answer"
    if says_anything(request.text):
        understood = replace(understood, language=language)
    understood = replace(
        understood, route="decline" if outside else "research", slots={}, followup=None, personal="", preferences=None,
        missing_slot="",
    )  # fmt: skip
    return {
        "pointing": True,
        "aim": wish.aim,
        "target": target,
        "understood": understood,
        "standalone": Standalone(text=wish.words),
    }


def _leaning(state: State, pointed: Pointed) -> Update:
    """Return the turns before this one with the message that it may lean on, where Weft said nothing yet."""
    said = lent(pointed)
    if said is None or (state.earlier and not pointed.target):
        return {}
    asked = plain(said.text)
    turn = TurnRecord(
        turn_id="", message_id=said.id, asked_by=said.author.id, question=asked, standalone=asked, answer="",
        route="research", at=said.at,
    )  # fmt: skip
    return {"pointing": True, "earlier": (*state.earlier, turn)}


def _nothing(pointed: Pointed, text: str, language: Language) -> Update:
    """Say why a message has nothing to be told of; one that says nothing may have emoji."""
    bare = "unreadable" if text.strip() else "empty_question"
    key = pointed.trouble or ("nothing_pointed_at" if says_anything(text) else bare)
    return {"answer": say(key, language)}


def _understood(text: str, language: Language) -> Understood:
    return Understood(
        question=text, language=language, intent=Intent(name=POINTED, confidence=1.0), route="research", reason=POINTED
    )


def _language_of(messages: Sequence[Said], context: Context) -> Language:
    """Return the language for a message that has none of its own: what most was said in."""
    return language_of(" ".join(said.text[:200] for said in messages[-20:]), context.request.default_language)
