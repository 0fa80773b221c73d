"""The dice and the luck of numbered games: a pure function of the seed that every way to play shares.

A game has a key of two words, made of the seed and the game's number. Every word of chance is a hash of that key (the
one of `vector.chance`) and of its place: for dice the seat, its turn, the roll in that turn and the draw in that roll;
for a bot's luck its name, its decision and the draw in that decision. So a game is the same in any batch, process or
machine, and neither dice nor luck depend on what others do.

The functions work on Python's integers, and Numba compiles them unchanged: its 64-bit products overflow, but only
their lower half counts.
"""

from collections.abc import Callable
from hashlib import blake2b
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.vector.chance import CHANCE, POLICY
from starfrost.vector.chance import words as array_words

MASK: Final = 0xFFFFFFFF
STRIDE: Final = 0x9E3779B1
"""The step of a key from one turn or decision to the next."""
DEAL: Final = 0x2545F491
"""The salt for the keys of games."""

Words = tuple[int, int, int, int]
Keys = NDArray[np.uint32]
"""Two words for each game, on the last axis."""


def words(first: int, second: int, salt: int) -> Words:
    """Hash a key into four random words: `vector.chance.words` for single numbers."""
    step, shift, mask = 1664525, 1013904223, 0xFFFFFFFF
    x, y = (first * step + shift) & mask, (second * step + shift) & mask
    z = ((first ^ salt) * step + shift) & mask
    w = (((second + salt) & mask) * step + shift) & mask
    x = (x + y * w) & mask
    y = (y + z * x) & mask
    z = (z + x * y) & mask
    w = (w + y * z) & mask
    x, y, z, w = x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16)
    x = (x + y * w) & mask
    y = (y + z * x) & mask
    z = (z + x * y) & mask
    w = (w + y * z) & mask
    return x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16)


def _digest(*names: object) -> tuple[int, int]:
    digest = blake2b("/".join(map(str, names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:], "big")


def game_key(seed: int, number: int) -> tuple[int, int]:
    """Return the key of a numbered game."""
    first, second = _digest(seed)
    return words(first ^ number & MASK, second ^ number >> 32, DEAL)[:2]


def luck_key(game: tuple[int, int], *names: object) -> tuple[int, int]:
    """Return the key of a bot's luck in a game; the names tell the bots of a game apart."""
    first, second = _digest("bot", *names)
    return words(game[0] ^ first, game[1] ^ second, POLICY)[:2]


def game_keys(seed: int, numbers: NDArray[np.int64]) -> Keys:
    """Return the keys of some games."""
    first, second = _digest(seed)
    low, high = (numbers & MASK).astype(np.uint32), (numbers >> 32).astype(np.uint32)
    return np.stack(array_words((np.uint32(first) ^ low, np.uint32(second) ^ high), DEAL)[:2], axis=-1)


def luck_keys(games: Keys, *names: object) -> Keys:
    """Return the keys of a bot's luck in some games."""
    first, second = (np.uint32(word) for word in _digest("bot", *names))
    return np.stack(array_words((games[..., 0] ^ first, games[..., 1] ^ second), POLICY)[:2], axis=-1)


def below(word: int, bound: int) -> int:
    """Return a number below a bound from a random word, with a bias of less than bound / 2**32."""
    return (word * bound) >> 32


class Roll(NamedTuple):
    """The dice of one roll: the third roll, say, of a seat's second turn (turns count from 1, rolls from 0)."""

    key: tuple[int, int]
    seat: int
    turn: int
    roll: int

    def draws(self) -> Callable[[int, int, str], int]:
        """Return the function that a game's kit draws an outcome with; each call takes the next word."""
        first = (self.key[0] + STRIDE * self.turn) & MASK
        second = self.key[1] ^ self.seat << 28 ^ self.roll << 8
        taken: list[int] = []
        calls = 0

        def draw(sides: int, die: int, what: str) -> int:
            nonlocal calls
            if calls == len(taken):
                taken.extend(words(first, second ^ calls >> 2, CHANCE))
            calls += 1
            return below(taken[calls - 1], sides)

        return draw


class BotRandom(Random):
    """The luck of a bot's decisions, from the given one on; `next_decision` goes on to the next.

    A draw is one word: `random` divides it by 2**32, `choice` multiplies the length of the sequence by that.
    """

    def __init__(self, key: tuple[int, int], decision: int = -1) -> None:
        self._key = key
        self._decision = decision
        self._calls = 0
        self._words: list[int] = []
        super().__init__(0)

    def next_decision(self) -> None:
        """Start the words of the next decision."""
        self._decision += 1
        self._calls = 0
        self._words.clear()

    def _word(self) -> int:
        if self._calls == len(self._words):
            first = (self._key[0] + STRIDE * self._decision) & MASK
            self._words.extend(words(first, self._key[1] ^ self._calls >> 2, POLICY))
        self._calls += 1
        return self._words[self._calls - 1]

    def random(self) -> float:
        """Return a number from 0 to 1."""
        return self._word() / 2**32

    def getrandbits(self, k: int) -> int:
        """Return a number of so many random bits."""
        found = 0
        for _ in range(-(-k // 32)):
            found = found << 32 | self._word()
        return found >> (-k % 32)

    def choice(self, seq: Any) -> Any:
        """Return one element of a sequence."""
        return seq[below(self._word(), len(seq))]
