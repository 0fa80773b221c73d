"""Moves for a table of another server: those that one turn of the event loop brings travel in one request.

A request between two servers costs more than checking and storing a move, so moves share it, as they share a commit.
The owner answers when all of them are stored. A move that it cannot play at once (a refusal, a repeated key, a table
that has left) comes back without an answer and is forwarded alone; its key keeps it from being played twice.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from starfrost.table.leases import Owner
from starfrost.web.peer_http import PeerConnection, Pool

__all__ = ["BATCH", "Batches", "Move", "read_moves", "write_answers"]

BATCH: Final = "/moves"
"""The path of requests that carry moves; a server that does not know it answers none of them."""
_LARGEST: Final = 9_000
"""Bytes of a batch: with a length of four digits its head is not parsed again (`HttpConnection`)."""
_LARGEST_MOVE: Final = 1_000
_OVERHEAD: Final = 100
"""Bytes of a line beside the move's body: the table, the hash, spaces."""
_NONE: Final = b"null"

Answered = Callable[[bytes | None], None]
"""Gets the owner's answer to a move, or None: then the move must be forwarded alone."""


class Move(NamedTuple):
    """A move on its way to the owner of its table."""

    table: str
    token_hash: str
    """Who moves."""
    body: bytes
    """The request's body, as the client sent it."""


class _Batch:
    """Moves that wait for the end of this turn of the loop, and the connection on which they will be sent."""

    def __init__(self, owner: Owner, connection: PeerConnection) -> None:
        self.owner = owner
        self.connection = connection
        self.moves: list[tuple[Move, Answered]] = []
        self.size = 0

    def write(self) -> bytes:
        """Write the moves, one in each line."""
        return b"\n".join(
            b"%b %b %b" % (table.encode(), token_hash.encode(), body) for (table, token_hash, body), _ in self.moves
        )


class Batches:
    """The moves for other servers."""

    def __init__(self, pool: Pool, head: Callable[[], bytes], patience: float, lost: Callable[[str], None]) -> None:
        self._pool = pool
        self._head = head
        """Returns the head of a request up to its length."""
        self._patience = patience
        self._lost = lost
        """Told the tables whose owner has not answered at all."""
        self._gathering: dict[str, _Batch] = {}

    def add(self, owner: Owner, move: Move, answered: Answered) -> bool:
        """Send a move to a server soon; return False if it must be forwarded alone, because that needs waiting."""
        # A line is a move, so a body must not hold the end of one.
        if len(move.body) > _LARGEST_MOVE or b"\n" in move.body:
            return False
        batch = self._gathering.get(owner.server)
        if batch is None:
            connection = self._pool.take_now(owner)
            if connection is None:
                return False
            batch = self._gathering[owner.server] = _Batch(owner, connection)
            asyncio.get_running_loop().call_soon(self._send, batch)
        batch.moves.append((move, answered))
        batch.size += len(move.body) + _OVERHEAD
        if batch.size > _LARGEST - _LARGEST_MOVE:
            # The next one gets another connection.
            del self._gathering[owner.server]
        return True

    def _send(self, batch: _Batch) -> None:
        if self._gathering.get(batch.owner.server) is batch:
            del self._gathering[batch.owner.server]
        if not batch.connection.is_open:
            # It was lost while the moves gathered.
            self._end(batch)
            return
        timer = asyncio.get_running_loop().call_later(self._patience, batch.connection.close)

        def ended() -> None:
            timer.cancel()
            self._end(batch)

        body = batch.write()
        batch.connection.ask(b"%b%d\r\n\r\n%b" % (self._head(), len(body), body), ended)

    def _end(self, batch: _Batch) -> None:
        connection = batch.connection
        answers = connection.answer.split(b"\n") if connection.is_free and connection.status == 200 else []
        if not connection.is_free:
            for move, _ in batch.moves:
                self._lost(move.table)
        self._pool.put(batch.owner, connection)
        if len(answers) != len(batch.moves):
            answers = [_NONE] * len(batch.moves)
        for (_, answered), answer in zip(batch.moves, answers, strict=True):
            answered(None if answer == _NONE else answer)


def read_moves(body: bytes) -> list[Move] | None:
    """Read a batch; None if it is none."""
    found = []
    for line in body.split(b"\n"):
        words = line.split(b" ", 2)
        if len(words) != 3:
            return None
        found.append(Move(words[0].decode(), words[1].decode(), words[2]))
    return found


def write_answers(answers: Iterable[bytes | None]) -> bytes:
    """Write the answers to the moves of a batch, in their order: JSON, one line each."""
    return b"\n".join(answer or _NONE for answer in answers)
