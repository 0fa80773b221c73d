"""Parts of pages that are drawn once and kept: nobody is shown a part that was drawn for somebody else.

Four players in four languages and a watcher look at every scene of a game in turns, so that whatever is kept for one of
them lies there for the others. Each must see, letter by letter, what they see when nothing is kept.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from starfrost.boards.drawing import environment
from starfrost.games.core import CHANCE, OVER, rolls_at_once
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.table import ROLL, SeatView, TableView
from starfrost.table.moves import Move
from starfrost.table.view import DailyTable
from starfrost.web.pages.scenes import Asking, Note, draw_scene
from starfrost.web.render import page, reader_of
from starfrost.words import LANGUAGES
from tests.web.test_views import request

GAMES = {"dicy-cards": DicyCards(seats=4, goal=30), "dice-stars": DiceStars(seats=4)}
# Two people have the name of somebody else.
NAMES = ("Anna", "Anna", "Ben", "Anna")
SEATS = range(1, 5)
SECRET = "Only one of them may read this."
KINDS = ("plain", "practice", "daily")


def play(game: Any) -> tuple[list[Move], Any]:
    """Play a random game; give its moves and its last position."""
    rng, state, moves = Random(3), game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        moves.append(Move(actor, action, state))
        state = game.apply(state, action)
    return moves, state


def seen(kind: str, game: Any, moves: list[Move], step: int, state: Any, viewer: int) -> TableView:
    """Return a table after some steps as one of the players sees it; 0 is a watcher."""
    actor = game.actor(state)
    waits = None if actor == OVER else 1 + (actor if actor >= 0 else game.turn_of(state))
    legal = (ROLL,) if actor == CHANCE else game.legal_actions(state) if actor >= 0 else ()
    view = TableView(
        "table",
        step + 1,
        "over" if actor == OVER else "running",
        game,
        state,
        moves[:step],
        tuple(SeatView(seat, "person", NAMES[seat - 1], yours=seat == viewer, present=True) for seat in SEATS),
        acting=waits,
        legal=legal if viewer == waits else (),
        undo=(viewer,) if viewer == waits and step % 3 == 0 else (),
        invitation=f"invitation-of-{viewer}" if viewer else None,
        member=bool(viewer),
    )
    if kind == "practice" and viewer == 1:
        return replace(view, coach="practice", practice=True)
    return replace(view, daily=DailyTable("2026-11-16", viewer == 1, 0.0)) if kind == "daily" else view


def draw(kind: str, view: TableView, viewer: int) -> str:
    """Draw a scene for one of them; player 1 has asked the coach, player 2 must confirm a move."""
    one = request(LANGUAGES[viewer % 4])
    note = Note("hint", SECRET) if kind == "practice" and viewer == 1 else None
    asking = Asking(SECRET, [("do", "skip")]) if kind == "plain" and viewer == 2 and view.legal else None
    live, board = draw_scene(reader_of(one), view, len(view.moves), asking=asking, after=0, note=note)
    shown = page(one, "parts/table.html", live=replace(live, key="key"), t=board)
    return bytes(shown.body).decode()


def forget() -> None:
    """Forget everything that was laid out or drawn."""
    for language in LANGUAGES:
        for kept in ("once", "gettext"):
            environment(language).globals[kept].cache_clear()
    for name in ("games.dicy_cards.board.table", "games.dice_stars.board.table", "web.pages.scenes", "web.render"):
        for value in vars(sys.modules[f"starfrost.{name}"]).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def scenes(kind: str, game: Any) -> Iterator[tuple[int, int, TableView]]:
    """Give the last scenes of a game for everybody in turns, the first of them another one each time."""
    moves, last = play(game)
    for step in range(max(0, len(moves) - 60), len(moves) + 1):
        state = moves[step].before if step < len(moves) else last
        if rolls_at_once(game, state):
            # Nobody is shown a decision without its dice.
            continue
        for place in range(5):
            viewer = (step + place) % 5
            yield step, viewer, seen(kind, game, moves, step, state, viewer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GAMES)
def test_nobody_is_shown_a_part_that_was_kept_for_somebody_else(name: str, kind: str) -> None:
    game = GAMES[name]
    forget()
    kept = {(step, viewer): draw(kind, view, viewer) for step, viewer, view in scenes(kind, game)}
    once: Any = environment("en").globals["once"]
    assert once.cache_info().hits > once.cache_info().misses
    alone = list(scenes(kind, game))
    for number in range(5):
        forget()
        for step, viewer, view in reversed(alone):
            if viewer == number:
                assert kept[step, viewer] == draw(kind, view, viewer), (step, viewer)


@pytest.mark.parametrize("name", GAMES)
def test_only_whoever_acts_can_act_and_only_the_asker_reads_the_answer(name: str) -> None:
    forget()
    for kind in KINDS:
        for step, viewer, view in scenes(kind, GAMES[name]):
            text = draw(kind, view, viewer)
            asked = (kind == "practice" and viewer == 1) or (kind == "plain" and viewer == 2 and view.legal)
            assert (SECRET in text) == bool(asked), (step, viewer)
            acts = bool(view.legal) and "asking" not in text.split('<section class="side"')[0]
            assert bool(re.search(r'<button[^>]* name="do"', text)) == acts, (step, viewer)
            assert all(f"invitation-of-{other}" not in text for other in SEATS if other != viewer)
