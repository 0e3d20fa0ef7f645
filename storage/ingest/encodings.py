"""Bytes to text: UTF-8, UTF-16, the Korean code page, and Western European as a last guess."""

import codecs
import re

from agent.errors import RefusedFileError
from agent.language.ko.letters import LETTERS

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark its own begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HANGUL = re.compile(f"[{LETTERS}]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_WESTERN = re.compile(r"[À-ÖØ-öø-ÿŒœŠšŽžŸ§°«»€£©®™·¿¡–—‘’“”„…•\xa0]")

_KNOWN = re.compile(rf"[\t\n\r -~{LETTERS}一-鿿À-ÿ‘’“”…·•–—]")
_HEAD = 4_096
_PLAUSIBLE = 0.95
"""Share of the characters that people write with."""

_NOT_TEXT = "it is not a text file (binary data), or its encoding is unknown; save it as UTF-8"


def decode(data: bytes) -> str:
    """Return the text of a file, line ends as they are. Raises RefusedFileError for what is no text."""
    text = _decoded(data)
    # A stray control character is in many a real text; one in a hundred is in none.
    if "\0" in text or len(_CONTROL.findall(text)) > max(1, len(text) // 100):
        raise RefusedFileError(_NOT_TEXT)
    return text


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise RefusedFileError(f"its {encoding} text is broken at byte {error.start}") from error
    if data[:_HEAD].count(0) * 20 > len(data[:_HEAD]) and (text := _unmarked(data)):
        return text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    for encoding, plausible, share in (("cp949", _HANGUL, 0.5), ("cp1252", _WESTERN, 0.9)):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        beyond = len(_BEYOND_ASCII.findall(text))
        # Western text is mostly ASCII; noise is not.
        if len(plausible.findall(text)) >= share * beyond and (encoding == "cp949" or beyond * 3 <= len(text)):
            return text
    raise RefusedFileError(_NOT_TEXT)


def _unmarked(data: bytes) -> str:
    """Return the text of a UTF-16 file without its mark, which its NULs give away; empty for any other."""
    found: dict[float, str] = {}
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        found[len(_KNOWN.findall(text)) / max(1, len(text))] = text
    best = max(found, default=0.0)
    return found[best] if best >= _PLAUSIBLE else ""
