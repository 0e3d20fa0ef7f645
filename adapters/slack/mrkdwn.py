"""Slack's own mark-up: read as Markdown, and written so that nothing in a text can ping or pretend."""

import re
from collections.abc import Callable, Mapping

from adapters.markdown_split import outside_code

_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_TOKEN = re.compile(r"<([^<>\n]+)>")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_STRIKE = re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])")
_BULLET = re.compile(r"^([ \t]*)[•◦▪][ \t]+", re.MULTILINE)
_JOINER = "\u2060"  # a word joiner: nothing to see, and enough to make a mention plain text
_LIVE = re.compile(r"<(?=[@!#])|(?<![\w@])@(?=(?:everyone|channel|here|all)\b)", re.IGNORECASE)


def mentioned(text: str) -> tuple[str, ...]:
    """Return the ids of the people that a Slack text mentions, each once, in order."""
    return tuple(dict.fromkeys(re.findall(r"<@([A-Z0-9]+)(?:\|[^<>\n]*)?>", text)))


def called(text: str, own_id: str) -> tuple[str, ...]:
    """Return the ids of the others that a Slack text mentions, people and groups: `@here` is one, too."""
    groups = re.findall(r"<!(?:subteam\^)?([A-Za-z0-9]+)(?:[|^][^<>\n]*)?>", text)
    everybody = ("here", "channel", "everyone")
    return (
        *(user for user in mentioned(text) if user != own_id),
        *(group for group in dict.fromkeys(groups) if group in everybody or group[:1] == "S"),
    )


def to_markdown(text: str, *, own_id: str = "", names: Mapping[str, str] | None = None) -> str:
    """Return a Slack text as Markdown: own mention gone, others by name, code left as it is."""
    known = names or {}
    out, end = [], 0
    for code in _CODE.finditer(text):
        out.append(_prose(text[end : code.start()], own_id, known))
        out.append(_code(code.group(), own_id, known))
        end = code.end()
    out.append(_prose(text[end:], own_id, known))
    joined = "".join(out)
    if own_id and own_id in mentioned(text):
        joined = re.sub(r"\A[\s,:;]+", "", joined)
    return joined.strip()


def _prose(text: str, own_id: str, names: Mapping[str, str]) -> str:
    text = re.sub(r"^(?:&gt;)+ ?", lambda m: ">" * (len(m[0]) // 4) + " ", text, flags=re.MULTILINE)
    if own_id:
        mention = rf"<@{own_id}(?:\|[^<>\n]*)?>"
        text = re.sub(rf"[ \t]*{mention}(?=\s*\Z|[?!.,;:])|{mention}[ \t]*", "", text)
    text = _BULLET.sub(lambda m: m[1] + "- ", text)
    pieces, end = [], 0
    for token in _TOKEN.finditer(text):
        pieces.append(_emphasis(text[end : token.start()]))
        pieces.append(_unescape(_token(token[1], names)))
        end = token.end()
    pieces.append(_emphasis(text[end:]))
    return "".join(pieces)


def _emphasis(text: str) -> str:
    return _unescape(_STRIKE.sub(r"~~\1~~", _BOLD.sub(r"**\1**", text)))


def _code(text: str, own_id: str, names: Mapping[str, str]) -> str:
    def bare(token: re.Match[str]) -> str:
        target, _, label = token[1].partition("|")
        return _token(token[1], names) if target[:1] in "@#!" else label or target

    text = _unescape(_TOKEN.sub(bare, text))
    if not text.startswith("```"):
        return text
    return "```\n" + text[3:-3].strip("\n") + "\n```"


def _token(inner: str, names: Mapping[str, str]) -> str:
    """Return what stands between `<` and `>` as Markdown."""
    target, _, label = inner.partition("|")
    kind, rest = target[:1], target[1:]
    if kind == "@":
        return "@" + (names.get(rest) or label or rest)
    if kind == "#":
        return "#" + (label or rest)
    if kind == "!":
        word = rest.partition("^")[0]
        return label or "@" + (rest.removeprefix("subteam^") if word == "subteam" else word)
    address = target.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in (target, address) or label == re.sub(r"^https?://", "", target).rstrip("/"):
        return address
    return f"[{label}]({target})"


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def harmless(markdown: str) -> str:
    """Return Markdown in which no mention is live, for a `markdown` block; what is code can be copied as it is."""
    return outside_code(markdown, lambda text: _LIVE.sub(lambda m: m[0] + _JOINER, text))


def escape(text: str) -> str:
    """Return plain text for a mrkdwn field: nothing in it is a mention, a link or a tag."""
    return _LIVE.sub(lambda m: m[0] + _JOINER, _entities(text))


def _entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def link(url: str, label: str) -> str:
    """Return a mrkdwn link for an http(s) address, and the label alone for anything else, or an endless one."""
    label = escape(label.replace("\n", " ")).replace("|", "¦")
    if not re.match(r"https?://[^\s/]", url) or len(url) > 1_000:
        return label
    safe = re.sub(r"[\s<>|\"`]", lambda m: f"%{ord(m[0]):02X}", url).replace("&", "&amp;")
    return f"<{safe}|{label}>"


def from_markdown(markdown: str) -> str:
    """Return Markdown as mrkdwn, for notifications and where blocks are refused."""
    out, end = [], 0
    for code in _CODE.finditer(markdown):
        out.append(_to_prose(markdown[end : code.start()]))
        block = code.group().startswith("```")  # posted with parse=none, in which no word alone is a mention
        out.append(_entities(code.group()) if block else escape(code.group()))
        end = code.end()
    out.append(_to_prose(markdown[end:]))
    return "".join(out)


_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"^#{1,6}[ \t]++(.+?)(?<![ \t])(?:[ \t]++#*+|(?<!#)#++|)$", re.MULTILINE), r"*\1*"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"*\1*"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"~\1~"),
    (re.compile(r"^([ \t]*)[-*+][ \t]+", re.MULTILINE), r"\1• "),
    (re.compile(r"^&gt; ?", re.MULTILINE), "> "),
)
_LINK = re.compile(r"\[([^\]\n]{1,500}+)\]\((https?://(?:[^()\s]++|\([^()\s]*+\))++)\)")


def _to_prose(text: str) -> str:
    pieces, end = [], 0
    for match in _LINK.finditer(text):
        pieces += [_ruled(text[end : match.start()]), link(match[2], match[1])]
        end = match.end()
    pieces.append(_ruled(text[end:]))
    return "".join(pieces)


def _ruled(text: str) -> str:
    text = escape(text)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
