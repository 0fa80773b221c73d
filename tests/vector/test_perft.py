"""The reference engine's golden counts hold for the vector engines, level by level over whole batches."""

from typing import Any

import numpy as np
import pytest

from starfrost.games.core import CHANCE
from starfrost.games.dice import rolls
from starfrost.games.dice_stars import Action, DiceStars
from starfrost.games.dice_stars.components import rolls as star_rolls
from starfrost.games.dice_stars.vector.engine import COLOUR, DRAW_DICE
from starfrost.games.dicy_cards.vector import engine as dicy
from starfrost.vector.arrays import U32
from tests.games.perft import Named, read_golden
from tests.vector.differ import Pair, dice_codes, dice_word

NAMED = [named for name in ("dicy-cards", "dice-stars") for named in read_golden(name)]


def rows(state: Any, index: Any) -> Any:
    """Return rows of a packed batch."""
    if isinstance(state, tuple):
        parts = [rows(part, index) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state[index]


def joined(states: list[Any]) -> Any:
    """Concatenate packed batches."""
    if isinstance(states[0], tuple):
        parts = [joined(list(part)) for part in zip(*states, strict=True)]
        return type(states[0])(*parts) if hasattr(states[0], "_fields") else tuple(parts)
    return np.concatenate(states)


class Tree:
    """The nodes of one depth: states that wait for a seat, and states with an action whose dice are not rolled yet."""

    def __init__(self, pair: Pair, state: Any) -> None:
        self.pair, self.vector = pair, pair.vector
        self.deciding: Any = state
        self.rolling: list[tuple[Any, int, list[Any]]] = []

    def step(self, state: Any, numbers: np.ndarray, dice: Any = None) -> Any:
        nothing = np.zeros_like(numbers)
        return self.vector.step_with(state, numbers, dice or ((nothing,) * 3 if self.pair.stars else nothing))

    def outcomes(self, state: Any, number: int) -> list[Any]:
        """List the possible dice after an action (a batch of one), in the format of `step_with`."""
        if self.pair.stars:
            bag = tuple(int(state.meta[0]) >> (4 * colour) & 15 for colour in range(4))
            shown = star_rolls(bag, number - DRAW_DICE + 1)  # type: ignore[arg-type]
            return [dice_codes(Action("roll", dice=dice)) for dice, _ in shown]
        count = (number & 63).bit_count() if number < dicy.SCORE else 6
        return [dice_word(dice, number) for dice, _ in rolls(count)]

    def children(self) -> int:
        """Go one event deeper and return the number of nodes there."""
        deciding, rolling = [], []
        for state, number, outcomes in self.rolling:
            dice = np.array(outcomes, dtype=U32)
            many = rows(state, np.zeros(len(outcomes), dtype=int))
            numbers = np.full(len(outcomes), number, dtype=U32)
            deciding.append(self.vector.step_with(many, numbers, tuple(dice.T) if self.pair.stars else dice))
        if self.deciding is not None:
            node, number = np.nonzero(self.vector.legal(self.deciding))
            numbers = number.astype(U32)
            before = rows(self.deciding, node)
            after = self.step(before, numbers)
            if self.pair.stars:
                chance = (numbers >= DRAW_DICE) & (numbers < COLOUR)
            else:
                chance = (after.meta & U32(0x3FFFF) != 0) | (numbers < dicy.SCORE)
                chance |= (dicy.phase_of(after) == dicy.ACT) & (after.active & U32(31) != 0)
            for i in np.flatnonzero(chance):
                one = rows(before, [i])
                rolling.append((one, int(numbers[i]), self.outcomes(one, int(numbers[i]))))
            if not chance.all():
                deciding.append(rows(after, np.flatnonzero(~chance)))
        self.deciding = joined(deciding) if deciding else None
        self.rolling = rolling
        return len(rolling) + (len(self.deciding.meta) if deciding else 0)

    def count(self) -> int:
        """Count the nodes one event deeper without creating them."""
        legal = 0 if self.deciding is None else int(self.vector.legal(self.deciding).sum())
        return legal + sum(len(outcomes) for _, _, outcomes in self.rolling)


@pytest.mark.parametrize("named", NAMED, ids=lambda named: f"{named.game.name}: {named.name}")
def test_the_vector_engine_counts_what_the_golden_says(named: Named) -> None:
    game: Any = named.game
    pair = Pair(game, on_jax=False)
    state = game.parse_position(named.position)
    counts = list(named.counts)
    if game.actor(state) == CHANCE:
        # A packed state never waits for chance: the first roll is the reference engine's.
        falls = [game.apply(state, roll) for roll, _ in game.chance_outcomes(state)]
        assert len(falls) == counts.pop(0)
        tree = Tree(pair, pair.pack(falls))
    else:
        tree = Tree(pair, pair.pack([state]))
    for depth, count in enumerate(counts, start=1):
        assert tree.count() == count, f"depth {depth}"
        if depth < len(counts):
            assert tree.children() == count
    assert isinstance(game, DiceStars) == pair.stars
