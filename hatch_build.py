"""The build step: subset the two typefaces to the letters that our languages need, and pack Python for browsers.

Hatch runs it for a wheel and for an editable install; `python hatch_build.py` runs it by hand. The results lie beside
the other static files and are not kept in git. Pyodide, the Python that browsers run, comes from `node_modules`, where
npm has put it (`make play`); without it everything is built but the page that plays without a network.
"""

import gzip
import logging
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from fontTools import subset
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC: Final = Path(__file__).parent / "src" / "starfrost" / "web" / "static"

FONTS: Final = {
    "fredoka.woff": ("font_fredoka_one", "FredokaOne-Regular.ttf"),
    "manrope.woff": ("font_manrope", "Manrope-VariableFont_wght.ttf"),
}
"""The typefaces by the name they are served under: the package they come from and the file in it."""

PYODIDE: Final = STATIC.parent / "pyodide"
PYTHON: Final = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
"""The files of Pyodide that a browser needs."""

LETTERS: Final = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x100),
    *(0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2026, 0x2212, 0x2022, 0x20AC, 0x2192, 0x2190),
)


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    """Makes the typefaces and Python for browsers before a build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make what is missing and have the build include it, although git ignores it."""
        make_fonts()
        pack_python()
        build_data["artifacts"] += [f"src/starfrost/web/static/{name}" for name in FONTS]
        build_data["artifacts"] += [f"src/starfrost/web/pyodide/{name}.gz" for name in PYTHON]


def make_fonts() -> None:
    """Write the typefaces that are missing or older than this file."""
    # Otherwise every table that is left out is reported.
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    for name in FONTS:
        target = STATIC / name
        if not target.exists() or target.stat().st_mtime < Path(__file__).stat().st_mtime:
            # Two builds may run at once; each file appears as a whole.
            part = target.with_suffix(f".{os.getpid()}.part")
            _subset(name, part)
            part.replace(target)


def _subset(name: str, target: Path) -> None:
    package, file = FONTS[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"The package {package} is not installed.")
    options = subset.Options()
    options.flavor = "woff"
    options.hinting = False
    options.drop_tables += ["FFTM"]
    options.layout_features = ["kern", "liga", "tnum", "lnum", "locl", "mark", "ccmp"]
    face = subset.load_font(str(Path(spec.origin).parent / "files" / file), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=LETTERS)
    cutter.subset(face)
    subset.save_font(face, str(target), options)


def pack_python() -> None:
    """Compress the files of Pyodide that have changed; say so if there are none."""
    source = Path(__file__).parent / "node_modules" / "pyodide"
    if not source.is_dir():
        if not PYODIDE.is_dir():
            print("Pyodide is not in node_modules (npm ci --omit=dev gets it): nobody can play without a network.")
        return
    PYODIDE.mkdir(exist_ok=True)
    for name in PYTHON:
        target = PYODIDE / f"{name}.gz"
        if not target.exists() or target.stat().st_mtime < (source / "package.json").stat().st_ctime:
            part = target.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(gzip.compress((source / name).read_bytes(), 9, mtime=0))
            part.replace(target)


if __name__ == "__main__":
    make_fonts()
    pack_python()
