"""The random words: uniform, independent between steps, and turned into dice with exact probabilities."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from starfrost.games.dice_stars.components import rolls
from starfrost.games.dice_stars.vector.engine import VectorStars
from starfrost.games.dicy_cards.vector.engine import VectorDicy, dice_of
from starfrost.vector.arrays import U32
from starfrost.vector.chance import CHANCE, POLICY, below, key_words, words

N = 1 << 20


def keys(step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return keys as in random play: the game's place in the batch and the step."""
    return np.arange(N, dtype=U32), np.full(N, step, dtype=U32)


def surprise(seen: np.ndarray, expected: np.ndarray) -> float:
    """Return the chi-square deviation of counts, in standard deviations."""
    free = len(seen) - 1
    return float((((seen - expected) ** 2 / expected).sum() - free) / np.sqrt(2 * free))


@pytest.mark.parametrize("salt", [CHANCE, POLICY])
@pytest.mark.parametrize("word", range(4))
@pytest.mark.parametrize("shift", [0, 8, 16, 24])
def test_every_byte_of_every_word_is_even(salt: int, word: int, shift: int) -> None:
    byte = (words(keys(5), salt)[word] >> U32(shift)) & U32(0xFF)
    assert abs(surprise(np.bincount(byte, minlength=256), np.full(256, N / 256))) < 5


@pytest.mark.parametrize("word", range(4))
def test_games_side_by_side_and_steps_in_a_row_are_independent(word: int) -> None:
    now, then = (words(keys(step), CHANCE)[word] >> U32(28) for step in (8, 9))
    for other in (then, np.roll(now, 1)):
        pairs = np.bincount(now * U32(16) + other, minlength=256)
        assert abs(surprise(pairs, np.full(256, N / 256))) < 5


def test_one_flipped_bit_flips_half_of_all_bits() -> None:
    first, second = keys(3)
    before = words((first, second), CHANCE)
    for bit in (0, 7, 19, 31):
        for key in ((first ^ U32(1 << bit), second), (first, second ^ U32(1 << bit))):
            for old, new in zip(before, words(key, CHANCE), strict=True):
                assert abs(np.bitwise_count(old ^ new).mean() / 32 - 0.5) < 0.02


def test_keys_of_every_form_give_the_same_words() -> None:
    typed = jax.random.split(jax.random.key(4), 3)
    raw = jax.random.key_data(typed)
    for key in (typed, raw, (raw[:, 0], raw[:, 1])):
        assert jnp.array_equal(words(key, CHANCE)[0], words(np.asarray(raw), CHANCE)[0])
    assert key_words(raw)[1].shape == (3,)


def test_numbers_stay_below_their_bounds() -> None:
    most = np.array([0xFFFFFFFF], dtype=U32)
    assert [int(digit[0]) for digit in below(most, 6, 14, 15)] == [5, 13, 14]
    assert [int(digit[0]) for digit in below(most * U32(0), 6, 14)] == [0, 0]


def test_six_dice_fall_evenly() -> None:
    dice = np.stack(dice_of(VectorDicy().six(keys(1))))
    assert dice.min() == 1
    code = sum((die - 1).astype(np.int64) * 6**i for i, die in enumerate(dice))
    assert abs(surprise(np.bincount(code, minlength=6**6), np.full(6**6, N / 6**6))) < 5


def test_dice_leave_the_bag_with_the_exact_probabilities() -> None:
    game = VectorStars()
    state = game.init(keys(0))
    bag = (1, 0, 2, 3)
    state = state._replace(meta=state.meta & U32(0xFFFF0000) | U32(0x3201))
    dice = np.sort(np.stack(game.roll(state, keys(2))), axis=0)
    seen = Counter((dice[0].astype(int) * 1024 + dice[1] * 32 + dice[2]).tolist())
    outcomes = rolls(bag, 3)
    total = sum(weight for _, weight in outcomes)
    counts, expected = [], []
    for shown, weight in outcomes:
        codes = sorted((die & ~7) | max((die & 7) - 1, 0) for die in shown)
        counts.append(seen.pop(codes[0] * 1024 + codes[1] * 32 + codes[2], 0))
        expected.append(N * weight / total)
    assert not seen
    assert abs(surprise(np.array(counts), np.array(expected))) < 5
