"""What people see in Slack: pure functions from our values to messages within Slack's limits."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adapters.contract import HEADING, TodoList
from adapters.delivery import digest_of
from adapters.drafts import GOES_ON, beginning
from adapters.markdown_split import split
from adapters.sharing import Remainder
from adapters.slack.mrkdwn import escape, from_markdown, harmless, link
from adapters.slack.plan import sources_of, title
from adapters.slack.tables import with_table
from adapters.text_tables import lines_of
from agent.language import say
from agent.text import clipped, language_of, section_path
from agent.types import (
    Citation,
    Clarification,
    IncomingMessage,
    Language,
    Response,
    Step,
    StepStatus,
    reference_of,
)

Block = dict[str, Any]

# https://docs.slack.dev/reference/block-kit/blocks: 50 blocks a message, 3,000 characters a section, 12,000 a
# markdown block; about 13,200 in all (slackapi/bolt-js#2509). chat.update takes 4,000 characters of plain text.
MARKDOWN_LIMIT = 11_000
TEXT_LIMIT = 3_900
_SUM_LIMIT = 13_000
_SECTION_LIMIT = 2_900
_CONTEXT_LIMIT = 1_900
_BLOCKS_LIMIT = 50
_QUOTE_LIMIT = 2_000
_BUTTON_LIMIT = 75  # characters of a button's text; 25 buttons in a block of actions

CHOICE = "weft_choice:"
"""How the ids of the buttons begin that answer a question back."""

FEEDBACK = "weft_feedback"
"""The id of the pair of buttons below an answer; the value of each is a verdict, a colon and the turn."""
SOURCE = "weft_source:"
"""How the ids of the buttons begin that open a source; their value is the reference of a passage."""
_OPENED = 5
_VALUE_LIMIT = 2_000
HELPFUL, NOT_HELPFUL = "up", "down"

PROGRESS = "progress"
"""The slot of a TODO list that is a message of its own."""

SHARE_BUTTON = "weft_share"
"""The id of the button that shares what only its asker was shown."""

_MARKS = {
    StepStatus.PENDING: "▫️",
    StepStatus.IN_PROGRESS: "⏳",
    StepStatus.COMPLETED: "✅",
    StepStatus.FAILED: "❌",
    StepStatus.SKIPPED: "⏭️",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Post:
    """One message: blocks, and the text for notifications and for where blocks are refused."""

    text: str
    blocks: tuple[Block, ...] = field(default=())

    @property
    def digest(self) -> str:
        """A fingerprint of all that it shows."""
        return digest_of(self.text, json.dumps(self.blocks, sort_keys=True))

    @property
    def markdown(self) -> str:
        """The Markdown that it begins with; empty for one that does not."""
        first = self.blocks[0] if self.blocks else {}
        return str(first["text"]) if first.get("type") == "markdown" else ""

    @property
    def below(self) -> tuple[Block, ...]:
        """What stands below that Markdown."""
        return self.blocks[1:] if self.markdown else self.blocks


def progress(todo: TodoList) -> Post:
    """Return the TODO list as one message."""
    head = title(todo)
    lines = [_step_line(step) for step in todo.steps]
    blocks = [_section(f"*{escape(head)}*")]
    blocks += [_section(chunk) for chunk in _chunks(lines, _SECTION_LIMIT)][: _BLOCKS_LIMIT - 1]
    return Post(text=clipped("\n".join([escape(head), *lines]), TEXT_LIMIT), blocks=tuple(_within_sum(blocks)))


def status(todo: TodoList) -> str:
    """Return what a turn is at, as Slack shows it behind Weft's name."""
    return say("status", todo.language, at=todo.at)


def _step_line(step: Step) -> str:
    task = escape(clipped(step.task, 300))
    line = f"{_MARKS[step.status]} {'*' + task + '*' if step.status is StepStatus.IN_PROGRESS else task}"
    if step.status is StepStatus.IN_PROGRESS and 0 < step.progress < 100:
        line += f" · {step.progress}%"
    if step.note:
        line += f" — _{escape(clipped(step.note, 300))}_"
    if sources := sources_of(step):
        line += f" ({escape(sources)})"
    return line


def answer(response: Response, *, plain: bool, standing: Sequence[str] = ()) -> list[Post]:
    """Return the final answer as messages: Markdown, then sources and what else to know in small print.

    `standing`: the harmless texts that the first messages hold already, one after the other from its beginning on.
    """
    notes = [f"⚠️ {escape(warning)}" for warning in response.warnings]
    sources = [_source_line(citation, response.language) for citation in response.citations]
    if sources:
        sources.insert(0, f"*{escape(say('sources', response.language))}*")
    small_print = [*_chunks(sources, _CONTEXT_LIMIT), *_chunks(notes, _CONTEXT_LIMIT)]
    return _messages(response.answer, small_print, plain=plain, standing=standing)


def part(markdown: str) -> Post:
    """Return a harmless text as a message of an answer that goes on in the next one."""
    block = {"type": "markdown", "text": markdown}
    return Post(text=_fallback([block]), blocks=(block,))


def below(posts: list[Post], response: Response, *, opens_sources: bool = True) -> list[Post]:
    """Return an answer with what can be pressed below it."""
    return rated(openable(posts, response) if opens_sources else posts, response)


def tabled(post: Post) -> Post:
    """Return a message with its first table as one of Slack's own, where it fits."""
    if not post.markdown:
        return post
    blocks = (*with_table(post.markdown), *post.below)
    return replace(post, blocks=blocks) if len(blocks) <= _BLOCKS_LIMIT and _size(blocks) <= _SUM_LIMIT else post


def rated(posts: list[Post], response: Response) -> list[Post]:
    """Return an answer with a pair of buttons below that ask what people think of it, where it cites anything."""
    if not posts[-1].blocks or not response.citations or response.clarification is not None:
        return posts
    block = {"type": "context_actions", "elements": [_thumbs(response)]}
    last = posts[-1].blocks
    if len(last) >= _BLOCKS_LIMIT or _size([*last, block]) > _SUM_LIMIT:
        return posts
    return [*posts[:-1], replace(posts[-1], blocks=(*last, block))]


def openable(posts: list[Post], response: Response) -> list[Post]:
    """Return an answer with a button for each source that has no address: it opens what the answer cites of it."""
    shown = [each for each in response.citations if each.collection and not link(each.source, "")][:_OPENED]
    if not posts[-1].blocks or not shown:
        return posts
    buttons = []
    for each in shown:
        reference = reference_of(each.collection, each.passage_id)
        if len(reference) > _VALUE_LIMIT:
            continue
        text = {"type": "plain_text", "text": say("open_source", response.language, n=each.n)}
        about = clipped(f"[{each.n}] {each.title or each.document_id}", _BUTTON_LIMIT)
        button = {"type": "button", "action_id": f"{SOURCE}{each.n}", "text": text, "accessibility_label": about}
        buttons.append({**button, "value": reference})
    block = {"type": "actions", "block_id": SOURCE, "elements": buttons}
    last = posts[-1].blocks
    if not buttons or len(last) >= _BLOCKS_LIMIT or _size([*last, block]) > _SUM_LIMIT:
        return posts
    return [*posts[:-1], replace(posts[-1], blocks=(*last, block))]


def _thumbs(response: Response) -> Block:
    def button(verdict: str, label: str, about: str) -> Block:
        text = {"type": "plain_text", "text": clipped(label, _BUTTON_LIMIT), "emoji": True}
        return {"text": text, "accessibility_label": clipped(about, _BUTTON_LIMIT), "value": f"{verdict}:{turn}"}

    turn, language = response.turn_id, response.language
    return {
        "type": "feedback_buttons",
        "action_id": FEEDBACK,
        "positive_button": button(HELPFUL, say("thumb_up", language), say("thumb_up_about", language)),
        "negative_button": button(NOT_HELPFUL, say("thumb_down", language), say("thumb_down_about", language)),
    }


def draft(markdown: str, todo: TodoList | None = None, *, plain: bool) -> Post:
    """Return an answer under way as one message, below its list where that stands in it."""
    above = progress(todo) if todo is not None else Post(text="")
    if plain:
        room = TEXT_LIMIT - len(GOES_ON) - len(above.text) - 2
        text = next(_plain(markdown, room), "")[:room] if room > 0 else ""
        return Post(text="\n\n".join(part for part in (above.text, text) if part) + GOES_ON)
    block = {"type": "markdown", "text": beginning(harmless(markdown), MARKDOWN_LIMIT - _size(above.blocks))}
    if not markdown and above.blocks:
        return Post(text=clipped(above.text, TEXT_LIMIT), blocks=above.blocks)
    return Post(text=_fallback([block]), blocks=(*above.blocks, block))


def first_part(markdown: str) -> str:
    """Return what of a harmless text its first message holds."""
    return next(iter(split(markdown, MARKDOWN_LIMIT)), "")


def _source_line(citation: Citation, language: Language) -> str:
    place = link(citation.source, clipped(citation.title, 300) or citation.document_id)
    if citation.section:
        place += f" › {escape(clipped(section_path(citation.section), 300))}"
    if citation.page is not None:
        place += ", " + escape(say("page", language, page=citation.page))
    return f"[{citation.n}] {place}"


def question(clarification: Clarification, *, plain: bool) -> list[Post]:
    """Return a question back, its choices numbered, with a button for each."""
    options = [f"{n}. {option}" for n, option in enumerate(clarification.options, start=1)]
    body = "\n".join([clarification.question, *(["", *options] if options else [])])
    notes = [escape(clipped(clarification.assumption, _CONTEXT_LIMIT))] if clarification.assumption else []
    posts = _messages(body, notes, plain=plain)
    if plain or not options:
        return posts
    buttons = [_button(n, option) for n, option in enumerate(clarification.options)]
    return [*posts[:-1], replace(posts[-1], blocks=(*posts[-1].blocks, {"type": "actions", "elements": buttons}))]


def _button(number: int, label: str) -> Block:
    text = {"type": "plain_text", "text": clipped(label, _BUTTON_LIMIT), "emoji": False}
    return {"type": "button", "action_id": f"{CHOICE}{number}", "text": text, "value": label[:2000]}


def remainder(found: Remainder, *, plain: bool, link: str = "", button: bool = True) -> list[Post]:
    """Return what only its asker is shown, with a button that shares it; `link` leads to what they asked."""
    language = found.response.language
    about = f"{say('about_your_question', language, link=link)}\n\n" if link else ""
    head = f"{about}{'🔒' if button else '☑️'} **{found.heading}**\n\n"
    posts = answer(replace(found.response, answer=head + found.response.answer), plain=plain)
    if plain or not button or found.closed:
        return posts
    text = {"type": "plain_text", "text": say("share_here", language), "emoji": False}
    press = {"type": "button", "action_id": SHARE_BUTTON, "text": text, "value": found.token}
    return [*posts[:-1], replace(posts[-1], blocks=(*posts[-1].blocks, {"type": "actions", "elements": [press]}))]


def without_buttons(post: Post) -> Post:
    """Return a question back whose choices can no longer be pressed."""
    return replace(post, blocks=tuple(block for block in post.blocks if block["type"] != "actions"))


def chosen(blocks: Sequence[Block], text: str, label: str, user: str) -> Post:
    """Return a question back after somebody picked a choice: without its buttons, with what was picked."""
    who = f"<@{user}>" if user.isalnum() else ""
    note = f"☑️ {escape(label)} {who}".strip()
    kept = [block for block in blocks if block.get("type") != "actions"]
    picked = {"type": "context", "elements": [{"type": "mrkdwn", "text": note, "verbatim": True}]}
    return Post(text=clipped(f"{text}\n{note}", TEXT_LIMIT), blocks=(*kept, picked))


def notice(markdown: str, *, plain: bool) -> list[Post]:
    """Return a text of our own as messages."""
    return _messages(markdown, [], plain=plain)


def anchor(message: IncomingMessage) -> Post:
    """Return the message that stands for a command, or what the clock asks, so that a thread can hang below it."""
    who = f"<@{message.author.id}>" if message.author.id.isalnum() else escape(message.author.name)
    heading = message.extra.get(HEADING)
    head = from_markdown(heading) if heading else say("asks", language_of(message.text), who=who)
    quote = clipped(from_markdown(message.text), _QUOTE_LIMIT)
    text = head + "\n" + "\n".join(f"> {line}" for line in quote.splitlines())
    return Post(text=text, blocks=(_section(text),))


def _messages(markdown: str, small_print: Sequence[str], *, plain: bool, standing: Sequence[str] = ()) -> list[Post]:
    """Return messages that hold the Markdown and, as far as it fits in the last one, the small print."""
    if plain:
        return [Post(text=text) for text in [*_plain(markdown, TEXT_LIMIT), *small_print]] or [Post(text="…")]
    rest = harmless(markdown)
    for text in standing:
        rest = rest.lstrip().removeprefix(text).lstrip()
    parts = [*standing, *split(rest, MARKDOWN_LIMIT)] or ["…"]
    filled: list[list[Block]] = [[{"type": "markdown", "text": part}] for part in parts]
    for chunk in small_print:
        block = {"type": "context", "elements": [{"type": "mrkdwn", "text": chunk, "verbatim": True}]}
        if len(filled[-1]) >= _BLOCKS_LIMIT or _size([*filled[-1], block]) > _SUM_LIMIT:
            filled.append([])
        filled[-1].append(block)
    return [Post(text=_fallback(blocks), blocks=tuple(blocks)) for blocks in filled]


def sections(markdown: str) -> Iterator[Block]:
    """Yield sections that show Markdown where no `markdown` block may stand: its tables are aligned text."""
    text = "\n".join(line for line, _ in lines_of(markdown, table_limit=_SECTION_LIMIT // 3))
    yield from map(_section, _plain(text, _SECTION_LIMIT, most=_SECTION_LIMIT))


def _plain(markdown: str, limit: int, *, most: int = TEXT_LIMIT) -> Iterator[str]:
    """Yield mrkdwn texts of at most so many characters; what grows by escaping is cut into smaller pieces first."""
    for part in split(markdown, limit):
        text = from_markdown(part)
        if len(text) <= most:
            yield text
        else:
            yield from _plain(part, limit // 2, most=most)


def _fallback(blocks: Sequence[Block]) -> str:
    first = blocks[0]
    text = from_markdown(first["text"]) if first["type"] == "markdown" else first["elements"][0]["text"]
    return clipped(text, TEXT_LIMIT)


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _chunks(lines: Sequence[str], limit: int) -> Iterator[str]:
    """Yield lines joined up to a limit; a line longer than that is clipped."""
    held: list[str] = []
    for line in lines:
        line = clipped(line, limit)
        if held and sum(map(len, held)) + len(held) + len(line) > limit:
            yield "\n".join(held)
            held = []
        held.append(line)
    if held:
        yield "\n".join(held)


def _within_sum(blocks: Sequence[Block]) -> Iterator[Block]:
    size = 0
    for block in blocks:
        size += _size([block])
        if size > _SUM_LIMIT:
            return
        yield block


def _size(blocks: Sequence[Block]) -> int:
    return sum(len(json.dumps(block, ensure_ascii=False)) for block in blocks)
