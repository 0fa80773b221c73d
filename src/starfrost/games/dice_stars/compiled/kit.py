"""The batched bots of Dice Stars."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.batch.registry import BatchKit, Chooser, Results
from starfrost.games.dice_stars import ROWS, DiceStars, State
from starfrost.games.dice_stars.bots.evaluation import SOLO_WEIGHTS, WEIGHTS
from starfrost.games.dice_stars.compiled.positions import NAMES, NETWORK, NOTHING, STRONG, DecisionBatch, Games, start
from starfrost.games.dice_stars.sheet import BOX_POINTS, multiplier, row_score
from starfrost.games.dice_stars.variant import OFFICIAL

_SIZES: Final = {"random": 50_000, "greedy": 20_000, "planner": 500, "network": 256, "strong": 8}


def _size(game: DiceStars, bots: Sequence[str]) -> int:
    official = game.rules == OFFICIAL and find_spec("numba") is not None
    return min(_SIZES.get(bot, 1) for bot in bots) if official else 1


@lru_cache(maxsize=8)
def _look_ahead(game: DiceStars, bot: str) -> Any:
    from starfrost.games.dice_stars.bots.search import NO_SEARCH
    from starfrost.games.dice_stars.bots.strong import POINTS, SEARCH, weights
    from starfrost.games.dice_stars.compiled.look_ahead import look_ahead

    search = SEARCH[game.seats] if bot == "strong" else NO_SEARCH
    return look_ahead(game, weights(game.seats), float(POINTS[game.seats]), search)


def _play(game: DiceStars, bots: Sequence[str], dice: Keys, luck: Sequence[Keys]) -> Results:
    games = start(game.seats, np.ascontiguousarray(dice), np.ascontiguousarray(np.stack(luck, axis=1)))
    players = _players(game, bots)
    while (games.seat >= 0).any():
        for play_on in players:
            play_on(games, NOTHING)
    return results_of(game, games)


def _players(game: DiceStars, bots: Sequence[str]) -> list[Callable[[Games, DecisionBatch], None]]:
    """Return the functions that play on in a batch or answer what is asked, each for some of the bots."""
    seats, boxes, players = game.seats, game.solo_boxes, list[Callable[[Games, DecisionBatch], None]]()
    codes = np.array([NAMES.index(name) for name in bots])
    if (codes < NETWORK).any():
        from starfrost.games.dice_stars.compiled.planner_records import planner_scratch, planner_weights
        from starfrost.games.dice_stars.compiled.play import play_light, take_scratch

        known, work = planner_weights(SOLO_WEIGHTS if seats == 1 else WEIGHTS), take_scratch()
        planner = planner_scratch() if "planner" in bots else None
        players.append(lambda games, asked: play_light(seats, boxes, codes, games, asked, known, planner, work))
    for code in {NETWORK, STRONG} & set(codes.tolist()):
        from starfrost.games.dice_stars.compiled.look_ahead import play_strong

        players.append(partial(play_strong, seats, boxes, codes, code, _look_ahead(game, NAMES[code])))
    return players


def _chooser(game: DiceStars, bots: Sequence[str]) -> Chooser:
    from starfrost.games.dice_stars.compiled.positions import read

    players = _players(game, bots)

    def choose(positions: Any, luck: Keys, decisions: NDArray[np.int64]) -> NDArray[np.int64]:
        games, asked = read(game.seats, positions, luck, decisions)
        for play_on in players:
            play_on(games, asked)
        return asked.number

    return choose


def results_of(game: DiceStars, games: Any) -> Results:
    """Return the results of finished games (G2, G3, L3, L4)."""
    from starfrost.games.dice_stars.sheet import STAR_BOXES

    factor = np.where(games.ticked == 0, 1, np.where(games.ticked == np.array(STAR_BOXES), 2, 0))
    rows = games.sums * factor
    scores = rows.sum(axis=-1) - np.maximum(games.penalty, 0)
    if game.seats == 1:
        won = (games.solo < game.solo_boxes) & (scores[:, 0] > BOX_POINTS * games.solo)
        credits = won[:, None].astype(np.float64)
    else:
        wins = scores == scores.max(axis=1, keepdims=True)
        credits = wins / wins.sum(axis=1, keepdims=True)
    facts = np.concatenate([rows, factor, np.maximum(games.penalty, 0)[..., None]], axis=-1)
    return Results(scores, credits, games.turns.sum(axis=1), facts)


def _facts(game: DiceStars) -> tuple[str, ...]:
    return (*(f"row {row} {kind}" for kind in ("points", "multiplier") for row in ROWS), "penalty")


def _count(game: DiceStars, made: Sequence[tuple[State, Any]], last: State) -> list[list[int]]:
    return [
        [part(sheet, row) for part in (row_score, multiplier) for row in range(len(ROWS))] + [max(sheet.penalty, 0)]
        for sheet in last.sheets
    ]


KIT: Final = BatchKit(_size, _facts, _count, _play, _chooser)
