"""The bots of every game; a bot's module is imported on first use."""

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from random import Random
from typing import Any, Final, NamedTuple

from starfrost.bots.core import Bot
from starfrost.bots.outside import is_outside, make_outside
from starfrost.errors import Phrase, UsageError, mark, quoted
from starfrost.games.core import Game
from starfrost.games.registry import Part
from starfrost.games.setup import Setup
from starfrost.games.variants import RULES
from starfrost.plugins import entry_points, load


class Entry(NamedTuple):
    """The description of a bot, available before its code is imported."""

    code: str
    """`module:Class`."""
    description: str
    """One line for people who choose an opponent."""
    seats: tuple[int, ...] = ()
    """The numbers of seats that the bot supports; empty if all."""
    tables: str = ""
    """The module that solves the tables that the bot needs (see `players.progress`); empty if it needs none.

    The class of such a bot takes `meanwhile` (see `make_bot`).
    """
    needs: str = ""
    """An optional package that the bot requires."""
    official: bool = False
    """Whether the bot knows only the official rules, such as a trained network, and plays no variants."""
    rating: int = 2000
    """The strength, with `planner` at 2000; the default is for bots that nobody has measured (`docs/bots.md`)."""
    listed: bool = True
    """Whether the bot is offered as an opponent; the others, made for the lab, play only where they are named."""


BOTS: Final = Part[Mapping[str, Entry]]("bots")
"""Each game's own bots by name, from the weakest to the strongest."""

RANDOM: Final = Entry("starfrost.bots.random:RandomBot", "plays any legal action", rating=1000)
_ADDED: Final = mark("a guest bot of this site")
_added: Final[dict[str, Entry]] = {}
_EVERYWHERE: Final = {"random": RANDOM}
_NONE: Final[Mapping[str, Entry]] = {}


def entries(game: str, *, unlisted: bool = False) -> Mapping[str, Entry]:
    """Return the bots of a game by name, from the weakest to the strongest."""
    every = {**_EVERYWHERE, **_installed(game), **_added, **BOTS.get(game, _NONE)}
    return {name: entry for name, entry in every.items() if unlisted or entry.listed}


def _installed(game: str) -> Mapping[str, Entry]:
    """Return the bots that other distributions bring (entry points `starfrost.bots`) and that play this game."""
    found = {}
    for name, code in entry_points("starfrost.bots").items():
        try:
            made = load(code)
        except Exception as error:
            # A broken package must not take the other bots with it.
            warnings.warn(f"The bot {name} cannot be loaded: {type(error).__name__}: {error}", stacklevel=2)
            continue
        if game in getattr(made, "games", (game,)):
            found[name] = Entry(code, str(getattr(made, "description", name)), tuple(getattr(made, "seats", ())))
    return found


def add_bots(codes: Mapping[str, str]) -> None:
    """Let bots from outside (`players.outside`) play under these names, in place of those added before.

    Raises UsageError for a name that a bot already has, and for a bot that does not exist.
    """
    _added.clear()
    for name, code in codes.items():
        if name in all_bots(unlisted=True):
            raise UsageError("There is already a bot %(bot)s; choose another name.", bot=quoted(name))
        make_outside(code)
    _added.update({name: Entry(code, _ADDED) for name, code in codes.items()})


def all_bots(*, unlisted: bool = False) -> tuple[str, ...]:
    """List the names of the bots of all games."""
    return tuple(dict.fromkeys(name for game in BOTS for name in entries(game, unlisted=unlisted)))


def bots_for(game: Game[Any, Any], *, unlisted: bool = False) -> tuple[str, ...]:
    """List the bots that play this game, from the weakest to the strongest."""
    official = RULES not in game.headers()
    return tuple(
        name
        for name, entry in entries(game.name, unlisted=unlisted).items()
        if (not entry.seats or game.seats in entry.seats) and (official or not entry.official)
    )


def bots_here(game: Game[Any, Any]) -> tuple[str, ...]:
    """List the bots whose optional packages are installed on this machine."""
    known = entries(game.name)
    return tuple(name for name in bots_for(game) if not known[name].needs or find_spec(known[name].needs) is not None)


def _official(game: Game[Any, Any]) -> Game[Any, Any]:
    """Return the game with the same number of seats and the official rules."""
    return Setup(game.name, game.seats).make(Random(0))


def needs_tables(game: str, bot: str) -> bool:
    """Return whether a bot needs solved tables, which take long to compute."""
    entry = entries(game).get(bot)
    return entry is not None and bool(entry.tables)


def rating_of(game: str, bot: str) -> int:
    """Return the rating of a bot in a game, with `planner` at 2000."""
    return entries(game).get(bot, RANDOM).rating


def code_of(name: str) -> str:
    """Return what names a bot in another process: its code if it was added here, else its name."""
    return _added[name].code if name in _added else name


def make_bot(name: str, game: Game[Any, Any], *, meanwhile: bool = False) -> Bot:
    """Return the bot of this name for this game. Raises UsageError, listing the bots, if there is none.

    A bot from outside is named by its code (`players.outside`). One that needs solved tables solves them at its first
    decision; with `meanwhile` they are solved in the background, and it plays as `planner` until then. That is for
    tables where people must not wait, which have to say so (`players.progress`).
    """
    if is_outside(name):
        return make_outside(name)
    if name not in bots_for(game, unlisted=True):
        if name in bots_for(_official(game), unlisted=True):
            raise UsageError(
                "%(bot)s learned the official rules of %(game)s and does not play variants; choose from %(names)s.",
                bot=name,
                game=game.name,
                names=", ".join(bots_for(game)),
            )
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
    entry = entries(game.name, unlisted=True)[name]
    if name in _added or name in entry_points("starfrost.bots"):
        return make_outside(entry.code)
    made = load(entry.code)
    bot: Bot = made(meanwhile=True) if meanwhile and entry.tables else made()
    return bot
