"""What Sphinx adds to reStructuredText, as docutils takes it: directives and roles that docutils itself does not know.

None of them reads a file: what would bring in another one is left out.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from docutils import languages, nodes, utils
from docutils.parsers.rst import Directive, directives, roles
from docutils.statemachine import StringList

from agent.language import lexicon
from storage.ingest.formats.roles import REFERRING, words_of

REF = "reftarget"
"""Attribute of words that are to be the title of what they point to."""

_FROM_ELSEWHERE = re.compile(r"toctree|contents|index|meta|raw|date|(?:literal)?include")
"""What shows something of another place, or what no reader sees."""
_SETTING = re.compile(
    r"program|tabularcolumns|(?:current)?module|namespace(?:-push|-pop)?"
    r"|(?:section|module|code)author|test(?:setup|cleanup)"
)
_CODE = re.compile(r"code|code-block|sourcecode|prompt|doctest|test(?:code|output)|productionlist|ipython|plot")
_DRAWING = re.compile(r"(?:di)?graph|graphviz|mermaid|(?:plant)?uml|blockdiag")
"""Those that are drawn from a text; it is shown as it stands."""
_ARGUMENT_LEFT_OUT = re.compile(r"only|ifconfig|highlight|hlist|(?:rst-|css-?)class|default-domain|jinja|\w*container")
_VERSIONS = re.compile(r"version(?:added|changed|removed)|deprecated")
_DESCRIPTION = re.compile(
    r"(?:\w+:)+\w+|(?:auto)?(?:function|class|exception|attribute|property|data|(?:static|class|abstract)?method)"
    r"|decorator|describe|object"
)
"""Those of a domain (`c:macro`), and parts of a program, which Sphinx knows without one."""
_SWITCH = re.compile(r"(?:cmd)?option|envvar|confval")
"""What people set."""
_CLASS_OF_STYLE = re.compile(r"[a-z][a-z0-9 _-]*")
"""What follows the `class` of docutils, which gives a style; that of Sphinx describes a class."""
_TYPED = ("type", "default", "value")


class described(nodes.General, nodes.Element):
    """Something with a signature (a function, an option) and the text about it; `signatures` are lines."""


@contextmanager
def understood(label: Callable[[str], str]) -> Iterator[None]:
    """Let docutils know the dialect while a text is parsed; `label` words a note of a kind (`versionadded`).

    docutils keeps what it knows in its modules, also the roles that a text defines: they go when it is read.
    """
    known_directive, known_role, own_roles = directives.directive, roles.role, dict(roles._roles)  # type: ignore[attr-defined]

    def directive(name: str, language: Any, document: nodes.document) -> tuple[Any, list[Any]]:
        kind = name.lower().rpartition(":")[2]
        if is_unseen(kind):
            return _LeftOut, []
        if is_code(kind):
            return _Code, []
        if is_note(kind):
            return type("_OwnNote", (_Note,), {"title": label(kind), "is_version": kind != "seealso"}), []
        if _ARGUMENT_LEFT_OUT.fullmatch(kind):
            return _Contents, []
        if _DESCRIPTION.fullmatch(name.lower()) or _SWITCH.fullmatch(kind):
            return _Description, []
        found, _ = known_directive(name, language, document)
        return found or _Unknown, []

    def role(name: str, language: Any, line: int, reporter: Any) -> tuple[Any, list[Any]]:
        found: Any = known_role(name, language, line, reporter)[0]
        return (_shown if found in (None, roles.unimplemented_role) else found), []

    directives.directive, roles.role = directive, role  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive, roles.role = known_directive, known_role
        roles._roles.clear()  # type: ignore[attr-defined]
        roles._roles.update(own_roles)  # type: ignore[attr-defined]


def is_unseen(kind: str) -> bool:
    """Tell whether a directive shows something of another place, sets something, or is for no reader."""
    return bool(_FROM_ELSEWHERE.fullmatch(kind) or _SETTING.fullmatch(kind))


def is_code(kind: str) -> bool:
    """Tell whether what is in a directive of Sphinx is shown as it stands."""
    return bool(_CODE.fullmatch(kind) or _DRAWING.fullmatch(kind))


def is_note(kind: str) -> bool:
    """Tell whether Sphinx gives a directive its title: of a version, or "See also"."""
    return bool(_VERSIONS.fullmatch(kind)) or kind == "seealso"


def labels(language: str) -> Callable[[str], str]:
    """Return what words a note of a kind, in the language of the text: "Changed in version {version}:"."""
    own = lexicon.mapping("documents.rst_notes", language if lexicon.has("documents.rst_notes", language) else "en")
    known = languages.get_language(language, None).labels

    def label(kind: str) -> str:
        return str(own.get(kind) or known.get(kind) or "").strip("!")

    return label


class _Anything(dict[str, Callable[[Any], Any]]):
    """Options of every name, each taken as it stands."""

    def __bool__(self) -> bool:
        return True

    def __missing__(self, name: str) -> Callable[[Any], Any]:
        return lambda value: value or ""


class _Open(Directive):
    """A directive that takes whatever it is given."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = _Anything()

    @property
    def argument(self) -> str:
        return self.arguments[0].strip() if self.arguments else ""

    def inside(self) -> list[nodes.Node]:
        """Return what is in it."""
        return self.parsed(self.content, self.content_offset)

    def parsed(self, lines: StringList, offset: int) -> list[nodes.Node]:
        parent = nodes.Element()
        parent.document = self.state.document
        self.state.nested_parse(lines, offset, parent, match_titles=True)
        return list(parent.children)

    def words(self, node: nodes.TextElement, text: str) -> nodes.TextElement:
        """Return a node with a text that may hold roles and marks."""
        node.extend(self.state.inline_text(text, self.lineno)[0])
        return node


class _LeftOut(_Open):
    def run(self) -> Sequence[nodes.Node]:
        return []


class _Contents(_Open):
    def run(self) -> Sequence[nodes.Node]:
        return self.inside()


class _Unknown(_Open):
    """One that nobody knows: its title and what is in it; one word alone names a target or a setting."""

    def run(self) -> Sequence[nodes.Node]:
        inside = self.inside()
        titled = self.argument and (inside or " " in self.argument)
        return [self.words(nodes.paragraph(), self.argument), *inside] if titled else inside


class _Code(_Open):
    def run(self) -> Sequence[nodes.Node]:
        lines = [*self.argument.split("\n")[1:], *self.content]  # some write it without the empty line
        if not lines and self.name.lower().startswith(("productionlist", "doctest", "plot")):
            lines = [self.argument]
        caption = str(self.options.get("caption") or "")
        code = [nodes.literal_block("", "\n".join(lines))] if lines else []
        return [self.words(nodes.paragraph(), caption), *code] if caption else code


class _Note(_Open):
    title: ClassVar[str]
    is_version: ClassVar[bool]

    def run(self) -> Sequence[nodes.Node]:
        note, title, text = nodes.admonition(), self.title, self.argument
        if self.is_version:
            version, _, text = text.partition(" ") if "\n" not in text.split(" ")[0] else text.partition("\n")
            title = title.format(version=version)
        note += nodes.title("", title)
        if text.strip():
            note += self.words(nodes.paragraph(), text.strip())
        note.extend(self.inside())
        return [note]


class _Description(_Open):
    """A function, a class, an option, a variable of the environment: its signatures and what is said of it."""

    def run(self) -> Sequence[nodes.Node]:
        kind = self.name.lower().rpartition(":")[2].removeprefix("auto")
        if self.name.lower() == "class" and _CLASS_OF_STYLE.fullmatch(self.argument):
            return self.inside()
        lines = [line.strip() for line in self.argument.replace("\\\n", " ").split("\n") if line.strip()]
        if kind in ("class", "exception"):
            lines = [f"{kind} {line}" for line in lines]
        typed = "; ".join(f"{name}: {self.options[name]}" for name in _TYPED if self.options.get(name))
        inside = self.inside()
        if typed:
            inside.insert(0, self.words(nodes.paragraph(), typed))
        return [described("", *inside, signatures=lines)] if lines else inside


def _shown(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Any,
    options: Any = None,
    content: Sequence[str] = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return the words of a role: `text <target>` is its text, `~a.b.C` is C, `:doc:` the name of the page."""
    kind = name.lower().rpartition(":")[2]
    if kind.startswith("raw"):  # mark-up of another format
        return [], []
    node = nodes.inline(rawtext)
    words, titled = words_of(kind, utils.unescape(text))
    if kind in REFERRING and not titled:
        node[REF] = nodes.fully_normalize_name(words)
    node += nodes.Text(words)
    return [node], []
