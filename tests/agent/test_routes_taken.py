"""Every arrow that a message can take, with the rules that read it: real turns through the real graph."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import Context, TurnRequest
from agent.errors import StorageError
from agent.events import FinalResponse
from agent.graph import build_graph
from agent.packs.load import builtin, load_pack
from agent.packs.pack import ChoiceSpec, Flags, IntentSpec, Pack, SlotSpec, Words
from agent.pointed_messages import Pointed
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.answering.likelihood import Likelihood
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import Around, Audience, Author, Passage, Said, ThreadKey
from tests.fakes_knowledge import MemoryLibrary
from tests.fakes_profiles import MemoryProfiles
from tests.likelihoods import by_number, by_rank

EVERYBODY = Audience(principals=frozenset({"*"}))
LEAVE_KIND = SlotSpec(
    name="leave",
    title=Words(en="Leave", ko="휴가"),
    type="choice",
    choices=(
        ChoiceSpec(value="parental", names=("parental leave", "육아휴직")),
        ChoiceSpec(value="annual", names=("annual leave", "연차")),
    ),
    required_for=("apply",),
    ask=Words(en="Which leave is it?", ko="어떤 휴가인가요?"),
)
APPLY = IntentSpec(
    name="apply", examples=("how do I apply for leave?", "where do I apply for leave?", "휴가는 어떻게 신청하나요?")
)
HANDBOOK = load_pack(builtin("handbook"))
PACK = HANDBOOK.model_copy(update={"intents": (*HANDBOOK.intents, APPLY), "slots": (LEAVE_KIND,), "collections": ()})


def passage(number: int, title: str, text: str, section: str = "") -> Passage:
    return Passage(id=number, document_id=f"{title}.md", collection="c", title=title, section=section, text=text)


LIBRARY = (
    passage(1, "Remote work", "You can work remotely up to 3 days a week. Tuesday is an office day for everybody."),
    passage(2, "Parental leave", "You apply for parental leave with form HR-12. It lasts up to 12 months."),
    passage(3, "Annual leave", "You apply for annual leave with form HR-07. There are 25 days of it a year."),
    passage(4, "Kettle guide", "The warranty of the Kettle is 12 months.", "Warranty"),
    passage(5, "Lantern guide", "The warranty of the Lantern is 24 months.", "Warranty"),
    passage(6, "Sofa guide", "The refund period of the Sofa is 2 months.", "Refund period"),
    passage(7, "Table guide", "The refund period of the Table is short.", "Refund period"),
)
ALIKE = by_rank(-0.1)
"""By which passages that say alike are about equally likely."""
SEARCHED = ("plan", "search", "collect", "pack_context", "clarify", "compose", "ground")


class Broken(MemoryLibrary):
    """A library whose disk is gone."""

    async def search(self, query, *, k, filter, audience):
        raise StorageError("disk gone")


class Talk:
    def __init__(self, *, library: MemoryLibrary | None = None, pack: Pack = PACK, **flags) -> None:
        self.library = library or MemoryLibrary(LIBRARY)
        self.pack = pack.model_copy(update={"flags": Flags(**flags)})
        self.reasoner, self.profiles, self.now = OfflineReasoner(), MemoryProfiles(), 1000.0
        self.knowledge = KnowledgeBase(lexical=self.library, passages=self.library)
        self.agent = Agent(build_graph(InMemorySaver()), self.context, summariser=self.reasoner)
        self.count = 0
        self.events: list = []

    def context(self, request: TurnRequest) -> Context:
        return Context(
            request=request,
            pack=self.pack,
            reasoner=self.reasoner,
            knowledge=self.knowledge,
            profiles=self.profiles,
            now=lambda: self.now,
        )

    async def say(self, text: str, *, by="ann", mode="agent", around=None, private=True, clicked=False, pointed=None):
        self.count += 1
        request = TurnRequest(
            turn_id=f"t{self.count}",
            key=ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id="T"),
            message_id=f"m{self.count}", asked_by=by, text=text, audience=EVERYBODY, private=private, mode=mode,
            around=around, clicked=clicked, pointed=pointed,
        )  # fmt: skip
        self.events = [event async for event in self.agent.run(request)]
        assert isinstance(self.events[-1], FinalResponse)
        return self.events[-1].response


@dataclass(frozen=True)
class Case:
    """Messages of one thread, and the nodes that the last one visits, in order."""

    said: tuple[str, ...]
    visits: tuple[str, ...]
    never: tuple[str, ...] = ()
    flags: dict = field(default_factory=dict)
    how: dict = field(default_factory=dict)
    broken: bool = False
    waits: float = 0.0
    likely: Likelihood = ALIKE


REMOTE = "How many days can I work remotely?"
WARRANTY = "How long is the warranty?"
WHICH = "How many months is the refund period?"


def pointed(*texts: str) -> Pointed:
    return Pointed(
        said=tuple(
            Said(id=f"s{n}", place="C", author=Author(id=f"U{n}", name="Bob"), at=float(n), text=text)
            for n, text in enumerate(texts)
        )
    )


CASES = {
    # S0
    "simple: a greeting": Case(("hello",), ("understand", "respond", "remember"), ("plan",)),
    "simple: thanks after an answer": Case((REMOTE, "thanks!"), ("understand", "respond", "remember"), ("plan",)),
    "rag_required: a question of its own": Case((REMOTE,), ("understand", *SEARCHED), ("rewrite",)),
    "history_required: a follow-up": Case(
        (REMOTE, "and is it possible on Tuesday?"), ("understand", "rewrite", *SEARCHED)
    ),
    "routing off: even a greeting is searched for": Case(
        ("hello",), ("understand", "plan", "search"), ("respond",), {"query_routing_enabled": False}
    ),
    "failure: a search that fails ends as a failed turn": Case(
        (REMOTE,), ("plan", "search", "collect", "remember"), broken=True
    ),
    "mode llm": Case(("hello",), ("recall", "respond", "remember"), ("understand",), how={"mode": "llm"}),
    "side talk is left alone": Case(("lol same here",), ("understand", "respond"), ("plan",), how={"around": Around()}),
    # messages of others
    "points: told of themselves": Case(
        ("summarize this thread",), ("recall", "point", "compose", "ground", "remember"), ("understand", "plan"),
        how={"pointed": pointed("Where do we meet?", "We decided on Busan.")},
    ),
    "points: a question of theirs is searched for": Case(
        ("can you answer this?",), ("point", *SEARCHED), ("understand",), how={"pointed": pointed(REMOTE)}
    ),
    "points: one that is declined": Case(
        ("can you answer this?",), ("point", "respond", "remember"), ("plan",),
        how={"pointed": pointed("write me a poem about cats")},
    ),
    "points: a question of its own": Case(
        (REMOTE,), ("point", "understand", *SEARCHED), how={"pointed": pointed("Where do we meet?")}
    ),
    "points: at nothing": Case(
        ("can you answer this?",), ("point", "remember"), ("understand", "plan", "compose"), how={"pointed": Pointed()}
    ),
    # S3
    "irrelevant: declined": Case(("write me a poem about cats",), ("understand", "respond", "remember"), ("plan",)),
    "unclear: nothing to read": Case(("👍👍",), ("understand", "respond", "remember"), ("plan",)),
    "unclear: keys pressed in a row": Case(("asdf qwer",), ("understand", "respond", "remember"), ("plan",)),
    "personal: what is known of the asker": Case(
        (REMOTE, "what do you know about me?"), ("understand", "personal", "remember"), ("plan", "respond")
    ),
    # S4
    "clarify: a slot is missing": Case(
        ("how do I apply for leave?",), ("understand", "clarify", "remember"), ("plan", "compose")
    ),
    "clarify: its answer is merged and searched for": Case(
        ("how do I apply for leave?", "parental leave"), ("understand", *SEARCHED), ("rewrite",)
    ),
    "clarify: the evidence splits": Case(
        (WARRANTY,), ("understand", "plan", "search", "collect", "pack_context", "clarify", "remember"), ("compose",)
    ),
    "clarify: one thing is likelier, and the others are offered below the answer": Case(
        (WHICH,), SEARCHED, ("respond",), likely=by_number(0.5)
    ),
    "clarify: what was offered is searched for": Case(
        (WHICH, "1"), ("understand", *SEARCHED), ("respond",), likely=by_number(0.5)
    ),
    "clarify: a choice is searched for": Case((WARRANTY, "2"), ("understand", *SEARCHED), ("respond",)),
    "clarify: asking back is switched off": Case((WARRANTY,), SEARCHED, (), {"clarification_enabled": False}),
    "clarify: a choice that comes too late": Case(
        (WARRANTY, "2"), ("understand", "respond", "remember"), ("plan",), waits=7 * 86400
    ),
    "clarify: another question instead": Case((WARRANTY, REMOTE), ("understand", *SEARCHED), ("respond",)),
    "explain: from the evidence": Case((REMOTE, "source?"), ("understand", "evidence", "compose", "ground"), ("plan",)),
    "follow-up: from the evidence": Case(
        (REMOTE, "as a table please"), ("understand", "evidence", "compose", "ground"), ("plan", "rewrite")
    ),
    "explain: why, and no reason is given": Case(
        ("There are how many days of annual leave?", "why?"), ("understand", "evidence", "respond"), ("rewrite", "plan")
    ),
    "follow-up: the evidence does not hold it": Case(
        ("There are how many days of annual leave?", "the fifth point"),
        ("understand", "evidence", "rewrite", "plan", "search"),
    ),
    "follow-up: a translation that nobody can make": Case(
        (REMOTE, "in Korean please"), ("understand", "evidence", "respond", "remember"), ("plan", "compose")
    ),
}  # fmt: skip


async def taken(case: Case):
    """Return what came of the last message."""
    talk = Talk(library=Broken(LIBRARY) if case.broken else None, **case.flags)
    for text in case.said[:-1]:
        await talk.say(text)
    talk.now += case.waits
    return await talk.say(case.said[-1], **case.how)


@pytest.mark.parametrize("name", CASES)
async def test_an_arrow_is_taken(name, weighed):
    case = CASES[name]
    weighed(case.likely)
    response = await taken(case)
    visited = list(response.timings)
    assert [node for node in visited if node in case.visits] == list(case.visits), visited
    assert not set(case.never) & set(visited)
    assert (response.status == "failed") is (case.broken or case.how.get("mode") == "llm")


READING_ARROWS = {
    ("recall", "understand"), ("recall", "respond"), ("recall", "point"), ("point", "understand"), ("point", "plan"),
    ("point", "compose"), ("point", "respond"), ("point", "remember"),
    ("understand", "respond"), ("understand", "personal"), ("understand", "clarify"), ("understand", "evidence"),
    ("understand", "rewrite"), ("understand", "plan"),
    ("evidence", "compose"), ("evidence", "respond"), ("evidence", "rewrite"), ("rewrite", "plan"),
    ("clarify", "remember"), ("clarify", "compose"), ("respond", "remember"), ("personal", "remember"),
}  # fmt: skip


async def test_no_arrow_of_the_conversation_is_left_out():
    walked: set[tuple[str, str]] = set()
    for case in CASES.values():
        visited = list((await taken(case)).timings)
        walked |= set(pairwise(visited))
    assert walked >= READING_ARROWS


async def test_a_missing_slot_that_nobody_asks_for_is_searched_for_at_once():
    talk = Talk()
    talk.reasoner.clarify = nothing
    visited = list((await talk.say("how do I apply for leave?")).timings)
    assert visited.index("clarify") < visited.index("plan") < visited.index("search")


async def nothing(*_):
    return None
