"""The reader's history: the page on phone and desktop, in four languages and without scripts, the list, the download,
playing again, and bad addresses."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, expect

from starfrost.coach.registry import PUZZLES
from starfrost.fair.proof import prove
from starfrost.games.registry import GAMES
from starfrost.table.history import Point
from starfrost.web.guests import COOKIE
from starfrost.web.pages.levels import accuracy_chart, average_cost, costs, ladder, level_chart, luck_chart
from starfrost.words import LANGUAGES, Words
from starfrost.words.registry import WORDS
from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.web.conftest import DESK, PHONE, serving

SHORT = {"mode": "glacial", "goal": "25"}


class Past(NamedTuple):
    """Anna's finished games on a server of their own: one against a bot, one with Ben."""

    site: str
    anna: Guest
    ben: Guest
    tables: tuple[str, str]

    def get(self, path: str, guest: Guest | None = None, **query: str) -> httpx.Response:
        return (guest or self.anna).http.get(path, params=query or None)


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Past]:
    with serving(tmp_path_factory.mktemp("me")) as site:
        anna, ben = Guest(site, "Anna"), Guest(site, "Ben")
        alone = anna.open(seats=("open", "bot:random"), options=SHORT, key="1")
        anna.join(alone)
        play_out(alone, anna)
        together = anna.open(options=SHORT, key="2")
        anna.join(together, 1)
        ben.post(f"/tables/{together}/join", version=2, key="j", seat=2)
        play_out(together, anna, ben)
        yield Past(site, anna, ben, (alone, together))


def play_out(table: str, *people: Guest) -> None:
    def over() -> bool:
        while any(guest.move(table) for guest in people):
            pass
        return bool(people[0].get(f"/tables/{table}")["status"] == "over")

    eventually(over)


def words_of(table: str, anna: Guest) -> list[int]:
    return list(anna.get(f"/tables/{table}")["scores"])


def test_the_page_and_the_list_say_what_happened(past: Past) -> None:
    eventually(lambda: "Your level rests on 2 games." in past.get("/me").text)
    page, listed = past.get("/me").text, past.get("/me/games").text
    for table in past.tables:
        score = " : ".join(map(str, words_of(table, past.anna)))
        assert f"/after/{table}" in listed
        assert score in listed
        assert score in page
    assert "2 finished games since" in page
    assert "Play again with Ben" in page
    assert "Clever bot" in page
    only = past.get("/me/games", against="random").text
    assert past.tables[0] in only
    assert past.tables[1] not in only
    # Somebody else sees nothing of it, and a stranger is told how it begins.
    stranger = httpx.get(f"{past.site}/me").text
    assert "Finish a game to get started." in stranger
    assert httpx.get(f"{past.site}/me/games").headers["location"] == "/me"
    assert past.tables[0] not in past.get("/me", past.ben).text + stranger
    assert past.tables[1] in past.get("/me", past.ben).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(past: Past, language: str) -> None:
    w = Words(language)
    text = past.get("/me", lang=language).text
    for sentence in ("Your level", "Personal bests", "Latest games", "People you played with"):
        assert w(sentence) in text
    assert w.plural("Your level rests on one game.", "Your level rests on %(n)s games.", 2) in text
    assert w("All games") in past.get("/me/games", lang=language).text


def test_all_records_as_one_file(past: Past) -> None:
    answer = past.get("/me/games.zip")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        rows = list(csv.DictReader(io.StringIO(archive.read("games.csv").decode())))
        assert [row["score"] for row in rows] == [str(words_of(table, past.anna)[0]) for table in past.tables[::-1]]
        assert {row["file"] for row in rows} | {"games.csv"} == set(archive.namelist())
        for row, table in zip(rows, past.tables[::-1], strict=True):
            record = archive.read(row["file"]).decode()
            assert record == past.get(f"/api/tables/{table}/record").text
            assert prove(record).finished


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/me?game=chess", 404),
        ("/me/games?game=chess", 404),
        ("/me/games?number=2", 404),
        ("/me/games?number=0", 404),
        ("/me/games?number=many", 422),
        ("/me/games?number=99999999999999999999", 422),
    ],
)
def test_a_bad_address_gets_a_sentence(past: Past, path: str, status: int) -> None:
    answer = past.get(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert "<h1" in answer.text


def test_only_people_of_a_table_invite_again(past: Past) -> None:
    cleo = Guest(past.site, "Cleo")
    for guest, table in ((cleo, past.tables[1]), (past.anna, past.tables[0]), (past.anna, "nothing")):
        answer = guest.http.post("/me/again", data={"table": table})
        assert answer.status_code == (404 if table == "nothing" else 403)
    assert past.get("/me/games.zip", Guest(past.site)).status_code == 200
    assert httpx.get(f"{past.site}/me/games.zip").status_code == 401


def test_on_phone_and_desktop_with_and_without_scripts(
    past: Past, context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    for scripts, size, theme in ((False, PHONE, "light"), (True, DESK, "dark")):
        browser = context(java_script_enabled=scripts, viewport=size, cookies={"theme": theme})
        cookies: list[Any] = [{"name": COOKIE, "value": past.anna.token, "url": past.site}]
        browser.add_cookies(cookies)
        page = browser.new_page()
        page.goto(f"{past.site}/")
        page.locator("#to-me").click()
        expect(page.get_by_role("heading", name="Your level", exact=True)).to_be_visible()
        expect(page.get_by_role("img", name="Your level, game by game")).to_be_visible()
        row = page.get_by_role("row", name="You")
        expect(row).to_be_visible()
        if scripts:
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
        page.get_by_role("link", name="All games").first.click()
        expect(page.get_by_role("listitem")).to_have_count(2)
        with page.expect_download() as coming:
            page.goto(f"{past.site}/me")
            page.get_by_role("link", name="Download all records").click()
        assert zipfile.is_zipfile(coming.value.path())


def test_one_tap_plays_again(past: Past, context: Callable[..., BrowserContext]) -> None:
    pages = []
    for guest in (past.anna, past.ben):
        browser = context()
        cookies: list[Any] = [{"name": COOKIE, "value": guest.token, "url": past.site}]
        browser.add_cookies(cookies)
        pages.append(browser.new_page())
    anna, ben = pages
    anna.goto(f"{past.site}/me")
    anna.get_by_role("button", name="Play again with Ben").click()
    anna.wait_for_url("**/t/*")
    ben.goto(f"{past.site}/")
    first = ben.get_by_role("listitem").first
    expect(first).to_contain_text("You are invited")
    expect(first).to_contain_text("Anna")
    first.get_by_role("link").click()
    expect(ben.get_by_role("heading", name="Take a seat")).to_be_visible()
    ben.goto(f"{past.site}/")
    ben.get_by_role("button", name="No, thanks").click()
    expect(ben.get_by_role("button", name="No, thanks")).to_have_count(0)


def point(number: int, **values: Any) -> Point:
    at = datetime(2026, 1, 1 + number, tzinfo=UTC).timestamp()
    nothing = dict.fromkeys(("level", "deviation", "accuracy", "luck", "judged"))
    return Point(**{"table_id": f"t{number}", "at": at, "share": 1.0, **nothing, "costs": {}, **values})


def test_the_ladder_places_the_reader_between_the_bots() -> None:
    w = Words("en")
    found = ladder(w, "dicy-cards", 1900.0, 50.0, 12)
    names = [rung.name for rung in found.rungs]
    assert names.index("Clever bot") < names.index("You") < names.index("Quick bot")
    places = [rung.at for rung in found.rungs]
    assert places == sorted(places, reverse=True)
    you = next(rung for rung in found.rungs if rung.you)
    assert you.low < you.at < you.high
    assert you.level == "1,900 ± 100"
    assert "between Quick bot and Clever bot; Clever bot is 100 points away" in found.says
    assert found.rests == "Your level rests on 12 games."
    assert "first guess" in ladder(w, "dicy-cards", 1900.0, 50.0, 3).rests
    assert "above Perfect bot" in ladder(w, "dicy-cards", 2500.0, 50.0, 12).says
    assert "below Easy bot" in ladder(w, "dicy-cards", 100.0, 50.0, 12).says
    assert not any(rung.you for rung in ladder(w, "dice-stars", None, None, 0).rungs)


def test_charts_say_in_words_and_numbers_what_they_draw() -> None:
    w = Words("en")
    points = [
        point(n, level=1500.0 + 20 * n, deviation=100.0, accuracy=0.8 + n / 50, luck=0.1 - n / 10, judged="exact")
        for n in range(3)
    ]
    charts = [draw(w, points) for draw in (level_chart, accuracy_chart, luck_chart)]
    level, accuracy, luck = charts
    assert level
    assert accuracy
    assert luck
    assert "From 1,500 to 1,540 in 3 games" in level.says
    assert "kept 82% of" in accuracy.says
    assert [dot.value for dot in luck.dots] == ["+10%", "0%", "-10%"]
    assert luck.dots[0].y < luck.zero < luck.dots[2].y
    for chart in (level, accuracy, luck):
        assert all(0 <= dot.x <= chart.width and 0 <= dot.y <= chart.height for dot in chart.dots)
    estimated = accuracy_chart(w, [one._replace(judged="estimate") for one in points])
    assert estimated
    assert estimated.says.endswith("Estimated, not exact.")
    assert level_chart(w, points[:1]) is None
    assert accuracy_chart(w, [point(0), point(1)]) is None


def test_the_most_expensive_decisions_have_puzzles() -> None:
    w = Words("en")
    points = [
        point(0, judged="exact", costs={"score": (5, 0.02), "reroll": (9, 0.10), "skip": (1, 0.0)}),
        point(1, judged="exact", costs={"score": (3, 0.04)}),
    ]
    worst, second = costs(w, "dicy-cards", points)
    assert (worst.what, second.what) == ("rerolling", "scoring a card")
    assert worst.says == "5% of winning chance a game, in 9 decisions."
    assert worst.theme == "score-now"
    assert not worst.trend, "two games say nothing yet"
    assert average_cost(w, points) == "On average a decision cost you 0.9%."
    assert average_cost(w, [point(0)]) == ""
    falls = [point(n, judged="exact", costs={"score": (5, cost)}) for n, cost in enumerate([0.06] * 3 + [0.02] * 3)]
    assert [one.trend for one in costs(w, "dicy-cards", falls)] == ["It falls: from 6.0% to 2.0% a game."]
    rises = [point(n, judged="exact", costs={"score": (5, cost)}) for n, cost in enumerate([0.02] * 3 + [0.06] * 4)]
    assert costs(w, "dicy-cards", rises)[0].way == "up"
    same = [point(n, judged="exact", costs={"score": (5, 0.05)}) for n in range(6)]
    assert costs(w, "dicy-cards", same)[0].trend == "It stays about the same."
    for game in GAMES:
        assert {theme for _, theme in WORDS[game].decisions.values()} <= set(PUZZLES[game].themes)
