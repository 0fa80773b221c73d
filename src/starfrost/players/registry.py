"""The bots of every game; a bot's module is imported on first use."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from starfrost.errors import Phrase, UsageError
from starfrost.games.core import Game
from starfrost.players.core import Bot
from starfrost.registry import Registry, load


class Entry(NamedTuple):
    """The description of a bot, available before its code is imported."""

    code: str
    """`module:Class`."""
    description: str
    """One line for people who choose an opponent."""
    seats: tuple[int, ...] = ()
    """The numbers of seats that the bot supports; empty if all."""
    tables: str = ""
    """The module that solves the tables that the bot needs (see `players.progress`); empty if it needs none."""
    needs: str = ""
    """An optional package that the bot requires."""
    rating: int = 2000
    """The strength, with `planner` at 2000; the default is for bots that nobody has measured (`docs/bots.md`)."""


BOTS: Final[Registry[Mapping[str, Entry]]] = Registry(
    "starfrost.players",
    {"dicy-cards": "starfrost.players.dicy_cards:BOTS", "dice-stars": "starfrost.players.dice_stars:BOTS"},
)
"""Each game's own bots by name, from the weakest to the strongest."""

RANDOM: Final = Entry("starfrost.players.random:RandomBot", "plays any legal action", rating=1000)
_EVERYWHERE: Final = {"random": RANDOM}
_NONE: Final[Mapping[str, Entry]] = {}


def entries(game: str) -> Mapping[str, Entry]:
    """Return the bots of a game by name, from the weakest to the strongest."""
    return {**_EVERYWHERE, **BOTS.get(game, _NONE)}


def all_bots() -> tuple[str, ...]:
    """List the names of the bots of all games."""
    return tuple(dict.fromkeys(name for game in BOTS for name in entries(game)))


def bots_for(game: Game[Any, Any]) -> tuple[str, ...]:
    """List the bots that play this game, from the weakest to the strongest."""
    return tuple(name for name, entry in entries(game.name).items() if not entry.seats or game.seats in entry.seats)


def bots_here(game: Game[Any, Any]) -> tuple[str, ...]:
    """List the bots whose optional packages are installed on this machine."""
    known = entries(game.name)
    return tuple(name for name in bots_for(game) if not known[name].needs or find_spec(known[name].needs) is not None)


def needs_tables(game: str, bot: str) -> bool:
    """Return whether a bot needs solved tables, which take long to compute."""
    entry = entries(game).get(bot)
    return entry is not None and bool(entry.tables)


def rating_of(game: str, bot: str) -> int:
    """Return the rating of a bot in a game, with `planner` at 2000."""
    return entries(game).get(bot, RANDOM).rating


def make_bot(name: str, game: Game[Any, Any]) -> Bot:
    """Return the bot of this name for this game. Raises UsageError, listing the bots, if there is none."""
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
    bot: Bot = load(entries(game.name)[name].code)()
    return bot
