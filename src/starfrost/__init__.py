"""Starfrost: the rules of two dice games, records, bots, tables, a solver and simulators.

    import starfrost

    game = starfrost.make("dicy-cards", seats=3, goal=60)
    record = starfrost.play(game, ["planner", "planner", "greedy"], seed=7)
    print(starfrost.write_record(record))

Everything in `__all__` is public and stays; docs/api.md describes it. A name is imported when it is first used, so
that `import starfrost` loads nothing but this file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starfrost.api import bot_names, game_ids, make, make_bot, play
    from starfrost.bots.core import Bot
    from starfrost.errors import (
        IllegalAction,
        MissingExtra,
        NotationError,
        RecordError,
        StarfrostError,
        UsageError,
    )
    from starfrost.games.core import CHANCE, OVER, Game
    from starfrost.games.record import Event, Record, Replay, parse_record, replay, write_record

__version__ = "0.2.0"

__all__ = [
    "CHANCE",
    "OVER",
    "Bot",
    "Event",
    "Game",
    "IllegalAction",
    "MissingExtra",
    "NotationError",
    "Record",
    "RecordError",
    "Replay",
    "StarfrostError",
    "UsageError",
    "__version__",
    "bot_names",
    "game_ids",
    "make",
    "make_bot",
    "parse_record",
    "play",
    "replay",
    "write_record",
]

_MODULES = ("errors", "games.core", "games.record", "bots.core", "api")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in map(import_module, (f"starfrost.{path}" for path in _MODULES)):
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'starfrost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
