"""The house: rooms import in one direction only, and the rules need nothing but the standard library."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import starfrost

ROOT = Path(starfrost.__file__).parent

# A room may import itself and the rooms named here.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "registry": {"errors"},
    "pool": set(),
    "games": {"errors", "registry"},
    "words": {"errors", "registry", "games"},
    "dice": {"errors", "games"},
    "solver": {"errors", "pool", "games", "dice"},
    "vector": {"errors", "registry", "games"},
    "learning": {"errors", "registry", "games", "dice", "solver", "vector"},
    "players": {"errors", "registry", "games", "dice", "solver", "vector", "learning"},
    "coach": {"errors", "registry", "pool", "games", "words", "dice", "solver"},
    "adapters": {"errors", "registry", "games", "vector", "players"},
    "lab": {"errors", "pool", "games", "words", "solver", "players"},
    "table": {"errors", "games", "words", "players", "solver"},
    "web": {"errors", "registry", "games", "words", "players", "solver", "coach", "table"},
    "terminal": {"errors", "registry", "games", "words", "players", "solver"},
    "cli": {"errors", "games", "words", "solver", "coach", "learning", "players", "lab", "table", "web", "terminal"},
    "__main__": {"cli"},
    "api": {"errors", "games", "players"},
    "__init__": {"api", "errors", "games", "players"},
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative imports hide the direction"
            if node.module == "starfrost":
                yield from (f"starfrost.{alias.name}" for alias in node.names if not alias.name.startswith("__"))
            yield node.module


def sources() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0].removesuffix(".py")
    allowed = MAY_IMPORT[room] | {room}
    for name in imports(path):
        if name.startswith("starfrost."):
            assert name.split(".")[1] in allowed, f"{room} must not import {name}"


@pytest.mark.parametrize("path", sorted((ROOT / "games").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_rules_need_the_standard_library_alone(path: Path) -> None:
    for name in imports(path):
        top = name.split(".")[0]
        assert top in {"starfrost"} or top in sys.stdlib_module_names, f"{path.name} imports {name}"
