"""The functions behind `import starfrost`: games and bots by name, and one game between bots."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from starfrost.bots.core import Bot
from starfrost.bots.registry import bots_here, make_bot
from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.record import Event, Record
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup

__all__ = ["bot_names", "game_ids", "make", "make_bot", "play"]


def game_ids() -> tuple[str, ...]:
    """Return the ids of all games, for `make`."""
    return tuple(GAMES)


def make(game: str, seats: int = 2, **options: str | int | Iterable[str]) -> Game[Any, Any]:
    """Set up a game.

    Options are those of the record format, with an underscore for a dash, and `mode` where a game has modes: `cards`
    (a mode's name or five card ids) and `goal` for Dicy Cards, `solo_boxes` for Dice Stars. Raises UsageError for an
    unknown game, option or value.
    """
    return Setup.of(game, seats, **options).make_exactly(Random())


def bot_names(game: str | Game[Any, Any], seats: int = 2) -> tuple[str, ...]:
    """Return the names of the bots that play a game here, from the weakest to the strongest.

    Bots that need an extra which is not installed are left out. Raises UsageError for an unknown game.
    """
    return bots_here(make(game, seats) if isinstance(game, str) else game)


def play(game: Game[Any, Any], bots: Sequence[str | Bot], seed: int | str | None = None) -> Record:
    """Play one game between bots, one for each seat, and return its record; the same seed gives the same game.

    A bot is a name or an object of your own with a `name` and a method `choose(game, state, rng)`. Raises UsageError
    for an unknown bot or a wrong number of bots, IllegalAction if a bot breaks the rules.
    """
    if len(bots) != game.seats:
        raise UsageError("Expected a bot for each of %(seats)s seats, not %(bots)s.", seats=game.seats, bots=len(bots))
    seated = [make_bot(bot, game) if isinstance(bot, str) else bot for bot in bots]
    source = Random(seed)
    dice, *own = (Random(source.getrandbits(64)) for _ in range(1 + game.seats))
    state, events = game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, dice) if actor == CHANCE else seated[actor].choose(game, state, own[actor])
        state = game.apply(state, action)
        events.append(Event(actor, action))
    return Record(game, tuple(bot.name for bot in seated), tuple(events))
