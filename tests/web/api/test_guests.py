import httpx
from starlette.requests import Request
from starlette.responses import Response

from starfrost.web.guests import COOKIE, remember, token_of


async def test_a_guest_by_header_and_by_cookie(client: httpx.AsyncClient) -> None:
    made = (await client.post("/api/guests", json={"name": " An\u202ena "})).json()
    assert made["name"] == "Anna"
    for headers in ({"authorization": f"Bearer {made['token']}"}, {"cookie": f"a=b; {COOKIE}={made['token']}"}):
        assert (await client.get("/api/me", headers=headers)).json() == {"id": made["id"], "name": "Anna"}
    renamed = await client.patch("/api/me", json={"name": "Bea"}, headers={"authorization": f"Bearer {made['token']}"})
    assert renamed.json()["name"] == "Bea"


async def test_strangers_are_asked_who_they_are(client: httpx.AsyncClient) -> None:
    for headers in ({}, {"authorization": "Bearer nobody"}, {"authorization": "Basic abc"}, {"cookie": "x"}):
        answer = await client.get("/api/me", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "who")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_the_cookie_is_out_of_reach() -> None:
    for scheme, secure in (("http", False), ("https", True)):
        scope = {"type": "http", "scheme": scheme, "server": ("h", 1), "path": "/", "headers": [], "query_string": b""}
        response = Response()
        remember(response, Request(scope), "token")
        cookie = response.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert ("secure" in cookie) is secure


def test_broken_cookies_are_no_token() -> None:
    for headers in ([(b"cookie", b"\xff\xfe=;;;")], [(b"authorization", b"Bearer")], []):
        assert not token_of(Request({"type": "http", "headers": headers}))
    both = [(b"cookie", f"{COOKIE}=a".encode()), (b"authorization", b"bearer b")]
    assert token_of(Request({"type": "http", "headers": both})) == "b"
