"""What each event makes of a table: the first snapshot, and the next one after every event."""

from dataclasses import replace
from typing import Any

from starfrost.games.core import CHANCE
from starfrost.games.registry import make_game
from starfrost.table.coaching import TAKEN_BACK, Help, play_given
from starfrost.table.log import Event, TableRow
from starfrost.table.moves import Move
from starfrost.table.snapshot import Outcome, Seat, Snapshot, Undo
from starfrost.table.view import DailyTable, SeatChange


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
    line, moves = play_given(game, body.get("given", ()), position=body.get("position"))
    opened = Snapshot(
        id=row.id,
        host=row.host,
        invitation=row.invitation,
        clock=row.clock,
        public=row.public,
        room=row.room,
        commitment=commitment if "dice" not in body else "",
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
        start=None if "position" not in body else moves[0].before if moves else line.state,
        dice=body.get("dice", "sealed"),
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
            _moved(changed, event),
            line=last.line,
            moves=snapshot.moves.first(last.length),
            undo_stack=tuple(rest),
            undone=last.seat + 1,
        )
        return _with_help(back, TAKEN_BACK, last.length + 1) if snapshot.coach == "practice" else back
    if event.kind == "coach":
        return _with_help(changed, body["what"], body["event"])
    if event.kind == "rematch":
        return replace(changed, rematch=body["table"], offered=body.get("seat"))
    if event.kind == "close":
        return replace(_moved(changed, event), status="closed")
    number = body["seat"] - 1
    seat = _SEATED[event.kind](changed, changed.seats[number], event, body)
    seats = (*changed.seats[:number], replace(seat, touched=event.seq), *changed.seats[number + 1 :])
    if "removed" in body and (gone := snapshot.seats[number].guest) is not None:
        changed = replace(changed, removed=changed.removed | {gone})
    changed = replace(changed, seats=seats, changes=(*changed.changes, *_news(snapshot, number, event, body)))
    # Somebody new at the acting seat gets the full time; changes at other seats do not stop the clock.
    return _started(_moved(changed, event) if changed.acting == number else changed, event)


def _with_help(snapshot: Snapshot, what: str, number: int) -> Snapshot:
    return replace(snapshot, helps=(*snapshot.helps, Help(what, number)))


def _joined(snapshot: Snapshot, seat: Seat, event: Event, body: dict[str, Any]) -> Seat:
    waiting = snapshot.status == "waiting"
    contribution = (body["source"], body["contribution"]) if waiting else seat.contribution
    return Seat("person", event.guest, body["name"], contribution=contribution, program="program" in body)


def _why(body: dict[str, Any]) -> str:
    return "gone" if "by" in body else str(body["why"])


def _taken_by_bot(snapshot: Snapshot, seat: Seat, event: Event, body: dict[str, Any]) -> Seat:
    why, bot = _why(body), body["bot"]
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
    what = _why(body) if event.kind == "bot" else back
    return (SeatChange(len(snapshot.moves), number + 1, what, body.get("name", seat.name)),)


_SEATED = {"join": _joined, "leave": lambda *_: Seat(), "bot": _taken_by_bot}


def _acted(snapshot: Snapshot, event: Event, body: dict[str, Any], outcome: Outcome) -> Snapshot:
    over = bool(body.get("over"))
    undo_stack = snapshot.undo_stack
    seat, rewinds = body["seat"] - 1, snapshot.rewinds
    rolled = not snapshot.entered and outcome.moves[0].seat == CHANCE
    if over or (not rewinds and any(move.seat == CHANCE for move in outcome.moves)):
        undo_stack = ()
    elif not rewinds or (not rolled and snapshot.seats[seat].kind == "person"):
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
        undone=None,
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
