"""Puzzles on the page: lists, answers on the real board, ratings, the day; in four languages and without scripts."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache
from html import unescape
from random import Random

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from starfrost.coach.puzzles import Puzzle, PuzzleSet
from starfrost.errors import Refused
from starfrost.table.puzzle_standing import PuzzleRating
from starfrost.web.pages.puzzles import (
    LEVELS,
    Wanted,
    explain,
    find,
    level_of,
    next_one,
    of_the_day,
    rating_of,
    sets,
)
from starfrost.words import LANGUAGES, Words
from starfrost.words.registry import WORDS
from tests.web.conftest import PHONE
from tests.web.player import Player
from tests.web.test_access import serious
from tests.web.test_learn import do

MakePlayer = Callable[..., Player]
TAPS = re.compile("score (no-sixes|forty-minus) .*|take [a-z]*[2-6]?")
"""Actions that need no choice of dice or rows."""
KITS = pytest.mark.parametrize("kit", sets().values(), ids=list(sets()))


@pytest.fixture
def client(site: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=site, follow_redirects=True) as one:
        yield one


def some(kit: PuzzleSet, number: int = 0) -> Puzzle:
    """Return a puzzle that no other test answers, with an answer that taps alone can give."""
    return kit[_by_taps(kit.game)[number]]


@cache
def _by_taps(game: str) -> list[int]:
    kit = sets()[game]
    return [place for place in range(1, len(kit) + 1) if TAPS.fullmatch(str(kit[place].answer))]


def text(page: httpx.Response) -> str:
    return unescape(page.text)


# What there is


@KITS
def test_a_puzzle_is_found_by_its_id(kit: PuzzleSet) -> None:
    for entry in list(kit.entries.values())[::40]:
        found_kit, found, puzzle = find(entry.id)
        assert (found_kit, found, puzzle.id) == (kit, entry, entry.id)
    with pytest.raises(Refused):
        find("nothing")


@KITS
def test_the_puzzle_of_the_day_comes_again_only_after_all_others(kit: PuzzleSet) -> None:
    first = date(2026, 11, 16)
    days = [of_the_day(kit, first + timedelta(day)).id for day in range(len(kit) + 1)]
    assert len(set(days)) == len(kit)
    assert days[-1] == days[0]


@KITS
def test_the_next_puzzle_fits_the_reader_and_is_new(kit: PuzzleSet) -> None:
    entries = Wanted(kit.game).entries({})
    near = next_one(entries, {}, (), 1500.0, Random(1))
    assert near is not None
    assert abs(near.rating - 1500) < 60
    known = {entry.id for entry in entries if abs(entry.rating - 1500) < 60}
    other = next_one(entries, {}, known, 1500.0, Random(1))
    assert other is not None
    assert other.id not in known
    assert next_one(entries, {}, {entry.id for entry in entries}, 1500.0, Random(1)) is not None, "then an old one"
    assert next_one([], {}, (), 1500.0, Random(1)) is None


@KITS
def test_themes_levels_and_kinds_of_decision(kit: PuzzleSet) -> None:
    for theme in kit.themes:
        found = Wanted(kit.game, theme).entries({})
        assert found
        assert all(theme in entry.themes for entry in found)
    assert sum(len(Wanted(kit.game, "", level).entries({})) for level in LEVELS) == len(kit)
    first = next(iter(kit.entries.values()))
    moved = {first.id: PuzzleRating(2100.0)}
    assert level_of(rating_of(first, moved)) == "hard"
    assert first in Wanted(kit.game, "", "hard").entries(moved)
    # The reader's history leads from kinds of decision to themes.
    assert {theme for _, theme in WORDS[kit.game].decisions.values()} <= {"", *kit.themes}


@pytest.mark.parametrize("language", LANGUAGES)
@KITS
def test_an_answer_is_explained_with_every_alternative(kit: PuzzleSet, language: str) -> None:
    w = Words(language)
    for number in range(1, len(kit), 61):
        puzzle = kit[number]
        names = ["Mia", "Ben", "Cleo", "Dora"][: puzzle.game.seats]
        worst = min(puzzle.worths, key=lambda action: puzzle.worths[action])
        told = explain(w, kit, puzzle, names, worst)
        assert not told.right
        assert [one.yours for one in told.choices].count(True) == 1
        assert told.choices[0].right
        assert not any(one.right for one in told.others)
        kinds = {puzzle.kind(action) for action in puzzle.game.legal_actions(puzzle.state)}
        assert len(told.choices) + len(told.others) == len(kinds)
        assert all(meaning and lesson for meaning, lesson in told.lessons)
        assert explain(w, kit, puzzle, names, puzzle.answer).right


# The pages, as a plain client sees them


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lists(client: httpx.Client, language: str) -> None:
    w = Words(language)
    start = text(client.get(f"/?lang={language}"))
    page = text(client.get(f"/puzzles?lang={language}"))
    for game, kit in sets().items():
        assert f'href="/puzzles/today/{game}"' in start
        assert w("All %(n)s puzzles", n=len(kit)) in page
        # Before an answer a theme would tell too much.
        assert not any(w(meaning) in page for meaning in kit.themes.values())
        theme = next(iter(kit.themes))
        found = Wanted(game, theme).entries({})
        listed = text(client.get(f"/puzzles?game={game}&theme={theme}&lang={language}"))
        assert f'href="/puzzles/{found[0].id}"' in listed
        assert w.plural("One puzzle", "%(n)s puzzles", len(found)) in listed
        assert f'href="/puzzles?game={game}"' in client.get(f"/learn/{game}").text
    last = client.get(f"/puzzles?game=dice-stars&part={-(-len(sets()['dice-stars']) // 24)}")
    assert last.status_code == 200
    assert 'rel="prev"' in last.text
    assert 'rel="next"' not in last.text


@KITS
def test_today_and_next_lead_to_a_puzzle(client: httpx.Client, site: str, kit: PuzzleSet) -> None:
    mine = client.get(f"/puzzles/today/{kit.game}").url.path
    assert mine == httpx.get(f"{site}/puzzles/today/{kit.game}", follow_redirects=True).url.path
    theme = next(iter(kit.themes))
    for level in LEVELS:
        found = Wanted(kit.game, theme, level).entries({})
        led = client.get(f"/puzzles/next?game={kit.game}&theme={theme}&level={level}")
        assert (led.status_code == 200) == bool(found)
        if found:
            assert led.url.path.removeprefix("/puzzles/") in {entry.id for entry in found}
            assert f"theme={theme}" in str(led.url)


@KITS
def test_only_the_first_answer_counts(client: httpx.Client, kit: PuzzleSet) -> None:
    puzzle = some(kit, 3)
    path = f"/puzzles/{puzzle.id}"
    asked = text(client.get(path))
    assert "What is best?" in asked
    assert "values-title" not in asked, "a link that is shared does not tell the answer"
    wrong = client.post(path, data={"action": str(puzzle.choices[1].action)})
    assert wrong.url.path == path
    assert "Not this time." in wrong.text
    (rating,) = re.findall(r'id="your-rating">(\d+)', wrong.text)
    assert int(rating) < 1500
    assert text(client.get(path)).count("your answer") == 1, "a reload shows the same"
    again = client.get(f"{path}?again=1")
    assert "this time it does not count" in again.text
    right = client.post(path, data={"action": str(puzzle.answer)})
    assert "Right!" in right.text
    assert "Only your first answer to a puzzle counts." in right.text
    assert f'id="your-rating">{rating}' in right.text
    part = -(-kit.entries[puzzle.id].number // 24)
    assert "not solved" in client.get(f"/puzzles?game={kit.game}&part={part}").text
    assert client.get(f"/puzzles/next?game={kit.game}").url.path != path


@KITS
def test_a_missed_puzzle_comes_back_in_practice(client: httpx.Client, site: str, kit: PuzzleSet) -> None:
    assert "It is empty." in text(client.get("/practice"))
    puzzle = some(kit, 4)
    missed = client.post(f"/puzzles/{puzzle.id}", data={"action": str(puzzle.choices[1].action)})
    assert "This puzzle comes back in your practice." in missed.text
    rating = re.findall(r'id="your-rating">(\d+)', missed.text)
    for page in ("/practice", "/puzzles", "/me"):
        assert "Nothing is due. The next position comes back on" in text(client.get(page)), page
    assert client.get("/practice/next").url.path == "/practice"
    # Looked at ahead of time it can be tried, which moves nothing and is not rated.
    asked = client.get(f"/practice/{puzzle.id}")
    assert "A puzzle that you missed" in asked.text
    assert "values-title" not in asked.text
    right = client.post(f"/practice/{puzzle.id}", data={"action": str(puzzle.answer)})
    assert "Right!" in right.text
    assert "It comes back tomorrow." in right.text
    assert "your-rating" not in right.text
    assert re.findall(r'id="your-rating">(\d+)', client.get(f"/puzzles/{puzzle.id}").text) == rating
    assert client.post(f"/practice/{puzzle.id}", data={"do": "nothing"}).status_code == 422
    # A deck is its guest's own.
    other = client.get("/puzzles/today", headers={"cookie": ""})
    assert httpx.get(f"{site}/practice/{puzzle.id}").status_code in (401, 404)
    assert other.is_success


@KITS
def test_a_shared_link_has_a_picture_of_the_position(client: httpx.Client, kit: PuzzleSet) -> None:
    puzzle = some(kit, 8)
    page = text(client.get(f"/puzzles/{puzzle.id}"))
    (address,) = re.findall(r'og:image" content="http://[^/]+([^"]+)"', page)
    assert address.startswith(f"/preview/puzzle/{puzzle.id}.png")
    picture = client.get(address)
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    assert client.get("/preview/puzzle/nothing.png").status_code == 404


def test_streaks(client: httpx.Client) -> None:
    kit = sets()["dicy-cards"]
    for number in (4, 5):
        puzzle = some(kit, number)
        page = client.post(f"/puzzles/{puzzle.id}", data={"action": str(puzzle.answer)})
    assert 'id="row">2<' in page.text
    overview = client.get("/puzzles").text
    assert 'id="row">2 <span class="tag">best: 2</span>' in overview
    assert 'id="days">1<' in overview
    puzzle = some(kit, 6)
    client.post(f"/puzzles/{puzzle.id}", data={"action": str(puzzle.choices[1].action)})
    assert 'id="row">0 <span class="tag">best: 2</span>' in client.get("/puzzles").text


@pytest.mark.parametrize(
    "path",
    [
        "/puzzles/nothing",
        "/puzzles/%3Cb%3E",
        "/puzzles?game=chess",
        "/puzzles?game=dicy-cards&theme=take-the-stars",
        "/puzzles?level=cruel",
        "/puzzles?game=dicy-cards&part=0",
        "/puzzles?game=dicy-cards&part=999",
        "/puzzles/next?game=chess",
        "/puzzles/today/chess",
    ],
)
def test_what_does_not_exist(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "There is no such puzzle." in answer.text
    assert client.post("/puzzles/nothing", data={"action": "skip"}).status_code == 404
    assert not client.cookies


@KITS
def test_what_is_no_move_stores_nothing(client: httpx.Client, kit: PuzzleSet) -> None:
    puzzle = some(kit, 7)
    path = f"/puzzles/{puzzle.id}"
    for forged in ({}, {"action": "reset everything"}, {"action": ""}, {"do": "<forged>"}, {"do": "take", "take": "x"}):
        for headers in ({}, {"x-fragment": "1"}):
            answer = client.post(path, data=forged, headers=headers)
            assert answer.status_code == (200 if headers else 422)
            assert 'role="alert"' in answer.text
            assert "<forged>" not in answer.text
    assert not client.cookies
    assert client.post(f"{path}?theme=nonsense", data={"action": str(puzzle.answer)}).status_code == 404
    done = client.post(path, data={"action": str(puzzle.answer)})
    assert "1 / 1" in done.text, "nobody has answered it before"


def test_every_reason_lights_what_is_on_its_board() -> None:
    """Reasons of the shipped puzzles name cards that are there and dice that lie there."""
    w, seen = Words("en"), set[str]()
    for puzzle in sets()["dicy-cards"]:
        for choice in puzzle.choices[1:]:
            for said in explain(w, sets()["dicy-cards"], puzzle, puzzle.players, choice.action).reasons:
                seat, _, *things = said.lights.split()
                dice = "".join(thing for thing in things if thing.isdecimal())
                cards = set(things) - {dice, "points", "hand"}
                assert not Counter(dice) - Counter(puzzle.state.dice)
                assert cards <= set(puzzle.game.cards)
                assert things
                assert (int(seat) == puzzle.seat + 1) != (things == ["hand"])
                assert not re.search("“(.+?)”", said.text) or cards
                seen.add(" ".join(sorted({"dice"} & {"dice" if dice else ""} | set(things) & {"points", "hand"})))
    assert seen == {"", "dice", "dice points", "hand"}


# The pages in a browser


def test_a_right_and_a_wrong_answer_by_taps(player: MakePlayer) -> None:
    for kit in sets().values():
        page = player(viewport=PHONE).open(f"/puzzles/{some(kit, 0).id}").page
        do(page, str(some(kit, 0).answer))
        expect(page.locator(".verdict")).to_contain_text("Right!")
        expect(page.locator("#said")).to_contain_text("Right!")
        expect(page.locator("#yours .tag.hot")).to_have_text("your answer")
        page.locator("#all-values summary, #values-title").first.click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not serious(page)
        page.locator("#puzzle-next").click()
        page.locator("main[data-turn]").wait_for()
        other = some(kit, 1)
        page.goto(page.url.replace(page.url.rsplit("/", 1)[1], other.id))
        wrong = next(
            choice.action
            for choice in other.alternatives()[1:]
            if TAPS.fullmatch(str(choice.action)) or str(choice.action) == "skip"
        )
        do(page, str(wrong))
        expect(page.locator(".verdict")).to_contain_text("Not this time.")
        # Why, and what that is about on the board, as long as it is read.
        expect(page.locator("#why")).to_contain_text("Why not this?")
        page.locator("#why li").first.focus()
        expect(page.locator(".lit").first).to_be_attached()
        page.locator("#puzzle-again").focus()
        expect(page.locator(".lit")).to_have_count(0)
        page.locator("#puzzle-again").click()
        expect(page.locator(".teacher")).to_contain_text("this time it does not count")
        page.locator("#puzzle-home").click()
        expect(page.locator("#row")).to_contain_text("best: 1")


def test_reading_and_answering_without_scripts(context: Callable[..., BrowserContext], site: str) -> None:
    page = context(java_script_enabled=False, viewport=PHONE).new_page()
    page.goto(f"{site}/puzzles")
    assert page.locator("#today-dicy-cards a").count() == 1
    puzzle = some(sets()["dicy-cards"], 2)
    page.goto(f"{site}/puzzles/{puzzle.id}")
    do(page, str(puzzle.answer))
    expect(page.locator(".verdict")).to_contain_text("Right!")
    expect(page.locator("#choices li")).not_to_have_count(0)
