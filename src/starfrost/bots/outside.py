"""Bots from outside: Python classes of other packages, and engines in any language.

A bot from outside can fail. Then it loses its game: `choose` raises Forfeit, and nothing else is harmed.

`module:Class`       a class with `choose(game, state, rng)`, made without arguments
`cmd:COMMAND`        an engine that speaks the protocol of `players.engine`, with ten seconds for a choice
`cmd@SECONDS:COMMAND`  the same with another limit
"""

import importlib
import re
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

from starfrost.bots.core import Bot
from starfrost.bots.engine import START, engine_of
from starfrost.errors import Forfeit, UsageError, quoted
from starfrost.games.core import Game

_COMMAND: Final = re.compile(r"cmd(?:@(?P<seconds>\d+(?:\.\d+)?))?:(?P<command>.+)", re.DOTALL)
_CLASS: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
SECONDS: Final = 10.0
"""The time of an engine for one choice."""


class Checked:
    """A bot of another package, whose faults cost it the game."""

    def __init__(self, name: str, bot: Any) -> None:
        self.name = name
        self._bot = bot

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        """Return the action that the bot chooses. Raises Forfeit if that fails or is not legal."""
        try:
            action = self._bot.choose(game, state, rng)
        except Forfeit:
            raise
        except Exception as error:
            raise Forfeit("it failed with an error", detail=f"{type(error).__name__}: {error}") from error
        try:
            legal = action in game.legal_actions(state)
        except Exception:
            # Whatever the bot returned, comparing it with actions may do anything.
            legal = False
        if not legal:
            raise Forfeit("it chose an action that is not legal", detail=quoted(str(action)))
        return action


def is_outside(name: str) -> bool:
    """Return whether a bot is named by its code and not by the name of an entry."""
    return ":" in name


def seconds_of(name: str) -> float:
    """Return how long a bot from outside may take to start and to choose; 0 for other bots."""
    if not is_outside(name):
        return 0.0
    found = _COMMAND.fullmatch(name)
    return START + float((found and found["seconds"]) or SECONDS)


def _look_here(module: str) -> None:
    """Let modules of the working directory be found, as `python -m` does; an installed one of this name comes first."""
    here, top = Path.cwd(), module.partition(".")[0]
    if str(here) not in sys.path and ((here / f"{top}.py").is_file() or (here / top).is_dir()):
        sys.path.append(str(here))


def make_outside(name: str) -> Bot:
    """Return the bot of `module:Class`, `cmd:COMMAND` or `cmd@SECONDS:COMMAND`. Raises UsageError."""
    if found := _COMMAND.fullmatch(name):
        return engine_of(name, found["command"], float(found["seconds"] or SECONDS))
    if not _CLASS.fullmatch(name):
        raise UsageError(
            "%(bot)s is not a bot: expected a name, module:Class, cmd:COMMAND or cmd@SECONDS:COMMAND.", bot=quoted(name)
        )
    module, _, attribute = name.partition(":")
    _look_here(module)
    try:
        made = getattr(importlib.import_module(module), attribute)()
    except Exception as error:
        raise UsageError(
            "The bot %(bot)s cannot be loaded: %(reason)s.", bot=name, reason=f"{type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(made, "choose", None)):
        raise UsageError("The bot %(bot)s has no method choose(game, state, rng).", bot=name)
    return Checked(name, made)
