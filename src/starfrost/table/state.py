"""A table in memory: what its log replays to.

A `Table` changes only by `adopt`ing a stored event, so what anybody sees of it is durable.
"""

import asyncio
import json
import time
from typing import Any

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import make_game
from starfrost.table.dice import Contribution, FairDice, Line, Seed
from starfrost.table.settings import CLOCKS
from starfrost.table.store import Event, TableRow

__all__ = ["Seat", "Table", "public_json"]

After = tuple[Line, Any, tuple[Any, ...]] | None


def public_json(event: Event) -> bytes:
    """Write an event as everybody may see it; the body is JSON already."""
    head = f'{{"version":{event.seq},"kind":"{event.kind}","at":{event.at:.3f}'
    tail = event.body[1:]
    if event.kind == "open":
        # For whom seats are kept is between them and the service.
        body = json.loads(event.body)
        body.pop("reserved", None)
        tail = json.dumps(body, separators=(",", ":"))[1:]
    return (head + ("," if tail != "}" else "") + tail).encode()


class Seat:
    """A place at the table and who sits there."""

    __slots__ = ("bot", "contribution", "guest", "kind", "name", "reserved", "touched", "vacated")

    def __init__(self) -> None:
        self.kind = "open"
        self.guest: str | None = None
        self.name = ""
        self.bot: str | None = None
        self.reserved: str | None = None
        """The guest for whom the seat is kept after a rematch."""
        self.vacated = False
        """A bot keeps the seat warm after its person left."""
        self.contribution: Contribution = ("bot", "")
        self.touched = 0
        """The version that last changed who sits here."""

    def free(self) -> None:
        """Let the person go."""
        self.kind, self.guest, self.name, self.bot = "open", None, "", None
        self.contribution = ("bot", "")


class Table:
    """One table: its seats, its game and its log."""

    __slots__ = (
        "clock",
        "commitment",
        "dice",
        "fallen",
        "game",
        "headers",
        "host",
        "id",
        "invitation",
        "keys",
        "legal_cache",
        "line",
        "lock",
        "log",
        "mode",
        "moved",
        "moved_at",
        "moves",
        "previous",
        "public",
        "rematch",
        "seats",
        "seed",
        "stale",
        "status",
        "undo_stack",
        "used",
        "version",
    )

    def __init__(self, row: TableRow, seed: Seed) -> None:
        self.id = row.id
        self.host = row.host
        self.invitation = row.invitation
        self.clock = row.clock
        self.public = row.public
        self.seed = seed
        self.commitment = seed.commitment
        self.status = "waiting"
        self.version = 0
        self.log: list[bytes] = []
        self.keys: dict[str, int] = {}
        self.seats: list[Seat] = []
        self.headers: dict[str, str] = {}
        self.mode: str | None = None
        self.previous: str | None = None
        self.rematch: str | None = None
        self.game: Game[Any, Any]
        self.line: Line
        self.dice: FairDice | None = None
        self.moves: list[tuple[int | None, Any]] = []
        """The moves that stand: who (from 0; None for dice) and what."""
        self.undo_stack: list[tuple[int, int, Line]] = []
        """Moves since dice last fell: version, seat and the line before."""
        self.fallen = 0
        """How many times dice have fallen."""
        self.moved = 0
        """The version that last changed the game or who acts in it."""
        self.moved_at = 0.0
        self.lock = asyncio.Lock()
        self.stale = False
        """What is in memory can no longer be trusted: load again."""
        self.used = time.monotonic()
        self.legal_cache: tuple[int, list[str]] = (0, [])

    # Who acts

    @property
    def acting(self) -> int | None:
        """Give the seat (from 0) that the table waits for: the acting seat, or who may roll; None if nobody."""
        if self.status != "running":
            return None
        actor = self.game.actor(self.line.state)
        if actor == OVER:
            return None
        return self.game.turn_of(self.line.state) if actor == CHANCE else actor

    def legal(self) -> list[str]:
        """List the acting seat's actions as text; `roll` when the dice wait to be rolled."""
        if self.legal_cache[0] != self.version:
            found: list[str] = []
            if self.status == "running":
                state = self.line.state
                if self.game.actor(state) == CHANCE:
                    found = ["roll"]
                else:
                    found = [str(action) for action in self.game.legal_actions(state)]
            self.legal_cache = (self.version, found)
        return self.legal_cache[1]

    def undoable(self) -> int | None:
        """Give the seat (from 0) that may take back the last move, None if nobody may."""
        return self.undo_stack[-1][1] if self.undo_stack and self.status == "running" else None

    def seats_of(self, guest_id: str) -> list[int]:
        """List the seats (from 0) that a guest holds."""
        return [index for index, seat in enumerate(self.seats) if seat.guest == guest_id]

    def deadline(self, downtimes: list[tuple[float, float]]) -> float | None:
        """Say when the acting person's time is up; the server's own downtime is not charged."""
        seconds = CLOCKS[self.clock]
        acting = self.acting
        if seconds is None or acting is None or self.seats[acting].kind != "person":
            return None
        due = self.moved_at + seconds
        for began, ended in downtimes:
            if ended > self.moved_at and began < due:
                due += ended - max(began, self.moved_at)
        return due

    # Events

    def adopt(self, event: Event, body: dict[str, Any] | None = None, after: After = None) -> None:
        """Take in the next stored event; `after` is what an action led to, if the caller knows already."""
        if event.seq != self.version + 1:
            self.stale = True
            return
        if body is None:
            body = json.loads(event.body)
        self.version = event.seq
        self.log.append(public_json(event))
        if event.key is not None:
            self.keys[event.key] = event.seq
        self.used = time.monotonic()
        _ADOPT[event.kind](self, event, body, after)

    def _open(self, event: Event, body: dict[str, Any], after: After) -> None:
        self.headers = body["headers"]
        self.mode = body.get("mode")
        self.previous = body.get("previous")
        words = body["seats"]
        self.game = make_game(body["game"], len(words), self.headers)
        self.line = Line.start(self.game)
        for word, reserved in zip(words, body.get("reserved") or [None] * len(words), strict=True):
            seat = Seat()
            if reserved is not None:
                seat.reserved, seat.name = reserved
            if word.startswith("bot:"):
                seat.kind, seat.bot = "bot", word[4:]
                seat.name = word[4:]
            self.seats.append(seat)
        self._start_if_full(event)

    def _join(self, event: Event, body: dict[str, Any], after: After) -> None:
        seat = self.seats[body["seat"] - 1]
        seat.kind, seat.guest, seat.name, seat.bot = "person", event.guest, body["name"], None
        seat.vacated = False
        seat.reserved = None
        if self.status == "waiting":
            seat.contribution = (body["source"], body["contribution"])
        self._changed_seat(seat, event)
        self._start_if_full(event)

    def _leave(self, event: Event, body: dict[str, Any], after: After) -> None:
        seat = self.seats[body["seat"] - 1]
        seat.free()
        self._changed_seat(seat, event)

    def _bot(self, event: Event, body: dict[str, Any], after: After) -> None:
        seat = self.seats[body["seat"] - 1]
        if body["why"] == "host":
            seat.name = body["bot"]
            seat.reserved = None
        else:
            seat.vacated = body["why"] != "resigned"
            seat.reserved = seat.guest if body["why"] == "clock" else None
        seat.kind, seat.guest, seat.bot = "bot", None, body["bot"]
        self._changed_seat(seat, event)
        self._start_if_full(event)

    def _act(self, event: Event, body: dict[str, Any], after: After) -> None:
        seat = body["seat"] - 1
        before = self.line
        if after is None:
            after = self._replayed(body)
        line, action, chance = after
        self.line = line
        if action is not None:
            self.moves.append((seat, action))
            self.undo_stack.append((event.seq, seat, before))
        if chance:
            self.moves.extend((None, outcome) for outcome in chance)
            self.undo_stack.clear()
            self.fallen += len(chance)
        if body.get("over"):
            self.status = "over"
            self.undo_stack.clear()
        self._moved(event)

    def _replayed(self, body: dict[str, Any]) -> tuple[Line, Any, tuple[Any, ...]]:
        """Play a stored action again."""
        action = None if body["action"] == "roll" else self.game.parse_action(body["action"])
        chance = tuple(self.game.parse_action(text) for text in body["chance"])
        line = self.line if action is None else self.line.after(action)
        for outcome in chance:
            line = line.after(outcome)
        return line, action, chance

    def _undo(self, event: Event, body: dict[str, Any], after: After) -> None:
        self.line = self.undo_stack.pop()[2]
        self.moves.pop()
        self._moved(event)

    def _rematch(self, event: Event, body: dict[str, Any], after: After) -> None:
        self.rematch = body["table"]

    def _close(self, event: Event, body: dict[str, Any], after: After) -> None:
        self.status = "closed"
        self._moved(event)

    def _changed_seat(self, seat: Seat, event: Event) -> None:
        seat.touched = event.seq
        # A new face at the acting seat gets its own time; anybody else's coming and going does not stop the clock.
        acting = self.acting
        if acting is not None and self.seats[acting] is seat:
            self._moved(event)

    def _moved(self, event: Event) -> None:
        self.moved = event.seq
        self.moved_at = event.at

    def _start_if_full(self, event: Event) -> None:
        if self.status == "waiting" and all(seat.kind != "open" for seat in self.seats):
            self.status = "running"
            self.dice = FairDice(self.seed, self.id, [seat.contribution for seat in self.seats])
            self._moved(event)


_ADOPT = {
    "open": Table._open,
    "join": Table._join,
    "leave": Table._leave,
    "bot": Table._bot,
    "act": Table._act,
    "undo": Table._undo,
    "rematch": Table._rematch,
    "close": Table._close,
}
