"""Reads `pack.yaml` and the templates beside it. What is wrong is told by file, line, key and what is allowed."""

from collections.abc import Sequence
from pathlib import Path

from agent.errors import PackError
from agent.packs.pack import Pack
from agent.packs.templates import load_templates
from agent.packs.yaml_reading import parsed, text_of

PACK_FILE = "pack.yaml"
"""What makes a folder a pack."""
_HERE = Path(__file__).parent
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
    for part in (documents, folder / "templates", *(sorted(documents.iterdir()) if documents.is_dir() else ())):
        if not part.resolve().is_relative_to(folder):
            raise PackError(f"{part}: leads out of the pack, to another place; copy what is there into the pack")
    return pack.model_copy(
        update={"folder": folder, "templates": load_templates(file.parent / "templates", pack.languages)}
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
