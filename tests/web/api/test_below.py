"""A site below a path of another one: a proxy names the path, and every address begins with it."""

import html
import json
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from tests.web.api.test_entry import served

_ADDRESSES = re.compile(r'\s(href|src|action|formaction|data-next|data-address)="([^"]*)"')


async def test_no_address_leads_out_of_the_path(tmp_path: Path) -> None:
    """From the start page every page that a link leads to is read, as deep as the first of each kind."""
    told = {"x-forwarded-prefix": "/games", "accept": "text/html"}
    async with served(tmp_path) as client, client("127.0.0.1", headers=told) as anna:
        sat = await anna.post("/games/play", data={"game": "dicy-cards", "who": "bots", "bots": "1", "name": "Anna"})
        table = sat.headers["location"].partition("?")[0]
        assert sat.status_code == 303
        assert table.startswith("/games/t/")
        assert "; path=/games/;" in sat.headers["set-cookie"].lower()
        assert "You" in (await anna.get(table)).text
        waiting, kinds, read = ["/games/", "/games/me/identity", "/games/here", "/games/none", table], set(), 0
        for address in waiting:
            path = urlsplit(address).path
            kind = re.sub(r"\d+|[\w-]{8,}", "N", path.removesuffix("/"))
            if kind in kinds:
                continue
            kinds.add(kind)
            answer = await anna.get(address)
            assert answer.status_code < 400 or path == "/games/none", address
            read += 1
            for name, value in answer.headers.items():
                if name == "location":
                    assert value.startswith("/games/"), address
                    waiting.append(value)
            if not answer.headers.get("content-type", "").startswith("text/html"):
                continue
            for kind, link in _ADDRESSES.findall(answer.text):
                if re.match(r"(https?|mailto|data):", link):
                    continue
                leads = urljoin(path, link.replace("&amp;", "&")).partition("#")[0]
                assert leads.startswith("/games/"), (address, link)
                if kind in ("href", "src"):
                    waiting.append(leads)
            assert re.findall(r"https?://table\.test(?!/games/)\S*", answer.text) == [], address
        assert read > 40
        device = html.unescape((await anna.get("/games/here")).text.partition('data-facts="')[2].partition('"')[0])
        assert all(leads.startswith("/games/") for leads in re.findall(r'"(/[^"]*)"', device or '"/games/"'))
        manifest = (await anna.get("/games/manifest.webmanifest")).json()
        assert {manifest[name] for name in ("id", "start_url", "scope")} == {"/games/"}
        assert all(one["src"].startswith("/games/static/") for one in manifest["icons"])
        worker = (await anna.get("/games/sw.js")).text
        facts = json.loads(worker.partition("const FACTS = ")[2].partition(";\n")[0])
        for address in (facts["icon"], *facts["shell"], *facts["offline"].values()):
            assert (await anna.get(urljoin("/games/sw.js", address))).is_success, address


async def test_proxies_pass_the_path_on_or_not(tmp_path: Path) -> None:
    async with served(tmp_path) as client, client("127.0.0.1", headers={"accept": "text/html"}) as anna:
        for path, prefix in (("/t/no", "/games/"), ("/games/t/no", "/games"), ("/our/games/t/no", "/our/games")):
            answer = await anna.get(path, headers={"x-forwarded-prefix": prefix})
            assert (answer.status_code, f'href="{prefix.rstrip("/")}/"' in answer.text) == (404, True)


async def test_nobody_else_says_where_the_site_lies(tmp_path: Path) -> None:
    wrong = ("//elsewhere.example", '/"><script>', "/..", "games", "/", "/games?x", "/ga mes")
    async with served(tmp_path) as client:
        for peer, prefixes in (("192.0.2.1", ("/games",)), ("127.0.0.1", wrong)):
            async with client(peer, headers={"accept": "text/html"}) as eve:
                plain = await eve.get("/rules/dicy-cards")
                for prefix in prefixes:
                    told = await eve.get("/rules/dicy-cards", headers={"x-forwarded-prefix": prefix})
                    assert told.text == plain.text, prefix
