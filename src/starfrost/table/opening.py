"""What a new table is asked to be."""

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from random import SystemRandom
from typing import Any, get_args

from starfrost.bots.registry import bots_here, entries
from starfrost.errors import Refused, UsageError
from starfrost.games.core import Game
from starfrost.games.kit import GameKit
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.games.variants import RULES
from starfrost.table.clocks import CLOCKS
from starfrost.table.coaching import CoachMode, play_given
from starfrost.table.snapshot import RANDOM
from starfrost.table.view import DiceSource


@dataclass(frozen=True, slots=True)
class Opening:
    """A request for a table: a set-up, who sits where, and how the table is kept."""

    game: str
    seats: tuple[str, ...]
    """One word for each seat: `open` or `bot:NAME`."""
    options: Mapping[str, str] = field(default_factory=dict)
    clock: str = "none"
    public: bool = False
    first: int | str | None = None
    """The one of `seats` that begins, from 1, or `RANDOM`; the first of them is the host's own. None: as they are."""

    coach: CoachMode = "ask"
    given: tuple[str, ...] = ()
    """The events of a record with which the game begins."""
    dice: DiceSource = "sealed"
    """Where the dice come from."""
    position: str | None = None
    """The position in which the game begins, as the game writes it; None for its first one."""

    def arranged(self) -> tuple[str, ...]:
        """Return the seats in the order of play: moved on until the one that begins is the first.

        Chance is drawn here, from the system's randomness: it says nothing about the seed of the dice.
        """
        if self.first is None:
            return self.seats
        start = secrets.randbelow(len(self.seats)) if self.first == RANDOM else int(self.first) - 1
        return self.seats[start:] + self.seats[:start]

    @property
    def asked(self) -> str:
        """Return a word that stands for all that is asked for: the same for the same request, another for another."""
        content = {one.name: getattr(self, one.name) for one in fields(self)}
        return "asked:" + sha256(json.dumps(content, sort_keys=True, default=dict).encode()).hexdigest()

    async def made(self) -> tuple[Game[Any, Any], str | None]:
        """Return what `make` does; reading rules of the host's own takes some milliseconds. Raises Refused."""
        return await asyncio.to_thread(self.make) if RULES in self.options else self.make()

    def make(self) -> tuple[Game[Any, Any], str | None]:
        """Return the game that is asked for and the name of its mode. Raises Refused."""
        if self.clock not in CLOCKS:
            raise Refused("bad-clock", "The clock must be one of %(clocks)s.", 422, clocks=", ".join(CLOCKS))
        if self.game not in GAMES:
            raise Refused("bad-game", "The game must be one of %(games)s.", 422, games=", ".join(GAMES))
        setup = Setup(self.game, len(self.seats), self.options)
        try:
            game, mode = setup.make(SystemRandom()), setup.mode
        except UsageError as error:
            raise Refused("bad-option", error.sentence, 422, **error.facts) from None
        if (self.coach == "practice" or self.given) and self.seats.count("open") != 1:
            raise Refused("bad-practice", "Practice is for one person and bots.", 422)
        if self.dice not in get_args(DiceSource):
            raise Refused(
                "bad-dice-source", "The dice must be one of %(sources)s.", 422, sources=", ".join(get_args(DiceSource))
            )
        play_given(game, self.given, self.position)
        for word in self.seats:
            if word.startswith("bot:"):
                check_bot(game, word[4:])
            elif word != "open":
                raise Refused("bad-seats", "A seat must be open or bot:NAME.", 422)
        if self.first not in (None, RANDOM, *range(1, len(self.seats) + 1)):
            seats = len(self.seats)
            raise Refused(
                "bad-first", "The player who begins is a seat from 1 to %(seats)s, or random.", 422, seats=seats
            )
        return game, mode


def check_bot(game: Game[Any, Any], bot: str) -> None:
    """Raise Refused if a bot does not play this game here."""
    if bot not in bots_here(game):
        raise Refused(
            "no-bot",
            "There is no bot %(bot)s here; choose from %(names)s.",
            422,
            bot=repr(bot[:40]),
            names=", ".join(bots_here(game)),
        )


def offers() -> list[dict[str, Any]]:
    """Describe what can be opened: games, numbers of seats, options and bots."""
    return [
        {
            "game": kit.id,
            "seats": [
                {"seats": seats, "bots": list(bots_here(Setup(kit.id, seats).make(SystemRandom())))}
                for seats in kit.seats
            ],
            "options": sorted(kit.option_names),
            "modes": list(kit.mode_names),
            "cards": _choices(kit, "cards"),
            "bots": {name: entry.description for name, entry in entries(kit.id).items()},
        }
        for _, kit in GAMES.items()
    ]


def _choices(kit: GameKit, name: str) -> list[str]:
    option = kit.option(name)
    return list(option.choices) if option else []
