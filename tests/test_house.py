"""The house: rooms import in one direction only, and the rules need nothing but the standard library."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import starfrost
from tools.settings import main as settings_page

ROOT = Path(starfrost.__file__).parent

# A room may import itself and the rooms named here.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "registry": {"errors"},
    "pool": {"errors"},
    "games": {"errors", "registry"},
    "words": {"errors", "registry", "games"},
    "dice": {"errors", "games"},
    "solver": {"errors", "pool", "games", "dice"},
    "vector": {"errors", "registry", "games"},
    "learning": {"errors", "registry", "games", "dice", "solver", "vector"},
    "players": {"errors", "registry", "games", "dice", "solver", "vector", "learning"},
    "batch": {"errors", "registry", "games", "dice", "solver", "vector", "learning", "players"},
    "coach": {"errors", "registry", "pool", "games", "words", "dice", "solver", "vector", "learning", "players"},
    "adapters": {"errors", "registry", "games", "vector", "players", "batch"},
    "lab": {"errors", "pool", "games", "words", "solver", "players", "batch"},
    "fair": {"errors", "games"},
    "table": {"errors", "pool", "games", "fair", "words", "players", "solver"},
    "web": {"errors", "registry", "pool", "games", "words", "players", "solver", "coach", "fair", "table"},
    "terminal": {"errors", "registry", "games", "words", "players", "solver"},
    "cli": {
        "errors",
        "registry",
        "pool",
        "games",
        "fair",
        "words",
        "solver",
        "coach",
        "learning",
        "players",
        "lab",
        "table",
        "web",
        "terminal",
    },
    "__main__": {"cli"},
    "api": {"errors", "games", "players"},
    "__init__": {"api", "errors", "games", "players"},
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


# What belongs to one game stands in files and folders named after it; registries list the games by id.
NAMED_AFTER_A_GAME = re.compile(r"dicy.cards|dice.stars|(^|/)registry\.py$")

# These packages are about Dicy Cards alone; others reach them through modules of that game.
OF_ONE_GAME = {"coach", "dice", "solver"}

GAME_WORDS = re.compile(
    r"dicy.?cards|dice.?stars|\bdicy|interglacial|\bglacial\b|solo.boxes|VectorDicy|VectorStars", re.IGNORECASE
)


def words_of(path: Path) -> Iterator[str]:
    """Yield the names and texts of a program without its docstrings and comments; the lines of any other file."""
    if path.suffix != ".py":
        yield from path.read_text(encoding="utf-8").splitlines()
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) not in documentation:
            for _, value in ast.iter_fields(node):
                if isinstance(value, str):
                    yield value


def shared() -> list[Path]:
    """List the sources that all games share."""
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.suffix in {".py", ".html", ".jinja", ".css", ".js", ".svg", ".txt"}
        and not NAMED_AFTER_A_GAME.search(path.relative_to(ROOT).as_posix())
        and path.relative_to(ROOT).parts[0] not in OF_ONE_GAME
    ]


def test_only_modules_named_after_a_game_know_it() -> None:
    assert len(shared()) > 100
    found = {
        f"{path.relative_to(ROOT)}: {word.strip()[:80]}"
        for path in shared()
        for word in words_of(path)
        if GAME_WORDS.search(word)
    }
    assert not found


@pytest.mark.parametrize(
    "program",
    ['if game == "dicy-cards": pass', "isinstance(game, DiceStars)", "from starfrost.games.dice_stars import ROWS"],
)
def test_a_branch_on_a_game_is_found(tmp_path: Path, program: str) -> None:
    path = tmp_path / "branch.py"
    path.write_text(f'"""Dicy Cards may be named here."""\n{program}\n', encoding="utf-8")
    assert [word for word in words_of(path) if GAME_WORDS.search(word)]
    path.write_text('"""Dicy Cards may be named here."""\nx = 1  # and Dice Stars here\n', encoding="utf-8")
    assert not [word for word in words_of(path) if GAME_WORDS.search(word)]


def test_migrations_are_one_chain_and_only_add() -> None:
    """Servers of two versions share a database while a host replaces one after the other."""
    before: dict[str, str] = {}
    for path in (ROOT / "table" / "migrations" / "versions").glob("0*.py"):
        text = path.read_text(encoding="utf-8")
        named = dict(re.findall(r"^(revision|down_revision) = (.+)$", text, re.MULTILINE))
        assert named["down_revision"] not in before, f"{path.name} and {before[named['down_revision']]} follow the same"
        before[named["down_revision"]] = path.name
        assert path.name.startswith(f"{named['revision'].strip(chr(34))}_"), path.name
        # Older migrations took away while there was no such rule.
        if path.name > "0006" and re.search(r"drop_|alter_column|rename_", text):
            assert "compatibility" in text, f"{path.name} breaks older servers"
    assert "None" in before


def test_the_reference_of_the_settings_is_current() -> None:
    assert settings_page(["--check"]) == 0, "run `make settings`: docs/settings.md is made from the code"
