"""URLs as documents: over real sockets, from the address to the library and back to the address."""

import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from docx import Document

from adapters.services.fetch import Fetcher
from agent.errors import UsageError
from storage.ingest.run import ingest
from storage.ingest.urls import normalised, shown
from tests.servers.web import Page, WebServer, moved, text
from tests.storage.ingest.hwpx_files import FIRST, hwpx, p
from tests.storage.ingest.memory import MemoryLibrary, written

HTML = "text/html; charset=utf-8"


@pytest.fixture
async def server():
    async with WebServer() as running:
        yield running


@pytest.fixture
def library():
    return MemoryLibrary()


@pytest.fixture
def brought(tmp_path, library):
    """Ingest, and leave nothing behind."""
    place = tmp_path / "passing"
    place.mkdir()

    async def run(*paths, **options):
        report = await ingest(paths, library=library, collection="docs", fetch=Fetcher(place, private=True), **options)
        assert list(place.iterdir()) == []
        return report

    return run


async def stored(brought, library, url):
    """Ingest one URL; returns its document."""
    report = await brought(url)
    assert report.refused == ()
    return library.documents["docs"][normalised(url)]


async def test_a_page_becomes_a_document_that_leads_back_to_it(server, library, brought):
    server.pages["/a?q=1"] = text("<title>The page</title><h1>Hello</h1><p>Gondolas.", HTML)
    seen = []
    report = await brought(server.url("/a?q=1#part"), progress=seen.append)
    assert (report.added, report.passages, report.refused) == (1, 1, ())
    (document,) = library.documents["docs"].values()
    assert document.document_id == document.source == document.origin == server.url("/a?q=1")
    assert document.title == "The page"
    assert "Gondolas" in document.passages[0].text
    assert document.metadata == {}
    assert (seen[0].unfetched, seen[0].seconds_left) == (1, None)
    assert (seen[-1].files_done, seen[-1].files_total, seen[-1].unfetched) == (1, 1, 0)
    assert server.url("/a?q=1") in {each.current for each in seen}


async def test_urls_files_and_folders_come_together(server, library, brought, tmp_path):
    for number in range(20):
        server.pages[f"/{number}"] = text(f"Page {number}.")
    docs = written(tmp_path / "docs" / "a.md", "A.").parent
    urls = [server.url(f"/{number}") for number in range(20)]
    report = await brought(docs, *urls, urls[0] + "#again", server.url("/missing"))
    assert report.added == 21
    assert [each.path for each in report.refused] == [server.url("/missing")]
    assert library.ids() == sorted(["docs/a.md", *urls])
    # A folder that is read says nothing about URLs.
    assert (await brought(docs)).removed == 0


async def test_an_unchanged_page_costs_a_question(server, library, brought):
    def answer(request):
        if request.headers.get("if-none-match") == '"1"':
            return Page(status=304)
        return text("Text.", ETag='"1"')

    server.pages["/tagged"], server.pages["/plain"] = answer, text("Text.")
    urls = [server.url("/tagged"), server.url("/plain")]
    await brought(*urls)
    report = await brought(*urls)
    assert (report.added, report.updated, report.unchanged, library.puts) == (0, 0, 2, [2])
    assert [request.headers.get("if-none-match") for request in server.requests[2:]] in (['"1"', None], [None, '"1"'])

    server.pages["/tagged"], server.pages["/plain"] = text("Other.", ETag='"2"'), text("Other.")
    report = await brought(*urls)
    assert (report.updated, report.unchanged) == (2, 0)


async def test_a_new_tag_on_the_same_text_is_remembered(server, library, brought):
    server.pages["/"] = text("Text.", ETag='"1"')
    await brought(server.url("/"))
    server.pages["/"] = text("Text.", ETag='"2"')
    assert (await brought(server.url("/"))).unchanged == 1
    await brought(server.url("/"))
    assert server.requests[-1].headers["if-none-match"] == '"2"'
    assert library.puts == [1]


async def test_a_page_that_was_removed_from_the_library_is_fetched_again(server, library, brought):
    server.pages["/"] = text("Text.", ETag='"1"')
    await brought(server.url("/"))
    del library.documents["docs"][server.url("/")]
    del library.noted["docs"][server.url("/")]
    assert (await brought(server.url("/"))).added == 1
    assert "if-none-match" not in server.requests[-1].headers


async def test_a_page_that_fails_keeps_what_is_stored(server, library, brought):
    url = server.url("/")
    server.pages["/"] = text("Text.")
    await brought(url)
    before = library.documents["docs"][url]
    for page in (
        Page(status=404),
        Page(status=500),
        Page(status=401),
        moved("http://169.254.169.254/"),
        Page(b"x" * 100, cut=True, headers={"Content-Length": "100"}),
        Page(b"\x89PNG", headers={"Content-Type": "image/png"}),
        text("%PDF-1.7 broken", "application/pdf"),
        text("", "text/plain"),
    ):
        server.pages["/"] = page
        report = await brought(url)
        assert [each.path for each in report.refused] == [url]
        assert report.refused[0].reason
        assert (report.unchanged, report.removed, report.updated) == (0, 0, 0)
        assert library.documents["docs"] == {url: before}
    server.pages["/"] = text("Text.")
    assert (await brought(url)).unchanged == 1


async def test_a_redirect_is_noted_and_the_document_keeps_its_name(server, library, brought):
    server.pages["/old"] = moved("/new")
    server.pages["/new"] = text("<h1>Hello</h1><p>Text.", HTML)
    document = await stored(brought, library, server.url("/old"))
    assert document.source == server.url("/old")
    assert document.metadata == {"redirected_to": server.url("/new")}


async def test_a_login_in_place_of_a_page_is_refused(server, library, brought):
    form = "<h1>Sign in</h1><form><input name=u><input type='password' name=p></form>"
    server.pages["/private"] = moved("/login?token=secret")
    server.pages["/login?token=secret"] = text(form, HTML)
    (refused,) = (await brought(server.url("/private"))).refused
    assert "login" in refused.reason
    assert "secret" not in refused.reason
    # A page that has such a form of its own, or only talks of it, is a page.
    server.pages["/own"] = text(form + "<p>Text.", HTML)
    assert (await brought(server.url("/own"))).added == 1
    server.pages["/report.pdf"] = text(form, HTML)
    (refused,) = (await brought(server.url("/report.pdf"))).refused
    assert "in place of a PDF" in refused.reason


def docx():
    document = Document()
    document.add_heading("Hello", 1)
    document.add_paragraph("Gondolas.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def hangul():
    with TemporaryDirectory() as folder:
        return hwpx(Path(folder) / "a.hwpx", p("Hello", FIRST) + p("Gondolas.")).read_bytes()


FORMATS = [
    ("/1", "text/html", b"<h1>Hello</h1><p>Gondolas.", "Hello"),
    ("/2", "application/xhtml+xml", b"<html><body><h1>Hello</h1><p>Gondolas.</p></body></html>", "Hello"),
    ("/3.html", "text/html; charset=utf-8", b"<h1>Hello</h1><p>Gondolas.", "Hello"),
    ("/4", "text/markdown", b"# Hello\n\nGondolas.", "Hello"),
    ("/5.md", "text/plain", b"# Hello\n\nGondolas.", "Hello"),
    ("/6.md?v=1", "application/octet-stream", b"# Hello\n\nGondolas.", "Hello"),
    ("/7.html", "text/plain", b"<h1>Hello</h1> Gondolas.", ""),
    ("/8", "text/plain", b"# Gondolas.", ""),
    ("/9", "text/x-rst", b"Hello\n=====\n\n.. note:: Gondolas.", "Hello"),
    ("/10", "", b"  <!DOCTYPE html><h1>Hello</h1><p>Gondolas.", "Hello"),
    ("/11", "application/octet-stream", docx(), "Hello"),
    ("/12.docx", "application/zip", docx(), "Hello"),
    ("/13", "text/html", docx(), "Hello"),
    ("/15", "application/octet-stream", hangul(), "I. Hello"),
    ("/16.rst", "text/plain", b"Hello\n=====\n\n.. note:: Gondolas.", "Hello"),
    ("/14.csv", "application/vnd.ms-excel", b"what,where\nGondolas,Venice\n", ""),
]


async def test_the_format_is_what_the_server_says_what_is_in_it_or_its_name(server, library, brought):
    for path, media_type, body, _ in FORMATS:
        server.pages[path] = Page(body, headers={"Content-Type": media_type} if media_type else {})
    report = await brought(*(server.url(path) for path, *_ in FORMATS))
    assert report.refused == ()
    for path, _, _, section in FORMATS:
        document = library.documents["docs"][server.url(path)]
        assert "Gondolas" in document.passages[0].text
        assert document.passages[0].section == section, path


async def test_a_type_that_is_not_read_is_named(server, brought):
    types = {"/1": "application/json", "/2": "image/png", "/x.exe": "application/octet-stream", "/3": ""}
    for path, media_type in types.items():
        server.pages[path] = Page(b"Gondolas", headers={"Content-Type": media_type} if media_type else {})
    refused = (await brought(*map(server.url, types))).refused
    assert len(refused) == 4
    for each, media_type in zip(refused, types.values(), strict=True):
        assert f"not known ({media_type or 'the server names none'})" in each.reason


GONDOLA = "<p>곤돌라를 탑니다."
CHARSETS = [
    ("EUC-KR", GONDOLA.encode("cp949")),
    ("ks_c_5601-1987", GONDOLA.encode("cp949")),
    ("utf-8", b"<meta charset=euc-kr>" + GONDOLA.encode()),
    ("euc-kr", b"<meta charset=utf-8>" + GONDOLA.encode("cp949")),
    ("utf-16le", GONDOLA.encode("utf-16-le")),
    ("iso-8859-1", b"\xef\xbb\xbf" + GONDOLA.encode()),
    # Servers that are wrong about it, or make it up.
    ("utf-8", b"<meta charset=euc-kr>" + GONDOLA.encode("cp949")),
    ("zlib_codec", GONDOLA.encode()),
    ("no-such-thing", GONDOLA.encode()),
]


async def test_the_charset_of_the_header_is_believed_where_it_is_true(server, library, brought):
    for number, (charset, body) in enumerate(CHARSETS):
        server.pages[f"/{number}"] = Page(body, headers={"Content-Type": f"text/html; charset={charset}"})
    await brought(*(server.url(f"/{number}") for number in range(len(CHARSETS))))
    for number, (charset, _) in enumerate(CHARSETS):
        assert library.documents["docs"][server.url(f"/{number}")].passages[0].text == "곤돌라를 탑니다.", charset


async def test_plain_text_in_its_charset(server, library, brought):
    server.pages["/"] = Page("Gdańsk, Łódź".encode("iso8859-2"), headers={"Content-Type": "text/plain; charset=latin2"})
    assert (await stored(brought, library, server.url("/"))).passages[0].text == "Gdańsk, Łódź"


async def test_lines_of_a_fetched_file_come_and_go(server, library, brought):
    url = server.url("/faq.jsonl")
    server.pages["/faq.jsonl"] = text('{"id": "a", "text": "A"}\n{"id": "b", "text": "B"}\n')
    assert (await brought(url)).added == 2
    assert {each.source for each in library.documents["docs"].values()} == {url}
    server.pages["/faq.jsonl"] = text('{"id": "a", "text": "A"}\n{broken\n')
    report = await brought(url)
    assert (report.removed, len(report.refused)) == (0, 1)
    server.pages["/faq.jsonl"] = text('{"id": "a", "text": "A"}\n')
    report = await brought(url)
    assert (report.unchanged, report.removed, library.ids()) == (1, 1, ["a"])


async def test_an_address_that_is_none_is_refused_by_its_name_without_its_password(brought):
    report = await brought("ftp://host/a", "file:///etc/passwd", "http://me:pw@host/a?b@c", "http://[/")
    assert [each.path for each in report.refused] == [
        "ftp://host/a",
        "file:///etc/passwd",
        "http://host/a?b@c",
        "http://[/",
    ]
    assert "pw" not in str([each.reason.replace("password", "") for each in report.refused])


async def test_without_a_way_to_fetch_a_url_is_an_error(library):
    with pytest.raises(UsageError, match="is a URL"):
        await ingest(["http://me:pw@host/"], library=library, collection="docs")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("HTTP://Example.COM:80/A/b?x=Y#part", "http://example.com/A/b?x=Y"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com/%ed%95%9c?q=%2f", "https://example.com/%ED%95%9C?q=%2F"),
        ("https://example.com/한 글", "https://example.com/%ED%95%9C%20%EA%B8%80"),
        ("http://[::1]:80/", "http://[::1]/"),
    ],
)
def test_a_url_has_one_spelling(given, expected):
    assert normalised(given) == expected
    assert normalised(expected) == expected


def test_a_password_is_not_shown():
    assert shown("http://me:p@w@host/a@b") == "http://host/a@b"
    assert shown("http://host/a@b") == "http://host/a@b"


def packed(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        for name, content in files.items():
            out.writestr(f"sub/{name}.md", content)
        out.writestr("picture.png", "x")
    return Page(file.getvalue(), headers={"Content-Type": "application/zip"})


async def test_an_archive_at_a_url_is_read_entry_by_entry(server, library, brought):
    url = server.url("/pack?v=1")
    ids = [f"{url}/sub/{name}.md" for name in "abc"]
    server.pages["/pack?v=1"] = packed(a="A.", b="B.", c="")
    report = await brought(url)
    assert (report.added, library.ids()) == (2, ids[:2])
    assert report.skipped == (f"{url}/picture.png",)
    assert [(each.path, each.reason) for each in report.refused] == [(ids[2], "it is empty")]
    assert {each.source for each in library.documents["docs"].values()} == set(ids[:2])

    server.pages["/pack?v=1"] = packed(a="A.", b="B.")
    assert ((await brought(url)).unchanged, library.puts) == (2, [2])
    report = await brought(url)
    assert (report.unchanged, report.removed, report.skipped) == (2, 0, ())  # not even opened

    # What was removed by hand comes back, what is gone from the archive goes, what it cannot tell stays.
    del library.documents["docs"][ids[0]]
    library.noted["docs"][ids[0]] = ""
    report = await brought(url)
    assert (report.added, report.unchanged) == (1, 1)
    server.pages["/pack?v=1"] = packed(b="Other.")
    report = await brought(url)
    assert (report.updated, report.removed, library.ids()) == (1, 1, [ids[1]])
    server.pages["/pack?v=1"] = Page(packed(a="A.").body[:50])
    report = await brought(url)
    assert (report.removed, library.ids(), [each.path for each in report.refused]) == (0, [ids[1]], [url])
