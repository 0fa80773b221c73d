"""The house: rooms import in one direction only, and the rules need nothing but the standard library."""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import starfrost
from tools.settings import main as settings_page

ROOT = Path(starfrost.__file__).parent

# A room may import itself and the rooms named here. A part of a game, such as `games/dicy_cards/bots`, has the rights
# of `bots`, and may import other parts of its own game by the same table, but no other game.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "plugins": {"errors"},
    "cache": set(),
    "compiling": {"errors", "cache"},
    "workers": {"errors"},
    "games": {"errors", "plugins"},
    "words": {"errors", "games"},
    "solver": {"errors", "cache", "compiling", "workers", "games"},
    "vector": {"errors", "games"},
    "bots": {"errors", "plugins", "games", "solver", "vector"},
    "batch": {"errors", "plugins", "compiling", "games", "solver", "vector", "bots"},
    "coach": {"errors", "workers", "games", "words", "solver", "vector", "bots"},
    "adapters": {"errors", "games", "words", "vector", "bots", "batch", "table", "boards"},
    "lab": {"errors", "workers", "games", "words", "solver", "bots", "batch"},
    "fair": {"errors", "games"},
    "table": {"errors", "workers", "games", "fair", "words", "bots", "solver"},
    "boards": {"errors", "cache", "games", "words", "bots", "solver", "coach", "table"},
    "web": {"errors", "plugins", "workers", "games", "words", "bots", "solver", "coach", "fair", "table", "boards"},
    "here": {"errors", "boards", "bots", "coach", "games", "fair", "table", "web"},
    "terminal": {"errors", "games", "words", "bots", "solver", "coach"},
    "cli": {
        "errors",
        "cache",
        "plugins",
        "workers",
        "games",
        "fair",
        "words",
        "solver",
        "coach",
        "bots",
        "lab",
        "table",
        "web",
        "terminal",
        "here",
    },
    "testing": {"errors", "games", "bots"},
    "__main__": {"cli"},
    "api": {"errors", "games", "bots"},
    "__init__": {"api", "errors", "games", "bots"},
}

# The parts of a game's folder that are not rules, and the rooms whose rights they have.
PARTS = {"words", "bots", "solver", "vector", "coach", "terminal", "cli", "board", "compiled", "pages"}
RIGHTS = {"board": "boards", "compiled": "batch", "pages": "web"}


def room_of(parts: Sequence[str]) -> str:
    """Return the room of a module, given by the names below `starfrost`."""
    if len(parts) > 2 and parts[0] == "games" and parts[1] in OUR_GAMES and parts[2] in PARTS:
        return RIGHTS.get(parts[2], parts[2])
    return parts[0]


def game_of(parts: Sequence[str]) -> str:
    """Return the game whose folder a module is in; empty for general modules."""
    return parts[1] if len(parts) > 1 and parts[0] == "games" and parts[1] in OUR_GAMES else ""


OUR_GAMES = {"dicy_cards", "dice_stars"}


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
    here = path.relative_to(ROOT).with_suffix("").parts
    room = room_of(here)
    allowed = MAY_IMPORT[room] | {room}
    for name in imports(path):
        if name.startswith("starfrost."):
            there = name.split(".")[1:]
            assert room_of(there) in allowed, f"{room} must not import {name}"
            if game_of(here):
                assert game_of(there) in {"", game_of(here)}, f"{game_of(here)} must not import {name}"


@pytest.mark.parametrize(
    "path",
    [path for path in sources() if room_of(path.relative_to(ROOT).with_suffix("").parts) == "games"],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_the_rules_need_the_standard_library_alone(path: Path) -> None:
    for name in imports(path):
        top = name.split(".")[0]
        assert top in {"starfrost"} or top in sys.stdlib_module_names, f"{path.name} imports {name}"


# What belongs to one game stands in files and folders named after it; registries list the games by id.
NAMED_AFTER_A_GAME = re.compile(r"dicy.cards|dice.stars|^games/registry\.py$")

# A search that only finds the puzzles of one game.
OF_ONE_GAME = {"coach/puzzle_mining.py"}

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
        and path.relative_to(ROOT).as_posix() not in OF_ONE_GAME
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
