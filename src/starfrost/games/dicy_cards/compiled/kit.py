"""The batched bots of Dicy Cards."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.registry import BatchKit, Results
from starfrost.games.dicy_cards import CARDS_IN_A_GAME, MASKS, Action, DicyCards, Phase, State, card_of
from starfrost.games.dicy_cards.bots.planner import NEAR
from starfrost.games.dicy_cards.cards import FACES
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.on_demand import find
from starfrost.games.dicy_cards.solver.shared import NEAR as EXACT
from starfrost.games.dicy_cards.solver.turn import offers_of, solve_turn

_SIZES: Final = {"random": 20_000, "greedy": 50_000, "planner": 3_000, "master": 1_000, "perfect": 3_000}
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
    """Return what the planner knows about a set (`bots.prospects`), laid out as arrays."""
    from starfrost.games.dicy_cards.bots.prospects import prospects
    from starfrost.games.dicy_cards.compiled.ends import Book

    found, entries = prospects(cards, seats), card_set(cards).points
    points, most = np.array(found.points), int(min(found.points[-1]))
    alone = [np.interp(np.arange(most + 1), column, np.arange(len(points))) for column in points.T]
    need = np.arange(found.most + 2)
    # For all needs at once, which takes lists as long as the planner's other numbers together.
    ends = np.repeat((entries[:, None] >= need).astype(np.float64)[:, None], MASKS, axis=1)
    reach = solve_turn(offers_of(cards, best_only=True), ends, (need <= 0).astype(np.float64)).start
    return Book(
        np.ascontiguousarray(np.array(alone).T), np.array(found.gains), reach, found.pace, entries.astype(np.int64)
    ), points


def _data_of(game: DicyCards, bots: Sequence[str]) -> tuple[Any, Any, Any]:
    """Return what the bots know, the planner's book, and master's network if it plays."""
    from starfrost.games.dicy_cards.bots.master import weights
    from starfrost.games.dicy_cards.compiled.ends import Book
    from starfrost.games.dicy_cards.compiled.network import net_of
    from starfrost.games.dicy_cards.compiled.play import NAMES, BotData
    from starfrost.games.dicy_cards.solver.adviser import translated

    book = Book(np.zeros((1, MASKS)), np.zeros((1, MASKS)), np.zeros((MASKS, 1)), 1.0, np.zeros(1, np.int64))
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
    return BotData(codes, points, book.reach, book.pace, between, last, np.array(order), EXACT), book, net


def _play(game: DicyCards, bots: Sequence[str], dice: Keys, luck: Sequence[Keys]) -> Results:
    from starfrost.games.dicy_cards.compiled.batch import play_planned
    from starfrost.games.dicy_cards.compiled.play import Games, play_light
    from starfrost.games.dicy_cards.compiled.tables import rules_of

    rules, (data, book, net) = rules_of(game), _data_of(game, bots)
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
    play_light(rules, data, games)
    if (games.seat >= 0).any():
        play_planned(game, rules, data, book, net, games, NEAR)
    return Results(games.scores, _credits(games.scores, games.active), games.turns.sum(axis=1), games.facts)


def _credits(scores: Any, active: Any) -> Any:
    """Return the shares of victory: by points, then by active cards (E2)."""
    rank = scores * (CARDS_IN_A_GAME + 1) + np.bitwise_count(active)
    wins = rank == rank.max(axis=1, keepdims=True)
    return wins / wins.sum(axis=1, keepdims=True)


def _chooser(game: DicyCards, bots: Sequence[str]) -> Any:
    from starfrost.games.dicy_cards.compiled.decisions import Chooser

    return Chooser(game, _data_of(game, bots), NEAR)


def _facts(game: DicyCards) -> tuple[str, ...]:
    kinds = ("scores", "points", "rerolls")
    return (*(f"{card} {kind}" for kind in kinds for card in game.cards), "skips")


def _count(game: DicyCards, made: Sequence[tuple[State, Action]], last: State) -> list[list[int]]:
    facts = [[0] * (3 * CARDS_IN_A_GAME + 1) for _ in range(game.seats)]
    own = [(state, action) for state, action in made if state.phase is Phase.ACT]
    # A bot that fails at the first decision of a game leaves none.
    for (state, action), after in zip(own, [*(state for state, _ in own), last][1:], strict=True):
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


KIT: Final = BatchKit(_size, _facts, _count, _play, _chooser)
