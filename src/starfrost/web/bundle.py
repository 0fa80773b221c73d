"""What a browser downloads to play without a server: Python (Pyodide), and this package with the few that it needs.

Pyodide's files are made by `hatch_build.py`; the packages are those that are installed here, in one archive.
"""

import io
import zipfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from starfrost.boards import assets
from starfrost.words import LANGUAGES
from starfrost.words.rules import PLACES

PYODIDE: Final = Path(__file__).parent / "pyodide"
"""Pyodide's files, each compressed by gzip."""

_OWN: Final = Path(__file__).parents[1]
PACKAGES: Final = (
    *("anyio", "babel", "idna", "jinja2", "markdown_it", "markupsafe", "mdurl", "openskill", "python_multipart"),
    *("starlette", "typing_extensions"),
)
"""The packages that pages need besides; all of them are plain Python."""
_LEFT_OUT: Final = frozenset(
    (
        *("__pycache__", "adapters", "api.py", "batch", "cli", "compiled", "compiling.py", "lab", "migrations"),
        *("pyodide", "solver", "static", "terminal", "vector", "workers"),
    )
)
"""Files and folders of this package that only servers, terminals and laboratories need."""
_KINDS: Final = frozenset((".py", ".html", ".svg", ".po", ".md", ".txt", ".jsonl", ".toml", ".csv", ".json"))
_LOCALES: Final = frozenset(f"{name}.dat" for name in ("root", "global", *LANGUAGES, "en_001", "en_GB"))
_THEN: Final = (1980, 1, 1, 0, 0, 0)


def _files() -> Iterator[tuple[str, bytes]]:
    for path in sorted(_OWN.rglob("*")):
        place = path.relative_to(_OWN.parent)
        if path.suffix in _KINDS and not _LEFT_OUT & set(place.parts):
            yield place.as_posix(), path.read_bytes()
    # Where this package is installed they lie in it, in a checkout beside it.
    folder = next(place for place in PLACES if place.is_dir())
    for path in sorted(folder.rglob("*.md")):
        yield f"starfrost/words/rules/{path.relative_to(folder).as_posix()}", path.read_bytes()
    # Pages name the files by their digest; the files themselves are in the browser's cache.
    yield "starfrost/web/static/digest", assets.digest().encode()
    for name in PACKAGES:
        origin = Path(getattr(find_spec(name), "origin", ""))
        for path in sorted(origin.parent.rglob("*")) if origin.name == "__init__.py" else [origin]:
            if path.suffix == ".py" or path.name in _LOCALES:
                yield path.relative_to(origin.parents[origin.name == "__init__.py"]).as_posix(), path.read_bytes()


@cache
def archive() -> bytes:
    """Return the archive of the packages; the same packages make the same archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in _files():
            packed.writestr(zipfile.ZipInfo(name, _THEN), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


class File(NamedTuple):
    """A file that the browser downloads; `packed` is where, `url` the address under which it keeps the file."""

    url: str
    packed: str
    type: str
    size: int


_TYPES: Final = {
    "pyodide.mjs": "text/javascript",
    "pyodide.asm.js": "text/javascript",
    "pyodide.asm.wasm": "application/wasm",
    "pyodide-lock.json": "application/json",
    "python_stdlib.zip": "application/zip",
}
ARCHIVE: Final = "starfrost.zip"
PACKED: Final = ".packed"
"""The ending of compressed files in addresses: of `.gz` some servers say that browsers must unpack them."""


@cache
def downloads() -> dict[str, bytes]:
    """Return all files by their path; nothing where Pyodide was not there when this was built."""
    if not all((PYODIDE / f"{name}.gz").exists() for name in _TYPES):
        return {}
    python = {name: (PYODIDE / f"{name}.gz").read_bytes() for name in _TYPES}
    return {
        **{f"{digest(*python.values())}/{name}{PACKED}": content for name, content in python.items()},
        f"{digest(archive())}/{ARCHIVE}": archive(),
    }


def digest(*contents: bytes) -> str:
    """Return a short digest of some contents."""
    total = sha256()
    for content in contents:
        total.update(content)
    return total.hexdigest()[:12]


def described(folder: str) -> list[File]:
    """Return the files as they are served in a folder, the archive of the packages last."""
    return [
        File(
            url := f"{folder}/{path.removesuffix(PACKED)}",
            f"{folder}/{path}",
            _TYPES.get(url.rpartition("/")[2], "application/zip"),
            len(content),
        )
        for path, content in downloads().items()
    ]
