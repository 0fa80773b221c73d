"""Every position and every ending of games small enough for an exhaustive search."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest

from starfrost.games.core import OVER
from starfrost.games.dicy_cards import MODES, DicyCards
from tests.games.dicy_cards import naive
from tests.games.perft import moves


def exhaust(start: Any, following: Callable[[Any], Iterable[Any]], key: Callable[[Any], Hashable]) -> list[Any]:
    """Return every reachable position once."""
    seen, found = {key(start)}, [start]
    for position in found:
        for after in following(position):
            if key(after) not in seen:
                seen.add(key(after))
                found.append(after)
    return found


TREES = [
    # The last turn of a game with one active card, for every card of mode D, then for no-sixes.
    ("d", "2 roll - 1:11111 0:10000", 1454, 56),
    ("d", "2 roll - 1:11111 0:01000", 1394, 7),
    ("d", "2 roll - 1:11111 0:00100", 1484, 81),
    ("d", "2 roll - 1:11111 0:00010", 1401, 14),
    ("d", "2 roll - 1:11111 0:00001", 1394, 7),
    ("c", "2 roll - 30:11111 0:10000", 1413, 26),
    # Three seats, and an effect after the goal was reached.
    ("d", "3 roll - 30:11000 0:00011 0:10000", 1477, 53),
    # Nothing left but a skip.
    ("d", "2 act - 1:11100 0:00000", 4, 2),
]


@pytest.mark.parametrize(("mode", "position", "positions", "endings"), TREES)
def test_the_whole_tree_of_a_last_turn(mode: str, position: str, positions: int, endings: int) -> None:
    game = DicyCards(len(position.split()) - 3, MODES[mode].cards, goal=1)
    start = game.parse_position(position)
    tree = exhaust(start, lambda state: (game.apply(state, move) for move in moves(game, state)), lambda state: state)
    ended = [state for state in tree if game.actor(state) == OVER]
    assert (len(tree), len(ended)) == (positions, endings)

    def following(table: naive.Table) -> Iterable[naive.Table]:
        return (naive.after(table, event) for event in naive.events(table))

    plain = exhaust(naive.read(position, game.headers()), following, repr)
    over = [table for table in plain if table.phase == "over"]
    assert (len(plain), len(over)) == (positions, endings)
    assert {(state.scores, game.winners(state)) for state in ended} == {
        (tuple(table.points), tuple(seat - 1 for seat in naive.winners(table))) for table in over
    }
