"""Reads `pack.yaml` and the templates beside it. What is wrong is told by file, line, key and what is allowed."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from agent.errors import PackError
from agent.language.registry import DEFAULT
from agent.packs.body import problems
from agent.packs.pack import Pack
from agent.packs.template import Template
from agent.packs.yaml_reading import parsed, text_of
from agent.types import Language

PACK_FILE = "pack.yaml"
"""What makes a folder a pack."""
_TEMPLATES = "templates"
ENDING = ".md.j2"
_HERE = Path(__file__).parent
_FENCE = "---"
_SET_ON_LOAD = frozenset({"folder", "templates"})


def available() -> list[str]:
    """Return the names of the packs that come with Weft."""
    return sorted(file.parent.name for file in _HERE.glob(f"*/{PACK_FILE}"))


def builtin(name: str) -> Path:
    """Return the folder of a pack that comes with Weft. Raises PackError for another name."""
    if name not in available():
        raise PackError(
            f"There is no pack named {name!r}. Available: {', '.join(available())}. "
            f"A pack of your own is given by the path of its folder."
        )
    return _HERE / name


def load_pack(path: Path) -> Pack:
    """Return the pack of a folder, or of its `pack.yaml`. Raises PackError with a line for each mistake."""
    file = path if path.name == PACK_FILE else path / PACK_FILE
    text = text_of(file, missing=f"there is no such file; a pack is a folder with a {PACK_FILE} in it")
    pack = parsed(text, Pack, file, what="a pack", hidden=_SET_ON_LOAD, languages=lambda pack: pack.languages)
    folder = file.parent.resolve()
    documents = folder / "documents"
    for part in (documents, folder / _TEMPLATES, *(sorted(documents.iterdir()) if documents.is_dir() else ())):
        if not part.resolve().is_relative_to(folder):
            raise PackError(f"{part}: leads out of the pack, to another place; copy what is there into the pack")
    return pack.model_copy(
        update={"folder": folder, "templates": load_templates(file.parent / _TEMPLATES, pack.languages)}
    )


def load_packs(paths: Sequence[Path]) -> tuple[Pack, ...]:
    """Return several packs, in their order. Raises PackError where one is wrong, or two have one name."""
    packs: dict[str, Pack] = {}
    for path in paths:
        pack = load_pack(path)
        other = packs.get(pack.name)
        if other is not None and other.folder != pack.folder:
            raise PackError(
                f"two packs are called {pack.name!r}: {other.folder} and {pack.folder}. "
                "Their documents would lie in one collection; change `name` in one of them"
            )
        packs[pack.name] = pack
    return tuple(packs.values())


def load_templates(folder: Path, languages: Sequence[Language] = ()) -> tuple[Template, ...]:
    """Return the templates of a folder, and those that every pack has and that it does not replace, by name.

    Every text of the folder's own has to be told in these languages.
    Raises PackError with a line for each mistake.
    """
    own = _loaded(folder, languages)
    every = {**_shared(), **own}.values()
    return tuple(sorted(every, key=lambda template: (template.name not in own, template.name)))


@cache
def _shared() -> Mapping[str, Template]:
    """Return the templates that every pack has."""
    return _loaded(_HERE / _TEMPLATES, (DEFAULT,))


def _loaded(folder: Path, languages: Sequence[Language]) -> dict[str, Template]:
    templates: dict[str, Template] = {}
    wrong: list[str] = []
    for file in sorted(folder.glob("*.j2")) if folder.is_dir() else ():
        try:
            template = load_template(file, languages)
            templates[template.name] = template
        except PackError as error:
            wrong.append(str(error))
    if wrong:
        raise PackError("\n".join(wrong))
    return templates


def load_template(file: Path, languages: Sequence[Language] = ()) -> Template:
    """Return the template of a file. Raises PackError with a line for each mistake."""
    if not file.resolve().is_relative_to(file.parent.parent.resolve()):
        raise PackError(f"{file}: leads out of the pack, to another place; copy the file into the pack's templates/")
    if not file.name.endswith(ENDING):
        raise PackError(f"{file}: a template's file is called NAME{ENDING}")
    front, body, offset = _parted(text_of(file), file)
    template = parsed(
        front, Template, file, what="the front matter of a template", hidden={"body"}, languages=lambda _: languages
    )
    if template.name != file.name.removesuffix(ENDING):
        raise PackError(
            f"{file}: name: {template.name!r} is not the file's name; call the file {template.name}{ENDING}"
        )
    template = template.model_copy(update={"body": body})
    wrong = problems(template)
    if wrong:
        raise PackError("\n".join(f"{file}:{each.line + offset}: body: {each.text}" for each in wrong))
    return template


def _parted(text: str, file: Path) -> tuple[str, str, int]:
    """Return front matter and body, and how many lines stand before the body.

    The front matter keeps its place in the file, so that a line's number is the file's.
    """
    lines = text.splitlines(keepends=True)
    ends = [n for n, line in enumerate(lines) if n and line.rstrip() == _FENCE]
    if not lines or lines[0].rstrip() != _FENCE or not ends:
        raise PackError(f"{file}:1: a template begins with its front matter, between two lines of {_FENCE}")
    end = ends[0]
    body = "".join(lines[end + 1 :])
    if not body.strip():
        raise PackError(f"{file}:{end + 1}: body: is empty; the text of the document stands below the front matter")
    return "\n" + "".join(lines[1:end]), body, end + 1
