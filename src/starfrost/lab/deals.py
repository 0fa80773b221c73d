"""A deal: one setup and all its dice, so that different players can play with the same dice.

Every turn of every seat has its own dice, derived from the seed by hashing. They do not depend on the actions or the
rerolls of others, and are the same on every machine and in every process.
"""

import sys
from collections.abc import Callable, Sequence
from hashlib import blake2b
from random import Random
from typing import Any, NamedTuple

from starfrost.errors import Forfeit, UsageError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.setup import Setup
from starfrost.players import progress as tables
from starfrost.players.core import Bot


def stream(*names: object) -> Random:
    """Return the source of randomness for these names."""
    digest = blake2b("/".join(map(str, names)).encode(), digest_size=8).digest()
    return Random(int.from_bytes(digest, "big"))


def deal(setup: Setup, seed: int, number: int) -> Game[Any, Any]:
    """Return the game of a deal."""
    return setup.make(stream(seed, number, "cards"))


def make_ready(setup: Setup, bots: Sequence[str], progress: Callable[[float], None]) -> None:
    """Solve the tables that one of the bots needs, so that the same seed gives the same games.

    `progress` is called with the finished share. Raises UsageError if every deal would need its own tables, because
    solving takes minutes.
    """
    game = deal(setup, 0, 0)
    bot = tables.waiting(game, bots)
    if bot is not None and setup.drawn:
        raise UsageError(
            "%(bot)s must have its tables solved first; choose another mode than %(mode)s.", bot=bot, mode=setup.mode
        )
    tables.solve(game, bots, progress)


_ready: set[tuple[Any, ...]] = set()


def ready_here(setup: Setup, bots: Sequence[str]) -> None:
    """Solve the tables of the bots once in this process; another machine of a cluster has a cache of its own."""
    key = (setup.game, setup.seats, *sorted(setup.options.items()), *bots)
    if key not in _ready and not setup.drawn:
        tables.solve(deal(setup, 0, 0), bots, lambda share: None)
        _ready.add(key)


class Result(NamedTuple):
    """The result of a game, by seats."""

    scores: tuple[int, ...]
    credits: tuple[float, ...]
    """1 for a win, 1/k for a victory shared by k."""
    turns: int
    forfeit: str = ""
    """Why a bot from outside lost by failing; empty if none did."""
    failed: int = -1
    """Its seat."""


_told: set[tuple[str, str]] = set()


def _tell(bot: str, fault: Forfeit) -> None:
    """Tell the bot's author what happened, once for each kind of fault; a thousand games fail in the same way."""
    if (bot, fault.sentence) not in _told:
        _told.add((bot, fault.sentence))
        print(f"{bot}: {fault} ({fault.detail})", file=sys.stderr, flush=True)


def play(game: Game[Any, Any], bots: Sequence[Bot], luck: Sequence[Random], *names: object) -> Result:
    """Play one game with bots and their sources of randomness in seat order; the names select the dice of the deal.

    A bot from outside that fails loses, and the others share the victory.
    """
    state = game.start()
    turns = [0] * game.seats
    dice = Random(0)
    while (actor := game.actor(state)) != OVER:
        if game.starts_turn(state):
            seat = game.turn_of(state)
            turns[seat] += 1
            dice = stream(*names, "dice", seat, turns[seat])
        try:
            action = game.sample(state, dice) if actor == CHANCE else bots[actor].choose(game, state, luck[actor])
        except Forfeit as fault:
            _tell(bots[actor].name, fault)
            share = 1 / max(1, game.seats - 1)
            credits = tuple(0.0 if seat == actor else share for seat in range(game.seats))
            return Result(game.scores(state), credits, sum(turns), fault.sentence, actor)
        state = game.apply(state, action)
    winners = game.winners(state)
    credits = tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.seats))
    return Result(game.scores(state), credits, sum(turns))
