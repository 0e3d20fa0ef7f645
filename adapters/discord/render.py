"""What a turn shows on Discord: plain texts in Discord's Markdown. Mentions in them are never live."""

import re
from urllib.parse import quote

from discord.utils import escape_markdown

from adapters.contract import SHORT_MS, TodoList
from adapters.discord.components import Card, Json, Rows, button, link, row, rows
from adapters.drafts import beginning
from adapters.markdown_split import split
from adapters.text_tables import lines_of
from agent.language import say
from agent.text import clipped, language_of, normalise, section_path
from agent.types import Citation, Clarification, Language, Response, Step, StepStatus

TEXT_LIMIT = 2000
NAME_LIMIT = 100
"""Characters of a thread's name."""

_ICONS = {
    StepStatus.PENDING: "▫️",
    StepStatus.IN_PROGRESS: "⏳",
    StepStatus.COMPLETED: "✅",
    StepStatus.FAILED: "❌",
    StepStatus.SKIPPED: "⏭️",
}
_COLOURS = {"working": 0x5865F2, "done": 0x2E9E5B, "failed": 0xC0392B, "stopped": 0x8E9297}
STEPS = "weft_steps"
"""Custom id of the button that shows the steps of a list at its end."""
RATE = "weft_rate"
"""How the custom ids of the thumbs begin."""
LINKS = 10
"""Sources with a button; the text names all."""
_RATED = ("research", "followup", "explain", "contextualize")
"""Routes of answers that people are asked about."""
_TITLES, _TITLE = 3, 60
"""Sources of a step that are named, and characters of each."""
_NEVER_BROKEN = "\u200b"
_LIVE = re.compile(r"@(?=everyone|here)|<(?=@[!&]?\d|#\d|/[^\s<>]+:\d|id:|a?:\w+:\d|t:-?\d)")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(((?:[^()\s]++|\([^()\s]*+\))++)[^)\n]*+\)")
_TABLE_LIMIT = 1800
"""Characters of one block of a table: below `TEXT_LIMIT`, with room for its fences."""
_DEEP_HEADING = re.compile(r"#{4,6}\s+(.+?)\s*#*$")


def neutral(text: str) -> str:
    """Return the text with everything that Discord would turn into a mention made harmless."""
    return _LIVE.sub(lambda m: m[0] + _NEVER_BROKEN, text)


def todo_text(todo: TodoList) -> str:
    """Return the plan as one message."""
    lines = [todo_heading(todo.status, todo.language)]
    if todo.waits:
        lines[0] = f"**{todo.waits}**"
    elif todo.phase is not None:
        lines[0] += f" · {todo.at}"
    if todo.status != "working" and todo.elapsed_ms >= SHORT_MS:
        lines[0] += f" ({say('elapsed', todo.language, seconds=f'{todo.elapsed_ms / 1000:.1f}')})"
    lines += [_step_line(step) for step in todo.steps]
    return _cut("\n".join(lines), TEXT_LIMIT)


def todo_card(todo: TodoList) -> Card:
    """Return the plan as a card; at its end one line, with the steps behind a button and those that failed below."""
    text = todo_text(todo)
    if todo.status == "working" or not todo.steps:
        return Card(text=text, colour=_COLOURS[todo.status])
    heading = f"{text.partition(chr(10))[0]} · {say('list_steps', todo.language, count=len(todo.steps))}"
    failed = [_step_line(step) for step in todo.steps if step.status is StepStatus.FAILED]
    show = button(STEPS, say("show_steps", todo.language), emoji="🔎")
    return Card(text=_cut("\n".join([heading, *failed]), TEXT_LIMIT), colour=_COLOURS[todo.status], buttons=(show,))


def below(response: Response) -> Rows:
    """Return what stands below an answer: its sources to open, and a pair of thumbs where it rests on documents."""
    links: dict[str, Json] = {}
    for citation in response.citations:
        address = _address(citation)
        opened = link(address, say("open_source", response.language, n=citation.n)) if address else None
        if opened is not None:
            links.setdefault(address, opened)
    if response.route not in _RATED or not response.citations or response.clarification is not None:
        return rows(list(links.values())[:LINKS])
    thumbs = row(
        button(f"{RATE}:up", say("web_helpful", response.language), emoji="👍"),
        button(f"{RATE}:down", say("web_unhelpful", response.language), emoji="👎"),
    )
    return [*rows(list(links.values())[:LINKS]), thumbs]


def todo_heading(status: str, language: Language) -> str:
    """Return the first words of the plan's message."""
    return f"**{say(status, language)}**"


def _step_line(step: Step) -> str:
    note = step.note
    line = f"{_ICONS[step.status]} {neutral(escape_markdown(normalise(step.task)))}"
    line = f"{line} — {neutral(escape_markdown(normalise(note)))}" if note else line
    if not step.sources:
        return line
    titles = " · ".join(neutral(escape_markdown(clipped(normalise(each), _TITLE))) for each in step.sources[:_TITLES])
    more = f" +{len(step.sources) - _TITLES}" if len(step.sources) > _TITLES else ""
    return f"{line}\n-# {titles}{more}"


def answer_parts(response: Response) -> list[str]:
    """Return the answer with its sources and warnings, as the texts of one or more messages."""
    language = response.language
    body = neutral(to_discord(response.answer.strip()))
    blocks = [body] if body else []
    unsaid = [title for title in response.nearest if title not in response.answer]
    if unsaid:
        titles = "\n".join(f"- {neutral(escape_markdown(normalise(title)))}" for title in unsaid)
        blocks.append(f"{say('nearest', language)}\n{titles}")
    if response.citations:
        lines = [_source_line(citation, language) for citation in response.citations]
        blocks.append("\n".join([f"**{say('sources', language)}**", *lines]))
    if response.warnings:
        blocks.append("\n".join(f"-# {neutral(normalise(warning))}" for warning in response.warnings))
    return _messages("\n\n".join(blocks))


def draft_text(markdown: str) -> str:
    """Return an answer under way as the text of one message."""
    text = neutral(to_discord(markdown.strip()))
    draft = beginning(text, TEXT_LIMIT)
    return draft if _length(draft) <= TEXT_LIMIT else beginning(text, TEXT_LIMIT // 2)


def _source_line(citation: Citation, language: Language) -> str:
    title = neutral(escape_markdown(normalise(citation.title or citation.document_id)))
    if address := _address(citation):
        # the angle brackets keep Discord from adding a preview
        title = f"[{_outside_brackets(title)}](<{address}>)"
    section = f" › {neutral(escape_markdown(section_path(normalise(citation.section))))}" if citation.section else ""
    page = f", {say('page', language, page=citation.page)}" if citation.page is not None else ""
    return f"[{citation.n}] {title}{section}{page}"


def _address(citation: Citation) -> str:
    """Return where a source can be opened; nothing for one that stands in no web."""
    web = citation.source.startswith(("http://", "https://"))
    return quote(citation.source, safe=":/?#@!$&*+,;=%~") if web else ""


def _outside_brackets(title: str) -> str:
    return title.replace("\\[", "(").replace("\\]", ")").replace("[", "(").replace("]", ")")


def clarification_parts(clarification: Clarification) -> list[str]:
    """Return a question back, its choices numbered."""
    options = "\n".join(f"{n}. {normalise(option)}" for n, option in enumerate(clarification.options, 1))
    blocks = [clarification.question, options, f"-# {clarification.assumption}" if clarification.assumption else ""]
    return _messages(neutral("\n\n".join(block for block in blocks if block)))


def notice_parts(text: str) -> list[str]:
    """Return a text of ours as messages."""
    return _messages(neutral(text))


def whisper_parts(markdown: str) -> list[str]:
    """Return what only one person is told, as messages."""
    return _messages(neutral(to_discord(markdown)))


def anchor_text(author_id: str, question: str, *, heading: str = "") -> str:
    """Return the message that stands for a question asked by command, or by the clock: everybody sees what is asked."""
    asked = f"{neutral(heading)}\n" if heading else f"<@{author_id}>\n"
    quoted = "\n".join(f"> {line}" for line in neutral(question).splitlines() if line.strip()) or "> …"
    return asked + _cut(quoted, TEXT_LIMIT - len(asked))


def thread_name(question: str) -> str:
    """Return the first words of the question, in one line that Discord takes as a thread's name."""
    name = normalise(question.replace("`", "").replace("*", ""))
    if not name:
        return say("question", language_of(question))
    if _length(name) <= NAME_LIMIT:
        return name
    cut = name[: NAME_LIMIT - 1]
    cut = cut if _length(cut) < NAME_LIMIT else name[: NAME_LIMIT // 2 - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


def to_discord(markdown: str) -> str:
    """Return Markdown without what Discord does not render: tables, images, headings below the third level."""
    return "\n".join(
        line if code else _DEEP_HEADING.sub(r"**\1**", _IMAGE.sub(r"[\1](<\2>)", line))
        for line, code in lines_of(markdown, table_limit=_TABLE_LIMIT)
    )


def _messages(text: str) -> list[str]:
    """Return a text as those of messages; one whose signs may count twice is cut at half the length."""
    parts = split(text, TEXT_LIMIT)
    return parts if all(_length(part) <= TEXT_LIMIT for part in parts) else split(text, TEXT_LIMIT // 2)


def _cut(text: str, limit: int) -> str:
    if _length(text) <= limit:
        return text
    short = text[: limit - 1] if _length(text[: limit - 1]) < limit else text[: limit // 2 - 1]
    return short + "…"


def _length(text: str) -> int:
    """Return how long a text may be for Discord: whether emoji count once or twice is documented nowhere."""
    return len(text.encode("utf-16-le", "replace")) // 2
