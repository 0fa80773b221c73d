"""One version of a table: immutable, and the only thing that commands decide on and readers are shown.

`apply` makes the next version from a stored event, without replaying the game. Seats count from 0 here, except in the
bodies of events.
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from starfrost.fair.dice import Contribution, Line
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import make_game
from starfrost.table import settings
from starfrost.table.coaching import TAKEN_BACK, Coaching, Help, coached_seat, play_given
from starfrost.table.moves import ROLL, Move, Moves
from starfrost.table.settings import CLOCKS
from starfrost.table.store import Event, TableRow
from starfrost.table.streams import Watchers
from starfrost.table.view import DailyTable, SeatChange, SeatKind, SeatView, Status, TableView


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
    """Why a bot took over: left, clock or resigned."""
    since: float = 0.0
    """When a bot took over."""
    contribution: Contribution = ("bot", "")
    touched: int = 0
    """The version that last changed who sits here."""

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
    first: int | str | None = None
    """Who begins, as the host chose: see `Opening.first`."""
    coach: Coaching = "ask"
    given: int = 0
    """The number of moves with which the game began, played elsewhere."""
    helps: tuple[Help, ...] = ()
    """What the coach was asked, and what was taken back in practice."""
    daily: DailyTable | None = None
    """What makes this a table of the daily game; None for every other table."""
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
        return self.game.turn_of(self.state) if actor == CHANCE else actor

    @property
    def awaited(self) -> str | None:
        """Return the guest whose move the table waits for, or None."""
        seat = None if self.acting is None else self.seats[self.acting]
        return seat.guest if seat is not None and seat.kind == "person" else None

    @cached_property
    def legal(self) -> tuple[Any, ...]:
        """The acting seat's actions; `ROLL` when the dice wait to be rolled."""
        if self.acting is None:
            return ()
        return (ROLL,) if self.game.actor(self.state) == CHANCE else self.game.legal_actions(self.state)

    @property
    def undoable(self) -> int | None:
        """Return the seat that may take back the last move, or None."""
        return self.undo_stack[-1].seat if self.undo_stack and self.status == "running" else None

    @property
    def host_place(self) -> int | None:
        """Return the seat that the host meant to take when choosing who begins; None if nobody chose."""
        return (1 - self.first) % len(self.seats) if isinstance(self.first, int) else None

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
        kept = max(settings.SEAT_KEPT, CLOCKS[self.clock] or 0.0)
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
                )
                for number, seat in enumerate(self.seats, start=1)
            ),
            headers=self.headers,
            mode=self.mode,
            clock=self.clock,
            deadline=self.deadline(downtimes),
            public=self.public,
            host=is_host,
            invitation=self.invitation if mine or is_host or invited else None,
            acting=None if self.acting is None else self.acting + 1,
            legal=self.legal if self.acting in mine else (),
            undo=(self.undoable + 1,) if self.undoable in mine and self.undoable is not None else (),
            held=held if self.undoable in mine else None,
            commitment=self.commitment,
            seed=self.seed,
            previous=self.previous,
            rematch=self.rematch,
            first=self.first,
            paused=self.paused,
            member=guest is not None and bool(self.played_by(guest)),
            changes=self.changes,
            coach=self.coach if coached_seat(self) in mine else "",
            practice=self.coach == "practice",
            given=self.given,
            helps=tuple(map(str, self.helps)),
            daily=self.daily,
            watchers=self.presence(watchers)["watchers"],
        )


def first_snapshot(row: TableRow, commitment: str, event: Event, body: dict[str, Any]) -> Snapshot:
    """Return the first version of a table, made from the event that opened it."""
    words = body["seats"]
    game = make_game(body["game"], len(words), body["headers"])
    seats = []
    for word, kept in zip(words, body.get("reserved") or [None] * len(words), strict=True):
        reserved, name = kept or (None, "")
        if word.startswith("bot:"):
            seats.append(Seat("bot", name=word[4:], bot=word[4:], reserved=reserved))
        else:
            seats.append(Seat(name=name, reserved=reserved))
    line, moves = play_given(game, body.get("given", ()))
    opened = Snapshot(
        id=row.id,
        host=row.host,
        invitation=row.invitation,
        clock=row.clock,
        public=row.public,
        commitment=commitment,
        game=game,
        headers=body["headers"],
        mode=body.get("mode"),
        previous=body.get("previous"),
        first=body.get("first"),
        daily=DailyTable(**body["daily"]) if "daily" in body else None,
        version=event.seq,
        seats=tuple(seats),
        line=line,
        moves=moves,
        coach=body.get("coach", "ask"),
        given=len(moves),
    )
    return _started(opened, event)


def apply(snapshot: Snapshot, event: Event, body: dict[str, Any], outcome: Outcome | None = None) -> Snapshot:
    """Return the version after a stored event; `outcome` is what an action led to, if the caller knows it already."""
    if event.kind == "act":
        return _acted(snapshot, event, body, outcome or _replayed(snapshot, body))
    changed = replace(snapshot, version=event.seq)
    if event.kind == "undo":
        *rest, last = snapshot.undo_stack
        back = replace(
            _moved(changed, event), line=last.line, moves=snapshot.moves.first(last.length), undo_stack=tuple(rest)
        )
        return _with_help(back, TAKEN_BACK, last.length + 1) if snapshot.coach == "practice" else back
    if event.kind == "coach":
        return _with_help(changed, body["what"], body["event"])
    if event.kind == "rematch":
        return replace(changed, rematch=body["table"])
    if event.kind == "close":
        return replace(_moved(changed, event), status="closed")
    number = body["seat"] - 1
    seat = _SEATED[event.kind](changed, changed.seats[number], event, body)
    seats = (*changed.seats[:number], replace(seat, touched=event.seq), *changed.seats[number + 1 :])
    changed = replace(changed, seats=seats, changes=(*changed.changes, *_news(snapshot, number, event, body)))
    # Somebody new at the acting seat gets the full time; changes at other seats do not stop the clock.
    return _started(_moved(changed, event) if changed.acting == number else changed, event)


def _with_help(snapshot: Snapshot, what: str, number: int) -> Snapshot:
    return replace(snapshot, helps=(*snapshot.helps, Help(what, number)))


def _joined(snapshot: Snapshot, seat: Seat, event: Event, body: dict[str, Any]) -> Seat:
    waiting = snapshot.status == "waiting"
    contribution = (body["source"], body["contribution"]) if waiting else seat.contribution
    return Seat("person", event.guest, body["name"], contribution=contribution)


def _left(snapshot: Snapshot, seat: Seat, event: Event, body: dict[str, Any]) -> Seat:
    return Seat()


def _taken_by_bot(snapshot: Snapshot, seat: Seat, event: Event, body: dict[str, Any]) -> Seat:
    why, bot = body["why"], body["bot"]
    if why == "host":
        return replace(seat, kind="bot", guest=None, name=bot, bot=bot, reserved=None)
    return replace(
        seat,
        kind="bot",
        guest=None,
        bot=bot,
        reserved=seat.guest,
        vacated=why != "resigned",
        away=why,
        since=event.at,
    )


def _news(snapshot: Snapshot, number: int, event: Event, body: dict[str, Any]) -> tuple[SeatChange, ...]:
    """Return what an event about a seat changes in a running game: a bot takes the seat, or gives it to a person."""
    if snapshot.status != "running":
        return ()
    seat = snapshot.seats[number]
    back = "back" if seat.reserved == event.guest else "joined"
    what = body["why"] if event.kind == "bot" else back
    return (SeatChange(len(snapshot.moves), number + 1, what, body.get("name", seat.name)),)


_SEATED = {"join": _joined, "leave": _left, "bot": _taken_by_bot}


def _acted(snapshot: Snapshot, event: Event, body: dict[str, Any], outcome: Outcome) -> Snapshot:
    over = bool(body.get("over"))
    undo_stack = snapshot.undo_stack
    seat, practice = body["seat"] - 1, snapshot.coach == "practice"
    if over or (not practice and any(move.seat == CHANCE for move in outcome.moves)):
        undo_stack = ()
    elif not practice or (outcome.moves[0].seat != CHANCE and snapshot.seats[seat].kind == "person"):
        undo_stack = (*undo_stack, Undo(event.seq, seat, snapshot.line, len(snapshot.moves)))
    # As `dataclasses.replace`, which takes four times as long: this is done for every move.
    acted = object.__new__(Snapshot)
    acted.__dict__.update(
        snapshot.__dict__,
        version=event.seq,
        status="over" if over else snapshot.status,
        line=outcome.line,
        moves=snapshot.moves.plus(outcome.moves),
        undo_stack=undo_stack,
        moved=event.seq,
        moved_at=event.at,
    )
    for cached in ("acting", "legal"):
        acted.__dict__.pop(cached, None)
    return acted


def _replayed(snapshot: Snapshot, body: dict[str, Any]) -> Outcome:
    """Play a stored action again."""
    parse = snapshot.game.parse_action
    line = snapshot.line
    moves = []
    # Where the dice wait, the action is the wish to roll them.
    if snapshot.game.actor(line.state) != CHANCE:
        moves.append(Move(body["seat"] - 1, parse(body["action"]), line.state))
        line = line.after(moves[-1].action)
    for text in body["chance"]:
        moves.append(Move(CHANCE, parse(text), line.state))
        line = line.after(moves[-1].action)
    return Outcome(line, tuple(moves))


def _moved(snapshot: Snapshot, event: Event) -> Snapshot:
    return replace(snapshot, moved=event.seq, moved_at=event.at)


def _started(snapshot: Snapshot, event: Event) -> Snapshot:
    """Start the game if the last free seat has just been taken."""
    if snapshot.status != "waiting" or not snapshot.begun:
        return snapshot
    return replace(_moved(snapshot, event), status="running")
