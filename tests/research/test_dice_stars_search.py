"""The look-ahead of Dice Stars: the same values on NumPy and JAX, and a choice between promising options only."""

from functools import partial
from random import Random

import numpy as np
import pytest

from research.dice_stars.parameters import fresh
from starfrost.games.core import CHANCE
from starfrost.games.dice_stars import DiceStars, State
from starfrost.games.dice_stars.bots.choice import (
    Policy,
    distinct,
    draw_options,
    each_word,
    value,
    value_draws,
    value_where,
)
from starfrost.games.dice_stars.bots.search import (
    ONE_DIE,
    Luck,
    Search,
    best_take,
    even_steps,
    expected,
    near,
    search_draws,
)
from starfrost.games.dice_stars.bots.strong import DiceStarsStrong
from starfrost.games.dice_stars.vector.engine import StarsState, VectorStars
from starfrost.games.dice_stars.vector.reference import pack
from starfrost.vector.arrays import U32, Array


def positions(seats: int, turns: int) -> list[State]:
    """Return positions at the start of turns of a game between random players."""
    game, rng, found = DiceStars(seats), Random(3), list[State]()
    state = game.start()
    while len(found) < turns:
        actor = game.actor(state)
        if actor != CHANCE and game.starts_turn(state):
            found.append(state)
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        state = game.apply(state, action)
    return found


def test_only_allowed_positions_are_evaluated() -> None:
    game, params = VectorStars(2), fresh(2, (16, 8), 1)
    state, draws, allowed = draw_options(pack(positions(2, 9)))
    whole = value(game, params, each_word(state, lambda word: np.broadcast_to(word, draws.shape)), draws)
    values, known = value_where(game, params, state, draws, allowed, 4)
    assert (known == allowed).all()
    assert not allowed.all()
    assert np.allclose(values.shares[allowed], whole.shares[allowed])
    assert (values.shares[~allowed] == 0).all()


def test_the_look_ahead_is_the_same_on_numpy_and_jax() -> None:
    jax = pytest.importorskip("jax")
    # A further turn after the rolls uses every part of the look-ahead.
    game, search = VectorStars(2), Search(rolls=3, options=2, margin=1.0, turns=1)
    policy = Policy(fresh(2, (16, 8), 1), np.float32(0), np.float32(0.01))
    luck = Luck(np.arange(4, dtype=U32), np.full(4, 9, U32))

    def look(policy: Policy, state: StarsState, luck: Luck) -> tuple[Array, Array]:
        return search_draws(game, policy, search, value_draws(game, policy, state), luck)

    packed = pack(positions(2, 4))
    found = look(policy, packed, luck)
    compiled = [np.asarray(part) for part in jax.jit(look)(policy, packed, luck)]
    assert (found[1] == compiled[1]).all()
    assert np.allclose(found[0], compiled[0], atol=1e-4)
    assert (found[1].sum(axis=-1) <= 2).all()
    plain = look(policy._replace(weight=np.float32(0)), packed, luck)
    assert not np.allclose(found[0], plain[0]), "the weight of points counts"


def test_a_further_turn_changes_the_look_ahead() -> None:
    game, packed = VectorStars(2), pack(positions(2, 4))
    policy, luck = Policy(fresh(2, (16, 8), 1), 0, np.float32(0.01)), Luck(np.arange(4, dtype=U32), np.full(4, 9, U32))
    choices = value_draws(game, policy, packed)
    near, far = (
        search_draws(game, policy, Search(rolls=3, margin=1.0, turns=turns), choices, luck)[0] for turns in (0, 2)
    )
    assert not np.allclose(near, far)


def test_options_beyond_the_margin_are_not_promising() -> None:
    state = pack(positions(2, 1))
    choices = value_draws(VectorStars(2), Policy(fresh(2, (16, 8), 1), 0, np.float32(0)), state)._replace(
        utilities=np.array([[0.5, 0.49, 0.4, 0.6]], np.float32), allowed=np.array([[True, True, True, False]])
    )
    choices = choices._replace(known=choices.allowed)
    assert near(Search(rolls=1, margin=0.05), choices) == 2
    assert near(Search(rolls=1, margin=0.2), choices) == 3
    assert near(Search(rolls=1, options=1, margin=0.2), choices) == 1


def test_equal_star_takes_count_once() -> None:
    ways = tuple(np.array([row], U32) for row in ([1, 1, 0, 0], [0, 0, 1, 1], [0] * 4, [0] * 4, [0, 0, 0, 0]))
    assert distinct(ways).tolist() == [[True, False, True, False]]


def test_the_same_luck_gives_the_same_choice() -> None:
    game = DiceStars(2)
    bot = DiceStarsStrong({2: fresh(2, (16, 8), 2)}, Search(rolls=4, margin=1.0))
    for state in positions(2, 6):
        chosen = bot.choose(game, state, Random(5))
        assert chosen in game.legal_actions(state)
        assert bot.choose(game, state, Random(5)) == chosen


def test_the_rolls_of_a_look_ahead_are_spread_evenly() -> None:
    steps = even_steps(24)
    for die in steps:
        assert np.unique(np.diff(np.sort(die).astype(np.int64))).tolist() in ([178956970], [178956970, 178956971])
    assert len({tuple(np.argsort(die)) for die in steps}) == 3


def test_evenly_spread_rolls_have_less_noise_and_the_same_mean() -> None:
    game, params = VectorStars(2), fresh(2, (16, 8), 1)
    policy = Policy(params, 0, np.float32(0.01))
    state, draws, allowed = draw_options(pack(positions(2, 3)))
    one = draws == 1
    rng = np.random.default_rng(1)

    def means(rolls: int, number: int) -> np.ndarray:
        found = []
        for _ in range(number):
            luck = Luck(*(rng.integers(0, 2**32, (3, 1), U32) for _ in range(2)))
            found.append(expected(game, policy, Search(rolls=rolls), state, draws, allowed & one, luck).shares[..., 0])
        return np.array(found)[:, allowed & one]

    # Single rolls are independent: the mean of 48 of them would have a 48th of their variance.
    single, even = means(1, 480), means(48, 20)
    assert (even.var(axis=0) < single.var(axis=0) / 48 / 2).all()
    assert np.allclose(even.mean(axis=0), single.mean(axis=0), atol=4 * single.std(axis=0).max() / 480**0.5)


def test_every_outcome_of_one_die_counts_as_often_as_it_is_rolled() -> None:
    jax = pytest.importorskip("jax")
    rules, game = DiceStars(1), VectorStars(1)
    policy = Policy(fresh(1, (16, 8), 1), 0, np.float32(0.01))
    states = positions(1, 12)
    state, draws, allowed = draw_options(pack(states))
    one = allowed & (draws == 1)
    assert one.any(axis=-1).sum() >= 4
    lucks = [Luck(np.full((12, 1), word, U32), np.full((12, 1), 9, U32)) for word in (1, 2)]
    first, second = (
        expected(game, policy, Search(rolls=ONE_DIE), state, draws, allowed, luck).shares[..., 0] for luck in lucks
    )
    assert (first[one] == second[one]).all(), "nothing of one die is sampled"
    assert (first != second)[allowed & ~one].any()
    for number in np.flatnonzero(one.any(axis=-1)):
        start = states[number]
        keep, draw = rules.parse_action("keep"), rules.parse_action("draw 1")
        drawn = rules.apply(rules.apply(start, keep) if keep in rules.legal_actions(start) else start, draw)
        rolls = rules.chance_outcomes(drawn)
        rolled = pack([rules.apply(drawn, roll) for roll, _ in rolls])
        found = best_take(game, policy, rolled, np.ones(len(rolls), bool)).values.shares[:, 0]
        mean = np.average(found, weights=[weight for _, weight in rolls])
        assert first[number, 0] == pytest.approx(mean, abs=1e-6)
    search = Search(rolls=ONE_DIE)
    compiled = jax.jit(partial(expected, game), static_argnums=1)(policy, search, state, draws, allowed, lucks[0])
    assert np.asarray(compiled.shares)[..., 0][allowed] == pytest.approx(first[allowed], abs=1e-5)
