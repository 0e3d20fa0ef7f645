"""A pack that names people: the sample handbook, with a group of each platform."""

import shutil
from pathlib import Path

from agent.packs.load import builtin

SLACK_GROUP, DISCORD_ROLE = "S0HR", "900000000000000777"


def pack_with_people(folder: Path) -> Path:
    """Return the folder of a copy of the handbook whose people are asked."""
    pack = folder / "with_people"
    shutil.copytree(builtin("handbook"), pack)
    spec = pack / "pack.yaml"
    named = f"\npeople:\n  slack: {SLACK_GROUP}\n  discord: '{DISCORD_ROLE}'\n  playground: the HR desk\n"
    spec.write_text(spec.read_text().rstrip() + "\n" + named)
    return pack
