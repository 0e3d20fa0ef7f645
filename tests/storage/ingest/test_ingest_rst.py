import pytest

from agent.errors import RefusedFileError
from agent.types import Category
from storage.ingest.parsed import Limits
from tests.storage.ingest.memory import read, sections, written


def text(tmp_path, source):
    """Return all that is read of a text, its title first."""
    return "\n\n".join(part for _, part in sections(read(written(tmp_path / "a.rst", source))))


def test_sections_paragraphs_and_the_title(tmp_path):
    source = (
        "..\n   a comment\n\n.. _top:\n\n=========\n``Leave``\n=========\n\nTwo *hard*\nlines."
        "\n\nParental\n--------\n\n16 weeks.\n\nOf both\n~~~~~~~\n\nShared.\n\nSick\n----\n\nPaid.\n"
    )
    document = read(written(tmp_path / "a.rst", source))
    assert document.title == "Leave"
    assert sections(document) == [
        ("Leave", "Leave\n\nTwo hard lines."),
        ("Leave > Parental", "Parental\n\n16 weeks."),
        ("Leave > Parental > Of both", "Of both\n\nShared."),
        ("Leave > Sick", "Sick\n\nPaid."),
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("- one\n\n  - inner\n\n- two\n  more\n", "- one\n  - inner\n- two more"),
        ("3. three\n4. four\n", "3. three\n4. four"),
        ("(b) x\n(c) y\n", "(b) x\n(c) y"),
        ("IV. x\nV. y\n", "IV. x\nV. y"),
        (
            "1. Run\n\n   .. code-block:: sh\n\n      a &&\n        b\n\n2. End\n",
            "1. Run\n  ```\n  a &&\n    b\n  ```\n2. End",
        ),
        ("term : kind\n  Said.\n\n  More.\nother\n  Else.\n", "- term : kind: Said.\n  More.\n- other: Else."),
        ("Text.\n\n:By: Kim\n:Status: final\n", "Text.\n\n- By: Kim\n- Status: final"),
        ("-a, --all   all of it\n-f FILE     the file\n", "- -a, --all: all of it\n- -f FILE: the file"),
        ("| one\n|   two\n", "one\n  two"),
    ],
)
def test_lists_of_every_kind(tmp_path, source, shown):
    assert text(tmp_path, source) == shown


@pytest.mark.parametrize(
    "source",
    [
        "+------+-------+\n| Plan | Price |\n+======+=======+\n| Team | 10    |\n|      +-------+\n|      | 20    |\n"
        "+------+-------+\n",
        "====  =====\nPlan  Price\n====  =====\nTeam  10\nTeam  20\n====  =====\n",
        ".. list-table::\n   :header-rows: 1\n\n   * - Plan\n     - Price\n   * - Team\n     - 10\n   * - Team\n"
        "     - 20\n",
        '.. csv-table::\n   :header: "Plan", "Price"\n\n   "Team", 10\n   "Team", 20\n',
    ],
)
def test_tables_of_every_kind(tmp_path, source):
    document = read(written(tmp_path / "a.rst", source))
    (passage,) = document.passages
    assert passage.text == "| Plan | Price |\n| --- | --- |\n| Team | 10 |\n| Team | 20 |"
    assert passage.category is Category.TABLE


def test_a_cell_over_two_columns_stays_under_both(tmp_path):
    source = (
        "+------+-----------+\n| Plan | Price     |\n|      +-----+-----+\n|      | old | new |\n"
        "+======+=====+=====+\n| Team | 10  | 20  |\n+------+-----+-----+\n"
    )
    assert text(tmp_path, source) == "| Plan | Price old | Price new |\n| --- | --- | --- |\n| Team | 10 | 20 |"


def test_code_stays_as_it_is_between_fences(tmp_path):
    source = (
        "Run::\n\n  a = 1\n\n    b\n\n.. code-block:: python\n   :linenos:\n   :caption: The loop\n\n   for x in y:\n"
        "       pass\n\n.. code-block:: sh\n   ls\n\n>>> print('```')\n```\n"
    )
    assert text(tmp_path, source) == (
        "Run:\n\n```\na = 1\n\n  b\n```\n\nThe loop\n\n```\nfor x in y:\n    pass\n```\n\n```\nls\n```\n\n"
        "~~~\n>>> print('```')\n```\n~~~"
    )


def test_boxes_are_led_by_their_title(tmp_path):
    source = (
        ".. note:: Mind it.\n\n.. warning::\n\n   * hot\n\n.. admonition:: By the way\n\n   Said.\n\n"
        ".. versionadded:: 1.2\n   The key.\n\n.. deprecated:: 3.0 Use the other.\n\n.. seealso:: That.\n"
    )
    assert text(tmp_path, source) == (
        "Note: Mind it.\n\nWarning\n\n- hot\n\nBy the way: Said.\n\nAdded in version 1.2: The key.\n\n"
        "Deprecated since version 3.0: Use the other.\n\nSee also: That."
    )


def test_boxes_of_a_korean_text_are_titled_in_korean(tmp_path):
    source = (
        "휴가\n====\n\n육아휴직은 열여섯 주입니다.\n\n.. note:: 미리 신청합니다.\n\n"
        ".. versionadded:: 1.2\n   새 항목입니다.\n"
    )
    assert text(tmp_path, source) == (
        "휴가\n\n육아휴직은 열여섯 주입니다.\n\n비고: 미리 신청합니다.\n\n1.2 버전에 추가됨: 새 항목입니다."
    )


def test_roles_links_and_substitutions_are_their_words(tmp_path):
    source = (
        ".. _setup:\n\nSet ``up``\n==========\n\nSee :ref:`setup`, :ref:`here <else>`, :ref:`elsewhere`, "
        ":doc:`/a/page`, :py:class:`~a.b.Box`, :meth:`!run`, :option:`--all`, :file:`/etc/{name}`, ``code``, "
        "`site <https://e.x/>`__, https://e.x/y, lost_, |name| and |lost|.\n\nH\\ :sub:`2`\\ O, 10\\ :sup:`6` [#]_\n\n"
        ".. |name| replace:: *Weft*\n.. [#] A note.\n"
    )
    assert text(tmp_path, source) == (
        "Set up\n\nSee Set up, here, elsewhere, page, Box, run, --all, /etc/name, `code`, [site](https://e.x/), "
        "https://e.x/y, lost, Weft and lost.\n\nH2O, 10^6 [1]\n\n[1] A note."
    )


def test_what_is_described_is_a_section_or_an_item(tmp_path):
    source = (
        "API\n===\n\n.. option:: -a, --all\n\n   All of it.\n\n.. envvar:: HOME\n\n.. py:class:: Box(size)\n\n   Holds."
        "\n\n   .. method:: open(*paths)\n      :async:\n\n      Opens.\n\n      It waits.\n\nAfter.\n"
    )
    assert sections(read(written(tmp_path / "a.rst", source))) == [
        ("API", "API\n\n- -a, --all: All of it.\n- HOME"),
        ("API > class Box(size)", "class Box(size)\n\nHolds."),
        ("API > class Box(size) > open(*paths)", "`open(*paths)`\n\nOpens.\n\nIt waits."),
        ("API", "After."),
    ]


def test_a_directive_that_nobody_knows_keeps_what_is_in_it(tmp_path):
    source = (
        ".. card:: Its *title*\n   :width: 3\n\n   Kept.\n\n.. target-of:: something\n\n.. only:: html\n\n   Shown.\n\n"
        ".. glossary::\n\n   word\n      Its meaning.\n\n.. class:: red\n\nStyled.\n"
    )
    assert text(tmp_path, source) == "Its title\n\nKept.\n\nShown.\n\n- word: Its meaning.\n\nStyled."


def test_pictures_are_told_by_caption_or_alternative_text(tmp_path):
    source = (
        ".. figure:: a.png\n   :alt: Left out\n\n   The floor plan\n\n   As of May.\n\n.. image:: b.png\n"
        "   :alt: The red button\n\n.. image:: c.png\n"
    )
    document = read(written(tmp_path / "a.rst", source))
    assert text(tmp_path, source) == "The floor plan\n\nAs of May.\n\nThe red button"
    assert document.passages[0].category is Category.FIGURE


def test_fields_above_the_title_are_metadata_and_those_below_it_date_the_page(tmp_path):
    document = read(written(tmp_path / "a.rst", ":orphan:\n:owner: Kim\n:date: 2024-05-06\n\nPage\n====\n\nText.\n"))
    assert (document.title, document.date) == ("Page", "2024-05-06")
    assert document.metadata == {"owner": "Kim", "date": "2024-05-06"}
    assert document.passages[0].text == "Page\n\nText."
    below = read(written(tmp_path / "b.rst", "Page\n====\n\n:date: 2024-05-07\n\nText.\n"))
    assert below.date == "2024-05-07" and "2024-05-07" in below.passages[0].text


def test_no_other_file_is_read_and_nothing_is_printed(tmp_path, capfd):
    secret = written(tmp_path / "secret.txt", "the password is swordfish")
    source = "Page\n====\n\nText.\n\n" + "\n\n".join(
        f".. {each}\n"
        for each in (
            f"include:: {secret}",
            f"literalinclude:: {secret}",
            f"csv-table:: Rates\n   :file: {secret}",
            f"csv-table::\n   :url: file://{secret}",
            f"raw:: html\n   :file: {secret}",
            f"raw:: html\n   :url: file://{secret}",
            f"figure:: {secret}\n   :figwidth: image",
            "raw:: html\n\n   <b>mark-up</b>",
            "role:: raw-html(raw)\n   :format: html",
            "toctree::\n\n   other",
            "index:: word",
            "meta::\n   :description: words",
            "contents::",
            "date::",
        )
    )
    source += "\n\nEnd\\ :raw-html:`<br>`.\n\nA *loose end and ``another.\n\nBad\n=\n"
    assert text(tmp_path, source) == "Page\n\nText.\n\nRates\n\nEnd.\n\nA *loose end and ``another.\n\nBad ="
    assert capfd.readouterr() == ("", "")


def test_a_table_out_of_shape_and_a_directive_misused_stay_as_they_stand(tmp_path):
    table = "+---+---+\n| a | b |\n+---+\n"
    source = f"{table}\n.. image:: a.png\n   :scale: much\n\n   Words below.\n\nEnd.\n"
    read_as = text(tmp_path, source)
    assert table.strip() in read_as and "Words below." in read_as and read_as.endswith("End.")


def test_roles_of_one_text_are_not_known_to_the_next(tmp_path):
    assert text(tmp_path, ".. role:: own(code)\n\n:own:`x`\n") == "`x`"
    assert text(tmp_path, ":own:`x`\n") == "x"


def test_what_grows_or_nests_without_bounds_is_refused_or_cut(tmp_path):
    doubled = "".join(f".. |x{n}| replace:: |x{n - 1}| |x{n - 1}|\n" for n in range(1, 40))
    grown = f".. |x0| replace:: {'word ' * 20}\n{doubled}\nHere |x39|.\n"
    assert len(text(tmp_path, grown)) < 20_000
    with pytest.raises(RefusedFileError, match="nested too deeply"):
        text(tmp_path, "".join("  " * n + "* x\n\n" for n in range(400)))
    assert len(text(tmp_path, f"Page\n====\n\n{'long ' * 20_000}\n").split()) == 20_001
    with pytest.raises(RefusedFileError, match="too large"):
        read(written(tmp_path / "b.rst", "x\n" * 100), Limits(document_bytes=100))


def test_a_page_under_the_name_is_read_as_a_page(tmp_path):
    (passage,) = read(written(tmp_path / "a.rst", "<!DOCTYPE html><html><body><p>Words.</p></body></html>")).passages
    assert passage.text == "Words."
