"""Fetching over real sockets: what comes, what is refused, and what never gets out."""

import gzip
import json
import ssl
import zlib
from ipaddress import ip_address

import pytest

from adapters.services.addresses import literal, reach
from adapters.services.fetch import Fetcher
from agent.errors import RefusedFileError, StorageError
from tests.servers.web import CERTIFICATE, Page, WebServer, moved, text


@pytest.fixture
async def server():
    async with WebServer() as running:
        yield running


@pytest.fixture
def fetch(tmp_path):
    """Fetch with private addresses allowed: the server is one."""

    async def run(url, *, known="", **options):
        options.setdefault("private", True)
        return await Fetcher(tmp_path, **options).fetch(url, known=known)

    return run


@pytest.fixture
def refused(fetch, tmp_path):
    """Fetch what cannot be had; returns why, and nothing is left behind."""

    async def run(url, **options):
        with pytest.raises(RefusedFileError) as caught:
            await fetch(url, **options)
        assert list(tmp_path.iterdir()) == []
        return str(caught.value)

    return run


async def test_a_page_comes_with_what_is_known_about_it(server, fetch):
    server.pages["/a"] = text("<h1>한글</h1>", "text/html; charset=EUC-KR")
    page = await fetch(server.url("/a#part"))
    assert page.path.read_bytes() == "<h1>한글</h1>".encode()
    assert (page.url, page.content_type, page.charset) == (server.url("/a"), "text/html", "EUC-KR")
    (request,) = server.requests
    assert request.path == "/a"
    assert request.headers["user-agent"] == "Weft"
    assert "authorization" not in request.headers


async def test_what_is_unchanged_is_not_sent_again(server, fetch):
    def answer(request):
        if request.headers.get("if-none-match") == '"one"' and request.headers.get("if-modified-since") == "then":
            return Page(status=304)
        return text("A", ETag='"one"', **{"Last-Modified": "then"})

    server.pages["/a"] = answer
    first = await fetch(server.url("/a"))
    assert await fetch(server.url("/a"), known=first.validator) is None
    # A tag says nothing about another address, nor does nonsense.
    server.pages["/b"] = answer
    assert (await fetch(server.url("/b"), known=first.validator)).digest == first.digest
    assert (await fetch(server.url("/a"), known="nonsense")).digest == first.digest
    assert (await fetch(server.url("/a"), known=json.dumps([server.url("/a"), '"other"', ""]))) is not None


async def test_a_server_without_tags_gives_nothing_to_ask_by(server, fetch, refused):
    server.pages["/a"] = text("A")
    assert (await fetch(server.url("/a"))).validator == ""
    server.pages["/b"] = Page(status=304)
    async with WebServer() as other:
        assert "status 304" in await _why(fetch, server.url("/b"), known=json.dumps([other.url("/b"), '"x"', ""]))


async def _why(fetch, url, **options):
    with pytest.raises(RefusedFileError) as caught:
        await fetch(url, **options)
    return str(caught.value)


# --- where it may not go


@pytest.mark.parametrize(
    "host",
    """127.0.0.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 127.1 [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
    [64:ff9b::127.0.0.1] [2002:7f00:1::] localhost""".split(),
)
async def test_a_private_address_is_refused_in_every_notation(server, refused, host):
    server.pages["/"] = text("secret")
    why = await refused(server.url("/", host=host), private=False)
    assert "private network" in why
    assert "WEFT_FETCH_PRIVATE" in why
    assert server.requests == []


@pytest.mark.parametrize(
    ("address", "expected"),
    {
        "8.8.8.8": "public",
        "2606:4700::1111": "public",
        "64:ff9b::8.8.8.8": "public",
        "2002:808:808::1": "public",
        "::ffff:8.8.8.8": "public",
        **dict.fromkeys(
            """10.0.0.1 172.16.0.1 192.168.1.1 127.0.0.1 100.64.0.1 198.18.0.1 192.0.0.8 192.0.2.1 203.0.113.9
            192.88.99.1 ::1 fc00::1 fd12::1 fec0::1 2001:db8::1 3fff::1 64:ff9b:1::1 5f00::1 100::1 2001::1
            ::ffff:10.0.0.1 64:ff9b::10.0.0.1 2002:a00:1::1 ::10.0.0.1""".split(),
            "private",
        ),
        **dict.fromkeys(
            """0.0.0.0 0.1.2.3 169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 224.0.0.1 239.1.1.1 240.0.0.1
            255.255.255.255 :: fe80::1 fe80::1%eth0 ff02::1 fd00:ec2::254 fd20:ce::254 ::ffff:169.254.169.254
            64:ff9b::169.254.169.254 2002:a9fe:a9fe::1""".split(),
            "never",
        ),
    }.items(),
)
def test_addresses_are_told_apart(address, expected):
    assert reach(ip_address(address)) == expected


async def test_an_address_in_disguise_is_named_as_it_was_given(refused):
    assert "2130706433 (127.0.0.1)" in await refused("http://2130706433/", private=False)


def test_a_name_is_no_address():
    assert literal("example.com") is None
    assert literal("127.0.0.1.example.com") is None
    assert str(literal("017700000001")) == "127.0.0.1"


@pytest.mark.parametrize("host", ["169.254.169.254", "2852039166", "[::ffff:169.254.169.254]", "0.0.0.0", "[fe80::1]"])
async def test_where_no_document_can_be_is_refused_even_where_private_ones_are_allowed(refused, host):
    assert "no document can be" in await refused(f"http://{host}/latest/meta-data/")


async def test_every_address_of_a_name_must_be_public(server, refused):
    async def resolve(host, port):
        return ["8.8.8.8", "127.0.0.1"]

    assert "evil.test (127.0.0.1)" in await refused(server.url("/", host="evil.test"), private=False, resolve=resolve)
    assert server.requests == []


def public_first(address):
    """Take 127.0.0.1 for an address of the internet, and 127.0.0.2 for one of the operator's network."""
    return "public" if str(address) == "127.0.0.1" else "private"


class Turncoat:
    """A name server that changes its mind."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host, port):
        self.asked += 1
        return [self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]]


async def test_a_name_that_rebinds_leads_to_the_address_that_was_checked(fetch, refused, server):
    async with WebServer("127.0.0.2", port=server.port) as inside:
        server.pages["/"], inside.pages["/"] = text("outside"), text("inside")
        names = Turncoat("127.0.0.1", "127.0.0.2")
        page = await fetch(server.url("/", host="evil.test"), private=False, reach=public_first, resolve=names)
        assert page.path.read_text() == "outside"
        page.path.unlink()
        assert names.asked == 1

        # On the way back to the same name it is looked up, and checked, again.
        server.pages["/"] = moved("/secret")
        inside.pages["/secret"] = text("inside")
        names = Turncoat("127.0.0.1", "127.0.0.2")
        why = await refused(server.url("/", host="evil.test"), private=False, reach=public_first, resolve=names)
        assert "127.0.0.2" in why
        assert inside.requests == []


@pytest.mark.parametrize("host", ["127.0.0.2", "2130706434", "[::ffff:127.0.0.2]", "inside.test"])
async def test_a_redirect_is_checked_as_the_first_address_is(server, refused, host):
    async def resolve(name, port):
        return ["127.0.0.2" if name == "inside.test" else "127.0.0.1"]

    async with WebServer("127.0.0.2") as inside:
        inside.pages["/"] = text("inside")
        server.pages["/"] = moved(inside.url("/", host=host))
        why = await refused(server.url("/"), private=False, reach=public_first, resolve=resolve)
        assert "private network" in why
        assert inside.requests == []


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "only http"),
        ("ftp://host/a", "only http"),
        ("http://user:pw@127.0.0.1/", "user name or password"),
        ("http://[", "no proper URL"),
        ("http://a:99999/", "no proper URL"),
    ],
)
async def test_a_redirect_to_what_is_not_fetched_is_refused(server, refused, location, reason):
    server.pages["/"] = moved(location)
    assert reason in await refused(server.url("/"))


async def test_redirects_are_followed_five_times(server, fetch, refused):
    for number in range(6):
        server.pages[f"/{number}"] = moved(f"{number + 1}", status=(301, 302, 303, 307, 308, 302)[number])
    server.pages["/6"] = text("there")
    page = await fetch(server.url("/1"))
    assert page.url == server.url("/6")
    page.path.unlink()
    assert "more than 5 times" in await refused(server.url("/0"))
    server.pages["/loop"] = moved("/loop")
    assert "more than 5 times" in await refused(server.url("/loop"))
    assert server.paths.count("/loop") == 6


async def test_a_cookie_lives_as_long_as_its_url(server, fetch):
    def answer(request):
        given = request.headers.get("cookie")
        return text("in") if given else Page(status=302, headers={"Location": "/", "Set-Cookie": "seen=1; Path=/"})

    server.pages["/"] = answer
    # Cookies of bare addresses are not kept by the library, as browsers would.
    for _ in range(2):
        assert (await fetch(server.url("/", host="localhost"))).path.read_text() == "in"
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "only http"),
        ("ftp://host/a", "only http"),
        ("gopher://127.0.0.1/", "only http"),
        ("http://user:pw@host/", "user name or password"),
        ("http://user@host/", "user name or password"),
        ("http://a\\@b/", "no proper URL"),
        ("http:///a", "names no host"),
        ("http://a:99999/", "no proper URL"),
        ("http://[::1", "no proper URL"),
    ],
)
async def test_what_is_no_address_of_the_web_is_refused(refused, url, reason):
    why = await refused(url)
    assert reason in why
    assert "pw" not in why.replace("password", "")


async def test_a_proxy_in_the_environment_is_not_used(server, fetch, monkeypatch):
    async with WebServer() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        server.pages["/"] = text("A")
        await fetch(server.url("/"))
        assert proxy.requests == []


# --- what it may cost


async def test_a_body_is_read_to_the_limit_and_no_further(server, refused, fetch):
    server.pages["/told"] = Page(b"x" * 2_000)
    assert "1,000 bytes" in await refused(server.url("/told"), most=1_000)
    server.pages["/endless"] = Page(b"x" * 10_000, endless=True)
    assert "100,000 bytes" in await refused(server.url("/endless"), most=100_000)
    server.pages["/exact"] = Page(b"x" * 1_000)
    assert (await fetch(server.url("/exact"), most=1_000)).path.stat().st_size == 1_000


async def test_a_gzip_bomb_stops_at_the_limit(server, refused):
    server.pages["/"] = Page(gzip.compress(bytes(50_000_000)), headers={"Content-Encoding": "gzip"})
    assert len(server.pages["/"].body) < 100_000
    assert "1,000,000 bytes" in await refused(server.url("/"), most=1_000_000)
    twice = Page(gzip.compress(gzip.compress(bytes(50_000_000))), headers={"Content-Encoding": "gzip, gzip"})
    server.pages["/twice"] = twice
    assert "not asked for" in await refused(server.url("/twice"))


def raw_deflate(data):
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"A text. " * 30_000)),
        ("gzip", gzip.compress(b"A text. " * 10_000) + gzip.compress(b"A text. " * 20_000)),
        ("x-gzip", gzip.compress(b"A text. " * 30_000)),
        ("deflate", zlib.compress(b"A text. " * 30_000)),
        ("deflate", raw_deflate(b"A text. " * 30_000)),
        ("identity", b"A text. " * 30_000),
    ],
)
async def test_compressed_bodies_are_unpacked(server, fetch, encoding, body):
    server.pages["/"] = Page(body, headers={"Content-Encoding": encoding})
    assert (await fetch(server.url("/"))).path.read_bytes() == b"A text. " * 30_000


async def test_a_compression_that_was_not_asked_for_or_is_broken_is_refused(server, refused):
    server.pages["/br"] = Page(b"x", headers={"Content-Encoding": "br"})
    assert "'br'" in await refused(server.url("/br"))
    server.pages["/bad"] = Page(b"not gzip", headers={"Content-Encoding": "gzip"})
    assert "no proper gzip" in await refused(server.url("/bad"))
    server.pages["/half"] = Page(gzip.compress(b"A text." * 9)[:-9], headers={"Content-Encoding": "gzip"})
    assert "broke off" in await refused(server.url("/half"))


async def test_a_server_that_never_ends_is_given_up(server, refused):
    server.pages["/drip"] = Page(b"a little", drip=True)
    assert "longer than 0.3 s" in await refused(server.url("/drip"), seconds=0.3)
    server.pages["/head"] = Page(b"HTTP/1.1 200 OK\r\nX-A: ", raw=True, drip=True)
    assert "longer than 0.3 s" in await refused(server.url("/head"), seconds=0.3)


async def test_headers_have_a_limit(server, refused):
    server.pages["/long"] = Page(b"x", headers={"X-Long": "x" * 100_000})
    assert "headers are too long" in await refused(server.url("/long"))
    server.pages["/many"] = Page(b"x", headers={f"X-{n}": "x" for n in range(10_000)})
    assert "headers are too long" in await refused(server.url("/many"))


# --- what goes wrong


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "needs a login"),
        (403, "closed to Weft"),
        (404, "nothing at this address"),
        (410, "taken away"),
        (429, "come back later"),
        (500, "the server failed"),
        (503, "the server failed"),
        (204, "nothing in it"),
        (206, "does not give it"),
        (418, "does not give it"),
    ],
)
async def test_a_status_is_told_in_words(server, refused, status, reason):
    server.pages["/"] = Page(b"" if status == 204 else b"Sorry", status=status)
    why = await refused(server.url("/"))
    assert reason in why
    assert f"status {status}" in why


async def test_a_connection_that_fails_is_told_in_words(server, refused):
    server.pages["/cut"] = Page(b"x" * 1_000, cut=True, headers={"Content-Length": "1000"})
    assert "broke off" in await refused(server.url("/cut"))
    server.pages["/nonsense"] = Page(b"nonsense\r\n\r\n", raw=True)
    assert "no proper HTTP" in await refused(server.url("/nonsense"))
    server.pages["/silent"] = Page(b"", raw=True)
    assert "broke off" in await refused(server.url("/silent"))
    async with WebServer() as gone:
        url = gone.url("/")
    assert "cannot be reached" in await refused(url)

    async def resolve(host, port):
        raise OSError("unknown")

    assert "no host named nowhere.test" in await refused("http://nowhere.test/", resolve=resolve)


async def test_tls_is_checked_and_never_left(server, fetch, refused):
    async with WebServer(tls=True) as secure:
        secure.pages["/"] = text("A")
        assert "certificate" in await refused(secure.url("/"))
        trusting = ssl.create_default_context(cafile=CERTIFICATE)
        page = await fetch(secure.url("/"), tls=trusting)
        assert page.path.read_text() == "A"
        page.path.unlink()
        secure.pages["/down"] = moved(server.url("/"))
        assert "https:// to http://" in await refused(secure.url("/down"), tls=trusting)
        server.pages["/up"] = moved(secure.url("/", host="localhost"))
        assert (await fetch(server.url("/up"), tls=trusting)).url == secure.url("/", host="localhost")
        assert server.paths == ["/up"]


async def test_a_disk_that_takes_nothing_ends_it(server, tmp_path):
    server.pages["/"] = text("A")
    with pytest.raises(StorageError, match="cannot be stored"):
        await Fetcher(tmp_path / "missing", private=True).fetch(server.url("/"))
