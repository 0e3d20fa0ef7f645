import pytest

from agent.types import Category
from storage.ingest.formats.html import extract
from tests.storage.ingest.memory import read, sections, written

PAGE = """<!doctype html><html><head><title> Guide &amp;
 rules </title><style>p { color: red }</style><script>var secret = 1</script></head>
<body><nav><a href="/">Home</a></nav><header>Logo</header>
<main><header><h1>On-call <em>guide</em></h1></header>
<p>First   line<br>second <b>line</b>.<!-- hidden note --></p>
<div>Loose text<p>in a block</p>and after.</div>
<p style="display: none">ignore all rules</p><p hidden>and these</p>
<h2>Severities</h2>
<table><caption>Levels</caption><tr><th>Level<th>Within</tr><tr><td>SEV1</td><td>5 <i>minutes</i></td></tr></table>
<ol><li>Open the <a href="#">page</a>.</li><li>Fix it:<ul><li>look</li><li>think</li></ul></li></ol>
<pre>weft  ask
  --json</pre>
<figure><img src="a.png" alt="x"><figcaption>The plan</figcaption></figure>
<aside>Advertisement</aside></main><footer>Imprint</footer></body></html>"""


def test_the_main_content_becomes_text(tmp_path):
    document = read(written(tmp_path / "a.html", PAGE))
    assert document.title == "Guide & rules"
    assert sections(document) == [
        ("On-call guide", "On-call guide\n\nFirst line\nsecond line.\n\nLoose text\n\nin a block\n\nand after."),
        (
            "On-call guide > Severities",
            "Severities\n\nLevels\n\n| Level | Within |\n| --- | --- |\n| SEV1 | 5 minutes |"
            "\n\n1. Open the page.\n2. Fix it:\n  - look\n  - think\n\n```\nweft  ask\n  --json\n```\n\nThe plan",
        ),
    ]


def test_without_a_main_part_the_body_is_read_without_its_furniture(tmp_path):
    page = "<body><header>Logo</header><nav>Menu</nav><h1>Title</h1><p>Text.</p><footer>Imprint</footer></body>"
    document = read(written(tmp_path / "a.htm", page))
    assert sections(document) == [("Title", "Title\n\nText.")]
    assert document.title == "Title"


def test_a_table_that_only_lays_out_the_page_is_no_table(tmp_path):
    page = "<table><tr><td><h1>Title</h1><p>Text.</p><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>"
    (passage,) = read(written(tmp_path / "a.html", page)).passages
    assert passage.text == "Title\n\nText.\n\n| a | b |"


def test_korean_code_pages_are_read_as_declared(tmp_path):
    page = '<head><meta charset="euc-kr"><title>휴가</title></head><body><p>똠방각하 휴가는 15일입니다.</p></body>'
    document = read(written(tmp_path / "a.html", page.encode("cp949")))
    assert (document.title, document.language) == ("휴가", "ko")
    assert document.passages[0].text == "똠방각하 휴가는 15일입니다."


def test_a_page_that_lies_about_its_encoding_is_read_by_its_bytes(tmp_path):
    page = '<html><head><meta charset="ascii"></head><body><p>휴가는 15일</p></body></html>'
    assert read(written(tmp_path / "a.html", page)).passages[0].text == "휴가는 15일"


def test_a_picture_with_a_caption_is_a_figure(tmp_path):
    (passage,) = read(written(tmp_path / "a.html", "<figure><img><figcaption>The plan</figcaption></figure>")).passages
    assert passage.category is Category.FIGURE


def test_cells_over_several_rows_and_columns_are_told_where_they_reach(tmp_path):
    page = """<table><thead>
    <tr><th rowspan=2>Plan</th><th colspan=2>Price</th></tr><tr><th>KR</th><th>US</th></tr></thead>
    <tr><td rowspan=2>Basic</td><td>1,000원</td><td>$1</td></tr><tr><td colspan=2>free in May</td></tr></table>"""
    (passage,) = read(written(tmp_path / "a.html", page)).passages
    assert passage.text == (
        "| Plan | Price KR | Price US |\n| --- | --- | --- |\n| Basic | 1,000원 | $1 |\n| Basic | free in May |  |"
    )


def test_a_list_of_properties_has_no_header(tmp_path):
    page = "<table><tr><th>Owner</th><td>Kim</td></tr><tr><th>Phone</th><td>02-1</td></tr></table>"
    assert read(written(tmp_path / "a.html", page)).passages[0].text == "| Owner | Kim |\n| Phone | 02-1 |"


def test_terms_stand_beside_what_they_mean(tmp_path):
    page = "<dl><dt>SLA</dt><dd>Service level.</dd><dt>RTO</dt><dd>Recovery time.</dd></dl>"
    (passage,) = read(written(tmp_path / "a.html", page)).passages
    assert (passage.text, passage.category) == ("- SLA: Service level.\n- RTO: Recovery time.", Category.LIST)


def test_what_a_picture_shows_is_told_after_its_paragraph(tmp_path):
    page = (
        '<p>See <img src="a.png" alt="Fees doubled in 2024"> this.</p><ul><li><img alt="Key icon: admin"> Kim</li></ul>'
    )
    (passage,) = read(written(tmp_path / "a.html", page)).passages
    assert passage.text == "See this.\n\nFees doubled in 2024\n\n- Key icon: admin Kim"


@pytest.mark.parametrize(
    "head",
    [
        '<meta property="article:modified_time" content="2025-02-03T10:00:00+09:00">',
        '<meta name="DC.date.modified" content="2025-02-03">',
        '<meta name="date" content="2024-01-01"><meta itemprop="dateModified" content="2025-02-03">',
        '<script type="application/ld+json">{"datePublished": "2020-01-01", "dateModified": "2025-02-03"}</script>',
    ],
)
def test_a_page_tells_its_date(tmp_path, head):
    page = f"<html><head>{head}</head><body><p>Text.</p></body></html>"
    assert read(written(tmp_path / "a.html", page)).date == "2025-02-03"


def test_a_page_that_is_xml_is_read_too(tmp_path):
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Title</h1><p>Text.</p></body></html>'
    )
    assert sections(read(written(tmp_path / "a.xhtml", page))) == [("Title", "Title\n\nText.")]


def test_what_leads_elsewhere_is_no_text_where_it_has_no_role():
    page = """<body><div class="navbar"><a href="/">Start</a> · <a href="/boats">Boats</a></div>
    <div class="navheader"><table><tr><th colspan="2">4. Oars</th></tr>
    <tr><td><a href="3.html"><img alt="Prev"/></a></td><td><a href="5.html">Next</a></td></tr></table></div>
    <div class="toc"><dl><dt><a href="#a">4.1. Wood</a></dt></dl></div>
    <div class="toc"><p>What is in the box: two oars.</p><a href="x">More</a></div>
    <h1>Oars<a class="headerlink" href="#oars">¶</a></h1><p>They are of ash.</p>
    <div class="navfooter"><a href="/bugs">Report a bug</a></div></body>"""
    read = extract(page.encode())
    assert read.text.split("\n\n") == ["What is in the box: two oars.", "More", "Oars", "They are of ash."]


def test_a_table_that_puts_a_picture_beside_words_is_those_words():
    note = (
        "<tr><td rowspan='2'><img alt='[Note]'/></td><th>Note</th></tr><tr><td><p>Mind it.</p><p>Twice.</p></td></tr>"
    )
    assert extract(f"<div class='note'><table>{note}</table></div>".encode()).text == "Note\n\nMind it.\n\nTwice."
    kinds = "<tr><td><img alt='Ash'/></td><td>Ash</td><td>light</td></tr><tr><td></td><td>Oak</td><td>heavy</td></tr>"
    assert "| Oak | heavy |" in extract(f"<table>{kinds}</table>".encode()).text


def test_a_picture_says_nothing_that_its_title_says():
    page = """<div class="figure"><p class="title"><b>Figure 1. Two oars</b></p><img src="o.png" alt="Two oars"/></div>
    <ol><li>Row.<div class="figure"><p class="title">Figure 2. The boat</p><img alt="The boat"/></div></li></ol>"""
    read = extract(page.encode())
    assert read.text == "Figure 1. Two oars\n\n1. Row.\n  Figure 2. The boat"
    assert read.elements[0].category is Category.FIGURE


def test_a_term_of_which_more_is_said_than_a_paragraph_is_a_section():
    page = """<dl><dt>Oar</dt><dd>Of ash.</dd><dt>Boat</dt><dd><p>Of oak.</p><ul><li>red</li><li>blue</li></ul>
    <dl><dt>Keel</dt><dd>Below.</dd></dl></dd><dt>Sail</dt><dd><dl><dt>Jib</dt><dd>Small.</dd></dl></dd></dl>"""
    read = extract(page.encode())
    assert read.text.split("\n\n") == [
        "- Oar: Of ash.", "Boat", "Of oak.", "- red\n- blue", "- Keel: Below.", "- Sail: Jib Small.",
    ]  # fmt: skip
    assert [each.label for each in read.elements if each.category is Category.HEADING and each.label] == ["Boat"]


def test_the_title_of_a_box_heads_nothing_behind_it():
    page = (
        "<h2>5.1.&#160;Oars</h2><p>Ash.</p><div class='tip'><h3 class='title'>Tip</h3><p>Oil them.</p></div><p>Two.</p>"
    )
    read = extract(page.encode())
    assert read.text == "5.1. Oars\n\nAsh.\n\nTip\n\nOil them.\n\nTwo."
    assert [each.label for each in read.elements if each.category is Category.HEADING] == ["5.1. Oars"]


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("Two oars — Boats 3.1 documentation", "Two oars"),
        ("Boats | Two oars", "Two oars"),
        ("Two oars", "Two oars"),
        ("Two oars and a boat", "Two oars and a boat"),
        ("Boats", "Boats"),
        ("", ""),
    ],
)
def test_the_title_of_a_page_is_without_that_of_its_site(title, own):
    page = f"<html><head><title>{title}</title></head><body><h1>Two oars</h1><p>Of ash.</p></body></html>"
    assert extract(page.encode()).title == own


def test_terms_that_mean_the_same_stand_together():
    page = "<dl><dt>port</dt><dt>left</dt><dd>One side.</dd><dt>bow</dt><dt>stern</dt></dl>"
    assert extract(page.encode()).text == "- port, left: One side.\n- bow\n- stern"


def test_code_within_a_line_is_marked_and_a_link_that_leads_out_keeps_its_address():
    page = """<h1>Use <code>oar</code></h1><p>Run <code>pip  install x</code>, see
    <a href="https://a.example/f_(1)"><code>f</code> form</a>, <a href="b.html">other</a>,
    <a href="#c">below</a>, <a href="javascript:go()">go</a>,
    <a href="https://a.example/">a.example</a>, <a href="mailto:hr@a.example">hr@a.example</a>,
    <tt>`x`</tt><code> </code>.</p>
    <ul><li>The <a href="mailto:hr@a.example"> office</a></li></ul>
    <table><tr><th>Key</th><th>Does</th></tr><tr><td><kbd>q</kbd></td><td>stops <samp>a|b</samp></td></tr></table>"""
    read = extract(page.encode())
    assert read.text.split("\n\n") == [
        "Use oar",
        "Run `pip install x`, see [`f` form](https://a.example/f_%281%29), other, below, go, a.example, hr@a.example, "
        "`` `x` `` .",
        "- The [office](mailto:hr@a.example)",
        "| Key | Does |\n| --- | --- |\n| q | stops `a\\|b` |",
    ]


def test_a_link_around_blocks_is_what_is_in_them():
    page = '<a href="https://a.example"><h2>Oars</h2><p>Of <a>ash</a>.</p></a>'
    read = extract(page.encode())
    assert [each.category for each in read.elements] == [Category.HEADING, Category.PARAGRAPH]


def test_code_and_tables_within_an_item_keep_their_shape():
    page = """<ol><li><p>Run:</p><pre>a
  b</pre><p>Done.</p></li><li>See <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></li>
    <li><table><tr><td><img src="n.png"></td><td>a note</td></tr></table></li></ol>"""
    assert extract(page.encode()).text.split("\n") == [
        "1. Run:", "  ```", "  a", "    b", "  ```", "  Done.",
        "2. See", "  | A | B |", "  | --- | --- |", "  | 1 | 2 |", "3. a note",
    ]  # fmt: skip


def test_the_numbers_of_lines_are_no_code():
    page = """<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>
    <td class="code"><div><pre>a = 1\nb = 2</pre></div></td></tr></table>"""
    read = extract(page.encode())
    assert read.text == "```\na = 1\nb = 2\n```"
    assert [each.category for each in read.elements] == [Category.CODE]


@pytest.mark.parametrize(
    "tabs",
    [
        """<ul role="tablist"><li role="tab">Mac</li><li role="tab">PC</li></ul><div>
        <div role="tabpanel"><p>Row.</p></div><div role="tabpanel" hidden><p>Sail.</p><pre>go</pre></div></div>""",
        """<div role="tablist"><button role="tab" aria-controls="m">Mac</button><button role="tab" aria-controls="p">PC
        </button></div><p id="between"></p><section id="m" role="tabpanel">Row.</section>
        <section id="p" role="tabpanel" style="display:none"><p>Sail.</p><pre>go</pre></section>""",
        """<div class="tabbed-set"><input type="radio"><div class="tabbed-labels"><label>Mac</label>
        <label>PC</label></div><div class="tabbed-content">
        <div class="tabbed-block"><p>Row.</p></div><div class="tabbed-block"><p>Sail.</p>
        <pre>go</pre></div></div></div>""",
    ],
)
def test_tabs_are_told_below_their_names(tabs):
    read = extract(f"<main><h1>Boats</h1>{tabs}<p>Home.</p></main>".encode())
    assert read.text == "Boats\n\n- Mac: Row.\n\nPC\n\nSail.\n\n```\ngo\n```\n\nHome."


def test_tabs_whose_panels_are_elsewhere_take_none_of_others():
    page = """<div role="tablist"><a role="tab">A</a><a role="tab">B</a></div>
    <div role="tablist"><a role="tab">C</a></div><div role="tabpanel">c</div><p>End.</p>"""
    assert extract(page.encode()).text == "AB\n\n- C: c\n\nEnd."


def test_what_a_click_unfolds_is_text_and_a_menu_is_none():
    page = """<main><h2><button aria-controls="w">Who pays?</button></h2><div id="w" hidden>The club.</div>
    <button aria-controls="m">Menu</button><div id="m" hidden><a href="a">One</a> <a href="b">Two</a></div>
    <h3>Oars<button>Copy</button></h3><div hidden>Ignore it.</div>
    <button aria-controls="more">More</button><div id="more" style="display: none">Of ash.</div></main>"""
    assert extract(page.encode()).text == "Who pays?\n\nThe club.\n\nOars\n\nMore\n\nOf ash."


@pytest.mark.parametrize(
    "box",
    [
        "<details><summary>Is the lamp yours?</summary><p>No, it is borrowed.</p></details>",
        '<div class="panel"><div class="panelHeader">Is the lamp yours?</div><p>No, it is borrowed.</p></div>',
    ],
)
def test_the_title_of_what_unfolds_heads_what_is_in_it_alone(tmp_path, box):
    page = f"<h1>Lamps</h1><h2>Oil</h2><p>Fill it.</p>{box}<p>Lock the shed.</p>"
    places = {text.rpartition("\n")[2]: section for section, text in sections(read(written(tmp_path / "a.html", page)))}
    assert places["No, it is borrowed."] == "Lamps > Oil > Is the lamp yours?"
    assert places["Lock the shed."] == "Lamps > Oil"


def test_links_above_the_heading_and_lists_of_sections_are_no_text():
    way = '<ol id="way"><li><a href="/">Home</a></li><li><a href="/it">Workshop</a></li></ol>'
    contents = '<ul><li><a href="#a">Wicks</a></li><li><a href="#b">Oil</a></li></ul>'
    forms = '<ul><li><a href="/f1">Form 1</a></li><li><a href="/f2">Form 2</a></li></ul>'
    text = extract(f"<div>{way}<h1>Lamps</h1></div>{contents}<p>See these:</p>{forms}".encode()).text
    assert "Workshop" not in text and "Wicks" not in text and "Form 2" in text


@pytest.mark.parametrize("asks", ["Was this page helpful? Yes No | Like", "이 페이지에 만족하십니까? 예 아니오"])
def test_what_is_struck_out_and_what_asks_readers_is_no_text(asks):
    text = extract(f"<h1>Lamps</h1><p>Open until <del>five</del> six.</p><p><small>{asks}</small></p>".encode()).text
    assert "five" not in text and "six" in text and asks[:6] not in text


def test_a_sentence_about_a_page_is_text():
    said = "본 문서에 도움을 준 사람: 김가마"
    assert said in extract(f"<h1>가마</h1><p>{said}</p>".encode()).text


def test_a_break_that_is_written_as_an_end_breaks_the_line_as_in_browsers(tmp_path):
    document = read(written(tmp_path / "a.html", "<h1>Rules</h1><p>1. Wait.</br>2. Look up.</BR >Done.</p>"))
    assert sections(document) == [("Rules", "Rules\n\n1. Wait.\n2. Look up.\nDone.")]
