import datetime
import io

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn

from agent.errors import RefusedFileError
from agent.types import Category
from tests.storage.ingest.memory import read, sections, written
from tests.storage.ingest.office_files import picture


def saved(document, path):
    out = io.BytesIO()
    document.save(out)
    return written(path, out.getvalue())


def test_headings_paragraphs_lists_and_tables_in_their_order(tmp_path):
    word = docx.Document()
    word.core_properties.title = ""
    word.add_heading("Contractors", 0)
    word.add_paragraph("Before the table.")
    word.add_heading("Approval", 1)
    table = word.add_table(rows=2, cols=3)
    for number, text in enumerate(["Value", "Approved by", "Since", "up to 10", "head"]):
        table.rows[number // 3].cells[number % 3].text = text
    table.rows[1].cells[1].merge(table.rows[1].cells[2])
    word.add_heading("Papers", 1)
    word.add_paragraph("an agreement", style="List Bullet")
    word.add_paragraph("a contract", style="List Bullet")
    word.add_paragraph("After the list.")
    document = read(saved(word, tmp_path / "a.docx"))
    assert document.title == "Contractors"
    assert sections(document) == [
        ("Contractors", "Contractors\n\nBefore the table."),
        (
            "Contractors > Approval",
            "Approval\n\n| Value | Approved by | Since |\n| --- | --- | --- |\n| up to 10 | head |  |",
        ),
        ("Contractors > Papers", "Papers\n\n- an agreement\n- a contract\n\nAfter the list."),
    ]
    assert [passage.category for passage in document.passages] == [Category.PARAGRAPH, Category.TABLE, Category.LIST]


def test_content_controls_are_read_and_deleted_text_is_not(tmp_path):
    word = docx.Document()
    paragraph = word.add_paragraph("It is ")
    paragraph._p.append(parse_xml(f"<w:del {nsdecls('w')}><w:r><w:delText>ten</w:delText><w:tab/></w:r></w:del>"))
    paragraph._p.append(parse_xml(f"<w:ins {nsdecls('w')}><w:r><w:t>twelve</w:t></w:r></w:ins>"))
    control = parse_xml(
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    paragraph._p.addnext(control)
    (passage,) = read(saved(word, tmp_path / "a.docx")).passages
    assert passage.text == "It is twelve\n\nIn a control."


def test_an_empty_document_is_refused(tmp_path):
    with pytest.raises(RefusedFileError, match="no text"):
        read(saved(docx.Document(), tmp_path / "a.docx"))


def test_the_numbers_of_lists_are_counted(tmp_path):
    word = docx.Document()
    for text in ("Open the form", "Fill it in"):
        word.add_paragraph(text, style="List Number")
    word.add_paragraph("Then wait.")
    word.add_paragraph("Send it", style="List Number")
    (passage,) = read(saved(word, tmp_path / "a.docx")).passages
    assert passage.text == "1. Open the form\n2. Fill it in\n\nThen wait.\n\n3. Send it"


def test_numbered_headings_keep_their_number(tmp_path):
    word = docx.Document()
    number = word.styles["List Number"].element.find(f".//{qn('w:numId')}").get(qn("w:val"))
    for text in ("Scope", "Leave"):
        heading = word.add_heading(text, 1)
        heading._p.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = int(number)
        word.add_paragraph(f"About {text.lower()}.")
    assert [section for section, _ in sections(read(saved(word, tmp_path / "a.docx")))] == ["1. Scope", "2. Leave"]


def test_merged_cells_stay_under_their_columns_and_are_told_in_every_row(tmp_path):
    word = docx.Document()
    table = word.add_table(rows=4, cols=3)
    cells = ["구분", "연차", "", "", "1년차", "2년차", "정규직", "11", "15", "", "0", "1"]
    for number, text in enumerate(cells):
        table.cell(number // 3, number % 3).text = text
    for start, end in (((0, 1), (0, 2)), ((0, 0), (1, 0)), ((2, 0), (3, 0))):
        table.cell(*start).merge(table.cell(*end))
    (passage,) = read(saved(word, tmp_path / "a.docx")).passages
    assert passage.text == (
        "| 구분 | 연차 1년차 | 연차 2년차 |\n| --- | --- | --- |\n| 정규직 | 11 | 15 |\n| 정규직 | 0 | 1 |"
    )


def test_pictures_are_told_by_their_description_and_a_box_is_text(tmp_path):
    word = docx.Document()
    word.add_table(rows=1, cols=1).cell(0, 0).text = "Mind the gap."
    word.add_picture(picture())
    word.element.body.find(f".//{qn('wp:docPr')}").set("descr", "Floor plan of the 3rd floor")
    (passage,) = read(saved(word, tmp_path / "a.docx")).passages
    assert passage.text == "Mind the gap.\n\nFloor plan of the 3rd floor"
    assert passage.category is Category.FIGURE


def test_the_table_of_contents_is_left_out_and_notes_follow_their_paragraph(tmp_path):
    word = docx.Document()
    word.styles.add_style("toc 1", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    word.add_paragraph("Leave ..... 3", style="toc 1")
    paragraph = word.add_paragraph("Leave is 15 days.")
    paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'))
    word.add_paragraph("It is paid.")
    notes = (
        f'<w:footnotes {nsdecls("w")}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>From the second year on.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", notes.encode(), word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    (passage,) = read(saved(word, tmp_path / "a.docx")).passages
    assert passage.text == "Leave is 15 days.\n\nFrom the second year on.\n\nIt is paid."


def test_the_date_is_the_last_change_and_never_that_of_the_template(tmp_path):
    word = docx.Document()
    word.add_paragraph("Text.")
    assert read(saved(word, tmp_path / "a.docx")).date == ""
    word.core_properties.created = datetime.datetime(2024, 5, 6)
    assert read(saved(word, tmp_path / "a.docx")).date == "2024-05-06"
    word.core_properties.modified = datetime.datetime(2025, 5, 6)
    assert read(saved(word, tmp_path / "a.docx")).date == "2025-05-06"


def test_lines_above_several_headings_are_the_title_and_tell_the_date(tmp_path):
    word = docx.Document()
    word.core_properties.title = ""
    for line in ("Heron Pottery", "Kiln rules", "Made 2 March 2023 | in force 1 April 2023 | kept by the office"):
        word.add_paragraph(line)
    word.add_heading("Firing", 1)
    word.add_paragraph("Firing is on Mondays since 5 May 2024.")
    word.add_heading("Glazes", 1)
    word.add_paragraph("Glazes are free.")
    document = read(saved(word, tmp_path / "a.docx"))
    assert (document.title, document.date) == ("Heron Pottery · Kiln rules", "2023-04-01")


def test_a_heading_alone_stays_the_title_below_a_line(tmp_path):
    word = docx.Document()
    word.core_properties.title = ""
    word.add_paragraph("Heron Pottery")
    word.add_heading("Kiln rules", 1)
    word.add_paragraph("Firing is on Mondays.")
    assert read(saved(word, tmp_path / "a.docx")).title == "Kiln rules"


def test_short_paragraphs_in_bold_are_headings(tmp_path):
    word = docx.Document()
    word.core_properties.title = ""
    for line in ("Heron Pottery", "Kiln rules", "Firing", "Firing is on Mondays.", "Glazes", "They are free."):
        word.add_paragraph().add_run(line).bold = line[-1] != "."
    word.add_paragraph().add_run("Never open it while it is hot.").bold = True
    document = read(saved(word, tmp_path / "a.docx"))
    assert document.title == "Heron Pottery · Kiln rules"
    assert sections(document) == [
        ("Firing", "Heron Pottery\n\nKiln rules\n\nFiring\n\nFiring is on Mondays."),
        ("Glazes", "Glazes\n\nThey are free.\n\nNever open it while it is hot."),
    ]


def linked(paragraph, words, address):
    link = parse_xml(f"<w:hyperlink {nsdecls('w', 'r')}/>")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    for word in words:
        run = paragraph.add_run(word)
        link.append(run._r)
    paragraph._p.append(link)


def test_links_keep_their_addresses_however_they_are_written(tmp_path):
    word = docx.Document()
    first = word.add_paragraph("Fill in the ")
    linked(first, ["travel ", "form"], "https://a.example/t")
    first.add_run(", ask ")
    field = (
        f"<w:p {nsdecls('w')}><w:r><w:fldChar w:fldCharType='begin'/></w:r>"
        '<w:r><w:instrText> HYPERLINK "https://b.example" </w:instrText></w:r>'
        "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>the office</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t xml:space='preserve'> of </w:t></w:r>"
        "<w:fldSimple w:instr=' HYPERLINK &quot;mailto:t@b.example&quot; '><w:r><w:t>travels</w:t></w:r></w:fldSimple>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>"
    )
    for part in list(parse_xml(field)):
        first._p.append(part)
    heading = word.add_heading("", 1)
    linked(heading, ["Rules"], "https://c.example")
    cell = word.add_table(rows=1, cols=2).rows[0].cells
    cell[0].text = "Form"
    linked(cell[1].paragraphs[0], ["here"], "https://d.example")
    text = "\n\n".join(passage.text for passage in read(saved(word, tmp_path / "a.docx")).passages)
    assert text == (
        "Fill in the [travel form](https://a.example/t), ask [the office](https://b.example) of "
        "[travels](mailto:t@b.example)\n\nRules\n\n| Form | [here](https://d.example) |"
    )


def code(paragraph, *words):
    for each in words:
        paragraph.add_run(each).font.name = "Courier New"
    return paragraph


def test_what_is_set_as_code_is_code(tmp_path):
    word = docx.Document()
    code(word.add_paragraph("Before you go home for the day, run "), "weft", " ask").add_run(" and wait for it to end.")
    code(word.add_paragraph(), "if late:")
    code(word.add_paragraph(), "    go()")
    word.add_paragraph("Then lock the hall, and hang the key behind the board.")
    document = read(saved(word, tmp_path / "a.docx"))
    (passage,) = document.passages
    assert passage.text == (
        "Before you go home for the day, run `weft ask` and wait for it to end.\n\n```\nif late:\n    go()\n```\n\n"
        "Then lock the hall, and hang the key behind the board."
    )


def test_a_document_in_a_typewriters_letters_is_text(tmp_path):
    word = docx.Document()
    code(word.add_paragraph(), "Lock the hall.")
    assert read(saved(word, tmp_path / "a.docx")).passages[0].text == "Lock the hall."
