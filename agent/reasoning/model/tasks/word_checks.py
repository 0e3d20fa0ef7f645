"""Rules for words of a model that people read: in their language, and with nothing that stands in no source.

A document may order the model to write an address that holds what was asked, or to show an image from there:
opening it, or only showing it, would tell that server. An address that stands word for word in a source holds
nothing of the conversation, so it may be shown; every other one may not.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

from agent.language.lexicon import pattern
from agent.reasoning.grounding.figures import amounts_of, date_problems, number_problems
from agent.reasoning.grounding.wording import bare
from agent.text import language_of
from agent.types import Language

_COUNTED = 10
"""Up to here a number in words and without a unit only counts: "two plans", "the first quarter"."""
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}:)?//[^\s<>]+"  # with a scheme, or with that of the page
    r"|\b(?:mailto|data|javascript|tel|file|vbscript):[^\s<>]+"
    r"|\b(?:[a-z0-9-]{1,63}\.){1,60}[a-z]{2,24}(?::\d{1,5})?[/?][^\s<>]*"  # chats make a link of a bare host as well
    r"|\bwww\.[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+",
    re.IGNORECASE,
)
"""As far as a chat's program would go that makes links of bare addresses: to the next white space."""
_TARGET = re.compile(
    r"!?\[[^\[\]]*+\]\(\s*+<?([^\s>)]{1,2000}+)[^)]{0,2000}+\)"  # [text](address "title")
    r"|^[ ]{0,3}\[[^\[\]\n]++\]:[ \t]*<?([^\s>]+)"  # [name]: address
    r"|<((?=[^\s<>|/:]*+[/:])[^\s<>|]++)(?:\|[^<>]*+)?>",  # <address>, <address|text>
    re.MULTILINE,
)
_HTML_TARGET = re.compile(r"\b(?:src|href|action|poster|srcset)\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_END = ".,;:!?…。、'\"*_~`)]}|”’」"
_MARK = re.compile(r"<<<[0-9a-f]{16}|\b[0-9a-f]{16}>>>")
_CONTROL = re.compile(r"<[|｜][^<>\n]{1,40}[|｜]>|\[/?INST\]|</?(?:start|end)_of_turn>")


def amiss(text: str, sources: Sequence[str], *, language: Language | None = None) -> str:
    """Return what is wrong with a text, in words for another try; empty when nothing is.

    Its numbers, dates and addresses must stand in one of the sources; a language, where given, must be its own.
    """
    source = "\n".join(sources)
    problems = [
        *number_problems(without_counting(text), source),
        *date_problems(text, source),
        *leaks(text, sources=sources),
    ]
    if language is not None and language_of(text, language) != language:
        problems.append("is not in the language that was asked for")
    return "; ".join(dict.fromkeys(problems))


def without_counting(text: str) -> str:
    """Return the text, without its marks of form and without numbers in words that only count."""
    plain = bare(text)
    for amount in amounts_of(text):
        if not amount.unit and amount.value <= _COUNTED and not any(map(str.isdigit, amount.written)):
            plain = plain[: amount.start] + " " * (amount.end - amount.start) + plain[amount.end :]
    return plain


def leaks(answer: str, *, sources: Sequence[str]) -> tuple[str, ...]:
    """Return what is wrong with an answer, in words for another draft; empty when nothing is.

    `sources` are the passages, titles and addresses that the answer may rest on, and the asker's own question.
    """
    problems = []
    known = {each for source in sources for address in addresses(source) for each in (address, _bare(address))}
    if any(address not in known and _bare(address) not in known for address in addresses(answer)):
        problems.append("a link or an image that stands in no source")
    if _MARK.search(answer) or _CONTROL.search(answer):
        problems.append("a mark of the prompt")
    return tuple(problems)


def addresses(text: str) -> frozenset[str]:
    """Return what a reader's program could open, without its scheme and as a browser would understand it."""
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", html.unescape(_ESCAPED.sub(r"\1", text))))
    seen = seen.replace("\\", "/")
    found = [target for match in _TARGET.finditer(seen) for target in match.groups() if target]
    found += _HTML_TARGET.findall(seen)
    found += _ADDRESS.findall(_TARGET.sub(" ", seen))
    return frozenset(filter(None, map(_plain, found)))


def _bare(address: str) -> str:
    return _plain(pattern("model.behind_address").sub("", address))


def _plain(address: str) -> str:
    address = unquote(address).rstrip(_END)
    scheme, separator, rest = address.partition("//")
    if not separator or "/" in scheme.removesuffix("/"):
        scheme, rest = "", address
    host, slash, path = rest.partition("/")
    # With and without a scheme it is the same place; a lone slash at the end is nothing.
    return f"{host.lower()}{slash}{path}".removesuffix("/")
