"""The coach after a game: only where the cards are solved, and what it says is what `starfrost analyse` says."""

import re
from collections.abc import Callable
from pathlib import Path
from time import sleep

import httpx
import pytest
from playwright.sync_api import expect

from starfrost.coach.analysis import analyse
from starfrost.games.dicy_cards import MODES, Action, DicyCards
from starfrost.games.record import parse_record, replay
from starfrost.solver import on_demand as service
from starfrost.solver.adviser import Adviser
from starfrost.web import judging
from starfrost.web.boards.dicy_cards.coach import DicyCardsCoach
from starfrost.words import LANGUAGES, Words
from tests.serving import Player as Guest
from tests.web.conftest import DESK, PHONE
from tests.web.player import Player
from tests.web.test_access import THEMES, serious

GOAL = 20


@pytest.fixture(scope="module")
def solved(site: str) -> str:
    """Return a finished table whose set of cards is solved."""
    service.ensure_solved(MODES["glacial"].cards, GOAL)
    anna = Guest(site)
    table = anna.open("dicy-cards", ("open", "bot:random"), options={"mode": "glacial", "goal": str(GOAL)})
    anna.join(table)
    while anna.get(f"/tables/{table}")["status"] != "over":
        if anna.move(table) is None:
            sleep(0.02)
    return table


def test_the_panel_says_what_the_coach_says(player: Callable[..., Player], site: str, solved: str) -> None:
    page = player(viewport=DESK).open(f"/after/{solved}").page
    page.locator("#ask-coach").click()
    played = replay(parse_record(httpx.get(f"{site}/api/tables/{solved}/record").text))
    values = service.find(MODES["glacial"].cards, GOAL)
    assert values is not None
    found = analyse(Adviser(played.record.game, values), played)  # type: ignore[arg-type]
    expect(page.locator(".chance")).to_be_visible()
    expect(page.locator(".advice li")).to_have_count(len(found.worst()))
    for line, moment in zip(page.locator(".advice li").all(), found.worst(), strict=True):
        expect(line).to_contain_text(re.compile(rf"Turn {moment.turn}( \([1-6 ]+\))?: "))
        expect(line).to_contain_text(f"{100 * moment.loss:.1f} %")
        expect(line.locator("a")).to_have_attribute("href", f"/replay/{solved}?step={moment.event}")
    for row, tally in zip(page.locator("section:has(#coach) tbody tr").all(), found.tallies, strict=True):
        expect(row).to_contain_text(f"{100 * tally.accuracy:.1f} %")
        expect(row).to_contain_text(f"{100 * tally.loss:.1f} %")


def test_the_history_shows_what_the_coach_says(site: str, solved: str) -> None:
    """The game is judged in a process of its own after its end; so is any other one by `Reviewer`."""
    text = httpx.get(f"{site}/api/tables/{solved}/record").text
    verdicts = judging._review(text)
    assert verdicts is not None
    played = replay(parse_record(text))
    values = service.find(MODES["glacial"].cards, GOAL)
    assert values is not None
    found = analyse(Adviser(played.record.game, values), played)  # type: ignore[arg-type]
    for verdict, tally in zip(verdicts, found.tallies, strict=True):
        assert (verdict.judged, verdict.accuracy, verdict.luck) == ("exact", tally.accuracy, tally.luck)
        assert sum(loss for _, loss in verdict.costs.values()) == pytest.approx(tally.loss)


@pytest.mark.parametrize("events", [0, 1])
def test_who_decided_nothing_is_not_praised(events: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    game = DicyCards(2, MODES["glacial"].cards, 3)
    service.ensure_solved(game.cards, game.goal)
    panel = DicyCardsCoach().judge(
        Words("en"), game, [(None, Action("roll", dice="665211"), game.start())][:events], ["Ada", "Bo"]
    )
    assert panel is not None
    assert panel.verdict == "Nobody had anything to decide."
    assert [accuracy for _name, accuracy, *_rest in panel.tallies] == ["–", "–"]


def test_nothing_is_said_where_nothing_is_solved(site: str, finished: Callable[[str], str]) -> None:
    for game in ("dicy-cards", "dice-stars"):
        text = httpx.get(f"{site}/after/{finished(game)}?coach=1").raise_for_status().text
        assert 'id="coach"' not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(site: str, solved: str, language: str) -> None:
    text = httpx.get(f"{site}/after/{solved}?coach=1&lang={language}").text
    assert Words(language)("The coach") in text
    assert Words(language)("Accuracy") in text


@THEMES
def test_axe(player: Callable[..., Player], solved: str, theme: str) -> None:
    one = player(color_scheme=theme, viewport=PHONE if theme == "light" else DESK)
    for query in ("", "?coach=1"):
        assert not serious(one.open(f"/after/{solved}{query}").page), query
