"""Every bot in one table; a bot's module is imported when somebody first asks for that bot."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from starfrost.errors import Phrase, UsageError
from starfrost.games.core import Game
from starfrost.players.core import Bot

__all__ = ["BOTS", "Entry", "bots_for", "bots_here", "make_bot"]

DICY: Final = "dicy-cards"
STARS: Final = "dice-stars"


class Entry(NamedTuple):
    """A line of the table: where a bot plays and where its code is."""

    description: str
    """One line for people who choose an opponent."""
    code: Mapping[str, str]
    """`module:Class` by game; a game that is missing has no such bot."""
    seats: tuple[int, ...] = (1, 2, 3, 4)
    """The sizes of table at which the bot plays."""
    tables: bool = False
    """Whether the bot first needs a solved table for the cards in play, which takes long to make."""


# From the weakest to the strongest.
BOTS: Final[Mapping[str, Entry]] = {
    "random": Entry(
        "plays any legal action",
        dict.fromkeys((DICY, STARS), "starfrost.players.random:RandomBot"),
    ),
    "greedy": Entry(
        "takes the best it can see now",
        {
            DICY: "starfrost.players.dicy_cards.greedy:DicyCardsGreedy",
            STARS: "starfrost.players.dice_stars.greedy:DiceStarsGreedy",
        },
    ),
    "planner": Entry(
        "plans its own turn and minds what it leaves to the others",
        {
            DICY: "starfrost.players.dicy_cards.planner:DicyCardsPlanner",
            STARS: "starfrost.players.dice_stars.planner:DiceStarsPlanner",
        },
    ),
    "strong": Entry(
        "learned from millions of games against itself what a position is worth",
        {STARS: "starfrost.players.dice_stars.strong:DiceStarsStrong"},
    ),
    "master": Entry(
        "knows the solved games of all pairs and learned the rest against itself; three and four players",
        {DICY: "starfrost.players.dicy_cards.master:DicyCardsMaster"},
        seats=(3, 4),
        tables=True,
    ),
    "perfect": Entry(
        "knows the exact worth of every action; two players",
        {DICY: "starfrost.players.dicy_cards.perfect:DicyCardsPerfect"},
        seats=(2,),
        tables=True,
    ),
}


def bots_for(game: Game[Any, Any]) -> tuple[str, ...]:
    """List the bots that play this set-up, from the weakest to the strongest."""
    return tuple(name for name, entry in BOTS.items() if game.name in entry.code and game.seats in entry.seats)


def bots_here(game: Game[Any, Any]) -> tuple[str, ...]:
    """List the bots that this machine can offer: without the extra `solver`, none that needs solved tables."""
    solves = find_spec("numba") is not None
    return tuple(name for name in bots_for(game) if solves or not BOTS[name].tables)


def make_bot(name: str, game: Game[Any, Any]) -> Bot:
    """Give the bot of this name for this set-up.

    Raises UsageError, listing the bots there are, if none of this name plays it.
    """
    if name not in bots_for(game):
        table = (
            Phrase("%(game)s with 1 player", game=game.name)
            if game.seats == 1
            else Phrase("%(game)s with %(seats)s players", game=game.name, seats=game.seats)
        )
        raise UsageError(
            "There is no bot %(bot)s for %(table)s; choose from %(names)s.",
            bot=repr(name),
            table=table,
            names=", ".join(bots_for(game)),
        )
    module, _, kind = BOTS[name].code[game.name].partition(":")
    bot: Bot = getattr(import_module(module), kind)()
    return bot
