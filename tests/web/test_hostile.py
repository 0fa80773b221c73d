"""Wrong links, stolen seats, forged forms: a friendly answer every time, and nothing lost."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import starfrost
from starfrost.web.pages.problems import SENTENCES
from starfrost.words import LANGUAGES


class Visitor:
    """A browser without a screen: cookies, forms and redirects."""

    def __init__(self, site: str) -> None:
        self.http = httpx.Client(base_url=site, follow_redirects=True, headers={"accept": "text/html"}, timeout=20)

    def get(self, path: str) -> httpx.Response:
        return self.http.get(path)

    def post(self, path: str, **fields: object) -> httpx.Response:
        return self.http.post(path, data=fields)

    def start(self, game: str = "dicy-cards", **fields: object) -> str:
        """Open a table, sit down, and give its id."""
        answer = self.post("/play", game=game, key="k1", **fields)
        table = answer.url.path.split("/")[2]
        names = [value for name, value in fields.items() if re.fullmatch(r"name\d", name)]
        self.post(f"/t/{table}/join", **hidden(answer.text), **({"name": names} if names else {}))
        return table


def hidden(html: str) -> dict[str, str]:
    """Read a page's hidden fields."""
    return {
        name: value
        for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', html)
        if name not in ("back",)
    }


@pytest.fixture
def anna(site: str) -> Iterator[Visitor]:
    visitor = Visitor(site)
    yield visitor
    visitor.http.close()


@pytest.fixture
def eve(site: str) -> Iterator[Visitor]:
    visitor = Visitor(site)
    yield visitor
    visitor.http.close()


def friendly(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, answer.text[:500]
    assert "text/html" in answer.headers["content-type"]
    assert "<h1" in answer.text
    assert "Traceback" not in answer.text
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/t/nowhere",
        "/t/" + "x" * 300,
        "/t/%00",
        "/i/nothing",
        "/nowhere",
        "/t/nowhere/scene",
        "/t/../../etc/passwd",
        "/t/%ff%fe",
    ],
)
def test_wrong_links(eve: Visitor, path: str) -> None:
    friendly(eve.get(path), 404)


@pytest.mark.parametrize("language", LANGUAGES)
def test_problems_are_explained_in_every_language(eve: Visitor, language: str) -> None:
    answer = eve.get(f"/t/nowhere?lang={language}")
    friendly(answer, 404)
    assert f'lang="{language}"' in answer.text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "There is no mode &#39;z&#39;; expected one of glacial"),
        ("de", "Einen Modus &#39;z&#39; gibt es nicht; erwartet: einer von glacial"),
        ("nl", "Er is geen variant &#39;z&#39;; verwacht: een van glacial"),
        ("es", "No hay ningún modo &#39;z&#39;; se esperaba uno de glacial"),
    ],
)
def test_a_faulty_set_up_is_told_in_the_reader_s_language(eve: Visitor, language: str, sentence: str) -> None:
    eve.http.headers["accept-language"] = language
    answer = eve.post("/play", game="dicy-cards", mode="z")
    friendly(answer, 422)
    assert sentence in answer.text
    # Programs read the same refusal in English, whatever they speak.
    token = eve.http.post("/api/guests", json={"name": "Eve"}).json()["token"]
    opening = {"game": "dicy-cards", "seats": ["open", "open"], "options": {"mode": "z"}, "key": "k"}
    refused = eve.http.post("/api/tables", json=opening, headers={"authorization": f"Bearer {token}"}).json()
    assert refused["code"] == "bad-option"
    assert refused["reason"].startswith("There is no mode 'z'; expected one of glacial")


def test_an_unknown_game_leads_home(eve: Visitor) -> None:
    friendly(eve.get("/new/chess"), 200)
    friendly(eve.post("/play", game="chess"), 200)


def test_moves_for_somebody_elses_seat(anna: Visitor, eve: Visitor) -> None:
    table = anna.start()
    page = anna.get(f"/t/{table}").text
    fields = hidden(page)
    for visitor, status in ((eve, 401), (eve, 403)):
        answer = visitor.post(f"/t/{table}/act", **{**fields, "do": "roll", "key": "stolen"})
        friendly(answer, status)
        # The next attempt comes from somebody who is known, but sits elsewhere.
        eve.start()
    assert anna.get(f"/t/{table}").text.count("data-turn") == page.count("data-turn")


def test_a_stolen_token_is_nobody(anna: Visitor, eve: Visitor) -> None:
    table = anna.start()
    eve.http.cookies.set("starfrost_guest", "x" * 43)
    friendly(eve.post(f"/t/{table}/act", do="roll", seat=1, version=2, key="k"), 401)


def test_the_same_form_twice_plays_once(anna: Visitor) -> None:
    table = anna.start()
    fields = {**hidden(anna.get(f"/t/{table}").text), "do": "roll"}
    first = anna.post(f"/t/{table}/act", **fields)
    again = anna.post(f"/t/{table}/act", **fields)
    friendly(again, 200)
    step = re.compile(r'data-step="(\d+)"')
    assert step.search(first.text)[1] == step.search(again.text)[1]  # type: ignore[index]


def test_an_old_page_is_told_that_the_table_moved_on(anna: Visitor) -> None:
    table = anna.start(who="device", name1="Anna", name2="Ben")
    old = {**hidden(anna.get(f"/t/{table}").text), "do": "roll"}
    anna.post(f"/t/{table}/act", **old)
    answer = anna.post(f"/t/{table}/act", **{**old, "key": "other"})
    friendly(answer, 409)
    assert SENTENCES["stale"] in answer.text


@pytest.mark.parametrize(
    "forged",
    [
        {"do": "score", "card": "nothing"},
        {"do": "score", "card": "odds", "die": "9"},
        {"do": "reroll", "die": "1", "card": "odds\x00"},
        {"do": "win"},
        {"do": "<script>alert(1)</script>"},
        {"action": "score odds 999999"},
        {"do": "roll", "version": "-5"},
        {"do": "roll", "version": "99999999999999999999"},
        {"do": "roll", "seat": "2"},
        {"do": "roll", "seat": "x" * 1000},
        {"do": "roll", "key": "no spaces allowed"},
        {},
    ],
)
def test_forged_forms(anna: Visitor, forged: dict[str, str]) -> None:
    table = anna.start()
    before = anna.get(f"/t/{table}").text
    fields = hidden(before)
    answer = anna.post(f"/t/{table}/act", **{**fields, **forged})
    assert 400 <= answer.status_code < 500
    friendly(answer, answer.status_code)
    assert "<script>alert" not in answer.text
    after = anna.get(f"/t/{table}").text
    assert hidden(after)["version"] == fields["version"]


def test_a_forged_move_is_refused_also_where_moves_are_confirmed(anna: Visitor) -> None:
    table = anna.start("dice-stars")
    anna.http.cookies.set("sf-confirm", "on")
    fields = hidden(anna.get(f"/t/{table}").text)
    friendly(anna.post(f"/t/{table}/act", **fields | {"action": "fly"}), 422)


def test_a_form_that_is_far_too_large(anna: Visitor) -> None:
    answer = anna.post("/play", game="dicy-cards", name="x" * 100_000)
    friendly(answer, 413)


@pytest.mark.parametrize(
    "name", ["<b>bold</b>", "x" * 500, "\u202eevil", "  ", "Ａ" * 60, "'\"--", "{{ 7*7 }}", "é" * 24]
)
def test_hostile_names(anna: Visitor, name: str) -> None:
    table = anna.start(name=name)
    page = anna.get(f"/t/{table}")
    friendly(page, 200)
    assert "<b>bold" not in page.text
    assert "49" not in re.findall(r"<b>([^<]*)", page.text)
    assert "\u202e" not in page.text


def test_a_full_table_can_be_watched(anna: Visitor, eve: Visitor) -> None:
    table = anna.start()
    page = eve.get(f"/t/{table}")
    friendly(page, 200)
    assert "you are watching" in page.text
    answer = eve.post(f"/t/{table}/join", version=9, key="k", name="Eve")
    friendly(answer, 409)
    assert SENTENCES["no-free-seat"] in answer.text


def test_a_closed_table(anna: Visitor) -> None:
    answer = anna.post("/play", game="dicy-cards", who="friends", key="k1")
    table = answer.url.path.split("/")[2]
    anna.post(f"/t/{table}/close", **hidden(answer.text))
    page = anna.get(f"/t/{table}")
    friendly(page, 200)
    assert "This table is closed" in page.text


def test_settings_lead_only_to_this_site(eve: Visitor) -> None:
    for back in ("https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)"):
        answer = eve.http.post("/settings", data={"back": back, "theme": "dark"}, follow_redirects=False)
        assert answer.headers["location"] == "/"


def test_a_form_from_another_site_is_refused(anna: Visitor) -> None:
    answer = anna.http.post("/play", data={"game": "dicy-cards"}, headers={"origin": "https://elsewhere.example"})
    friendly(answer, 403)
    assert "another site" in answer.text


def test_too_long_a_link_and_too_many_cookies(eve: Visitor) -> None:
    friendly(eve.get("/replay?record=" + "x" * 9000), 414)
    friendly(eve.http.get("/", headers={"cookie": "a=" + "x" * 17_000}), 431)


def test_every_refusal_has_a_sentence_of_its_own() -> None:
    source = Path(starfrost.__file__).parent
    said = {code for path in source.rglob("*.py") for code in re.findall(r'Refused\(\s*"([a-z-]+)"', path.read_text())}
    # These are written for people already, or only a program can do them wrong: they are told as they are.
    as_they_are = """
        already-here bad-address bad-clock bad-contribution bad-dice bad-dice-source bad-first bad-game bad-host
        bad-hours bad-key
        bad-option bad-phrase bad-position bad-practice bad-reaction bad-record bad-seats banned coach-busy
        daily-first daily-once day-over day-to-come entry-code full many-devices many-rooms many-tables metrics names
        needs-server no-coach no-daily no-day no-deal no-decision no-link no-member no-move no-person no-phrase
        no-picture no-puzzle no-result no-set nobody-there nobody-to-invite not-a-move not-due not-room-host
        not-seated not-the-host own-turn removed set-up unreadable
    """
    assert said - set(SENTENCES) == set(as_they_are.split())


def test_pages_forbid_scripts_from_elsewhere(eve: Visitor) -> None:
    answer = eve.get("/")
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "<script>" not in answer.text
    assert " style=" not in answer.text
