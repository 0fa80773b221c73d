"""Moves that travel to another server together, and tables that leave while somebody asks for them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from starfrost.table import Settings
from starfrost.table.leases import Owner
from starfrost.table.leavers import Leavers
from starfrost.table.store import Leaving
from starfrost.web.app import create_app
from starfrost.web.batches import Batches, Move, read_moves, write_answers
from starfrost.web.peer_http import Pool, request_head
from tests.postgres import Postgres
from tests.table.helpers import guests, open_and_join

PATIENCE = 0.3


class Other:
    """Another server, which answers batches as a test wants."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.owner = Owner("other", (f"unix:{path}",))
        self.batches: list[list[Move]] = []
        self.answer: Callable[[list[Move]], bytes | None] = lambda moves: write_answers(move.body for move in moves)
        """Returns the body of an answer; None cuts the connection."""
        self.waits = False
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self._path)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        while head := await reader.readuntil(b"\r\n\r\n"):
            body = await reader.readexactly(int(head.split(b"content-length: ")[1]))
            moves = read_moves(body)
            assert moves is not None
            self.batches.append(moves)
            if self.waits:
                continue
            answer = self.answer(moves)
            if answer is None:
                self.cut()
                return
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(answer), answer))

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    def stop(self) -> None:
        self.cut()
        self._server.close()


class Sender:
    """A server that forwards moves to the other one."""

    def __init__(self, other: Other) -> None:
        self._owner = other.owner
        self.pool = Pool()
        self.lost: list[str] = []
        head = request_head("POST", b"/moves", [])
        self.batches = Batches(self.pool, lambda: head, PATIENCE, self.lost.append)

    async def connect(self) -> None:
        """Have one free connection, as after a request that was forwarded alone."""
        connection = await self.pool.take(self._owner, fresh=True)
        connection._complete = True
        self.pool.put(self._owner, connection)

    def send(self, table: str, body: bytes) -> asyncio.Future[bytes | None] | None:
        answered = asyncio.get_running_loop().create_future()
        sent = self.batches.add(self._owner, Move(table, "h" * 64, body), answered.set_result)
        return answered if sent else None

    async def answers(self, *bodies: bytes) -> list[bytes | None]:
        sent = [self.send(f"t{number}", body) for number, body in enumerate(bodies)]
        async with asyncio.timeout(20):
            return list(await asyncio.gather(*(each for each in sent if each is not None)))


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Other]:
    made = Other(tmp_path / "other.sock")
    await made.start()
    yield made
    made.stop()


@pytest.fixture
async def sender(other: Other) -> AsyncIterator[Sender]:
    made = Sender(other)
    await made.connect()
    yield made
    made.pool.close()


async def test_moves_of_one_turn_share_a_request(other: Other, sender: Sender) -> None:
    assert await sender.answers(b'{"a":1}', b'{"b": 2}', b"") == [b'{"a":1}', b'{"b": 2}', None]
    assert await sender.answers(b"3") == [b"3"]
    assert [[move.table for move in batch] for batch in other.batches] == [["t0", "t1", "t2"], ["t0"]]
    assert {move.token_hash for batch in other.batches for move in batch} == {"h" * 64}
    assert not sender.lost


async def test_a_move_cannot_pretend_to_be_two(other: Other, sender: Sender) -> None:
    forged = b'{"version":1}\nt9 ' + b"f" * 64 + b' {"version":1}'
    assert sender.send("t1", forged) is None
    assert sender.send("t1", b"x" * 2_000) is None
    assert await sender.answers(b"1") == [b"1"]
    assert len(other.batches) == 1


async def test_many_moves_are_several_requests(other: Other, sender: Sender) -> None:
    for _ in range(3):
        # Each that is under way needs a connection of its own; the rest is forwarded alone.
        await sender.connect()
    bodies = [b"%0900d" % number for number in range(20)]
    answers = await sender.answers(*bodies)
    assert answers == bodies
    assert len(other.batches) == 3
    assert all(sum(len(move.body) for move in batch) < 9_000 for batch in other.batches)


async def test_all_moves_come_back_from_a_server_that_dies(other: Other, sender: Sender) -> None:
    other.answer = lambda moves: None
    assert await sender.answers(b"1", b"2") == [None, None]
    assert sender.lost == ["t0", "t1"]
    assert len(other.batches) == 1
    # Without a connection nothing is taken.
    assert sender.send("t1", b"1") is None


async def test_moves_come_back_if_the_connection_is_lost_while_they_gather(other: Other, sender: Sender) -> None:
    # It is told that it was closed before the end of this turn of the loop, and after the move was taken.
    sender.pool._idle[other.owner.server][0].close()
    assert await sender.answers(b"1") == [None]
    assert sender.lost == ["t0"]
    assert not other.batches


async def test_moves_come_back_from_a_server_that_is_suspended(other: Other, sender: Sender) -> None:
    other.waits = True
    assert await sender.answers(b"1", b"2") == [None, None]
    assert sender.lost == ["t0", "t1"]


async def test_an_answer_to_other_moves_counts_for_none(other: Other, sender: Sender) -> None:
    other.answer = lambda moves: b'{"one":1}'
    assert await sender.answers(b"1", b"2") == [None, None]
    # The server is there: its tables are where they were.
    assert not sender.lost


async def test_answers_of_any_size_arrive(other: Other, sender: Sender) -> None:
    """Reading pauses while much of an answer waits for its reader; it must go on."""
    large = b"x" * 1_000_000
    other.answer = lambda moves: write_answers([large] * len(moves))
    assert await sender.answers(b"1", b"2") == [large, large]
    connection = await sender.pool.take(other.owner)
    connection.send(request_head("POST", b"/moves", []) + b"5\r\n\r\nt h 1")
    async with asyncio.timeout(20):
        assert await connection.head() == 200
        assert await connection.body() == large
    assert connection.is_free


async def test_a_table_that_is_handed_over_is_not_taken_back(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for a table while it leaves is sent to its next owner, which the store does not name yet."""
    database = postgres.database()
    apps = [create_app(Settings(database=database, bot_pace=0.0, undo_grace=0.0)) for _ in range(2)]
    may_leave = asyncio.Event()
    store = Leavers._store

    async def held(self: Leavers, leaving: list[Leaving]) -> None:
        await may_leave.wait()
        await store(self, leaving)

    monkeypatch.setattr(Leavers, "_store", held)
    async with apps[0].router.lifespan_context(apps[0]), apps[1].router.lifespan_context(apps[1]):
        here, there = (app.state.service for app in apps)
        table = await open_and_join(here, await guests(here, 2))
        assert here.tables.owns(table)
        heir = there.tables.leases.server
        here.tables.leavers.hand_over(table, heir)
        forwarder = apps[0].forwarder  # type: ignore[attr-defined]
        asked = [
            asyncio.ensure_future(forwarder._owner(table)),
            asyncio.ensure_future(forwarder._may_answer(f"/api/tables/{table}", heir)),
        ]
        done, _ = await asyncio.wait(asked, timeout=0.5)
        assert not done
        may_leave.set()
        assert (await asked[0]).server == heir
        assert await asked[1] is False
