"""A deal: one set-up and all its dice, so that different players can meet the same luck.

Every seat's every turn has dice of its own, derived from the seed by hashing. Whatever the others do and however often
they reroll, the next turn's dice stay the same, on every machine and in every process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any, NamedTuple

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dicy_cards import interglacial
from starfrost.games.registry import make_game
from starfrost.players.core import Bot

__all__ = ["Result", "Setup", "play", "stream"]


def stream(*names: object) -> Random:
    """Give the source of randomness that belongs to these names."""
    digest = blake2b("/".join(map(str, names)).encode(), digest_size=8).digest()
    return Random(int.from_bytes(digest, "big"))


@dataclass(frozen=True)
class Setup:
    """Which game is played; with `drawn`, Dicy Cards draws its five anew for every deal (D6)."""

    game: str
    seats: int
    headers: Mapping[str, str] = field(default_factory=dict)
    drawn: bool = False

    def deal(self, seed: int, number: int) -> Game[Any, Any]:
        """Give the game of a deal."""
        if not self.drawn:
            return make_game(self.game, self.seats, self.headers)
        cards = interglacial(stream(seed, number, "cards"))
        return make_game(self.game, self.seats, {**self.headers, "cards": " ".join(cards)})


class Result(NamedTuple):
    """How a game ended, by seats."""

    scores: tuple[int, ...]
    credits: tuple[float, ...]
    """1 for a win, 1/k for a victory shared by k."""
    turns: int


def play(game: Game[Any, Any], bots: Sequence[Bot], luck: Sequence[Random], *deal: object) -> Result:
    """Play one game: bots and their own sources of randomness in seat order, the dice named by the deal."""
    state = game.start()
    turns = [0] * game.seats
    dice = Random(0)
    while (actor := game.actor(state)) != OVER:
        if game.starts_turn(state):
            seat = game.turn_of(state)
            turns[seat] += 1
            dice = stream(*deal, "dice", seat, turns[seat])
        action = game.sample(state, dice) if actor == CHANCE else bots[actor].choose(game, state, luck[actor])
        state = game.apply(state, action)
    winners = game.winners(state)
    credits = tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.seats))
    return Result(game.scores(state), credits, sum(turns))
