"""The coach after a game: only where the cards are solved, and what it says is what `starfrost analyse` says."""

import re
from collections.abc import Callable
from random import Random
from time import sleep

import httpx
import pytest
from playwright.sync_api import expect

from starfrost.coach.analysis import analyse
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, Action, DicyCards
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.record import Event, Record, parse_record, replay
from starfrost.table.moves import Move
from starfrost.web.pages.judged import SHOWN, judged_game, judged_steps
from starfrost.words import LANGUAGES, Words
from tests.serving import Player as Guest
from tests.waiting import eventually
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


def judged(site: str, path: str) -> str:
    """Return a page with what the coach says, once it has said it."""
    found = ""

    def ready() -> bool:
        nonlocal found
        found = httpx.get(f"{site}{path}", timeout=60).raise_for_status().text
        return 'class="mistakes"' in found

    eventually(ready)
    return found


def test_the_panel_says_what_the_coach_says(player: Callable[..., Player], site: str, solved: str) -> None:
    page = player(viewport=DESK).open(f"/after/{solved}").page
    page.locator("#ask-coach").click()
    played = replay(parse_record(httpx.get(f"{site}/api/tables/{solved}/record").text))
    values = service.find(MODES["glacial"].cards, GOAL)
    assert values is not None
    found = analyse(ExactJudge(Adviser(played.record.game, values)), played)  # type: ignore[arg-type]
    expect(page.locator(".chance")).to_be_visible()
    costly = [[m for m in found.worst(1000) if m.seat == seat][:SHOWN] for seat in (0, 1)]
    lines = page.locator("section:has(#coach) .mistakes li")
    expect(lines).to_have_count(sum(map(len, costly)))
    for line, moment in zip(lines.all(), [*costly[0], *costly[1]], strict=True):
        assert f"Turn {moment.turn}:" in (line.text_content() or "")
        assert f"-{100 * moment.loss:.1f}%" in (line.text_content() or "")
        expect(line.locator("a")).to_have_attribute("href", f"/replay/{solved}?step={moment.event}")
    for row, tally in zip(page.locator("section:has(#coach) tbody tr").all(), found.tallies, strict=True):
        expect(row).to_contain_text(f"{100 * tally.accuracy:.1f}%")
        expect(row).to_contain_text(f"{100 * tally.loss:.1f}%")


def test_a_result_leads_to_the_readers_costliest_decision(site: str, solved: str) -> None:
    anna = Guest(site)
    table = anna.open("dicy-cards", ("open", "bot:random"), options={"mode": "glacial", "goal": str(GOAL)})
    anna.join(table)
    while anna.get(f"/tables/{table}")["status"] != "over":
        # Whoever rerolls and skips has something to regret.
        legal = anna.get(f"/tables/{table}")["legal"]
        anna.move(table, "skip" if "skip" in legal else None)
    path = f"/after/{table}/costliest?coach=1"
    eventually(lambda: "/replay/" in anna.http.get(path, timeout=60, follow_redirects=False).headers["location"])
    led = anna.http.get(path, timeout=60, follow_redirects=False).headers["location"]
    values = service.find(MODES["glacial"].cards, GOAL)
    played = replay(parse_record(anna.http.get(f"/api/tables/{table}/record").text))
    found = analyse(ExactJudge(Adviser(played.record.game, values)), played)  # type: ignore[arg-type]
    worst = max((moment for moment in found.moments if moment.seat == 0), key=lambda moment: moment.loss)
    assert led == f"/replay/{table}?step={worst.event}"
    # Nobody else is led to it.
    assert httpx.get(f"{site}{path}", timeout=60).headers["location"] == f"/after/{table}?coach=1#coach"


def test_the_players_own_mistakes_come_first(solved: str) -> None:
    game = DicyCards(2, MODES["glacial"].cards, GOAL)
    values = service.find(game.cards, game.goal)
    assert values is not None
    rng, state, moves = Random(1), game.start(), list[Move]()
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        moves.append(Move(actor, action, state))
        state = game.apply(state, action)
    record = Record(game, ("Ada", "Bo"), tuple(Event(move.seat, move.action) for move in moves))
    found = analyse(ExactJudge(Adviser(game, values)), replay(record))
    own = judged_game(Words("en"), game, moves, ["Ada", "Bo"], found, [1])
    assert [seat for seat, _name, _list in own.mistakes] == [2, 1]
    assert own.own
    assert all(one.seat == 2 for one in own.marks)
    steps = judged_steps(Words("en"), found, range(len(moves) + 1), own.side)
    assert steps[-1].chance == ("100.0%" if game.winners(state) == (1,) else "0.0%")
    for moment, step in zip(found.moments, steps[1:], strict=True):
        if moment.loss >= 0.01:
            assert step.kind in ("mistake", "blunder")
        elif moment.luck >= 0.001:
            # The steps are seen from seat 2: another's good roll is bad luck.
            assert step.kind == ("luck" if moment.seat == 1 else "bad-luck")


@pytest.mark.parametrize("events", [0, 1])
def test_who_decided_nothing_is_not_praised(events: int, solved: str) -> None:
    game = DicyCards(2, MODES["glacial"].cards, GOAL)
    moves = [Move(CHANCE, Action("roll", dice="665211"), game.start())][:events]
    values = service.find(game.cards, game.goal)
    assert values is not None
    played = replay(Record(game, ("Ada", "Bo"), tuple(Event(move.seat, move.action) for move in moves)))
    panel = judged_game(Words("en"), game, moves, ["Ada", "Bo"], analyse(ExactJudge(Adviser(game, values)), played), [])
    assert panel.none == "Nothing to decide."
    assert [tally[2] for tally in panel.tallies] == ["–", "–"]


def test_nothing_is_said_where_nothing_is_solved(site: str, finished: Callable[[str], str]) -> None:
    for page in ("after", "replay"):
        text = httpx.get(f"{site}/{page}/{finished('dicy-cards')}?coach=1").raise_for_status().text
        assert 'id="coach"' not in text
        assert "judged-title" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(site: str, solved: str, language: str) -> None:
    for page in ("after", "replay"):
        text = judged(site, f"/{page}/{solved}?coach=1&lang={language}")
        assert Words(language)("The coach") in text
        assert Words(language)("Accuracy") in text


def test_a_replay_without_scripts_shows_mistakes_and_the_better_move(site: str, solved: str) -> None:
    text = judged(site, f"/replay/{solved}?coach=1&step=0")
    steps = [int(number) for number in re.findall(r'<li class="\w+"><a href="[^"]*step=(\d+)" data-step>', text)]
    assert steps
    assert text.count('class="worth"') == text.count("data-step><svg")
    there = httpx.get(f"{site}/replay/{solved}?coach=1&step={steps[0]}").text
    assert 'id="show-better"' in there
    better = httpx.get(f"{site}/replay/{solved}?coach=1&step={steps[0]}&better=1").text
    assert 'id="back-to-it"' in better
    # A forged place, a roll, a running game: refused, and no table is opened.
    anna = Guest(site)
    for step in ("x", "99999", "-1", "0"):
        assert anna.http.post(f"/replay/{solved}/try", data={"step": step}).status_code == 422
    assert anna.http.post("/replay/try", data={"record": "nonsense", "step": "1"}).status_code == 422
    running = anna.open("dicy-cards", ("open", "open"))
    assert anna.http.post(f"/replay/{running}/try", data={"step": "0"}).status_code == 409
    assert len(anna.get("/me/tables")["tables"]) == 1
    opened = anna.http.post(f"/replay/{solved}/try", data={"step": str(steps[0])})
    assert opened.status_code == 303
    table = opened.headers["location"].split("/")[2].split("?")[0]
    anna.join(table)
    view = anna.get(f"/tables/{table}")
    assert view["practice"]
    assert {seat["kind"] for seat in view["seats"]} == {"person", "bot"}
    assert f"\ngiven: {steps[0]}\n" in anna.http.get(f"/api/tables/{table}/record").text


@THEMES
def test_axe(player: Callable[..., Player], site: str, solved: str, theme: str) -> None:
    one = player(color_scheme=theme, viewport=PHONE if theme == "light" else DESK)
    judged(site, f"/after/{solved}?coach=1")
    for path in (f"/after/{solved}", f"/after/{solved}?coach=1", f"/replay/{solved}?coach=1&step=1"):
        assert not serious(one.open(path).page), path
