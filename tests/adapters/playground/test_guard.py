"""Who may call the web server."""

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from agent.errors import StorageError, UsageError
from bot.processes.web import COOKIE, create_web, listen_on
from tests.servers.playground import playground, serving

FAR = ("203.0.113.9", 4711)
NEAR = ("127.0.0.1", 4711)


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


async def counters():
    return "weft_turns_total 3\nweft_seconds 0.25\n"


def app(**options):
    routes = [Route("/", hello), Route("/api/threads", hello), Route("/api/messages", hello, methods=["POST"])]
    slack = [Route("/slack/events", hello, methods=["POST"])]
    return create_web(routes=routes, open_routes=slack, metrics=counters, **options)


def calling(client=NEAR, address="http://127.0.0.1:8080", **options):
    """Call as a client with this address does; only the address is not a real one."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app(**options), client=client), base_url=address)


async def test_over_the_wire_a_strange_host_is_refused(tmp_path):
    async with (
        playground(tmp_path / "weft.db") as served,
        httpx.AsyncClient(base_url=served.address, timeout=60) as http,
    ):
        assert (await http.get("/api/threads")).status_code == 200
        for host in (
            "evil.example",
            f"evil.example:{served.port}",
            "127.0.0.1.evil.example",
            "",
            "[::1",
            "localhost@evil.example",
        ):
            refused = await http.get("/api/threads", headers={"Host": host})
            assert refused.status_code in (400, 403), host
            assert "evil" not in refused.text


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:1234", "127.0.0.1", "127.8.8.8:80", "[::1]:8080", "weft.localhost", "LOCALHOST"]
)
async def test_loopback_names_are_known(host):
    async with calling() as http:
        assert (await http.get("/api/threads", headers={"Host": host})).status_code == 200


async def test_a_configured_host_is_known():
    async with calling(allowed_hosts=["Weft.Example"]) as http:
        assert (await http.get("/", headers={"Host": "weft.example:8443"})).status_code == 200
        assert (await http.get("/", headers={"Host": "other.example"})).status_code == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8080", 200),
        ("https://127.0.0.1:8080", 200),
        ("http://127.0.0.1:9999", 403),
        ("https://evil.example", 403),
        ("http://127.0.0.1:8080.evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_an_origin_must_be_ours(origin, status):
    async with calling() as http:
        assert (await http.post("/api/messages", headers={"Origin": origin})).status_code == status


async def test_another_site_may_lead_here_but_not_fetch():
    async with calling() as http:
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        assert (await http.get("/", headers=link)).status_code == 200
        image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        assert (await http.get("/api/threads", headers=image)).status_code == 403


@pytest.mark.parametrize("options", [{"client": FAR}, {"client": None}])
async def test_without_a_token_only_this_machine_is_served(options):
    async with calling(**options) as http:
        refused = await http.get("/api/threads")
        assert refused.status_code == 403 and "token" in refused.text


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
async def test_a_proxy_on_this_machine_does_not_open_the_door(header):
    async with calling() as http:
        assert (await http.get("/api/threads", headers={header: "203.0.113.9"})).status_code == 403
        assert (await http.get("/metrics", headers={header: "203.0.113.9"})).status_code == 403


@pytest.mark.parametrize("client", [NEAR, FAR])
async def test_with_a_token_everybody_shows_it(client):
    async with calling(client, token="s3cret-토큰") as http:
        assert (await http.get("/api/threads")).status_code == 401
        assert (await http.get("/api/threads?token=wrong")).status_code == 401
        wrong = {"Authorization": "Bearer wrong"}
        assert (await http.get("/api/threads", headers=wrong)).status_code == 401
        assert (await http.post("/api/messages?token=s3cret-토큰")).status_code == 401
        assert (await http.get("/api/nowhere")).status_code == 401
    async with calling(client, token="s3cret") as http:
        right = {"Authorization": "bearer s3cret"}
        assert (await http.get("/api/threads", headers=right)).status_code == 200
        assert (await http.post("/api/messages", headers=right)).status_code == 200


async def test_the_token_in_the_address_becomes_a_cookie_once():
    async with calling(FAR, token="s3cret") as http:
        first = await http.get("/?token=s3cret&x=1")
        assert first.status_code == 303 and first.headers["location"] == "/?x=1"
        cookie = first.headers["set-cookie"]
        assert (
            all(part in cookie for part in (COOKIE, "HttpOnly", "SameSite=strict", "Path=/")) and "s3cret" not in cookie
        )
        assert "Secure" not in cookie
        assert (await http.get("/api/threads")).status_code == 200
    async with calling(FAR, token="changed", address="https://127.0.0.1") as http:
        stale = {"Cookie": cookie.split(";")[0]}
        assert (await http.get("/api/threads", headers=stale)).status_code == 401
        assert "Secure" in (await http.get("/?token=changed")).headers["set-cookie"]


async def test_behind_the_door_there_is_the_page_that_asks_for_the_token(tmp_path):
    async with (
        playground(tmp_path / "weft.db", token="s3cret") as served,
        httpx.AsyncClient(base_url=served.address, timeout=60) as http,
    ):
        page = await http.get("/")
        assert page.status_code == 401 and "app.js" in page.text and page.headers["cache-control"] == "no-store"
        assert (await http.get("/static/app.js")).status_code == 200
        for path in ("/api/config", "/api/threads", "/api/stream", "/api/passages", "/api/files/a/b"):
            refused = await http.get(path)
            assert refused.status_code == 401 and refused.json() == {"error": "token_needed"}


async def test_slack_is_let_through_and_the_rest_is_not():
    headers = {"Host": "bot.example", "X-Forwarded-For": "203.0.113.9", "Origin": "https://slack.com"}
    for token in ("", "s3cret"):
        async with calling(FAR, token=token) as http:
            assert (await http.post("/slack/events", headers=headers)).status_code == 200
            assert (await http.post("/slack/events/../../api/messages", headers=headers)).status_code in (401, 403)
            assert (await http.get("/health", headers=headers)).json() == {"status": "ok"}


async def test_metrics_are_for_this_machine_and_who_has_the_token():
    async with calling(token="s3cret") as http:
        assert (await http.get("/metrics")).text == "weft_turns_total 3\nweft_seconds 0.25\n"
        assert (await http.get("/metrics", headers={"Host": "evil.example"})).status_code == 403
    async with calling(FAR, token="s3cret") as http:
        assert (await http.get("/metrics")).status_code == 401
        assert (await http.get("/metrics", headers={"Authorization": "Bearer s3cret"})).status_code == 200
    async with calling(FAR) as http:
        assert (await http.get("/metrics")).status_code == 403


async def test_every_answer_keeps_to_itself():
    async with calling() as http:
        for path in ("/", "/health", "/metrics", "/nowhere"):
            headers = (await http.get(path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
        assert (await http.get("/", headers={"Host": "evil.example"})).headers["x-frame-options"] == "DENY"


async def test_a_taken_port_is_told_in_a_line():
    async with serving(app(), _nothing) as address:
        port = int(address.rsplit(":", 1)[1])
        with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{port}.*--port"):
            listen_on("127.0.0.1", port)
    with pytest.raises(UsageError, match="--host"):
        listen_on("no-such-host.invalid", 0)
    with pytest.raises(UsageError):
        listen_on("127.0.0.1", 99999)


async def _nothing() -> None:
    pass


async def test_ready_says_whether_messages_can_be_taken_in_and_nothing_else():
    full = False

    async def ready():
        if full:
            raise StorageError("the disk is full: /var/lib/weft/inbox.db")

    application = create_web(routes=[], ready=ready)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application, client=FAR), base_url="http://x") as http:
        assert (await http.get("/readyz")).status_code == 200
        full = True
        refused = await http.get("/readyz")
        assert refused.status_code == 503 and "inbox.db" not in refused.text
