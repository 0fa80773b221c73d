"""The vector engines against the reference engines, transition by transition: masks, states, scores and rewards."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars import Phase as StarPhase
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.dicy_cards import Phase as CardPhase
from starfrost.games.dicy_cards import State as CardState
from starfrost.games.dicy_cards.vector.engine import dice_of
from starfrost.vector.arrays import U32
from starfrost.vector.registry import ENGINES
from tests.variants import LUCKY, STARRY_DICE, game_of
from tests.vector.differ import Pair, jax_pairs, numpy_pairs, variant_pairs


@pytest.mark.parametrize("pair", jax_pairs(), ids=repr)
def test_jax_plays_as_the_reference_engine_does(pair: Pair) -> None:
    assert pair.compare(games=100, steps=60, seed=1) == 6_000


@pytest.mark.parametrize("seed", range(4))
def test_numpy_plays_any_set_up_as_the_reference_engine_does(seed: int) -> None:
    assert sum(pair.compare(games=100, steps=25, seed=seed) for pair in numpy_pairs(seed, 3)) == 15_000


def test_variants_are_played_as_the_reference_engine_does() -> None:
    assert sum(pair.compare(games=40, steps=30, seed=3) for pair in variant_pairs()) == 24_000


@pytest.mark.parametrize("game", [game_of(LUCKY, 3), game_of(STARRY_DICE, 2)], ids=repr)
def test_the_dice_of_a_variant_are_rolled_with_its_faces(game: Any) -> None:
    engine = ENGINES[game.name].make(game)
    keys = np.arange(2 * 4000, dtype=U32).reshape(-1, 2)
    state = engine.init(keys)
    if game.name == "dicy-cards":
        shown = Counter(int(die) for dice in dice_of(state.meta) for die in dice)
        assert shown.keys() == {1, 2, 3, 4, 6}
        assert 1.8 < shown[6] / shown[1] < 2.2
        assert engine.scores(state)[0].tolist() == [0, 4, 2]
        return
    first, _, _ = engine.roll(state, keys)
    shown = Counter(int(die) for die in first)
    # Six of fourteen dice are orange, with three stars each; none shows a 2 or a 3.
    assert not {24 + 1, 24 + 2} & shown.keys()
    assert 0.18 < shown[24] / 4000 < 0.25
    assert engine.scores(state)[0].tolist() == [5, 0]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_ties_are_broken_and_shared_as_the_reference_engine_does(seats: int) -> None:
    rng = Random(seats)
    cards, stars = DicyCards(seats), DiceStars(seats)
    card_ends = [
        CardState(
            CardPhase.OVER,
            seats - 1,
            "",
            tuple(rng.randint(100, 101) for _ in range(seats)),
            tuple(rng.choice((0, 1, 2, 3, 31)) for _ in range(seats)),
        )
        for _ in range(500)
    ]
    blank = stars.start().sheets[0]
    star_ends = [
        stars.start()._replace(
            phase=StarPhase.OVER,
            seat=seats - 1,
            sheets=tuple(blank._replace(penalty=rng.randint(-1, 2)) for _ in range(seats)),
        )
        for _ in range(500)
    ]
    for game, ends in ((cards, card_ends), (stars, star_ends)):
        pair = Pair(game, on_jax=False)
        rewards = pair.vector.rewards(pair.pack(ends))
        for end, shares in zip(ends, rewards, strict=True):
            winners = game.winners(end)
            assert shares.tolist() == pytest.approx([(seat in winners) / len(winners) for seat in range(seats)])
