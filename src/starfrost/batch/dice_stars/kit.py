"""The batched bots of Dice Stars."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.batch.dice_stars.positions import NAMES, NETWORK, NOTHING, STRONG, Asked, Games, start
from starfrost.batch.registry import BatchKit, Chooser, DeviceKit, Results
from starfrost.games.dice_stars import ROWS, DiceStars, State
from starfrost.games.dice_stars.sheet import multiplier, row_score
from starfrost.games.dice_stars.variant import OFFICIAL
from starfrost.players.dice_stars.evaluation import SOLO_WEIGHTS, WEIGHTS

_SIZES: Final = {"random": 50_000, "greedy": 20_000, "planner": 500, "network": 256, "strong": 8}

_ON_DEVICE: Final = {"random": 262_144, "greedy": 262_144, "planner": 16_384, "network": 262_144, "strong": 16_384}
"""The games that a device plays at once."""


def _size(game: DiceStars, bots: Sequence[str]) -> int:
    official = game.rules == OFFICIAL and find_spec("numba") is not None
    return min(_SIZES.get(bot, 1) for bot in bots) if official else 1


@lru_cache(maxsize=8)
def _foresight(game: DiceStars, bot: str) -> Any:
    from starfrost.batch.dice_stars.foresight import foresight
    from starfrost.learning.dice_stars.search import NO_SEARCH
    from starfrost.players.dice_stars.strong import POINTS, SEARCH, whole_weights

    search = SEARCH[game.seats] if bot == "strong" else NO_SEARCH
    return foresight(game, whole_weights(game.seats), float(POINTS[game.seats]), search)


def _play(game: DiceStars, bots: Sequence[str], dice: Keys, luck: Sequence[Keys]) -> Results:
    games = start(game.seats, np.ascontiguousarray(dice), np.ascontiguousarray(np.stack(luck, axis=1)))
    players = _players(game, bots)
    while (games.seat >= 0).any():
        for play_on in players:
            play_on(games, NOTHING)
    return results_of(game, games)


def _players(game: DiceStars, bots: Sequence[str]) -> list[Callable[[Games, Asked], None]]:
    """Return the functions that play on in a batch or answer what is asked, each for some of the bots."""
    seats, boxes, players = game.seats, game.solo_boxes, list[Callable[[Games, Asked], None]]()
    codes = np.array([NAMES.index(name) for name in bots])
    if (codes < NETWORK).any():
        from starfrost.batch.dice_stars.desk import desk, mind
        from starfrost.batch.dice_stars.play import play_light, scratch

        known, work = mind(SOLO_WEIGHTS if seats == 1 else WEIGHTS), scratch()
        planner = desk() if "planner" in bots else None
        players.append(lambda games, asked: play_light(seats, boxes, codes, games, asked, known, planner, work))
    for code in {NETWORK, STRONG} & set(codes.tolist()):
        from starfrost.batch.dice_stars.foresight import play_strong

        players.append(partial(play_strong, seats, boxes, codes, code, _foresight(game, NAMES[code])))
    return players


def _chooser(game: DiceStars, bots: Sequence[str]) -> Chooser:
    from starfrost.batch.dice_stars.positions import read

    players = _players(game, bots)

    def choose(positions: Any, luck: Keys, decisions: NDArray[np.int64]) -> NDArray[np.int64]:
        games, asked = read(game.seats, positions, luck, decisions)
        for play_on in players:
            play_on(games, asked)
        return asked.number

    return choose


def _size_with_device(game: DiceStars, bots: Sequence[str]) -> int:
    return min(_ON_DEVICE[bot] for bot in bots) if game.rules == OFFICIAL else 1


def _play_on_device(game: DiceStars, bots: Sequence[str], dice: Keys, luck: Sequence[Keys], device: str) -> Results:
    from starfrost.batch.dice_stars.on_device import play_all

    return results_of(game, play_all(game, bots, dice, luck, device))


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


KIT: Final = BatchKit(
    _size,
    _facts,
    _count,
    _play,
    DeviceKit(tuple(_ON_DEVICE), _size_with_device, _play_on_device),
    _chooser,
)
