"""Play the reference engine and a vector engine side by side and compare every mask, state, score and reward.

`python -m tests.vector.differ 2000000` compares that many transitions over all variants, on JAX and on NumPy.
"""

import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple, cast

import jax
import numpy as np

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import Action, DiceStars
from starfrost.games.dice_stars.vector import reference as stars_reference
from starfrost.games.dice_stars.vector.engine import VectorStars
from starfrost.games.dicy_cards import CARDS, MODES, DicyCards
from starfrost.games.dicy_cards.vector import reference as dicy_reference
from starfrost.games.dicy_cards.vector.engine import SCORE, VectorDicy
from starfrost.vector.arrays import U32
from tests.variants import CARD_VARIANTS, STAR_VARIANTS, game_of

ALL_CARDS = tuple(CARDS)


def dice_codes(roll: Action) -> tuple[int, int, int]:
    """Convert a roll of the reference engine of Dice Stars to the three dice of `step_with`."""
    codes = [(shown & ~7) | max((shown & 7) - 1, 0) for shown in roll.dice]
    codes += [0] * (3 - len(codes))
    return codes[0], codes[1], codes[2]


def dice_word(dice: str, number: int = 0) -> int:
    """Convert rolled dice of Dicy Cards to the word of `step_with`: six for a turn, or those of a numbered reroll."""
    mask = number & 63 if number < SCORE and number & 63 else 63
    places = [i for i in range(6) if mask >> i & 1]
    return sum(int(die) << (3 * i) for i, die in zip(places, dice, strict=False))


class Legal(NamedTuple):
    """The legal actions of the reference engine: the numbers, and the actions by verb."""

    numbers: tuple[int, ...]
    by_verb: tuple[tuple[Any, ...], ...]


class Pair:
    """One setup in both engines."""

    def __init__(self, game: DicyCards | DiceStars, on_jax: bool) -> None:
        self.game: Any = game
        self.stars = isinstance(game, DiceStars)
        self.vector: Any
        if isinstance(game, DiceStars):
            self.vector = VectorStars(game.seats, game.solo_boxes or 30, game.rules)
        else:
            self.vector = VectorDicy(game.seats, game.cards, game.goal, game.rules)
        self.pack: Any = stars_reference.pack if self.stars else dicy_reference.pack
        self.on_jax = on_jax
        self._step = jax.jit(self._after) if on_jax else self._after
        self._legal: dict[Any, Legal] = {}

    def __repr__(self) -> str:
        return f"{self.vector} on {'JAX' if self.on_jax else 'NumPy'}"

    def _after(self, packed: Any, action: Any, dice: Any) -> Any:
        """Step and return everything about the next state."""
        v = self.vector
        after = v.step_with(packed, action, dice)
        return after, v.legal(after), v.scores(after), v.rewards(after), v.actor(after), v.over(after)

    def number(self, state: Any, action: Any) -> int:
        if self.stars:
            return stars_reference.action_number(action, self.game.rules.stars)
        return dicy_reference.action_number(self.game.cards, state.dice, action)

    def action(self, state: Any, number: int) -> Any:
        if self.stars:
            return stars_reference.reference_action(number, self.game.rules.stars)
        return dicy_reference.reference_action(self.game.cards, state.dice, number)

    def legal(self, state: Any) -> Legal:
        """Return the cached legal actions; Dicy Cards has hundreds of them in few different positions."""
        key = None if self.stars else (state.phase, state.dice, state.active[max(self.game.actor(state), 0)])
        found = self._legal.get(key) if key else None
        if found is None:
            actions = self.game.legal_actions(state)
            kinds: dict[str, list[Any]] = {}
            for action in actions:
                kinds.setdefault(action.verb + action.line[:1] if self.stars else action.verb, []).append(action)
            found = Legal(tuple(self.number(state, action) for action in actions), tuple(map(tuple, kinds.values())))
            if key:
                self._legal[key] = found
        return found

    def rolled(self, state: Any, rng: Random) -> tuple[Any, Any]:
        """Roll if the reference engine waits for dice."""
        if self.game.actor(state) != CHANCE:
            return state, None
        roll = self.game.sample(state, rng)
        return self.game.apply(state, roll), roll

    def dice(self, number: int, roll: Any) -> Any:
        """Return a roll in the format of `step_with`."""
        if self.stars:
            return dice_codes(roll) if roll else (0, 0, 0)
        return dice_word(roll.dice, number) if roll else 0

    def compare(self, games: int, steps: int, seed: int) -> int:
        """Play a number of games and steps side by side; return the number of compared transitions."""
        game, rng = self.game, Random(seed)
        states = [self.rolled(game.start(), rng)[0] for _ in range(games)]
        mask = np.asarray(self.vector.legal(self.pack(states)))
        compared = 0
        for _ in range(steps):
            wanted = np.zeros_like(mask)
            numbers, dice, following = [], [], []
            for row, state in zip(wanted, states, strict=True):
                legal = self.legal(state)
                row[list(legal.numbers)] = True
                action = rng.choice(rng.choice(legal.by_verb))
                number = self.number(state, action)
                assert self.action(state, number) == action, (state, action)
                after, roll = self.rolled(game.apply(state, action), rng)
                numbers.append(number)
                dice.append(self.dice(number, roll))
                following.append(after)
            wrong = np.flatnonzero((wanted != mask).any(axis=1))
            assert not wrong.size, f"{self}: other legal actions in {states[wrong[0]]}"
            rolls = np.array(dice, dtype=U32)
            out = self._step(self.pack(states), np.array(numbers, dtype=U32), tuple(rolls.T) if self.stars else rolls)
            self._check(states, numbers, following, out)
            compared += games
            ended = [game.actor(state) == OVER for state in following]
            states = [
                self.rolled(game.start(), rng)[0] if over else state
                for over, state in zip(ended, following, strict=True)
            ]
            mask = np.array(out[1])
            if any(ended):
                assert not mask[ended].any(), "a finished game allows nothing"
                mask[ended] = self.vector.legal(self.pack([s for s, over in zip(states, ended, strict=True) if over]))
        return compared

    def _check(self, states: Any, numbers: list[int], following: Any, out: Any) -> None:
        after, _, scores, rewards, actor, over = jax.tree.map(np.asarray, out)
        ours = np.stack(jax.tree.leaves(after), axis=1)
        theirs = np.stack(jax.tree.leaves(self.pack(following)), axis=1)
        wrong = np.flatnonzero((ours != theirs).any(axis=1))
        if wrong.size:
            i = wrong[0]
            action = self.action(states[i], numbers[i])
            raise AssertionError(f"{self}: {action} in {states[i]} gives {ours[i]}, not {theirs[i]} ({following[i]})")
        for i, state in enumerate(following):
            winners = self.game.winners(state)
            share = [1 / len(winners) if seat in winners else 0.0 for seat in range(self.game.seats)]
            acting = self.game.actor(state)
            assert tuple(scores[i]) == self.game.scores(state), state
            assert np.allclose(rewards[i], share), state
            assert over[i] == (acting == OVER), state
            assert acting == OVER or actor[i] == acting, state


def jax_pairs() -> list[Pair]:
    """List the compiled setups: every number of seats, and every card at least once."""
    stars = [Pair(DiceStars(seats), True) for seats in (1, 2, 3, 4)]
    cards = [
        DicyCards(2, MODES["glacial"].cards, 100),
        DicyCards(3, MODES["d"].cards, 60),
        DicyCards(4, ALL_CARDS[5:10], 40),
        DicyCards(2, ALL_CARDS[7:], 30),
    ]
    return stars + [Pair(game, True) for game in cards]


def numpy_pairs(seed: int, number: int) -> Iterator[Pair]:
    """List random setups, with small and large goals and grids; NumPy needs no compilation."""
    rng = Random(seed)
    for _ in range(number):
        goal = rng.choice((1, 10, 50, 100, 300))
        cards = tuple(rng.sample(ALL_CARDS, 5))
        yield Pair(DicyCards(rng.randint(2, 4), cards, goal), False)
        boxes = rng.choice((1, 5, 12, 30, 60, 1000))
        yield Pair(DiceStars(rng.choice((1, 1, 2, 3, 4)), boxes), False)


def variant_pairs() -> Iterator[Pair]:
    """List games with rules of their own, for every number of seats."""
    for rules in CARD_VARIANTS:
        for seats in (2, 3, 4):
            yield Pair(cast(DicyCards, game_of(rules, seats)), False)
    for rules in STAR_VARIANTS:
        for seats in (1, 2, 3, 4):
            yield Pair(cast(DiceStars, game_of(rules, seats)), False)


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    pairs, done, rounds, began = jax_pairs(), 0, 0, time.monotonic()
    while done < wanted:
        for pair in (*pairs, *numpy_pairs(rounds, 4), *variant_pairs()):
            done += pair.compare(600, 40, rounds)
            print(f"{done:9} transitions equal after {time.monotonic() - began:5.0f} s; last: {pair}", flush=True)
        rounds += 1


if __name__ == "__main__":
    main()
