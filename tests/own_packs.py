"""Packs that come with Weft are read once: they never change, and take much of the time that an engine opens in.

To be imported before anything that imports `load_pack` by its name.
"""

from functools import cache
from pathlib import Path

from agent.packs import load
from agent.packs.pack import Pack

_OWN = frozenset(load.builtin(name) for name in load.available())
_read = load.load_pack
_read_once = cache(_read)


def load_pack(path: Path) -> Pack:
    """Read a pack, one that comes with Weft once."""
    return _read_once(path) if path in _OWN else _read(path)


load.load_pack = load_pack
