"""The tutorial "Adding a game" shows the files of this folder."""

import configparser
import tomllib

from tests.docs.pages import ROOT, blocks
from tests.pig.conftest import FOLDER

PAGE = ROOT / "docs" / "adding-a-game.md"
SHOWN = {block.title: block.text for block in blocks(PAGE) if block.title}


def test_every_file_is_shown_as_it_is() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in (FOLDER / "pig").glob("*.py")} - {"pig/__init__.py"}
    assert files | {"pig-1.0.dist-info/entry_points.txt", "pyproject.toml"} == SHOWN.keys()
    for name in SHOWN.keys() - {"pyproject.toml"}:
        assert SHOWN[name] == (FOLDER / name).read_text(encoding="utf-8"), f"docs/adding-a-game.md shows another {name}"


def test_the_two_ways_to_name_entry_points_agree() -> None:
    written = configparser.ConfigParser()
    written.read_string(SHOWN["pig-1.0.dist-info/entry_points.txt"])
    declared = tomllib.loads(SHOWN["pyproject.toml"])["project"]["entry-points"]
    assert declared == {group: dict(written[group]) for group in written.sections()}
