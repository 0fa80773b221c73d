"""A slow line to the server: `STARFROST_TEST_LAG=300 pytest tests/web` shows tests that trust a page to be quick."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from urllib.parse import urlsplit

__all__ = ["lagging"]


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Forward data in order, each piece delayed by the same time."""
    late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    now = asyncio.get_running_loop().time

    async def deliver() -> None:
        with suppress(ConnectionError):
            while True:
                due, data = await late.get()
                await asyncio.sleep(max(0.0, due - now()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        writer.close()

    delivery = asyncio.create_task(deliver())
    data = b"."
    while data:
        try:
            data = await reader.read(65536)
        except ConnectionError:
            data = b""
        late.put_nowait((now() + delay, data))
    await delivery


@contextmanager
def lagging(site: str, milliseconds: int) -> Iterator[str]:
    """Return an address that leads to a site, with every answer late."""
    to = urlsplit(site)
    started: Future[tuple[int, Callable[[], object]]] = Future()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, away = await asyncio.open_connection(to.hostname, to.port)
        await asyncio.gather(carry(reader, away, 0), carry(there, writer, milliseconds / 1000))

    async def listen() -> None:
        enough, loop = asyncio.Event(), asyncio.get_running_loop()
        server = await asyncio.start_server(connect, "127.0.0.1", 0)
        started.set_result((server.sockets[0].getsockname()[1], partial(loop.call_soon_threadsafe, enough.set)))
        await enough.wait()

    thread = Thread(target=asyncio.run, args=[listen()])
    thread.start()
    port, stop = started.result()
    yield f"http://127.0.0.1:{port}"
    stop()
    thread.join()
