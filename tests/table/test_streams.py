"""What a stream is told at once, and when it is woken to fetch what it lacks."""

import asyncio

from starfrost.table.streams import Signal, Streams


async def test_a_reader_is_told_only_the_very_next_event() -> None:
    streams = Streams(lambda table: None)
    told: list[tuple[int, bytes]] = []

    async def reached(table: str) -> int:
        return 3

    def tell(version: int, event: bytes) -> bool:
        told.append((version, event))
        return True

    signals = streams.watch("t", None, reached, 1, tell)
    assert await anext(signals) == Signal("version", 3, {}, 1)
    waiting = asyncio.ensure_future(anext(signals))
    await asyncio.sleep(0)
    streams.announce("t", 4, b"four")
    # One is missing before it: the reader fetches both.
    streams.announce("t", 6, b"six")
    assert told == [(4, b"four")]
    assert await waiting == Signal("version", 6, {}, 4)
    # Nobody waits: told now, it would come before what is being fetched.
    streams.announce("t", 7, b"seven")
    assert await anext(signals) == Signal("version", 7, {}, 6)
    assert told == [(4, b"four")]
    await signals.aclose()
