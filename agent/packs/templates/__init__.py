"""The templates of a pack: its own, and those here, which every pack has."""

from pathlib import Path

from agent.errors import PackError
from agent.packs.body import problems
from agent.packs.template import Template
from agent.packs.yaml_reading import parsed, text_of

_ENDING = ".md.j2"
_HERE = Path(__file__).parent
_FENCE = "---"


def load_templates(folder: Path) -> tuple[Template, ...]:
    """Return the templates of a folder, and those that every pack has and that it does not replace, by name.

    Raises PackError with a line for each mistake.
    """
    own = _loaded(folder)
    return tuple(
        sorted({**_loaded(_HERE), **own}.values(), key=lambda template: (template.name not in own, template.name))
    )


def _loaded(folder: Path) -> dict[str, Template]:
    templates: dict[str, Template] = {}
    wrong: list[str] = []
    for file in sorted(folder.glob("*.j2")) if folder.is_dir() else ():
        try:
            template = load_template(file)
        except PackError as error:
            wrong.append(str(error))
        else:
            templates[template.name] = template
    if wrong:
        raise PackError("\n".join(wrong))
    return templates


def load_template(file: Path) -> Template:
    """Return the template of a file. Raises PackError with a line for each mistake."""
    if not file.name.endswith(_ENDING):
        raise PackError(f"{file}: a template's file is called NAME{_ENDING}")
    front, body, offset = _parted(text_of(file), file)
    template = parsed(front, Template, file, what="the front matter of a template", hidden={"body"})
    if template.name != file.name.removesuffix(_ENDING):
        raise PackError(
            f"{file}: name: {template.name!r} is not the file's name; call the file {template.name}{_ENDING}"
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
