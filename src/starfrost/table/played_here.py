"""Games that a guest played on a device without the server: it keeps their records and results like those of its own.

The device rolled their dice itself, or people entered their own, so the records say that nothing proves them, and no
level rests on the results.
"""

from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, insert, select

from starfrost.bots.registry import entries
from starfrost.errors import RecordError, Refused
from starfrost.fair.dice import Line
from starfrost.fair.proof import DEVICE, DICE, ENTERED
from starfrost.games.record import Record, Replay, parse_record, replay, write_record
from starfrost.games.registry import GAMES
from starfrost.table.archive import packed
from starfrost.table.moves import Move, Moves
from starfrost.table.names import clean_name
from starfrost.table.results import HERE, results_of
from starfrost.table.schema import archive, archive_seats, results
from starfrost.table.snapshot import Seat, Snapshot
from starfrost.table.store import Store
from starfrost.table.view import Guest


class PlayedHere:
    """The games that devices report."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def add(self, guest: Guest, text: str, mine: Sequence[bool], at: float) -> str:
        """Store a finished game of a guest, in which some seats were theirs and bots had the others; return its id.

        A game that is reported twice is stored once. Raises Refused.
        """
        played = _finished(text)
        record = played.record
        if len(mine) != record.game.seats or not any(mine):
            raise _bad()
        seats = tuple(
            _seat(record.game.name, name, guest if own else None)
            for name, own in zip(record.players, mine, strict=True)
        )
        mode = record.headers.get("mode")
        dice = ENTERED if record.headers.get(DICE) == ENTERED else DEVICE
        headers = {DICE: dice} | ({"mode": mode} if mode in GAMES[record.game.name].mode_names else {})
        players = tuple(seat.name for seat in seats)
        plain = write_record(Record(record.game, players, record.events, headers, record.start))
        table_id = HERE + sha256(f"{guest.id} {plain}".encode()).hexdigest()[:22]
        table = _as_table(table_id, guest, played, seats, headers.get("mode"))
        rows = results_of(table, played.final, table.moves, max(0.0, min(at, self._store.now())))
        await self._store.write(partial(_put, table, plain, [row._asdict() for row in rows]))
        return table_id


def _bad() -> Refused:
    return Refused("bad-record", "This is not a finished game of one person and bots.", 422)


def _finished(text: str) -> Replay:
    try:
        played = replay(parse_record(text))
    except RecordError as error:
        raise Refused("bad-record", error.sentence, 422, **error.facts) from None
    if not played.finished:
        raise _bad()
    return played


def _seat(game: str, name: str, guest: Guest | None) -> Seat:
    if guest is not None:
        return Seat("person", guest.id, clean_name(name))
    if name not in entries(game):
        raise _bad()
    return Seat("bot", name=name, bot=name)


def _as_table(table_id: str, guest: Guest, played: Replay, seats: tuple[Seat, ...], mode: str | None) -> Snapshot:
    """Return the table at which the game would have been played; all its moves were made elsewhere."""
    game, events = played.record.game, played.record.events
    moves = [Move(event.seat, event.action, before) for event, before in zip(events, played.states, strict=False)]
    return Snapshot(
        id=table_id,
        host=guest.id,
        invitation="",
        clock="none",
        public=False,
        commitment="",
        game=game,
        headers=game.headers(),
        mode=mode,
        previous=None,
        version=len(moves),
        seats=seats,
        line=Line(game, played.final),
        moves=Moves(moves, len(moves)),
        status="over",
        given=len(moves),
    )


def _put(table: Snapshot, record: str, rows: Sequence[dict[str, Any]], connection: Connection) -> None:
    if connection.execute(select(archive.c.at).where(archive.c.table_id == table.id)).first():
        return
    row = {"table_id": table.id, "game": table.game.name, "at": rows[0]["at"], "record": packed(record)}
    connection.execute(insert(archive), [row])
    people = [{"table_id": table.id, "seat": place, "guest": seat.player} for place, seat in enumerate(table.seats, 1)]
    connection.execute(insert(archive_seats), people)
    connection.execute(insert(results), list(rows))
