"""One version of a table: immutable, and the only thing that commands decide on and readers are shown.

`table.apply` makes the next version from a stored event, without replaying the game. Seats count from 0 here, except in
the bodies of events.
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from starfrost.fair.dice import Contribution, Line
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.table import clocks
from starfrost.table.clocks import CLOCKS
from starfrost.table.coaching import CoachMode, Help, coached_seat
from starfrost.table.moves import ENTER, ROLL, Move, Moves
from starfrost.table.view import DailyTable, DiceSource, SeatChange, SeatKind, SeatView, Status, TableView, Watchers

RANDOM: Final = "random"
"""Chance decides who begins."""


class Outcome(NamedTuple):
    """What an action led to: the position afterwards, and the moves (the action and the dice that followed it)."""

    line: Line
    moves: tuple[Move, ...]


class Undo(NamedTuple):
    """A move that can be taken back: its version, its seat, the position before it and the moves up to there."""

    version: int
    seat: int
    line: Line
    length: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat and who sits there."""

    kind: SeatKind = "open"
    guest: str | None = None
    name: str = ""
    bot: str | None = None
    reserved: str | None = None
    """The guest for whom the seat is kept: after a rematch, or while a bot plays for them."""
    vacated: bool = False
    """A bot took over from a person who may come back."""
    away: str = ""
    """Why a bot took over: left, clock, resigned or gone."""
    since: float = 0.0
    """When a bot took over."""
    contribution: Contribution = ("bot", "")
    touched: int = 0
    """The version that last changed who sits here."""
    program: bool = False
    """Whether whoever sits here says that they are a program."""

    @property
    def player(self) -> str | None:
        """Return the guest who plays here, or who played here before a bot took over."""
        return self.guest or (self.reserved if self.kind == "bot" else None)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One version of a table."""

    id: str
    host: str
    invitation: str
    clock: str
    public: bool
    commitment: str
    game: Game[Any, Any]
    headers: Mapping[str, str]
    mode: str | None
    previous: str | None
    version: int
    seats: tuple[Seat, ...]
    line: Line
    moves: Moves
    """The moves that stand, each with the position before it."""
    status: Status = "waiting"
    undo_stack: tuple[Undo, ...] = ()
    """The moves since dice last fell; in practice all decisions of people."""
    moved: int = 0
    """The version that last changed the game or who acts in it."""
    moved_at: float = 0.0
    changes: tuple[SeatChange, ...] = ()
    """When bots took seats over from people during the game, and gave them back."""
    rematch: str | None = None
    offered: int | None = None
    """The seat (from 1) whose player offered the rematch; None if it was somebody else."""
    room: str | None = None
    """The room in which the table was opened."""
    removed: frozenset[str] = frozenset()
    """Guests whom the host took from their seats; they cannot sit down again."""
    undone: int | None = None
    """The seat (from 1) whose player has just taken a move back."""
    first: int | str | None = None
    """Who begins, as the host chose: see `Opening.first`."""
    coach: CoachMode = "ask"
    given: int = 0
    """The number of moves with which the game began, played elsewhere."""
    start: Any = None
    """The position in which the game began, if it was set up."""
    helps: tuple[Help, ...] = ()
    """What the coach was asked, and what was taken back in practice."""
    daily: DailyTable | None = None
    """What makes this a table of the daily game; None for every other table."""
    dice: DiceSource = "sealed"
    """Where the dice come from."""
    seed: str | None = None
    """The seed in hexadecimal digits, once the table is over or closed and, in a daily game, the day is over."""

    @property
    def state(self) -> Any:
        """Return the position of the game now."""
        return self.line.state

    @property
    def dice_name(self) -> str:
        """Return the name under which the dice are computed: everybody who plays the daily game has the same."""
        return f"daily-{self.daily.day}" if self.daily else self.id

    @property
    def ended(self) -> bool:
        """Return whether the table is over or closed."""
        return self.status in ("over", "closed")

    @property
    def begun(self) -> bool:
        """Return whether the game has begun: it does when the last seat is taken."""
        return all(seat.kind != "open" for seat in self.seats)

    @cached_property
    def acting(self) -> int | None:
        """The seat that the table waits for: the acting seat or the one that may roll; None if there is none."""
        if self.status != "running":
            return None
        actor = self.game.actor(self.state)
        if actor == OVER:
            return None
        if actor != CHANCE:
            return actor
        seat = self.game.turn_of(self.state)
        if self.entered and self.seats[seat].kind == "bot":
            # The first person at the table rolls for the bots.
            return next((number for number, other in enumerate(self.seats) if other.kind == "person"), seat)
        return seat

    @property
    def awaited(self) -> str | None:
        """Return the guest whose move the table waits for, or None."""
        seat = None if self.acting is None else self.seats[self.acting]
        return seat.guest if seat is not None and seat.kind == "person" else None

    @cached_property
    def legal(self) -> tuple[Any, ...]:
        """The acting seat's actions; `ROLL` when the dice wait to be rolled, `ENTER` when they wait to be entered."""
        if self.acting is None:
            return ()
        if self.game.actor(self.state) != CHANCE:
            return self.game.legal_actions(self.state)
        return (ENTER,) if self.entered else (ROLL,)

    @property
    def entered(self) -> bool:
        """Return whether people roll real dice and enter them."""
        return self.dice != "sealed"

    @property
    def rewinds(self) -> bool:
        """Return whether moves can be taken back also after dice and bots' answers."""
        return self.coach == "practice" or self.entered

    @property
    def undoable(self) -> int | None:
        """Return the seat that may take back the last move, or None."""
        return self.undo_stack[-1].seat if self.undo_stack and self.status == "running" else None

    @property
    def host_place(self) -> int | None:
        """Return the seat that the host meant to take when choosing who begins; None if nobody chose."""
        return (1 - self.first) % len(self.seats) if isinstance(self.first, int) else None

    @property
    def waits_for_bot(self) -> bool:
        """Return whether a bot is to move, which it does only while somebody plays."""
        acting = self.acting
        waits = acting is not None and self.seats[acting].kind == "bot" and not self.paused
        return waits and not (self.entered and self.game.actor(self.state) == CHANCE)

    @property
    def paused(self) -> bool:
        """Return whether the game waits for people to come back: nobody is left but bots that hold seats for them."""
        return (
            self.status == "running"
            and any(seat.vacated for seat in self.seats)
            and all(seat.kind != "person" for seat in self.seats)
        )

    @property
    def before_bot(self) -> str | None:
        """Return the guest who may take back the last move before a bot answers it, or None."""
        last, acting = self.undoable, self.acting
        if last is None or acting is None or self.seats[acting].kind != "bot":
            return None
        if self.undo_stack[-1].length < len(self.moves) - 1:
            return None
        return self.seats[last].guest

    @property
    def had_choice(self) -> bool:
        """Return whether there was a choice where the last move that can be taken back was made."""
        return bool(self.undo_stack) and len(self.game.legal_actions(self.undo_stack[-1].line.state)) > 1

    def seats_of(self, guest: str) -> list[int]:
        """Return the seats that a guest holds."""
        return [index for index, seat in enumerate(self.seats) if seat.guest == guest]

    def played_by(self, guest: str) -> list[int]:
        """Return the seats that a guest holds or played until a bot took over."""
        return [index for index, seat in enumerate(self.seats) if seat.player == guest]

    def free_at(self, seat: Seat, guest: str, invited: bool) -> float | None:
        """Return when a guest may take a seat that a bot holds: its player at once, others who may join later."""
        if self.status != "running" or not seat.vacated:
            return None
        if seat.reserved == guest:
            return seat.since
        kept = max(clocks.SEAT_KEPT, CLOCKS[self.clock] or 0.0)
        return seat.since + kept if invited or self.public or self.host == guest else None

    def may_return(self, seat: Seat, guest: str, invited: bool, now: float) -> bool:
        """Return whether a guest may take a seat that a bot holds."""
        free_at = self.free_at(seat, guest, invited)
        return free_at is not None and now >= free_at

    def deadline(self, downtimes: list[tuple[float, float]]) -> float | None:
        """Return when the acting person's time is up, or None; the server's downtime does not count."""
        seconds = CLOCKS[self.clock]
        if seconds is None or self.acting is None or self.seats[self.acting].kind != "person":
            return None
        due = self.moved_at + seconds
        for began, ended in downtimes:
            if ended > self.moved_at and began < due:
                due += ended - max(began, self.moved_at)
        return due

    def presence(self, watchers: Watchers) -> dict[str, Any]:
        """Return which seats (from 1) are connected and how many others watch, ready for JSON."""
        seated = {seat.guest for seat in self.seats if seat.guest}
        return {
            "seats": [number for number, seat in enumerate(self.seats, start=1) if seat.guest in watchers.guests],
            "watchers": len(watchers.guests - seated) + watchers.anonymous,
        }

    def is_invitation(self, token: str | None) -> bool:
        """Return whether a text is the invitation to this table."""
        return token is not None and secrets.compare_digest(token.encode(), self.invitation.encode())

    def seen_by(
        self,
        guest: str | None,
        watchers: Watchers,
        downtimes: list[tuple[float, float]],
        invited: bool = False,
        held: float | None = None,
    ) -> TableView:
        """Return what a guest (None: a stranger) may see; `held` is when bots move on."""
        mine = self.seats_of(guest) if guest is not None else []
        is_host = guest is not None and guest == self.host
        now = time.time()
        return TableView(
            id=self.id,
            version=self.version,
            status=self.status,
            game=self.game,
            state=self.state,
            moves=self.moves,
            seats=tuple(
                SeatView(
                    seat=number,
                    kind=seat.kind,
                    name=seat.name,
                    bot=seat.bot,
                    yours=guest is not None and seat.guest == guest,
                    present=seat.guest in watchers.guests,
                    vacated=seat.vacated and seat.kind == "bot",
                    reserved=seat.reserved is not None and (seat.vacated or seat.kind == "open"),
                    kept_for_you=guest is not None and seat.reserved == guest and (seat.vacated or seat.kind == "open"),
                    away=seat.away or None,
                    takeable=self.may_return(seat, guest or "", invited, now),
                    free_at=self.free_at(seat, guest or "", invited),
                    contribution=seat.contribution[1] or None,
                    source=seat.contribution[0],
                    program=seat.program,
                )
                for number, seat in enumerate(self.seats, start=1)
            ),
            headers=self.headers,
            mode=self.mode,
            clock=self.clock,
            deadline=self.deadline(downtimes),
            public=self.public,
            host=is_host,
            host_name=next((seat.name for seat in self.seats if self.host in (seat.guest, seat.reserved)), ""),
            invitation=self.invitation if mine or is_host or invited else None,
            acting=None if self.acting is None else self.acting + 1,
            legal=self.legal if self.acting in mine else (),
            undo=(self.undoable + 1,) if self.undoable in mine and self.undoable is not None else (),
            held=held if self.undoable in mine else None,
            commitment=self.commitment,
            seed=self.seed,
            previous=self.previous,
            rematch=self.rematch,
            offered=self.offered if self.rematch else None,
            room=self.room,
            undone=self.undone,
            first=self.first,
            paused=self.paused,
            member=guest is not None and bool(self.played_by(guest)),
            changes=self.changes,
            coach=self.coach if coached_seat(self) in mine else "",
            practice=self.coach == "practice",
            given=self.given,
            helps=tuple(map(str, self.helps)),
            daily=self.daily,
            dice=self.dice,
            # Others, not the reader.
            watchers=self.presence(watchers)["watchers"] - (not mine and guest in watchers.guests),
        )
