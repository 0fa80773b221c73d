"""The batched bots of Dicy Cards."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.registry import BatchKit, DeviceKit, Results
from starfrost.games.dicy_cards import CARDS_IN_A_GAME, MASKS, Action, DicyCards, Phase, State, card_of
from starfrost.games.dicy_cards.cards import FACES
from starfrost.players.dicy_cards.planner import NEAR
from starfrost.solver.on_demand import find
from starfrost.solver.shared import NEAR as EXACT

_SIZES: Final = {"random": 20_000, "greedy": 50_000, "planner": 3_000, "master": 1_000, "perfect": 3_000}
_ON_DEVICE: Final = {"random": 262_144, "greedy": 262_144, "planner": 65_536, "master": 16_384, "perfect": 65_536}
"""The games that a device gets at once; of those with a plan it plays a part at a time."""
_SOLVED: Final = {"master", "perfect"}
"""The bots that play by solved sets."""


def _size(game: DicyCards, bots: Sequence[str]) -> int:
    # Dice with other faces show several rolls as the same dice, which the tables do not know.
    if not find_spec("numba") or not set(bots) <= _SIZES.keys() or card_of(game.kinds[0]).faces != FACES:
        return 1
    return min(_SIZES[bot] for bot in bots) if _is_solved(game, bots) else 1


def _is_solved(game: DicyCards, bots: Sequence[str]) -> bool:
    """Return whether the bots have the solved set that they need."""
    return _SOLVED.isdisjoint(bots) or find(game.kinds, game.goal) is not None


@lru_cache(maxsize=64)
def _book(cards: tuple[str, ...], seats: int) -> Any:
    from starfrost.batch.dicy_cards.ends import Book
    from starfrost.players.dicy_cards.prospects import prospects

    found = prospects(cards, seats)
    return Book(
        np.ascontiguousarray(found.needed), found.lead, found.reach, found.pace, found.card_set.points.astype(np.int64)
    ), np.ascontiguousarray(found.points)


def _minds(game: DicyCards, bots: Sequence[str]) -> tuple[Any, Any, Any]:
    """Return what the bots know, the planner's book, and master's network if it plays."""
    from starfrost.batch.dicy_cards.ends import Book
    from starfrost.batch.dicy_cards.network import net_of
    from starfrost.batch.dicy_cards.play import NAMES, Minds
    from starfrost.players.dicy_cards.master import weights
    from starfrost.solver.adviser import translated

    book = Book(np.zeros((1, MASKS)), np.zeros((1, 1, 1)), np.zeros((MASKS, 1)), 1.0, np.zeros(1, np.int64))
    points = np.zeros((1, MASKS))
    if "planner" in bots:
        book, points = _book(game.kinds, game.seats)
    between: Any = np.zeros((1, 1, 1, 1, 1))
    last: Any = np.zeros((1, 1, 1))
    cards, order = game.kinds, list(range(MASKS))
    if not _SOLVED.isdisjoint(bots):
        values = find(game.kinds, game.goal)
        assert values is not None
        # Whether a table is mapped read-only is part of Numba's types; a view of another flag would compile twice.
        between, last = values.between, values.last
        cards, order = values.cards, translated(game.kinds, values.cards)
    codes = np.array([NAMES.index(name) for name in bots])
    between, last = (table.view() for table in (between, last))
    for table in (between, last):
        table.flags.writeable = False
    net = net_of(cards, weights(game.seats), between, last) if "master" in bots else None
    return Minds(codes, points, book.reach, book.pace, between, last, np.array(order), EXACT), book, net


def _play(game: DicyCards, bots: Sequence[str], dice: Keys, luck: Sequence[Keys]) -> Results:
    from starfrost.batch.dicy_cards.batch import play_planned
    from starfrost.batch.dicy_cards.play import Games, play_light
    from starfrost.batch.dicy_cards.tables import rules_of

    rules, (minds, book, net) = rules_of(game), _minds(game, bots)
    start = game.start()
    number = len(dice)
    facts = 3 * CARDS_IN_A_GAME + 1
    games = Games(
        np.tile(np.array(start.scores, np.int64), (number, 1)),
        np.tile(np.array(start.active, np.int64), (number, 1)),
        np.full(number, start.seat, np.int64),
        np.zeros((number, game.seats), np.int64),
        np.zeros((number, game.seats), np.int64),
        np.ascontiguousarray(dice),
        np.ascontiguousarray(np.stack(luck, axis=1)),
        np.zeros((number, game.seats, facts), np.int64),
        np.zeros((number, 2), np.int64),
        np.zeros((number, 2), np.int64),
    )
    play_light(rules, minds, games)
    if (games.seat >= 0).any():
        play_planned(game, rules, minds, book, net, games, NEAR)
    return Results(games.scores, _credits(games.scores, games.active), games.turns.sum(axis=1), games.facts)


def _credits(scores: Any, active: Any) -> Any:
    """Return the shares of victory: by points, then by active cards (E2)."""
    rank = scores * (CARDS_IN_A_GAME + 1) + np.bitwise_count(active)
    wins = rank == rank.max(axis=1, keepdims=True)
    return wins / wins.sum(axis=1, keepdims=True)


def _size_with_device(game: DicyCards, bots: Sequence[str]) -> int:
    if card_of(game.kinds[0]).faces != FACES or not _is_solved(game, bots):
        return 1
    return min(_ON_DEVICE[bot] for bot in bots)


def _play_on_device(game: DicyCards, bots: Sequence[str], dice: Keys, luck: Sequence[Keys], device: str) -> Results:
    from starfrost.batch.dicy_cards.on_device import play_all

    found = play_all(game, bots, dice, luck, device)
    return Results(found.scores, _credits(found.scores, found.active), found.turns, found.facts)


def _chooser(game: DicyCards, bots: Sequence[str]) -> Any:
    from starfrost.batch.dicy_cards.decisions import Chooser

    return Chooser(game, _minds(game, bots), NEAR)


def _facts(game: DicyCards) -> tuple[str, ...]:
    kinds = ("scores", "points", "rerolls")
    return (*(f"{card} {kind}" for kind in kinds for card in game.cards), "skips")


def _count(game: DicyCards, made: Sequence[tuple[State, Action]], last: State) -> list[list[int]]:
    facts = [[0] * (3 * CARDS_IN_A_GAME + 1) for _ in range(game.seats)]
    own = [(state, action) for state, action in made if state.phase is Phase.ACT]
    for (state, action), (after, _) in zip(own, [*own[1:], (last, None)], strict=True):
        mine = facts[state.seat]
        if action.verb == "skip":
            mine[-1] += 1
            continue
        card = game.cards.index(action.card)
        if action.verb == "reroll":
            mine[2 * CARDS_IN_A_GAME + card] += 1
        else:
            mine[card] += 1
            mine[CARDS_IN_A_GAME + card] += after.scores[state.seat] - state.scores[state.seat]
    return facts


KIT: Final = BatchKit(
    _size,
    _facts,
    _count,
    _play,
    DeviceKit(tuple(_ON_DEVICE), _size_with_device, _play_on_device),
    _chooser,
)
