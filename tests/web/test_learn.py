"""Learn in two minutes: every lesson by taps, by keys and without scripts; wrong moves are answered kindly."""

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from starfrost.games.core import CHANCE
from starfrost.web.boards import boards
from starfrost.web.views.lessons import Lesson
from starfrost.words import LANGUAGES, Words
from tests.web.conftest import DESK, PHONE
from tests.web.player import Player
from tests.web.test_access import THEMES, serious

MakePlayer = Callable[..., Player]
LESSONS = {board.id: board.lesson for board in boards() if board.lesson}
GAMES = pytest.mark.parametrize("game", list(LESSONS))


def lesson(game: str) -> Lesson:
    return LESSONS[game]


@GAMES
def test_a_lesson_says_something_at_every_decision(game: str) -> None:
    found = lesson(game)
    assert len(found.stops) == len(found.beats)
    for number, step in enumerate(found.stops):
        state = found.played.states[step]
        assert found.game.actor(state) in (0, CHANCE)
        assert found.taught(number) == "roll" or found.game.parse_action(found.taught(number)) in (
            found.game.legal_actions(state)
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_that_a_lesson_says_are_those_of_the_game(language: str) -> None:
    w, found = Words(language), lesson("dicy-cards")
    score = [found.played.states[found.step(number)].scores[0] for number in range(len(found.beats) + 1)]
    gains = {number: score[number + 1] - score[number] for number in range(len(found.beats)) if score[number + 1]}
    assert [gain for gain in gains.values() if gain] == [20, 23, 21]
    assert "20" in w(found.beats[1].why)
    assert "23" in w(found.beats[5].do)
    assert "43" in w(found.beats[9].why)
    assert "21" in w(found.beats[9].do)
    assert re.findall(r"\d+", w(found.end)) == [str(points) for points in found.played.scores]


def tick(page: Page, box: str) -> None:
    """Tick the first such box that is not ticked."""
    boxes = page.locator(box)
    place = boxes.evaluate_all("all => all.findIndex(one => !one.checked)")
    boxes.nth(place).check()


def do(page: Page, action: str) -> None:
    """Play an action by taps."""
    verb, *rest = action.split()
    if verb == "reroll":
        for value in rest[0]:
            tick(page, f"[name=die][value='{value}']")
        tick(page, f"[name=card][value={rest[2]}]")
        page.locator("#again:visible, #reroll:visible").first.click()
    elif verb in ("score", "freeze"):
        tick(page, f"[name=card][value={rest[0]}]")
        page.locator(".bar .go:visible").click()
    elif verb == "take":
        tick(page, f"[name=take][value='{rest[0]}']")
        for row in rest[1:]:
            tick(page, f"[name=row][value='{row}']")
        page.locator(".bar .go:visible").click()
    else:
        page.locator(f".bar [value='{action}']").click()


@GAMES
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_lesson_from_start_to_play(
    context: Callable[..., BrowserContext], site: str, game: str, scripts: bool
) -> None:
    page = context(java_script_enabled=scripts, viewport=PHONE if scripts else DESK).new_page()
    page.goto(site)
    page.locator(f"#learn-{game}").click()
    found = lesson(game)
    for number, beat in enumerate(found.beats):
        expect(page).to_have_url(re.compile(rf"/learn/{game}/{number + 1}$"))
        expect(page.locator(".teacher")).to_contain_text(beat.do)
        do(page, found.taught(number))
    expect(page.locator(".teacher")).to_contain_text("Well done!")
    page.locator("#play-now").click()
    page.locator("main[data-table]").wait_for()


@GAMES
def test_keys_alone(player: MakePlayer, game: str) -> None:
    one = player().open(f"/learn/{game}/1")
    page = one.page
    found = lesson(game)
    for number in range(3 if game == "dicy-cards" else 2):
        verb, *rest = found.taught(number).split()
        if verb in ("take", "freeze", "score"):
            keys = page.locator("[name=card], [name=take]").evaluate_all("all => all.map(one => one.value)")
            one.press("qwertyuiop"[keys.index(rest[0])])
        one.press("Enter")
        expect(page).to_have_url(re.compile(rf"/learn/{game}/{number + 2}$"))


def test_a_wrong_move_is_answered_kindly(player: MakePlayer, site: str) -> None:
    page = player().open("/learn/dicy-cards/2").page
    page.locator("#skip").click()
    expect(page.get_by_role("alert")).to_have_text(
        "Not quite. In this lesson it goes on like this: Choose Two pairs and score."
    )
    expect(page).to_have_url(re.compile("/learn/dicy-cards/2$"))
    do(page, "score two-pairs 6644")
    expect(page).to_have_url(re.compile("/learn/dicy-cards/3$"))
    page.go_back()
    expect(page.locator(".teacher")).to_contain_text("Choose Two pairs and score.")
    plain = httpx.post(f"{site}/learn/dicy-cards/5", data={"do": "reroll"})
    assert plain.status_code == 422
    assert "Pick the dice" in plain.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(site: str, language: str) -> None:
    w = Words(language)
    for game in LESSONS:
        for number, beat in enumerate(lesson(game).beats, 1):
            text = httpx.get(f"{site}/learn/{game}/{number}?lang={language}").text
            assert str(w(beat.do)) in text.replace("&#39;", "'")


@pytest.mark.parametrize("path", ["/learn/chess/1", "/learn/chess", "/learn/dicy-cards/99", "/learn/dicy-cards/0"])
def test_lessons_that_do_not_exist(site: str, path: str) -> None:
    answer = httpx.get(site + path)
    assert answer.status_code == 404
    assert 'href="/"' in answer.text


def test_a_forged_form_moves_nothing(site: str) -> None:
    for forged in ({}, {"do": "<forged>"}, {"action": "score odds 9"}, {"do": "take", "take": "stars", "row": "9"}):
        answer = httpx.post(f"{site}/learn/dice-stars/6", data=forged)
        assert answer.status_code == 422
        assert answer.url.path == "/learn/dice-stars/6"
        assert "<forged>" not in answer.text


@THEMES
def test_axe(player: MakePlayer, theme: str) -> None:
    one = player(color_scheme=theme, viewport=PHONE if theme == "light" else DESK, errors=False)
    for path in ("/learn/dicy-cards/5", "/learn/dicy-cards/11", "/learn/dice-stars/6"):
        assert not serious(one.open(path).page), path
    one.open("/learn/dicy-cards/2").page.locator("#skip").click()
    one.page.get_by_role("alert").wait_for()
    assert not serious(one.page)


def test_the_lesson_in_words(player: MakePlayer) -> None:
    page = player(cookies={"board": "text"}).open("/learn/dice-stars/1").page
    page.locator("#go").click()
    expect(page).to_have_url(re.compile("/learn/dice-stars/2$"))
    page.locator("#action").select_option("take 5")
    page.locator("#go").click()
    expect(page).to_have_url(re.compile("/learn/dice-stars/3$"))
