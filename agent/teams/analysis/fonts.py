"""Which font can draw a text: the Korean one, which has Latin letters too, or the one that comes with the plotter."""

from functools import lru_cache
from pathlib import Path

import pylopdf_fonts_ko
from matplotlib import get_data_path
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font


def font_for(text: str, size: float) -> FontProperties | None:
    """Return a font that has a glyph for every character of a text, in points; None: it would be drawn as boxes."""
    for path in _paths():
        if all(ord(character) in _glyphs(path) for character in text if not character.isspace()):
            return FontProperties(fname=path, size=size)
    return None


def plain_font(size: float) -> FontProperties:
    """Return the font for figures and for texts of our own."""
    return FontProperties(fname=_paths()[0], size=size)


@lru_cache(maxsize=1)
def _paths() -> tuple[str, ...]:
    return (str(pylopdf_fonts_ko.sans_path()), str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"))


@lru_cache(maxsize=4)
def _glyphs(path: str) -> frozenset[int]:
    return frozenset(FT2Font(path).get_charmap())
