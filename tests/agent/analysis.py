"""A place for analyses: a library of real files, the real graph, a plan that asks for one step of analysis."""

from collections.abc import Sequence
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver

from agent.context import Context, TurnRequest
from agent.events import FinalResponse
from agent.graph import build_graph
from agent.packs.pack import Pack, Words
from agent.reasoning.analysis_contract import AnalysisBrief
from agent.reasoning.rules.answering.figure_statements import analysed
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.teams.analysis import table_question as questions
from agent.teams.analysis.columns import read_columns
from agent.teams.analysis.compute import Computed, compute
from agent.teams.analysis.table import tables_of
from agent.text import language_of
from agent.types import AttachedFile, Audience, Block, Passage, Step, ThreadKey
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.run import ingest
from storage.schema import WEFT
from tests.fakes import ScriptedReasoner
from tests.fakes_files import MemoryFiles

EVERYBODY = Audience(principals=frozenset({"*"}))


def passage(text: str, *, title: str = "Report", section: str = "", position: int = 0) -> Passage:
    return Passage(
        id=position + 1,
        document_id="d",
        collection="documents",
        title=title,
        text=text,
        section=section,
        position=position,
    )


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def columns(text: str, *, title: str = "Report"):
    (table,) = tables_of([Block(n=1, passage=passage(text, title=title), score=1.0)])
    return read_columns(table)


def computed(text: str, question: str, *, title: str = "Report", subject: str = "") -> Computed:
    found = compute(columns(text, title=title), questions.read(question, subject), 1.0, language_of(question))
    assert found is not None
    return found


def figures(result: Computed) -> dict[str, float]:
    return {figure.metric.name: figure.metric.value for figure in result.figures}


def written(result: Computed) -> dict[str, str]:
    return {figure.metric.name: figure.metric.written for figure in result.figures}


def brief(result: Computed, question: str) -> AnalysisBrief:
    words = Words(en="x", ko="x")
    return AnalysisBrief(
        question=question,
        language=language_of(question),
        pack=Pack(name="test", title=words, description=words),
        type=result.kind,
        subject=result.table.name,
        metrics=[figure.metric for figure in result.figures],
        figures=result.figures,
    )


def insights(result: Computed, question: str) -> list[str]:
    return [each.text for each in analysed(brief(result, question)).insights]


class AnalysingReasoner(ScriptedReasoner):
    """Plans one step of analysis for each question, and reads figures by the rules, or as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.subject = ""
        self.reading = None
        self.asked: list[AnalysisBrief] = []

    async def understand(self, message):
        self.steps = (Step(id="a", team="analysis", task="Analyse", description=message.text, subject=self.subject),)
        return await super().understand(message)

    async def analyse(self, brief):
        self.asked.append(brief)
        return self.reading or analysed(brief)


class Desk:
    """The graph over a library in a folder."""

    def __init__(self, library: SqlLibrary, folder: Path) -> None:
        self.library = library
        self.folder = folder
        self.reasoner = AnalysingReasoner()
        self.files = MemoryFiles()
        words = Words(en="figures", ko="수치")
        self.pack = Pack(name="test", title=words, description=words)
        self.agent = Agent(build_graph(InMemorySaver()), self._context, summariser=self.reasoner)
        self.turns = 0

    @classmethod
    async def open(cls, folder: Path) -> tuple["Desk", Database]:
        database = await Database.open(folder / "weft.db", WEFT)
        return cls(SqlLibrary(database), folder), database

    def _context(self, request: TurnRequest) -> Context:
        knowledge = KnowledgeBase(lexical=self.library.index, passages=self.library)
        return Context(request=request, pack=self.pack, reasoner=self.reasoner, knowledge=knowledge, files=self.files)

    async def add(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        report = await ingest([path], library=self.library, collection="documents")
        assert not report.refused

    async def events(self, text: str, *, attached: tuple[AttachedFile, ...] = (), audience: Audience = EVERYBODY):
        self.turns += 1
        request = TurnRequest(
            turn_id=f"t{self.turns}", key=ThreadKey(platform="x", workspace_id="W", channel_id="C", thread_id="T"),
            message_id=f"m{self.turns}", asked_by="U", text=text, audience=audience, attached=attached,
        )  # fmt: skip
        return [event async for event in self.agent.run(request)]

    async def ask(self, text: str, **options):
        events = await self.events(text, **options)
        assert isinstance(events[-1], FinalResponse)
        return events[-1].response
