"""The batched bots of Dice Stars."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.registry import BatchKit, Results
from starfrost.games.dice_stars import ROWS, DiceStars, State
from starfrost.games.dice_stars.sheet import multiplier, row_score
from starfrost.games.dice_stars.variant import OFFICIAL
from starfrost.players.dice_stars.evaluation import SOLO_WEIGHTS, WEIGHTS, Weights
from starfrost.players.dice_stars.planner import SAMPLES

_SIZES: Final = {"random": 50_000, "greedy": 20_000, "planner": 100, "strong": 8}


def _size(game: DiceStars, bots: Sequence[str]) -> int:
    official = game.rules == OFFICIAL and find_spec("numba") is not None
    return min(_SIZES.get(bot, 1) for bot in bots) if official else 1


def _mind(weights: Weights) -> Any:
    from starfrost.batch.dice_stars.desk import Mind

    powers = np.array([pow(number, weights.bend) for number in range(21)])
    rest = {name: value for name, value in weights._asdict().items() if name not in ("white", "green", "bend")}
    return Mind(np.array(weights.white), np.array(weights.green), powers, **rest, samples=SAMPLES)


@lru_cache(maxsize=8)
def _foresight(game: DiceStars) -> Any:
    from starfrost.batch.dice_stars.foresight import foresight
    from starfrost.players.dice_stars.strong import POINTS, SEARCH, whole_weights

    return foresight(game, whole_weights(game.seats), float(POINTS[game.seats]), SEARCH[game.seats])


def _play(game: DiceStars, bots: Sequence[str], dice: Keys, luck: Sequence[Keys]) -> Results:
    from starfrost.batch.dice_stars.desk import desk
    from starfrost.batch.dice_stars.play import play_light
    from starfrost.batch.dice_stars.sheets import NAMES, start

    games = start(game.seats, np.ascontiguousarray(dice), np.ascontiguousarray(np.stack(luck, axis=1)))
    codes = np.array([NAMES.index(name) for name in bots])
    mind = _mind(SOLO_WEIGHTS if game.seats == 1 else WEIGHTS)
    planner = desk() if "planner" in bots else None
    play_light(game.seats, game.solo_boxes, codes, games, mind, planner)
    while "strong" in bots and (games.seat >= 0).any():
        from starfrost.batch.dice_stars.foresight import play_strong

        play_strong(game.seats, game.solo_boxes, codes, games, _foresight(game))
        play_light(game.seats, game.solo_boxes, codes, games, mind, planner)
    return results_of(game, games)


def results_of(game: DiceStars, games: Any) -> Results:
    """Return the results of finished games (G2, G3, L3, L4)."""
    from starfrost.games.dice_stars.sheet import STAR_BOXES

    factor = np.where(games.ticked == 0, 1, np.where(games.ticked == np.array(STAR_BOXES), 2, 0))
    rows = games.sums * factor
    scores = rows.sum(axis=-1) - np.maximum(games.penalty, 0)
    if game.seats == 1:
        won = (games.solo < game.solo_boxes) & (scores[:, 0] > 5 * games.solo)
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


KIT: Final = BatchKit(_size, _facts, _count, _play)
