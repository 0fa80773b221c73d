"""Pages of a table at chosen moments of a game, drawn without playing: for tests that look at many of them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from random import Random
from typing import Any

from starlette.requests import Request

from starfrost.boards.previews import Preview
from starfrost.boards.seats import look_of
from starfrost.bots.registry import make_bot
from starfrost.games.core import CHANCE, OVER
from starfrost.games.kit import LONGEST_NAME
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.table import ROLL, SeatView, TableView
from starfrost.table.moves import Move
from starfrost.web.pages.judged import Mistake, Panel, cost_words
from starfrost.web.pages.replays import ReplayBar
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.render import page, reader_of
from starfrost.words.story import narrate

__all__ = ["LONG_NAMES", "draw", "draw_replay"]

LONG_NAMES = ("Maximiliane Wintergarten", "Bartholomew Featherston", "María Guadalupe Espinosa", "W" * LONGEST_NAME)
ME = 0

Moment = Callable[[Any, Any, list[Any]], bool]


# What is looked for, from the middle of a game on: `legal` is empty unless it is the reader's turn.
def _only(*verbs: str) -> Moment:
    return lambda game, state, legal: bool(legal) and {getattr(action, "verb", "") for action in legal} == set(verbs)


MOMENTS: dict[str, Moment] = {
    "freeze": _only("freeze"),
    "reset": _only("reset"),
    "stuck": _only("skip"),
    "refill": _only("keep", "return"),
    "penalty": _only("penalty"),
    "asked": lambda game, state, legal: (
        bool({getattr(action, "verb", "") for action in legal} & {"score", "take"}) and len(legal) >= 4
    ),
    "roll": lambda game, state, legal: (
        legal == [ROLL] or any(getattr(action, "verb", "") == "draw" for action in legal)
    ),
    "draws": lambda game, state, legal: [getattr(action, "verb", "") for action in legal] == ["draw"] * 3,
    "waiting": lambda game, state, legal: game.actor(state) not in (OVER, CHANCE, ME),
    "over": lambda game, state, legal: game.actor(state) == OVER,
}


@cache
def _played(game: str, seats: int, seed: int) -> tuple[Any, list[Move], list[Any]]:
    """Let bots play a game; return it, its moves and its positions."""
    made: Any = Setup(GAMES[game].id, seats).make(Random(seed))
    rng, bot = Random(seed), make_bot("greedy", made)
    state, moves, states = made.start(), [], [made.start()]
    while (actor := made.actor(state)) != OVER:
        action = made.sample(state, rng) if actor == CHANCE else bot.choose(made, state, rng)
        moves.append(Move(actor, action, state))
        state = made.apply(state, action)
        states.append(state)
    return made, moves, states


def _legal(game: Any, state: Any) -> list[Any]:
    actor = game.actor(state)
    if actor == CHANCE:
        return [ROLL] if game.turn_of(state) == ME and not game.legal_actions(state) else []
    return list(game.legal_actions(state)) if actor == ME else []


@cache
def _found(game: str, seats: int, moment: str, seed: int) -> tuple[Any, list[Move], list[Any], int]:
    """Return the first game with a moment, its moves and positions, and the step of the moment."""
    while True:
        made, moves, states = _played(game, seats, seed)
        for step in range(len(moves) // 2, len(states)):
            if MOMENTS[moment](made, states[step], _legal(made, states[step])):
                return made, moves, states, step
        seed += 1


def draw(
    language: str,
    game: str,
    seats: int,
    moment: str,
    *,
    seed: int = 3,
    names: tuple[str, ...] = LONG_NAMES,
    board: str = "",
    undo: int | None = None,
) -> str:
    """Return the page of a table for its first seat, at a moment in the second half of a game; `text` is its board.

    `undo` is the seat that may take its last move back.
    """
    made, moves, states, step = _found(game, seats, moment, seed)
    sitting = _sitting(seats, names)
    legal = tuple(_legal(made, states[step]))
    view = TableView("", 1, "running", made, states[step], moves[:step], sitting, legal=legal)
    view = replace(view, acting=ME + 1 if legal else None, status="over" if moment == "over" else "running")
    request = _request(language, board)
    live, drawn = draw_scene(reader_of(request), view, step)
    live = replace(live, act="/", hint=seats < 4 and len(legal) > 1, undo=undo)
    return bytes(page(request, "table.html", live=live, t=drawn).body).decode()


def draw_replay(language: str, game: str, seats: int = 2, names: tuple[str, ...] = LONG_NAMES) -> str:
    """Return the page of a replay at a decision of the reader that the coach would have made otherwise."""
    made, moves, states, step = _found(game, seats, "asked", 3)
    view = TableView("", 0, "over", made, states[-1], moves, _sitting(seats, names))
    request = _request(language)
    reader = reader_of(request)
    live, drawn = draw_scene(reader, view, step, looking_back=True)
    w, actions = reader.w, sorted(made.legal_actions(states[step]), key=lambda action: len(str(action)))
    played, better = (narrate(w, made, states[step], action, live.names) for action in actions[-2:])
    cost = cost_words(w, 0.324, 0.061, exact=False)
    mistake = Mistake(step, ME + 1, 21, "blunder", cost, "", played, better, 0, 0)
    bar = ReplayBar("/replay/x", step, len(moves), tuple(range(len(moves) + 1)), ())
    values = {
        "look": partial(look_of, view.seats),
        "coach": Panel(),
        "coached": (),
        "mistake": mistake,
        "better": False,
    }
    values |= {"share": "", "record": "", "spot": "", "preview": Preview("", "", "", "/")}
    return bytes(page(request, "replay.html", live=live, t=drawn, bar=bar, **values).body).decode()


def _request(language: str, board: str = "") -> Request:
    headers = [(b"cookie", f"sf-language={language}; sf-board={board}".encode())]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers})


def _sitting(seats: int, names: tuple[str, ...]) -> tuple[SeatView, ...]:
    # Whoever plays alone against bots gets hints.
    people = 1 if seats < 4 else 2
    kinds = ["person"] * people + ["bot"] * (seats - people)
    return tuple(
        SeatView(i + 1, kind, names[i], yours=i == ME, present=True, bot="greedy" if kind == "bot" else None)
        for i, kind in enumerate(kinds)
    )
