"""What each command does to a table: pure functions from a snapshot to the body of one event.

Every command returns a `Decision` or raises `Refused`. Seats count from 1 in arguments and bodies.
"""

import secrets
from typing import Any, Final, NamedTuple

from starfrost.errors import IllegalAction, NotationError, Refused
from starfrost.fair.dice import FairDice, Line
from starfrost.games.core import CHANCE, OVER, rolls_at_once
from starfrost.table import coaching
from starfrost.table.moves import ENTER, ROLL, Move
from starfrost.table.names import clean_contribution, clean_name
from starfrost.table.snapshot import RANDOM, Outcome, Seat, Snapshot

DAILY: Final = "daily"
"""The contribution of every person in a daily game."""


class Decision(NamedTuple):
    """The event that a command becomes."""

    kind: str
    body: dict[str, Any]
    outcome: Outcome | None = None
    """What an action leads to."""
    status: str | None = None
    """The table's new status, if it changes."""


def fresh(table: Snapshot, seen: int, changed: int) -> None:
    """Refuse a command whose sender has not seen the latest version of what the command depends on."""
    if seen < changed:
        raise Refused(
            "stale",
            "The game has moved on: you saw version %(seen)s, it is at %(version)s.",
            409,
            detail={"version": table.version},
            seen=seen,
            version=table.version,
        )
    if seen > table.version:
        raise Refused(
            "bad-version",
            "Version %(seen)s does not exist yet; the table is at %(version)s.",
            422,
            seen=seen,
            version=table.version,
        )


def needs_person(there: bool) -> None:
    """Refuse a table at which nobody but bots can sit."""
    if not there:
        raise Refused("no-person", "A table needs a seat for a person.", 422)


def seat_at(table: Snapshot, number: object) -> Seat:
    """Return a seat by its number."""
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(table.seats):
        raise Refused("no-seat", "This table has seats 1 to %(seats)s.", 422, seats=len(table.seats))
    return table.seats[number - 1]


def own_seat(table: Snapshot, guest: str, number: object) -> Seat:
    """Return a seat that the guest holds."""
    seat = seat_at(table, number)
    if seat.guest != guest or seat.kind != "person":
        raise Refused("not-your-seat", "Seat %(seat)s is not yours.", 403, seat=number)
    return seat


def running(table: Snapshot) -> None:
    """Refuse unless the game is running."""
    if table.status == "waiting":
        raise Refused("not-running", "The game has not begun: a seat is still free.", 409)
    if table.status == "over":
        raise Refused("not-running", "The game is over.", 409)
    if table.status != "running":
        raise Refused("not-running", "The table is closed.", 409)


def join(
    table: Snapshot,
    guest: str,
    name: str | None,
    own_name: str,
    number: int | None,
    contribution: str | None,
    invited: bool,
    seen: int,
    now: float,
    program: bool = False,
) -> Decision:
    """Take a free seat, a seat reserved for the guest, or one where a bot plays for a person who left.

    `program` says that no person plays. Without a `name` the seat gets the guest's own, or keeps the one it had if its
    player comes back.
    """
    if table.status in ("over", "closed"):
        raise Refused("not-waiting", "This game is over; nobody can join any more.", 409)
    if guest in table.removed:
        raise Refused("removed", "The host has given your seat to others; you can watch.", 403)
    if number is None:
        number = _first_free(table, guest)
    seat = seat_at(table, number)
    if not (invited or table.public or seat.reserved == guest or table.host == guest):
        raise Refused("no-invitation", "You need the invitation link of this table to sit down.", 403)
    if seat.kind == "person":
        raise Refused("seat-taken", "Seat %(seat)s is taken.", 409, seat=number)
    if seat.kind == "bot" and not (seat.vacated and table.status == "running"):
        raise Refused("seat-taken", "Seat %(seat)s belongs to a bot.", 409, seat=number)
    if seat.reserved is not None and seat.reserved != guest and table.status == "waiting":
        raise Refused("seat-reserved", "Seat %(seat)s is reserved for a player of the previous game.", 409, seat=number)
    if seat.kind == "bot" and not table.may_return(seat, guest, invited, now):
        raise Refused("seat-kept", "Seat %(seat)s is still kept for %(name)s.", 409, seat=number, name=seat.name)
    fresh(table, seen, seat.touched)
    back = seat.kind == "bot" and seat.reserved == guest
    body: dict[str, Any] = {"seat": number, "name": clean_name(name or (seat.name if back else own_name))}
    if back:
        body["back"] = True
    if program:
        body["program"] = True
    status = None
    if table.status == "waiting":
        if table.daily:
            # The same for everybody, and so are the dice.
            body["contribution"], body["source"] = DAILY, "server"
        elif contribution is None:
            body["contribution"], body["source"] = secrets.token_hex(16), "server"
        else:
            body["contribution"], body["source"] = clean_contribution(contribution), "player"
        if sum(other.kind == "open" for other in table.seats) == 1:
            body["starts"] = True
            status = "running"
    return Decision("join", body, None, status)


def _first_free(table: Snapshot, guest: str) -> int:
    """Return the seat of a guest who asks for none: one that is kept for them, a free one, one that a bot holds."""
    mine = [seat.reserved == guest and seat.kind != "person" for seat in table.seats]
    free = [seat.kind == "open" and seat.reserved is None for seat in table.seats]
    warm = [seat.vacated and table.status == "running" for seat in table.seats]
    kept, free_ones, held = ([number for number, fits in enumerate(which) if fits] for which in (mine, free, warm))
    if table.first == RANDOM:
        # Everybody is equally likely to get each of the free seats, and so to begin.
        free_ones = [secrets.choice(free_ones)] if free_ones else []
    if table.host_place is not None:
        # Others are given places in the order in which the table was opened, the host's own place last.
        after = [(number - table.host_place) % len(table.seats) for number in range(len(table.seats))]
        free_ones.sort(key=lambda number: ((not after[number]) != (guest == table.host), after[number]))
    choices = [*kept, *free_ones, *held]
    if not choices:
        raise Refused("no-free-seat", "Every seat at this table is taken.", 409)
    return choices[0] + 1


def leave(table: Snapshot, guest: str, number: int, stand_in: str, seen: int) -> Decision:
    """Leave a seat: before the start it is free again, later a bot takes it."""
    seat = own_seat(table, guest, number)
    fresh(table, seen, seat.touched)
    if table.status == "waiting":
        return Decision("leave", {"seat": number})
    running(table)
    return Decision("bot", {"seat": number, "bot": stand_in, "why": "left"})


def resign(table: Snapshot, guest: str, number: int, stand_in: str, seen: int) -> Decision:
    """Resign: a bot plays the seat to the end."""
    seat = own_seat(table, guest, number)
    running(table)
    fresh(table, seen, seat.touched)
    return Decision("bot", {"seat": number, "bot": stand_in, "why": "resigned"})


def clock_out(table: Snapshot, number: int, stand_in: str) -> Decision:
    """Give an absent person's seat to a bot; the person may take it back."""
    return Decision("bot", {"seat": number, "bot": stand_in, "why": "clock"})


def stand_in(table: Snapshot, guest: str, number: int, gone: int | None, bot: str, seen: int) -> Decision:
    """Let a bot play for a person who is gone until they return; `gone` is the seat (from 1) that may be played for."""
    mine = [index for index in table.seats_of(guest) if table.seats[index].kind == "person"]
    if not mine:
        raise Refused("not-your-seat", "Only players at the table can let a bot play for somebody.", 403)
    seat_at(table, number)
    running(table)
    fresh(table, seen, table.moved)
    if gone != number:
        raise Refused(
            "not-gone",
            "A bot may only play for somebody who has been away for two minutes while a table without a clock waits "
            "for them.",
            409,
        )
    return Decision("bot", {"seat": number, "bot": bot, "why": "left", "by": mine[0] + 1})


def unseat(table: Snapshot, guest: str | None, number: int, seen: int) -> Decision:
    """Free a seat before the start: of a person, of a bot, or one that is kept. `guest` is None for the service."""
    if guest is not None and table.host != guest:
        raise Refused("not-host", "Only the host can free a seat.", 403)
    seat = seat_at(table, number)
    if table.status != "waiting":
        raise Refused("not-waiting", "The game has begun.", 409)
    if seat.guest == table.host or (seat.kind == "open" and seat.reserved is None):
        raise Refused("nobody-there", "There is nobody to remove from seat %(seat)s.", 409, seat=number)
    fresh(table, seen, seat.touched)
    return Decision("leave", {"seat": number, "removed": True})


def seat_bot(table: Snapshot, guest: str, number: int, bot: str, seen: int) -> Decision:
    """Put a bot on a free seat; only the host may."""
    if table.host != guest:
        raise Refused("not-host", "Only the host can add a bot.", 403)
    seat = seat_at(table, number)
    if table.status != "waiting":
        raise Refused("not-waiting", "The game has begun.", 409)
    if seat.kind != "open":
        raise Refused("seat-taken", "Seat %(seat)s is taken.", 409, seat=number)
    fresh(table, seen, seat.touched)
    body: dict[str, Any] = {"seat": number, "bot": bot, "why": "host"}
    if sum(other.kind == "open" for other in table.seats) == 1:
        body["starts"] = True
        return Decision("bot", body, None, "running")
    return Decision("bot", body)


def act(table: Snapshot, dice: FairDice | None, guest: str | None, number: int, action: Any, seen: int) -> Decision:
    """Play an action, its notation or `ROLL`; dice that follow it fall at once. `guest` is None for a bot."""
    if guest is None:
        if seat_at(table, number).kind != "bot":
            raise Refused("not-your-seat", "No bot sits at seat %(seat)s.", 403, seat=number)
    else:
        own_seat(table, guest, number)
    fresh(table, seen, table.moved)
    running(table)
    if table.acting != number - 1:
        raise Refused("not-your-turn", "It is seat %(seat)s's turn to act.", 409, seat=(table.acting or 0) + 1)
    line, game = table.line, table.game
    if ENTER in table.legal:
        return _enter(line, number, action)
    waits_for_roll = game.actor(line.state) == CHANCE
    # A game may have a decision of this name: the word means the dice only where they wait.
    wants_roll = action is ROLL or (waits_for_roll and action == str(ROLL))
    if waits_for_roll and not wants_roll:
        raise Refused("illegal", "Roll the dice first.", 422)
    if wants_roll and not waits_for_roll:
        raise Refused("illegal", "There is nothing to roll now.", 422)
    moves: list[Move] = []
    if not wants_roll:
        try:
            if isinstance(action, str):
                action = game.parse_action(action)
            moves.append(Move(number - 1, action, line.state))
            line = line.after(action)
        except (IllegalAction, NotationError) as error:
            if action == str(ROLL):
                raise Refused("illegal", "There is nothing to roll now.", 422) from None
            raise Refused("illegal", error.sentence, 422, **error.facts) from None
    # The first roll of a turn waits for its own seat: until then the player before may take a move back.
    while waits_for_roll or (rolls_at_once(game, line.state) and not table.entered):
        assert dice is not None, "a running table has its dice"
        outcome = dice.outcome(line)
        moves.append(Move(CHANCE, outcome, line.state))
        line = line.after(outcome)
        waits_for_roll = False
    return _acted(number, action, line, moves)


def _enter(line: Line, number: int, action: Any) -> Decision:
    """Take over what the real dice show that a person has rolled. Refuses dice that cannot fall here."""
    game = line.game
    try:
        shown = game.parse_action(str(action))
        after = line.after(shown)
    except (IllegalAction, NotationError):
        expected = game.expected(line.state)
        raise Refused(
            "bad-dice", "These dice cannot be rolled here; expected %(expected)s.", 422, expected=expected
        ) from None
    return _acted(number, shown, after, [Move(CHANCE, shown, line.state)])


def _acted(number: int, action: Any, line: Line, moves: list[Move]) -> Decision:
    """Return the event of an action and the dice that followed it, which led to a line."""
    rolled = [str(move.action) for move in moves if move.seat == CHANCE]
    body: dict[str, Any] = {"seat": number, "action": str(action), "chance": rolled}
    result = Outcome(line, tuple(moves))
    if line.game.actor(line.state) == OVER:
        body["over"] = True
        return Decision("act", body, result, "over")
    return Decision("act", body, result)


def undo(table: Snapshot, guest: str, number: int, seen: int) -> Decision:
    """Take back the last move, if it is the seat's own and no dice have fallen since."""
    own_seat(table, guest, number)
    # In practice and with real dice, what bots did since then is taken back too.
    rewinds = table.rewinds and table.undo_stack
    fresh(table, seen, table.undo_stack[-1].version if rewinds else table.moved)
    running(table)
    if not table.undo_stack:
        if table.rewinds:
            raise Refused("nothing-to-undo", "There is no move of yours to take back.", 409)
        raise Refused("nothing-to-undo", "Dice have been rolled since the last move, so it cannot be taken back.", 409)
    last = table.undo_stack[-1]
    if last.seat != number - 1:
        raise Refused("nothing-to-undo", "The last move is seat %(seat)s's, not yours.", 409, seat=last.seat + 1)
    return Decision("undo", {"seat": number, "of": last.version})


def ask_coach(table: Snapshot, guest: str, what: str, number: int) -> Decision:
    """Note that the coach was asked for a hint before an event, or to judge one; what it says is not stored."""
    return Decision("coach", {"seat": coaching.helped(table, guest), "what": what, "event": number})


def rematch(table: Snapshot, guest: str, new_table: str, seen: int, member: bool = False) -> Decision:
    """Offer another game with the seats moved on by one; `member` is somebody of the table's room."""
    seats = table.played_by(guest)
    if not seats and not member:
        raise Refused("not-your-seat", "Only players of this table can offer a rematch.", 403)
    if table.daily:
        raise Refused("daily-once", "The daily game has no rematch; its page lets you practise.", 409)
    if not table.ended:
        raise Refused("not-over", "The game is not over yet.", 409)
    if table.rematch is not None:
        raise Refused("rematch-open", "A rematch has already been opened.", 409, detail={"table": table.rematch})
    fresh(table, seen, table.moved)
    return Decision("rematch", {"seat": seats[0] + 1, "table": new_table} if seats else {"table": new_table})


def withdraw(table: Snapshot, closed: str) -> Decision:
    """Note that the table of the rematch was closed, so that another rematch can be offered."""
    if table.rematch != closed:
        raise Refused("rematch-open", "A rematch has already been opened.", 409, detail={"table": table.rematch})
    return Decision("rematch", {"table": None})


def close(table: Snapshot, guest: str | None, seen: int, why: str, gone: int | None = None) -> Decision:
    """Close an unfinished table, which reveals its seed. `guest` is None for the service itself.

    `gone` is the seat (from 1) whose person is away so long that every player may end the game.
    """
    mine = guest is not None and any(table.seats[seat].kind == "person" for seat in table.seats_of(guest))
    if guest is not None and table.host != guest and not (gone is not None and mine):
        raise Refused("not-host", "Only the host can close the table.", 403)
    if table.status not in ("waiting", "running"):
        raise Refused("not-running", "This game has already ended.", 409)
    fresh(table, seen, table.moved)
    return Decision("close", {"why": why}, None, "closed")
