"""The console as a platform: `weft ask` shows the TODO list and the answer in the terminal."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from adapters.contract import Capabilities, Deliveries, Failure, Intake, Reply, TodoList
from agent.errors import AttachmentError
from agent.language import say
from agent.text import section_path, visible
from agent.types import (
    Attachment,
    Clarification,
    IncomingMessage,
    ProducedFile,
    Response,
    Step,
    StepStatus,
    ThreadKey,
)

if TYPE_CHECKING:
    from rich.live import Live
    from rich.markdown import Markdown
    from rich.text import Text

_CITED = re.compile(r"(\[\d{1,3}\])\(")
"""A citation mark before a bracket, where Markdown reads a link."""
_ICONS = {
    StepStatus.PENDING: ("○", "dim"),
    StepStatus.IN_PROGRESS: ("◐", "cyan"),
    StepStatus.COMPLETED: ("✓", "green"),
    StepStatus.FAILED: ("✗", "red"),
    StepStatus.SKIPPED: ("–", "dim"),
}


class ConsoleAdapter:
    """Answers where the question was typed. Quiet, it shows nothing: the caller prints what it observes."""

    name = "console"
    capabilities = Capabilities(text_limit=1_000_000, edit_interval=0.1, threads=True, later=False)

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    async def connect(self) -> None:
        """Do nothing: a terminal is always there."""

    async def listen(self, intake: Intake) -> None:
        """Do nothing: the command line hands its question in by itself."""

    async def open_thread(self, message: IncomingMessage, deliveries: Deliveries) -> ThreadKey:
        """Return the thread that was named on the command line."""
        return message.key

    def reply(self, message: IncomingMessage, deliveries: Deliveries) -> Reply:
        """Return the terminal, or nothing."""
        return _Silence() if self._quiet else _Terminal()

    async def settle(self, message: IncomingMessage) -> None:
        """Nothing to wait for: what is printed is there."""

    async def erase(self, message: IncomingMessage, deliveries: Deliveries) -> None:
        """Do nothing: what was printed stays printed."""

    async def fetch(self, message: IncomingMessage, attachment: Attachment, *, most: int) -> bytes:
        """Return the file that was named on the command line. Raises AttachmentError."""
        return await asyncio.to_thread(_bytes_of, Path(attachment.url), most)

    async def close(self) -> None:
        """Do nothing."""


def _bytes_of(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise AttachmentError("The file is not there any more.", reason="gone") from None
    except OSError as error:
        raise AttachmentError(f"The file cannot be opened: {error.strerror}.", reason="closed") from None
    if len(data) > most:
        raise AttachmentError(f"The file is larger than {most:,} bytes.", reason="too_large")
    return data


class _Silence:
    """A reply that nobody sees."""

    async def typing(self, todo: TodoList) -> None:
        """Show nothing."""

    async def show(self, todo: TodoList) -> None:
        """Show nothing."""

    async def stream(self, text: str) -> None:
        """Show nothing."""

    async def ask(self, clarification: Clarification) -> None:
        """Show nothing."""

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Leave them: what is printed has no buttons."""

    async def finish(self, response: Response) -> None:
        """Show nothing."""

    async def attach(self, file: ProducedFile) -> None:
        """Show nothing."""

    async def fail(self, failure: Failure) -> None:
        """Show nothing."""


class _Terminal:
    """A reply on standard output: the list ticks in place, the answer stands below it."""

    def __init__(self) -> None:
        from rich.console import Console  # not needed, and not loaded, with --json

        self._console: Console = Console(highlight=False)
        self._live: Live | None = None
        self._ended = False
        """Whether the list stands above the answer as it was at the end."""

    async def typing(self, todo: TodoList) -> None:
        """Leave it: the list is there at once."""

    async def show(self, todo: TodoList) -> None:
        """Draw the list, over the one drawn before."""
        from rich.live import Live

        if self._ended:
            return
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False)
            self._live.start()
        self._live.update(_drawn(todo), refresh=True)
        if todo.status != "working":
            self._settle()

    async def stream(self, text: str) -> None:
        """Leave the draft to `finish`: what is printed cannot be taken back."""

    async def ask(self, clarification: Clarification) -> None:
        """Print the question and its numbered choices."""
        self._settle()
        self._console.print(_seen(clarification.question), markup=False)
        for number, option in enumerate(clarification.options, start=1):
            self._console.print(_seen(f"  {number}. {option}"), markup=False)

    async def close_choices(self, clarification: Clarification, first: Callable[[str], Awaitable[bool]]) -> None:
        """Leave them: what is printed has no buttons."""

    async def finish(self, response: Response) -> None:
        """Print the answer below the list as it is at the end, its sources and its warnings."""
        from rich.text import Text

        if self._live is not None and response.plan is not None:
            ended = TodoList(steps=response.plan.steps, language=response.language, status="done")
            self._live.update(_drawn(ended), refresh=True)
            self._ended = True
        self._settle()
        self._console.print()
        self._console.print(_rendered(_seen(response.answer)))
        if response.citations:
            self._console.print()
            self._console.print(Text(say("sources", response.language), style="bold"))
        for citation in response.citations:
            place = citation.title + (f" › {section_path(citation.section)}" if citation.section else "")
            page = f", {say('page', response.language, page=citation.page)}" if citation.page else ""
            line = Text(_seen(f"[{citation.n}] {place}{page}"))
            line.append(_seen(f"  {citation.source or citation.document_id}"), style="dim")
            self._console.print(line)
        for warning in response.warnings:
            self._console.print(Text(_seen(f"! {warning}"), style="yellow"))

    async def attach(self, file: ProducedFile) -> None:
        """Print where the file is."""
        self._console.print(f"{file.name}: {file.path}", markup=False)

    async def fail(self, failure: Failure) -> None:
        """Print why there is no answer."""
        from rich.text import Text

        self._settle()
        self._console.print(Text(_seen(failure.text), style="red"))

    def _settle(self) -> None:
        if self._live is not None:
            self._live.stop()
            if not self._console.is_terminal:  # there it leaves its last line open
                self._console.line()
            self._live = None


def _seen(text: str) -> str:
    """Return a text without what would steer the terminal: a document may hold anything."""
    return visible(text, keep="\n\t")


def _drawn(todo: TodoList) -> "Text":
    from rich.text import Text

    drawn = Text()
    for step in todo.steps:
        icon, style = _ICONS[step.status]
        drawn.append(f"{icon} ", style=style)
        drawn.append(_seen(step.task))
        drawn.append(_seen(_detail(step)), style="dim")
        drawn.append("\n")
    drawn.right_crop(1)
    return drawn


def _detail(step: Step) -> str:
    return f" · {step.note}" if step.note else ""


def _rendered(markdown: str) -> "Markdown":
    """Return Markdown as a terminal shows it: `<name>` is text, and a mark before a bracket no link.

    Lines stay lines, as they do on the platforms, and what is too wide for its column goes on below.
    """
    from markdown_it import MarkdownIt
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Markdown, TableElement
    from rich.table import Table

    class WholeTable(TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for shown in super().__rich_console__(console, options):
                for column in shown.columns if isinstance(shown, Table) else ():
                    column.overflow = "fold"
                yield shown

    class WholeMarkdown(Markdown):
        elements: ClassVar = {**Markdown.elements, "table_open": WholeTable}

    text = _CITED.sub(r"\1\(", markdown)
    shown = WholeMarkdown(text, hyperlinks=False)  # the address beside its words
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable("reference")
    shown.parsed = parser.parse(text)
    for token in chain.from_iterable(block.children or () for block in shown.parsed):
        if token.type == "softbreak":
            token.type = "hardbreak"
    return shown
