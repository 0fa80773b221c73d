"""The tree below named positions: against goldens, and against a brute-force walk that knows nothing of the engine."""

import random

import pytest

from starfrost.games.core import OVER
from starfrost.games.dice_stars import DiceStars
from tests.games.dice_stars import naive
from tests.games.dice_stars.perft import GOLDEN, Named, perft, read_golden

NAMED = read_golden(GOLDEN.read_text())


def walk(table: naive.Table, depth: int) -> int:
    options = naive.events(table)
    if depth == 1:
        return len(options)
    return sum(walk(following, depth - 1) for event in options if (following := naive.after(table, event)))


def divide(named: Named, depth: int) -> str:
    """Count below each first move, by the engine and by brute force."""
    state = named.game.parse_position(named.position)
    table = naive.read(named.position, named.game.solo_boxes)
    actions = named.game.legal_actions(state) or tuple(roll for roll, _ in named.game.chance_outcomes(state))
    ours = {str(a): perft(named.game, named.game.apply(state, a), depth - 1) if depth > 1 else 1 for a in actions}
    theirs = {e: walk(t, depth - 1) if depth > 1 else 1 for e in naive.events(table) if (t := naive.after(table, e))}
    rows = [f"{move}: engine {ours.get(move)}, brute force {theirs.get(move)}" for move in sorted({*ours, *theirs})]
    return "\n".join(rows)


@pytest.mark.parametrize("named", NAMED, ids=lambda named: named.name)
def test_the_engine_counts_what_the_golden_says(named: Named) -> None:
    state = named.game.parse_position(named.position)
    for depth, count in enumerate(named.counts, start=1):
        assert perft(named.game, state, depth) == count, f"depth {depth}\n{divide(named, depth)}"


@pytest.mark.parametrize("named", NAMED, ids=lambda named: named.name)
def test_a_brute_force_walk_counts_the_same(named: Named) -> None:
    table = naive.read(named.position, named.game.solo_boxes)
    for depth, count in enumerate(named.counts, start=1):
        assert walk(table, depth) == count, f"depth {depth}\n{divide(named, depth)}"


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_whole_games_agree_with_brute_force(seats: int) -> None:
    rng = random.Random(seats)
    game = DiceStars(seats, solo_boxes=60)
    for _ in range(12 // seats):
        state = game.start()
        while game.actor(state) != OVER:
            text = game.position_text(state)
            table = naive.read(text, game.solo_boxes)
            actions = game.legal_actions(state)
            if actions:
                assert sorted(map(str, actions)) == sorted(naive.events(table)), text
            action = rng.choice(actions) if actions else game.sample(state, rng)
            state = game.apply(state, action)
            following = naive.after(table, str(action))
            assert following is not None
            assert _same(following, naive.read(game.position_text(state), game.solo_boxes)), f"{text}\n{action}"
            assert list(game.scores(state)) == [sheet.score() for sheet in following.sheets]


def _same(one: naive.Table, other: naive.Table) -> bool:
    """Compare tables, dice in any order."""
    for table in (one, other):
        for pile in (table.bag, table.reserve, table.discard):
            pile.sort()
    return one == other
