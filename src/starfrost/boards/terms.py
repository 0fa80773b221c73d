"""What people agree on before a game: its mode, its goal, its clock, in words."""

from collections.abc import Mapping
from typing import Any, Final

from starfrost.boards.registry import board_of
from starfrost.games.core import Game
from starfrost.words import Words, mark
from starfrost.words.story import mode_label

CLOCK_NAMES: Final[Mapping[str, str]] = {
    "none": mark("no clock"),
    "30s": mark("30 seconds"),
    "2min": mark("2 minutes"),
    "1day": mark("one day"),
    "3days": mark("three days"),
}


def terms(w: Words, game: Game[Any, Any], mode: str | None, clock: str) -> str:
    """Return what a game is played to and how fast; the clock is named where there is one."""
    timed = w("%(time)s a turn", time=w(CLOCK_NAMES.get(clock, clock))) if clock != "none" else ""
    return " · ".join(filter(None, (mode_label(w, game, mode), board_of(game.name).subtitle(w, game), timed)))
