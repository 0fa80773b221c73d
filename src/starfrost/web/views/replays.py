"""Replays: any record or table as a row of scenes, and a record carried whole in its address."""

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from starfrost.errors import RecordError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.record import Event
from starfrost.table import SeatView, TableView
from starfrost.table.moves import Move
from starfrost.table.view import Status
from starfrost.web.views.live import is_scene
from starfrost.words import Words
from starfrost.words.story import tell

__all__ = ["LONGEST_RECORD", "MoveLine", "ReplayBar", "pack", "replay_bar", "unpack", "view_of"]

LONGEST_RECORD: Final = 15_000
"""Bytes of a record that travels in an address: four times the longest game of the test vectors."""

LONGEST_ADDRESS: Final = 3_900
"""Letters that a record may have there; the guard takes addresses of 4096."""


@dataclass(frozen=True)
class MoveLine:
    """A scene in the list of moves: its step, who made it and what happened."""

    step: int
    seat: int
    text: str
    now: bool


@dataclass(frozen=True)
class ReplayBar:
    """Where a replay stands, and where one can go from here."""

    address: str
    """the replay's own address, to which a step is added"""
    number: int
    """which scene is shown, from 0"""
    last: int
    steps: tuple[int, ...]
    moves: tuple[MoveLine, ...]
    upload: bool

    def at(self, number: int) -> str:
        """Return the address of a scene."""
        number = max(0, min(number, self.last))
        return f"{self.address}{'&' if '?' in self.address else '?'}step={self.steps[number]}"


def pack(text: str) -> str:
    """Write a record as a word that fits into an address. Raises RecordError if it is too long for one."""
    word = urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    if len(text.encode()) > LONGEST_RECORD or len(word) > LONGEST_ADDRESS:
        raise RecordError(1, "Expected a record that fits into a link; this game is too long for one.")
    return word


def unpack(word: str) -> str:
    """Read what `pack` wrote. Raises RecordError."""
    try:
        data = urlsafe_b64decode(word + "=" * (-len(word) % 4))
        # A limit on what comes out: a short word could stand for gigabytes.
        return zlib.decompressobj().decompress(data, LONGEST_RECORD).decode()
    except (binascii.Error, zlib.error, ValueError):
        raise RecordError(1, "Expected the link of a replay; a part of it is missing.") from None


def view_of(
    game: Game[Any, Any], events: Sequence[Event], states: Sequence[Any], seats: tuple[SeatView, ...]
) -> TableView:
    """Return events that were played as a table at which nothing can be done; `states` has one more than `events`."""
    moves = [Move(event.seat, event.action, before) for event, before in zip(events, states[:-1], strict=True)]
    status: Status = "over" if game.actor(states[-1]) == OVER else "closed"
    return TableView("", 0, status, game, states[-1], moves, seats)


def replay_bar(
    w: Words, view: TableView, names: Sequence[str], *, address: str, step: int | None, upload: bool = False
) -> ReplayBar:
    """Return the scenes of a game and the one that a step belongs to."""
    game, last = view.game, len(view.moves)
    steps = tuple(i for i in range(last + 1) if i in (0, last) or is_scene(game, view.state_at(i)))
    number = len(steps) - 1 if step is None else max(i for i, start in enumerate(steps) if i == 0 or start <= step)
    moves = []
    for index in range(1, len(steps)):
        events = view.moves[steps[index - 1] : steps[index]]
        told = " ".join(tell(w, game, move.before, move.action, names) for move in events)
        actor = game.actor(events[0].before)
        seat = game.turn_of(events[0].before) if actor == CHANCE else actor
        moves.append(MoveLine(steps[index], seat + 1, told, index == number))
    return ReplayBar(address, number, len(steps) - 1, steps, tuple(moves), upload)
