"""Markdown to HTML that may stand in the page: HTML in it is text, and an allow-list has the last word."""

import re
from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

_MARK = re.compile(r"\[(\d{1,3})\](?!\()")
_TAGS = set(
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a"
    " table thead tbody tr th td div span button".split()
)


@lru_cache(maxsize=512)
def render(text: str, citations: frozenset[int] | None = frozenset()) -> str:
    """Return safe HTML; `[n]` becomes a button for a known citation, a plain mark while None is known."""
    html = _markdown().render(text, {"citations": citations})
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={
            "a": {"href", "title"},
            "button": {"type", "data-cite"},
            "ol": {"start"},
            "th": {"align"},
            "td": {"align"},
        },
        allowed_classes={"button": {"cite"}, "span": {"cite"}, "div": {"table"}},
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    markdown.disable("reference")  # `[1]: ...` would turn every mark after it into a link of the text's choice
    markdown.inline.ruler.before("link", "citation", _citation)
    for name, rule in (
        ("citation", _render_citation),
        ("image", _render_image),
        ("table_open", _render_table),
        ("table_close", _render_table),
        ("th_open", _render_cell),
        ("td_open", _render_cell),
    ):
        markdown.add_render_rule(name, rule)
    return markdown


def _citation(state: StateInline, silent: bool) -> bool:
    # Silent is the search for the end of a link's text: a mark in there stays text.
    if silent or state.linkLevel or state.src[state.pos] != "[":
        return False
    match = _MARK.match(state.src, state.pos, state.posMax)
    known = state.env.get("citations")
    if match is None or (known is not None and int(match[1]) not in known):
        return False
    token = state.push("citation", "", 0)
    token.content = match[1]
    state.pos = match.end()
    return True


def _render_citation(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    n = int(tokens[index].content)
    if env.get("citations") is None:
        return f'<span class="cite">{n}</span>'
    return f'<button type="button" class="cite" data-cite="{n}">{n}</button>'


def _render_image(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    # An image would tell its server who reads the answer; its words are kept.
    return escapeHtml(tokens[index].content)


def _render_table(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    return '<div class="table"><table>' if tokens[index].nesting == 1 else "</table></div>"


def _render_cell(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    # The page's policy refuses style attributes, in which markdown-it puts the alignment of a column.
    align = str(tokens[index].attrGet("style") or "").removeprefix("text-align:")
    return f"<{tokens[index].tag} align={align}>" if align else f"<{tokens[index].tag}>"
