"""What a new table is asked to be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any

from starfrost.errors import Refused, UsageError
from starfrost.games.core import Game
from starfrost.games.dicy_cards import CARDS, INTERGLACIAL, MODES, mode_cards
from starfrost.games.registry import SEATS, make_game
from starfrost.players.registry import bots_here
from starfrost.table.settings import CLOCKS

__all__ = ["Opening", "check_bot", "offers", "set_up"]

_OPTIONS = {"dicy-cards": {"mode", "cards", "goal"}, "dice-stars": {"solo-boxes"}}
_SAMPLE: dict[str, dict[str, str]] = {"dicy-cards": {"cards": " ".join(MODES["glacial"].cards)}, "dice-stars": {}}


@dataclass(frozen=True, slots=True)
class Opening:
    """A request for a table."""

    game: str
    seats: tuple[str, ...]
    """One word a seat: `open` or `bot:NAME`."""
    options: Mapping[str, str] = field(default_factory=dict)
    clock: str = "none"
    public: bool = False


def set_up(opening: Opening) -> tuple[Game[Any, Any], dict[str, str], str | None]:
    """Make the game that is asked for: the game, its record headers and the name of its mode. Raises Refused."""
    if opening.clock not in CLOCKS:
        raise Refused("bad-clock", "A clock is one of %(clocks)s.", 422, clocks=", ".join(CLOCKS))
    known = _OPTIONS.get(opening.game)
    if known is None:
        raise Refused("bad-game", "A game is one of %(games)s.", 422, games=", ".join(_OPTIONS))
    for option in opening.options:
        if option not in known:
            raise Refused(
                "bad-option", "%(game)s has no option %(option)s.", 422, game=opening.game, option=repr(option)
            )
    headers = {name: value for name, value in opening.options.items() if name != "mode"}
    mode = opening.options.get("mode")
    if mode is not None and "cards" in headers:
        raise Refused("bad-option", "Name a mode or five cards, not both.", 422)
    if opening.game == "dicy-cards":
        if mode is None:
            mode = "custom" if "cards" in headers else "glacial"
        if mode != "custom":
            try:
                # D6: Interglacial is drawn when the table opens, the same five for all, so no seat can gain by it.
                headers["cards"] = " ".join(mode_cards(mode, SystemRandom()))
            except UsageError as error:
                raise Refused("bad-option", error.sentence, 422, **error.facts) from None
    try:
        game = make_game(opening.game, len(opening.seats), headers)
    except UsageError as error:
        raise Refused("bad-option", error.sentence, 422, **error.facts) from None
    for word in opening.seats:
        if word.startswith("bot:"):
            check_bot(game, word[4:])
        elif word != "open":
            raise Refused("bad-seats", "A seat is open or bot:NAME.", 422)
    return game, dict(game.headers()), mode


def check_bot(game: Game[Any, Any], bot: str) -> None:
    """Refuse a bot that does not play this set-up."""
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
            "game": name,
            "seats": [
                {"seats": seats, "bots": list(bots_here(make_game(name, seats, _SAMPLE[name])))}
                for seats in SEATS[name]
            ],
            "options": sorted(options),
            "modes": [*MODES, INTERGLACIAL, "custom"] if name == "dicy-cards" else [],
            "cards": list(CARDS) if name == "dicy-cards" else [],
        }
        for name, options in _OPTIONS.items()
    ]
