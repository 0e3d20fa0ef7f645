"""Questions back, follow-ups and memory in the graph: every arrow, with a scripted reasoner."""

from dataclasses import replace

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import KEPT_TURNS, Context, TurnRequest
from agent.events import ClarificationAsked, FinalResponse
from agent.graph import build_graph
from agent.language import say
from agent.packs.pack import Flags, Limits, Pack, Words
from agent.reasoning.rules import OfflineReasoner
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import (
    Audience,
    Choice,
    FollowUp,
    Passage,
    Preferences,
    Settled,
    Split,
    ThreadKey,
    TurnRecord,
)
from storage.checkpoints import SqliteCheckpoints
from tests.fakes import ScriptedReasoner
from tests.fakes_knowledge import MemoryLibrary
from tests.fakes_profiles import MemoryProfiles

EVERYBODY = Audience(principals=frozenset({"*"}))
STAFF = Passage(id=1, document_id="staff.md", collection="documents", title="Staff", text="Notice is 30 days.")
TEMPS = Passage(id=2, document_id="temps.md", collection="documents", title="Temps", text="Notice is 14 days.")
SPLIT = Split(
    question="Which one?",
    choices=(Choice(label="Staff", documents=("staff.md",)), Choice(label="Temps", documents=("temps.md",))),
)


class Reader(ScriptedReasoner):
    """Reads a message as it was told to, once, and then as research."""

    def __init__(self) -> None:
        super().__init__()
        self.reading: dict[str, object] = {}

    async def understand(self, message):
        read = await super().understand(message)
        read = replace(read, **self.reading)
        self.reading = {}
        return read


class Talk:
    """A conversation with Weft."""

    def __init__(self, saver=None, readers=None) -> None:
        words = Words(en="notice", ko="통지")
        self.pack = Pack(name="test", title=words, description=words)
        self.reasoner, self.profiles = Reader(), MemoryProfiles()
        library = MemoryLibrary((STAFF, TEMPS), readers)
        self.library = library
        self.knowledge = KnowledgeBase(lexical=library, passages=library)
        self.agent = Agent(build_graph(saver or InMemorySaver()), self.context, summariser=self.reasoner)
        self.count, self.now = 0, 1000.0
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

    async def say(
        self,
        text="notice days",
        *,
        by="ann",
        private=True,
        message_id="",
        audience=EVERYBODY,
        thread="T",
        clicked=False,
    ):
        self.count += 1
        message_id = message_id or f"m{self.count}"
        key = ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id=thread)
        request = TurnRequest(
            turn_id=f"turn-{message_id}", key=key, message_id=message_id, asked_by=by, text=text, audience=audience,
            private=private, clicked=clicked,
        )  # fmt: skip
        self.events = [event async for event in self.agent.run(request)]
        assert isinstance(self.events[-1], FinalResponse)
        return self.events[-1].response

    def answer_back(self, **settled) -> None:
        self.reasoner.split = None
        self.reasoner.settled = Settled(**settled)


@pytest.fixture
def talk():
    return Talk()


async def asked_back(talk: Talk):
    talk.reasoner.split = SPLIT
    return await talk.say("How long is the notice?")


async def test_split_evidence_ends_the_turn_with_a_question_and_choices(talk):
    response = await asked_back(talk)
    assert (response.response_type, response.route, response.status) == ("clarification", "clarify", "completed")
    assert response.clarification.options == ("Staff", "Temps") and "Staff" in response.clarification.assumption
    assert "1. Staff" in response.answer and "2. Temps" in response.answer and response.citations == ()
    assert [e.clarification for e in talk.events if isinstance(e, ClarificationAsked)] == [response.clarification]
    assert "compose" not in response.timings and response.plan.steps[0].status.final


async def test_a_choice_joins_the_question_and_its_documents_come_first(talk):
    await asked_back(talk)
    talk.answer_back(kind="choice", choice=1)
    response = await talk.say("2")
    assert response.standalone_query == "How long is the notice? (Temps)"
    assert response.answer.startswith("Notice is 14 days.") and response.citations[0].document_id == "temps.md"


@pytest.mark.parametrize(
    ("said", "told"), [("2", {"temps.md"}), ("1", {"staff.md"}), ("both", {"staff.md", "temps.md"})]
)
async def test_what_was_not_chosen_is_not_told(talk, said, told):
    await asked_back(talk)
    talk.reasoner.settle = OfflineReasoner().settle
    answer = await talk.say(said)
    assert {each["document_id"] for each in answer.receipt["passages"]} == told


async def test_free_text_joins_the_question(talk):
    await asked_back(talk)
    talk.answer_back(kind="detail", detail="in Berlin")
    assert (await talk.say("in Berlin")).standalone_query == "How long is the notice? (in Berlin)"


async def test_just_answer_takes_what_would_have_been_assumed(talk):
    await asked_back(talk)
    talk.answer_back(kind="assume")
    response = await talk.say("just answer")
    assert response.standalone_query.endswith("(Staff)") and response.citations[0].document_id == "staff.md"


async def test_a_number_that_no_choice_has_is_said_and_the_question_asked_again(talk):
    await asked_back(talk)
    talk.answer_back(kind="none", choice=2)
    response = await talk.say("3")
    assert response.response_type == "clarification" and response.citations == ()
    assert "3" in response.clarification.question and response.clarification.options == ("Staff", "Temps")
    talk.answer_back(kind="choice", choice=1)
    response = await talk.say("2")
    assert response.standalone_query == "How long is the notice? (Temps)"
    assert response.answer.startswith("Notice is 14 days.")


async def test_what_was_assumed_before_a_number_that_no_choice_has_is_still_told_apart(talk):
    talk.reasoner.split = replace(SPLIT, first=False)
    await talk.say("How long is the notice?")
    talk.reasoner.settle = OfflineReasoner().settle
    response = await talk.say("2")
    assert response.clarification.options == ("Temps",)
    answer = await talk.say("1")
    assert {each["document_id"] for each in answer.receipt["passages"]} == {"temps.md"}


@pytest.mark.parametrize("routed", [True, False])
async def test_who_wants_none_of_the_choices_is_asked_for_words_and_they_join_the_question(talk, routed):
    talk.pack = talk.pack.model_copy(update={"flags": Flags(query_routing_enabled=routed)})
    await asked_back(talk)
    talk.answer_back(kind="none")
    response = await talk.say("neither")
    assert response.clarification.question == say("none_of_these", "en") and response.clarification.options == ()
    talk.answer_back(kind="detail", detail="in Berlin")
    assert (await talk.say("in Berlin")).standalone_query == "How long is the notice? (in Berlin)"


async def test_a_new_question_drops_the_one_that_waited(talk):
    await asked_back(talk)
    talk.answer_back(kind="new")
    assert (await talk.say("notice days of staff")).standalone_query == "notice days of staff"
    talk.answer_back(kind="choice", choice=1)
    assert (await talk.say("2")).standalone_query == "2"


async def test_never_twice_in_a_row_for_one_question(talk):
    await asked_back(talk)
    talk.reasoner.settled = Settled(kind="detail", detail="the usual")
    response = await talk.say("the usual")
    assert response.response_type == "answer" and response.answer


async def test_a_choice_counts_once(talk):
    await asked_back(talk)
    talk.answer_back(kind="choice", choice=0)
    await talk.say("1")
    again = await talk.say("1")
    assert again.standalone_query == "1"


async def test_a_choice_a_week_later_is_told_to_be_late_and_words_are_a_new_question(talk):
    await asked_back(talk)
    talk.now += 7 * 86400
    talk.answer_back(kind="choice", choice=0)
    late = await talk.say("1")
    assert late.answer == say("too_late", "en") and late.citations == ()
    await asked_back(talk)
    talk.now += 7 * 86400
    talk.answer_back(kind="detail", detail="in Berlin")
    assert (await talk.say("in Berlin")).standalone_query == "in Berlin"


@pytest.mark.parametrize("text", ["in Berlin", "I am at the staff party", "2", "Staff"])
async def test_what_somebody_else_says_is_no_answer_and_the_question_waits_for_its_asker(talk, text):
    await asked_back(talk)
    talk.reasoner.split = None
    talk.reasoner.settle = OfflineReasoner().settle
    assert (await talk.say(text, by="bob")).standalone_query == text
    assert (await talk.say("2")).citations[0].document_id == "temps.md"


async def test_somebody_else_says_so_by_a_click(talk):
    await asked_back(talk)
    talk.reasoner.split = None
    assert (await talk.say("Temps", by="bob", clicked=True)).citations[0].document_id == "temps.md"
    assert (await talk.say("Temps", by="bob", clicked=True)).answer == ""  # it is settled


async def test_a_label_that_a_platform_cut_short_is_its_choice(talk):
    long = "The staff of all offices in the country"
    talk.reasoner.split = replace(SPLIT, choices=(replace(SPLIT.choices[0], label=long), SPLIT.choices[1]))
    await talk.say("How long is the notice?")
    talk.reasoner.split = None
    assert (await talk.say("The staff of all…", clicked=True)).standalone_query.endswith(f"({long})")


async def test_a_click_under_way_while_the_answer_came_in_words_says_nothing(talk):
    await asked_back(talk)
    talk.answer_back(kind="choice", choice=1)
    await talk.say("2")
    assert (await talk.say("Staff", clicked=True)).answer == ""


async def test_a_missing_slot_is_asked_for_before_anything_is_searched_and_filled_by_the_answer(talk):
    talk.reasoner.split = Split(question="Which industry?", slot="industry")
    talk.reasoner.reading = {"route": "clarify", "missing_slot": "industry"}
    response = await talk.say("How long is the notice?")
    assert response.response_type == "clarification" and list(response.timings) == [
        "recall", "understand", "clarify", "remember",
    ]  # fmt: skip
    talk.answer_back(kind="detail", detail="retail")
    answer = await talk.say("retail")
    assert answer.slots == {"industry": "retail"} and answer.citations
    assert (await talk.profiles.load("x:W:ann", "test")).slots == {"industry": "retail"}


async def test_a_slot_that_nobody_asks_for_is_no_reason_to_stop(talk):
    talk.reasoner.reading = {"route": "clarify", "missing_slot": "industry"}
    assert (await talk.say("notice days")).citations


async def test_what_waits_survives_a_restart(tmp_path):
    checkpoints = await SqliteCheckpoints.open(tmp_path / "checkpoints.db")
    await asked_back(Talk(checkpoints.saver))
    await checkpoints.close()
    checkpoints = await SqliteCheckpoints.open(tmp_path / "checkpoints.db")
    talk = Talk(checkpoints.saver)
    talk.count = 1
    talk.answer_back(kind="choice", choice=1)
    assert (await talk.say("2")).standalone_query == "How long is the notice? (Temps)"
    await checkpoints.close()


async def test_an_edit_of_the_question_that_was_asked_back_about_is_asked_anew(talk):
    await asked_back(talk)
    talk.answer_back(kind="choice", choice=0)
    edited = await talk.say("notice days of staff", message_id="m1")
    assert edited.standalone_query == "notice days of staff"


# --- follow-ups


async def after_an_answer(talk: Talk, **reading):
    first = await talk.say("notice days")
    talk.reasoner.reading = {"route": "followup", "followup": FollowUp(kind="shorter"), **reading}
    return first


async def test_a_follow_up_is_written_from_the_evidence_of_the_answer_before(talk):
    first = await after_an_answer(talk)
    response = await talk.say("shorter")
    assert list(response.timings) == ["recall", "understand", "evidence", "compose", "ground", "remember"]
    assert talk.reasoner.briefs[-1].followup == FollowUp(kind="shorter")
    assert response.citations[0].passage_id == first.citations[0].passage_id and response.route == "followup"


async def test_what_the_evidence_does_not_hold_is_searched_for(talk):
    await after_an_answer(talk, route="explain", followup=FollowUp(kind="why"))
    talk.reasoner.held = False
    response = await talk.say("why notice?")
    assert "plan" in response.timings and "rewrite" in response.timings and talk.reasoner.briefs[-1].followup is None


async def test_a_translation_that_nobody_can_make_is_not_searched_for(talk):
    await after_an_answer(talk, followup=FollowUp(kind="translate", language="ko"))
    talk.reasoner.held = False
    response = await talk.say("in Korean")
    assert response.answer == say("cannot_translate", "en") and "plan" not in response.timings


async def test_evidence_that_the_room_may_no_longer_read_is_not_taken_up(talk):
    await after_an_answer(talk)
    talk.library.readers["documents"] = frozenset({"user:boss"})
    response = await talk.say("shorter")
    assert response.citations == () and "30 days" not in response.answer


async def test_a_follow_up_to_nothing_is_searched_for(talk):
    talk.reasoner.reading = {"route": "followup", "followup": FollowUp(kind="shorter")}
    talk.reasoner.resolve = talk_alone
    assert "plan" in (await talk.say("notice, shorter")).timings


async def talk_alone(message):
    from agent.types import Standalone

    return Standalone(text=message.text)


# --- memory


async def test_what_is_told_counts_for_this_answer_and_the_next_in_private(talk):
    talk.reasoner.reading = {"own": {"conditions": ["당뇨"]}}
    await talk.say("notice for me, I have diabetes")
    assert talk.reasoner.briefs[-1].profile.slots == {"conditions": ["당뇨"]}
    await talk.say("notice days", thread="another")
    assert talk.reasoner.briefs[-1].profile.slots == {"conditions": ["당뇨"]}


async def test_in_front_of_others_nothing_is_used_but_how_somebody_wants_to_be_answered(talk):
    await talk.profiles.fill("x:W:ann", "test", {"conditions": ["당뇨"]})
    await talk.profiles.prefer("x:W:ann", Preferences(length="short"))
    await talk.say("notice days", private=False)
    profile = talk.reasoner.briefs[-1].profile
    assert profile.slots == {} and profile.preferences.length == "short"


async def test_nobody_gets_what_another_told(talk):
    await talk.profiles.fill("x:W:ann", "test", {"conditions": ["당뇨"]})
    await talk.say("notice days", by="bob")
    assert talk.reasoner.briefs[-1].profile.slots == {}


async def test_a_preferred_language_is_the_language_of_the_turn(talk):
    await talk.profiles.prefer("x:W:ann", Preferences(language="ko"))
    assert (await talk.say("notice days")).language == "ko"


async def test_preferences_are_kept_and_add_up(talk):
    talk.reasoner.reading = {"route": "direct", "personal": "prefer", "preferences": Preferences(length="short")}
    assert (await talk.say("keep it short")).answer == say("preference_kept", "en")
    talk.reasoner.reading = {"route": "direct", "personal": "prefer", "preferences": Preferences(language="ko")}
    assert (await talk.say("in Korean please")).answer == say("preference_kept", "ko")
    known = await talk.profiles.load("x:W:ann", "test")
    assert known.preferences == Preferences(language="ko", length="short")


async def test_what_is_known_is_told_in_private_alone_and_forgotten_on_demand(talk):
    await talk.say("notice days")
    talk.reasoner.reading = {"route": "direct", "personal": "about"}
    assert (await talk.say("what do you know about me?", private=False)).answer == say("ask_in_private", "en")
    talk.reasoner.reading = {"route": "direct", "personal": "about"}
    assert "notice days" in (await talk.say("what do you know about me?")).answer
    talk.reasoner.reading = {"route": "direct", "personal": "forget"}
    assert (await talk.say("forget me")).answer == say("forgotten", "en")
    talk.reasoner.reading = {"route": "direct", "personal": "about"}
    assert (await talk.say("what do you know about me?")).answer == "nothing"


async def test_an_old_answer_whose_sources_were_closed_is_not_told_again(talk):
    await talk.say("notice days")
    talk.library.readers["documents"] = frozenset({"user:boss"})
    talk.reasoner.reading = {"route": "direct", "personal": "recollect"}
    assert (await talk.say("what did I ask about notice?")).answer == "nothing"


async def test_a_pack_may_remember_nothing(talk):
    talk.pack = talk.pack.model_copy(update={"flags": Flags(memory_mode="none")})
    talk.reasoner.reading = {"slots": {"conditions": ["당뇨"]}}
    await talk.say("notice days")
    assert talk.reasoner.briefs[-1].profile.slots == {}
    assert await talk.profiles.memories("x:W:ann", "test", "", k=5) == []
    talk.reasoner.reading = {"route": "direct", "personal": "about"}
    assert (await talk.say("what do you know about me?")).answer == say("no_memory", "en")
    talk.reasoner.reading = {"route": "direct", "personal": "forget"}
    assert (await talk.say("forget me")).answer == say("no_memory", "en")
    talk.reasoner.reading = {"route": "direct", "personal": "forget"}
    await talk.profiles.prefer("x:W:ann", Preferences(length="short"))  # in another pack
    assert (await talk.say("forget me")).answer == say("forgotten", "en")


# --- a long thread


async def test_turns_beyond_the_kept_ones_are_summarised_and_covered(talk):
    talk.pack = talk.pack.model_copy(update={"limits": Limits(passages=1)})
    for number in range(1, KEPT_TURNS + 4):
        await talk.say(f"notice {number}")
    snapshot = await talk.agent._graph.aget_state({"configurable": {"thread_id": "x:W:C:T"}})
    summary = snapshot.values["summary"]
    assert len(snapshot.values["turns"]) == KEPT_TURNS and summary.turns == 3
    assert summary.text == "notice 1 | notice 2 | notice 3"
    assert talk.reasoner.messages[-1].summary.text == "notice 1 | notice 2"


async def kept_of(talk: Talk):
    return (await talk.agent._graph.aget_state({"configurable": {"thread_id": "x:W:C:T"}})).values


async def test_a_forgotten_turn_leaves_the_summary_too(talk):
    older = []
    for number in range(1, KEPT_TURNS + 4):
        talk.now += 1
        older.append(
            TurnRecord(
                turn_id=f"t{number}", message_id=f"m{number}", asked_by="ann", question=f"notice {number}",
                standalone="", answer="", route="research", at=talk.now,
            )
        )  # fmt: skip
        await talk.say(f"notice {number}")
    await talk.agent.forget("x:W:C:T", "m2", older=older)
    kept = await kept_of(talk)
    assert kept["summary"].text == "notice 1 | notice 3" and kept["summary"].turns == 2
    await talk.agent.forget("x:W:C:T", f"m{KEPT_TURNS + 3}", older=older)
    kept = await kept_of(talk)
    assert len(kept["turns"]) == KEPT_TURNS - 1 and kept["summary"].text == "notice 1 | notice 3"


async def test_a_deleted_question_is_not_waited_for_any_more(talk):
    await asked_back(talk)
    await talk.agent.forget("x:W:C:T", "m1")
    assert (await kept_of(talk))["pending"] is None


@pytest.mark.parametrize("field", ["summary", "pending"])
async def test_kept_values_of_another_shape_are_left_out(talk, field):
    await asked_back(talk)
    await talk.agent._graph.aupdate_state(
        {"configurable": {"thread_id": "x:W:C:T"}}, {field: {"was": "renamed"}}, as_node="remember"
    )
    talk.answer_back(kind="new")
    assert (await talk.say("notice days")).citations


async def test_a_thread_of_thousands_of_turns_is_cut_to_size_by_its_next_turn(talk):
    long = [
        TurnRecord(
            turn_id=f"t{n}", message_id=f"m-{n}", asked_by="ann", question=f"notice {n}", standalone="",
            answer="x" * 800, route="research", at=float(n),
        )
        for n in range(3_000)
    ]  # fmt: skip
    config = {"configurable": {"thread_id": "x:W:C:T"}}
    await talk.agent._graph.aupdate_state(config, {"turns": long}, as_node="remember")
    talk.reasoner.summarise = OfflineReasoner().summarise
    assert (await talk.say("notice days")).citations
    kept = await kept_of(talk)
    assert len(kept["turns"]) == KEPT_TURNS and kept["summary"].turns == 3_000 - KEPT_TURNS + 1
    assert len(kept["summary"].text.encode()) <= 1_200
