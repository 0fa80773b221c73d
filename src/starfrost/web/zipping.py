"""Zip files that are sent while they are made: only one file at a time is in memory."""

from collections.abc import AsyncIterable, AsyncIterator
from datetime import UTC, datetime
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


class _Sink:
    """Keeps what was written until it is taken; it cannot go back, so sizes follow the files."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        return None

    def take(self) -> bytes:
        data, self._parts = b"".join(self._parts), []
        return data


async def zipped(files: AsyncIterable[tuple[str, str, float]]) -> AsyncIterator[bytes]:
    """Yield a zip file in parts, from names, texts and times."""
    sink = _Sink()
    archive = ZipFile(sink, "w", ZIP_DEFLATED)  # type: ignore[call-overload]
    async for name, text, at in files:
        archive.writestr(_entry(name, at), text)
        yield sink.take()
    archive.close()
    yield sink.take()


def _entry(name: str, at: float) -> ZipInfo:
    moment = datetime.fromtimestamp(at, UTC)
    entry = ZipInfo(name, (max(1980, moment.year), *moment.timetuple()[1:6]))
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
