"""What wakes the reader of a stream."""

import asyncio

from starfrost.table.streams import Signal, Streams


async def test_a_reader_hears_of_the_last_version_only() -> None:
    streams = Streams(lambda table: None)

    async def reached(table: str) -> int:
        return 3

    signals = streams.watch("t", None, reached, 1)
    assert await anext(signals) == Signal("version", 3, {}, 1)
    waiting = asyncio.ensure_future(anext(signals))
    await asyncio.sleep(0)
    for version in (4, 6, 5):
        streams.announce("t", version)
    # The reader fetches all that it lacks.
    assert await waiting == Signal("version", 6, {}, 3)
    streams.announce("t", 7)
    assert await anext(signals) == Signal("version", 7, {}, 6)
    await signals.aclose()
