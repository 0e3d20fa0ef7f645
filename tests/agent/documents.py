"""A conversation with Weft that writes documents: the handbook's words, the offline rules, a plan as it is told."""

import io
from dataclasses import replace
from pathlib import Path

import docx
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import Context, TurnRequest
from agent.events import FinalResponse
from agent.graph import build_graph
from agent.packs.load import load_templates
from agent.packs.pack import Pack, Words
from agent.packs.template import Template
from agent.reasoning.rules import OfflineReasoner
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.types import Audience, Passage, Plan, Step, ThreadKey
from tests.fakes_files import MemoryFiles
from tests.fakes_knowledge import MemoryLibrary
from tests.fakes_profiles import MemoryProfiles

EVERYBODY = Audience(principals=frozenset({"*"}))
NOW = 1_790_000_000.0
"""In September 2026."""


def passage(number: int, title: str, text: str, section: str = "", language="en") -> Passage:
    return Passage(
        id=number, document_id=f"{title}.md", collection="handbook", title=title, text=text, position=number,
        section=section, language=language,
    )  # fmt: skip


PASSAGES = (
    passage(1, "Parental leave", "Parental leave lasts up to 12 months for each child.", "Duration"),
    passage(
        2,
        "Parental leave",
        "To apply for parental leave, send form HR-12 at least 30 days before it begins.",
        "How to apply",
    ),
    passage(3, "Remote work", "You can work remotely up to 3 days a week.", "How often"),
    passage(4, "육아휴직", "육아휴직 기간은 자녀 한 명당 최대 12개월입니다.", "기간", "ko"),
    passage(5, "육아휴직", "육아휴직은 HR-12 양식으로 시작 30일 전까지 신청합니다.", "신청 방법", "ko"),
)
REQUEST = Template.model_validate(
    {
        "name": "request",
        "title": {"en": "Leave request", "ko": "휴가 신청서"},
        "examples": ("draft a leave request",),
        "fields": (
            {
                "name": "recipient", "title": {"en": "Recipient", "ko": "받는 사람"}, "type": "text",
                "patterns": (r"\bto (Kim|Lee)\b", "([가-힣]{3}) ?님께"),
                "ask": {"en": "who it is for", "ko": "누구에게"},
            },
            {"name": "start_date", "title": {"en": "Start date", "ko": "시작일"}, "type": "date",
             "patterns": (r"\bfrom ([\w ,-]{4,20})", r"([\d년월일 -]{4,16})부터")},
            {"name": "end_date", "title": {"en": "End date", "ko": "종료일"}, "type": "date"},
            {"name": "note", "title": {"en": "Note", "ko": "비고"}, "type": "text", "optional": True},
        ),
        "sections": ({"name": "rules", "title": {"en": "Rules", "ko": "규정"}},),
    }
).model_copy(
    update={
        "body": "# {{ title }}\n\nTo: {{ recipient }}\n\nFrom {{ start_date }} until {{ end_date }}. {{ note }}\n\n"
        "{{ section.rules }}\n\n{{ today }}\n"
    }
)  # fmt: skip


class Writer(OfflineReasoner):
    """The offline rules with a plan that is told, and drafts that can be."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: tuple[Step, ...] = ()
        self.drafts: list = []
        self.asked: list = []
        self.searched: list[str] = []

    async def understand(self, message):
        return replace(await super().understand(message), route="research")

    async def plan(self, question, understood, pack):
        return Plan(steps=self.steps)

    async def expand(self, step, question, understood, pack, again=None):
        if again is None:
            self.searched.append(step.description or question.text)
        return await super().expand(step, question, understood, pack, again)

    async def draft_document(self, brief):
        self.asked.append(brief)
        return self.drafts.pop(0) if self.drafts else await super().draft_document(brief)


def order(text: str, subject: str = "request", id: str = "d", **more) -> Step:
    return Step(id=id, team="document", task="Write", subject=subject, description=text, **more)


class Desk:
    """Somebody who wants documents written."""

    def __init__(self, *, passages=PASSAGES, templates=(REQUEST,), files=True) -> None:
        words = Words(en="leave", ko="휴가")
        self.pack = Pack(name="test", title=words, description=words).model_copy(
            update={"templates": (*templates, *load_templates_once())}
        )
        self.reasoner, self.profiles, self.files = Writer(), MemoryProfiles(), MemoryFiles() if files else None
        library = MemoryLibrary(passages)
        self.knowledge = KnowledgeBase(lexical=library, passages=library)
        self.agent = Agent(build_graph(InMemorySaver()), self.context, summariser=self.reasoner)
        self.count, self.now = 0, NOW
        self.events: list = []

    def context(self, request: TurnRequest) -> Context:
        return Context(
            request=request, pack=self.pack, reasoner=self.reasoner, knowledge=self.knowledge,
            profiles=self.profiles, files=self.files, now=lambda: self.now,
        )  # fmt: skip

    async def say(self, text, *steps: Step, by="ann", private=False):
        self.count += 1
        if steps:
            self.reasoner.steps = steps
        request = TurnRequest(
            turn_id=f"t{self.count}", message_id=f"m{self.count}", asked_by=by, text=text, audience=EVERYBODY,
            key=ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id="T"), private=private,
        )  # fmt: skip
        self.events = [event async for event in self.agent.run(request)]
        assert isinstance(self.events[-1], FinalResponse)
        return self.events[-1].response

    async def draft(self, text, *, subject="request", **options):
        return await self.say(text, order(text, subject), **options)

    def word(self, response):
        """Return the DOCX of a response, opened."""
        (file,) = [file for file in response.files if file.name.endswith(".docx")]
        return docx.Document(io.BytesIO(self.files.kept[file.path]))


def load_templates_once():
    return load_templates(Path("nowhere"))


def document_of(response) -> dict:
    (made,) = response.structured_data["documents"]
    return made
