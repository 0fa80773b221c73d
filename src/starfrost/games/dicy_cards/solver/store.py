"""Solved sets as files in the user's cache folder.

A file is a text header of one line, padded to a page, then the values of the last turns and those between turns as
they are in memory, so that a file can be mapped. The header has the format, the cards, the goal, a digest of what the
cards offer, the length, a checksum of itself, which is checked at every opening, and one of the numbers. That one is
checked once per machine: a note beside the file remembers its length and times of change. A file is written under
another name and then renamed.
"""

import contextlib
import json
import os
import tempfile
import time
import zlib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from starfrost.cache import cache_folder
from starfrost.games.dicy_cards import CARDS, card_of
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.values import Values

FORMAT: Final = 1
"""Raise it when the rules or the layout change: older files are then solved again."""

KEEP: Final = 16
"""The number of solved sets that stay in the folder, and as many of variants."""

_QUOTA: Final = "STARFROST_SOLVE_CACHE_MB"
_USUAL_QUOTA: Final = 2000

_VARIED: Final = "~"
"""Stands in the names of files before the digest of a variant's cards."""

_ORPHANED: Final = 3600.0
"""Seconds without a write after which an incomplete file counts as left behind."""

_OFFICIAL: Final = "5ae7c2239d367ef02e6ac679"
"""The digest of the twelve official cards."""

_PART: Final = ".part-"
_PAGE: Final = 4096
_CHUNK: Final = 1 << 24


class DamagedFile(Exception):
    """A file is not what this version wrote for these cards and this goal; never raised outside the solver."""


def path_of(cards: Sequence[str], goal: int) -> Path:
    """Return the path of a set's file; the order of the cards matters, because masks count them.

    The definitions of a variant's cards go into the name by their digest, because names of files must be short.
    """
    names = "+".join(card_of(card).id for card in cards)
    if any(card not in CARDS for card in cards):
        names += f"{_VARIED}{sha256(' '.join(cards).encode()).hexdigest()[:24]}"
    return cache_folder() / f"{names}@{goal}.worth"


def _bytes(array: NDArray[np.float64]) -> memoryview:
    return np.ascontiguousarray(array).data.cast("B")


def _checksum(*arrays: NDArray[np.float64]) -> int:
    found = 0
    for array in arrays:
        data = _bytes(array)
        for start in range(0, len(data), _CHUNK):
            found = zlib.crc32(data[start : start + _CHUNK], found)
    return found


def _header(fields: dict[str, Any]) -> bytes:
    body = json.dumps(fields, separators=(",", ":"))
    line = f"{body}|{zlib.crc32(body.encode()):08x}\n".encode()
    return line.ljust(_PAGE, b" ")


def _read_header(head: bytes) -> dict[str, Any]:
    line, mark, check = head.split(b"\n", 1)[0].rpartition(b"|")
    if not mark or check != f"{zlib.crc32(line):08x}".encode():
        raise DamagedFile("the header is damaged or not one of ours")
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or not isinstance(fields.get("gaps"), int):
        raise DamagedFile("the header is not one of ours")
    return fields


def save(values: Values) -> Path:
    """Write a solved set so that no process ever sees half a file, and return its path."""
    target = path_of(values.cards, values.goal)
    target.parent.mkdir(parents=True, exist_ok=True)
    fields = {
        "starfrost-worths": FORMAT,
        "cards": list(values.cards),
        "goal": values.goal,
        "rules": card_set(values.cards).digest,
        "gaps": len(values.last),
        "first_player_wins": values.first_player_wins,
        "bytes": _PAGE + values.last.nbytes + values.between.nbytes,
        "crc32": _checksum(values.last, values.between),
    }
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_PART)
    try:
        if hasattr(os, "fchmod"):
            # Only the owner can read a temporary file; in a shared folder others may read the result.
            os.fchmod(handle, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(_header(fields))
            for array in (values.last, values.between):
                file.write(_bytes(array))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _remember(target)
    _tidy(target)
    return target


def quota() -> int:
    """Return the bytes that the solved sets of a folder may take: `STARFROST_SOLVE_CACHE_MB`, usually 2000 MB."""
    given = os.environ.get(_QUOTA, "")
    return (int(given) if given.isdecimal() else _USUAL_QUOTA) * 1_000_000


def _tidy(newest: Path) -> None:
    """Remove all sets but the `KEEP` used last that fit into the quota, and incomplete files.

    A busy host's disk stays free, and variants never push out official sets.
    """
    alike = [path for path in newest.parent.glob("*.worth") if (_VARIED in path.name) == (_VARIED in newest.name)]
    by_use = sorted(alike, key=_used, reverse=True)
    sizes = {path: path.stat().st_size if path.exists() else 0 for path in by_use}
    room, most = sizes.get(newest, 0), quota()
    for place, path in enumerate(by_use):
        if path == newest:
            continue
        room += sizes[path]
        if place >= KEEP or room > most:
            # On some systems a mapped file cannot be removed; a later call will do it.
            with contextlib.suppress(OSError):
                path.unlink()
                _note(path).unlink(missing_ok=True)
    for part in newest.parent.glob(f"{_PART}*"):
        # A killed process left it; another process may tidy up at the same time.
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime >= _ORPHANED:
                part.unlink()


def _used(path: Path) -> float:
    note = _note(path)
    return note.stat().st_mtime if note.exists() else 0.0


def _note(path: Path) -> Path:
    return path.with_suffix(".checked")


def _stamp(path: Path) -> str:
    about = path.stat()
    return f"{FORMAT} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"


def _remember(path: Path) -> None:
    # A read-only cache folder only costs another full check next time.
    with contextlib.suppress(OSError):
        _note(path).write_text(_stamp(path))


def _checked_before(path: Path) -> bool:
    try:
        return _note(path).read_text() == _stamp(path)
    except OSError:
        return False


def _digest_of_old(cards: Sequence[str]) -> str:
    """Return the digest for a file without one: it was solved for the official cards, so these must be the same."""
    official = card_set(tuple(CARDS)).digest == _OFFICIAL
    return card_set(tuple(cards)).digest if official else ""


def load(cards: Sequence[str], goal: int) -> Values | None:
    """Map a solved set; None if there is no file. Raises DamagedFile if it is not what was saved for this set."""
    path = path_of(cards, goal)
    try:
        with path.open("rb") as file:
            fields = _read_header(file.read(_PAGE))
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamagedFile(f"it cannot be read: {error.strerror}") from error
    expected = {"starfrost-worths": FORMAT, "cards": list(cards), "goal": goal, "bytes": size}
    for key, value in expected.items():
        if fields.get(key) != value:
            raise DamagedFile(f"the header's {key} is {fields.get(key)!r}, not {value!r}")
    if fields.get("rules", _digest_of_old(cards)) != card_set(tuple(cards)).digest:
        raise DamagedFile("it was solved for other rules")
    gaps = fields["gaps"]
    if size != _PAGE + (gaps + 2 * goal * goal) * 1024 * 8:
        raise DamagedFile("the length is wrong")
    # A plain array, because every slice of NumPy's own type for maps costs microseconds more.
    numbers = np.asarray(np.memmap(path, np.float64, "r", _PAGE))
    last = numbers[: gaps * 1024].reshape(gaps, 32, 32)
    between = numbers[gaps * 1024 :].reshape(2, goal, goal, 32, 32)
    if not _checked_before(path):
        if _checksum(last, between) != fields.get("crc32"):
            raise DamagedFile("the numbers are damaged")
        _remember(path)
    with contextlib.suppress(OSError):
        os.utime(_note(path))
    return Values(tuple(cards), goal, between, last)
