"""Makes documents of Hangul: the parts that a reader looks at, as its program writes them (KS X 6101)."""

from collections.abc import Sequence
from pathlib import Path

from tests.storage.ingest.office_files import zipped

_NAMES = " ".join(
    f'xmlns:{short}="http://www.hancom.co.kr/hwpml/2011/{name}"'
    for short, name in (("hp", "paragraph"), ("hs", "section"), ("hh", "head"), ("hc", "core"))
)
_SHAPES = ("NONE", "OUTLINE:0", "OUTLINE:1", "NUMBER:0", "NUMBER:1", "BULLET:0", "OUTLINE:7")
BODY, FIRST, SECOND, NUMBERED, NUMBERED_BELOW, BULLET, EIGHTH = range(7)
"""Shapes of paragraphs, by what precedes them."""
PLAIN, TITLE, CONTENTS, HEADING = range(4)
"""Styles: none to speak of, the title, a line of the table of contents, a heading by its name alone."""
_STYLES = (("바탕글", "Normal"), ("제목", "Title"), ("차례 1", "TOC 1"), ("개요 2", "Outline 2"))


def t(text: str) -> str:
    return f"<hp:t>{text}</hp:t>"


def p(content: str, shape: int = BODY, style: int = PLAIN) -> str:
    """Return a paragraph of words, or of what already is XML."""
    inner = content if content.startswith("<") else t(content)
    return f'<hp:p paraPrIDRef="{shape}" styleIDRef="{style}"><hp:run charPrIDRef="0">{inner}</hp:run></hp:p>'


def box(content: str) -> str:
    return f"<hp:subList>{content if content.startswith('<') else p(content)}</hp:subList>"


def note(text: str, kind: str = "footNote") -> str:
    number = '<hp:ctrl><hp:autoNum num="1" numType="FOOTNOTE"/></hp:ctrl>'
    return f"<hp:ctrl><hp:{kind}>{box(p(number + t(text)))}</hp:{kind}></hp:ctrl>"


def table(rows: Sequence[Sequence[tuple[int, int, int, str]]], extra: str = "", *, header: bool = False) -> str:
    """Return a table; a cell is its column, how many columns and rows it takes, and its content."""
    written = "".join(
        "<hp:tr>"
        + "".join(
            f'<hp:tc header="{int(header and not at)}">{box(content)}<hp:cellAddr colAddr="{column}" rowAddr="{at}"/>'
            f'<hp:cellSpan colSpan="{wide}" rowSpan="{high}"/></hp:tc>'
            for column, wide, high, content in row
        )
        + "</hp:tr>"
        for at, row in enumerate(rows)
    )
    return f'<hp:tbl rowCnt="{len(rows)}" colCnt="9"><hp:sz width="9"/>{extra}{written}</hp:tbl>'


def header() -> str:
    shapes = "".join(
        f'<hh:paraPr id="{at}"><hh:heading type="{kind}" idRef="{2 if kind == "NUMBER" else 0}" level="{level or 0}"/>'
        "</hh:paraPr>"
        for at, (kind, _, level) in enumerate(shape.partition(":") for shape in _SHAPES)
    )
    styles = "".join(
        f'<hh:style id="{at}" type="PARA" name="{name}" engName="{english}" paraPrIDRef="0"/>'
        for at, (name, english) in enumerate(_STYLES)
    )
    outline = '<hh:paraHead start="1" level="1" numFormat="ROMAN_CAPITAL">^1.</hh:paraHead>' + (
        '<hh:paraHead start="1" level="2" numFormat="DIGIT">^n)</hh:paraHead>'
    )
    numbers = '<hh:paraHead start="3" level="1" numFormat="DIGIT">제^1조</hh:paraHead>' + (
        '<hh:paraHead start="1" level="2" numFormat="HANGUL_SYLLABLE">^2.</hh:paraHead>'
    )
    return (
        f'<hh:head {_NAMES}><hh:refList><hh:numberings><hh:numbering id="1">{outline}</hh:numbering>'
        f'<hh:numbering id="2">{numbers}</hh:numbering></hh:numberings><hh:paraProperties>{shapes}</hh:paraProperties>'
        f"<hh:styles>{styles}</hh:styles></hh:refList></hh:head>"
    )


def about(title: str = "", modified: str = "", created: str = "") -> str:
    return (
        '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:metadata>'
        f'<opf:title>{title}</opf:title><opf:meta name="CreatedDate" content="text">{created}</opf:meta>'
        f'<opf:meta name="ModifiedDate" content="text">{modified}</opf:meta></opf:metadata></opf:package>'
    )


def hwpx(path: Path, *sections: str, **parts: str) -> Path:
    """Write a document of these sections; other parts are named by what they are (`about`, `manifest`)."""
    named = {"about": "Contents/content.hpf", "manifest": "META-INF/manifest.xml", "header": "Contents/header.xml"}
    start = p('<hp:secPr outlineShapeIDRef="1"/>')
    written = {
        f"Contents/section{at}.xml": f"<hs:sec {_NAMES}>{start}{content}</hs:sec>"
        for at, content in enumerate(sections)
    }
    extra = {named[name]: content for name, content in ({"header": header()} | parts).items()}
    return zipped(path, {"mimetype": "application/hwp+zip", **extra, **dict(reversed(written.items()))})
