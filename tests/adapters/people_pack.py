"""A pack that names people: the sample handbook, with a group of each platform."""

import shutil
from pathlib import Path

import pytest

from agent.packs.load import builtin
from tests.sampled import begun, made

SLACK_GROUP, DISCORD_ROLE = "S0HR", "900000000000000777"


def pack_with_people(folder: Path) -> Path:
    """Return the folder of a copy of the handbook whose people are asked."""
    pack = folder / "with_people"
    shutil.copytree(builtin("handbook"), pack)
    spec = pack / "pack.yaml"
    named = f"\npeople:\n  slack: {SLACK_GROUP}\n  discord: '{DISCORD_ROLE}'\n  playground: the HR desk\n"
    spec.write_text(spec.read_text().rstrip() + "\n" + named)
    return pack


@pytest.fixture(scope="session")
def _people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("people")
    pack = pack_with_people(folder)
    return pack, made(folder, begun(folder / "data", str(pack)))


@pytest.fixture
def people(_people: tuple[Path, Path], tmp_path: Path) -> Path:
    """Return that pack, which no test may change; `tmp_path / "data"` holds its documents."""
    pack, data = _people
    shutil.copytree(data, tmp_path / "data")
    return pack
