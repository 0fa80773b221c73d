"""What stands around a board: whose turn it is, what happened, what the reader may do besides playing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starfrost.games.core import CHANCE
from starfrost.table import SeatView

__all__ = ["Asking", "Live", "is_scene"]


@dataclass(frozen=True)
class Asking:
    """A move that waits for the reader's yes."""

    sentence: str
    fields: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Live:
    """A table around its board, as one reader sees it at one moment."""

    id: str
    version: int
    step: int
    """How many moves and rolls the board shows; a reader who lags behind is shown one scene after another."""
    more: bool
    """Whether later scenes wait to be shown."""
    status: str
    game: str
    title: str
    subtitle: str
    names: Sequence[str]
    seats: Sequence[SeatView]
    me: int | None
    """The reader's seat that is shown, from 1; None for a watcher."""
    your_turn: bool
    acting: int | None
    act: str
    key: str
    story: Sequence[str] = ()
    said: str = ""
    """What a screen reader announces when this scene appears."""
    waiting: str = ""
    solving: str = ""
    """How far the cards are solved that a bot waits for."""
    undo: int | None = None
    vacant: int | None = None
    """A seat that a bot keeps warm and the reader may take."""
    options: Sequence[tuple[str, str]] = ()
    """Every legal action and what it does in words, for the table in words; empty otherwise."""
    reactions: Sequence[str] = ()
    deadline: float | None = None
    host: bool = False
    error: str = ""
    asking: Asking | None = None
    winners: Sequence[int] = ()
    standings: Sequence[tuple[int, int, str, int]] = ()
    """Place, seat, name and points, best first; empty while the game runs."""
    lost: bool = False
    rematch: str | None = None
    log: Sequence[str] = field(default_factory=tuple)


def is_scene(game: Any, state: Any) -> bool:
    """Return whether a scene ends in this state: no dice are in the air."""
    return game.actor(state) != CHANCE or bool(game.starts_turn(state))
