"""A bot that waits for its cards says so on the screen and in the menu."""

from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

from starfrost.bots import registry
from starfrost.games.core import Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.dicy_cards.solver import lock
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.setup import Setup
from starfrost.terminal.play import Play
from starfrost.terminal.screen import Closed, Screen
from starfrost.terminal.session import HUMAN, Session
from starfrost.terminal.setup import begin

GAME = DicyCards(2)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / "cache"))
    for name in ("_opened", "_looked"):
        monkeypatch.setattr(service, name, {})


def screen() -> Screen:
    return Screen("en", console=Console(file=StringIO(), width=80))


def said(table: Play) -> str:
    return " ".join(sentence for sentence, _ in table.news())


def test_the_line_comes_moves_and_goes(tmp_path: Path) -> None:
    table = Play(screen(), Session(GAME, ("Anna", "Perfect"), (HUMAN, "bot:perfect"), tmp_path / "a.sfr"))
    assert said(table) == "These cards are not worked out here, so the Perfect bot plays like the Clever bot."
    path = service._progress_file(GAME.cards, GAME.goal)
    held = lock.claim(path)
    assert held is not None
    held.write(0.42)
    assert said(table) == "The Perfect bot is working out these cards (42%). Until then it plays like the Clever bot."
    path.with_suffix(".worth").write_bytes(b"")
    held.release()
    assert said(table) == ""


def test_solving_begins_with_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(service, "find_or_start", lambda cards, goal: asked.append(goal))
    monkeypatch.setattr("builtins.input", lambda *_: "q")
    table = Play(screen(), Session(GAME, ("Anna", "Perfect"), (HUMAN, "bot:perfect"), tmp_path / "a.sfr"))
    monkeypatch.setattr(table, "_decide", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(table, "_go_on", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        table.run()
    assert asked == [100]


def menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    shown = screen()
    answers = iter(["Anna", "q"])
    monkeypatch.setattr(shown, "ask", lambda *_: next(answers))
    with pytest.raises(Closed):
        begin(shown, "dicy-cards", options={"mode": "glacial"}, folder=tmp_path)
    assert isinstance(shown.console.file, StringIO)
    return " ".join(shown.console.file.getvalue().split())


def test_the_menu_says_that_cards_must_be_solved_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "(these cards are not solved)" in menu(tmp_path, monkeypatch)
    monkeypatch.delenv("STARFROST_SOLVE")
    assert "(solves these cards first)" in menu(tmp_path, monkeypatch)


def test_without_the_extra_they_are_not_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    found = menu(tmp_path, monkeypatch)
    assert "Clever bot" in found
    assert "Perfect bot" not in found


def told_after(game: Game[Any, Any], record: Path) -> str:
    shown = screen()
    session = Session(game, ("Anna", "Ben", "Cleo")[: game.seats], ("bot:random",) * game.seats, record)
    Play(shown, session).run()
    assert isinstance(shown.console.file, StringIO)
    told = shown.console.file.getvalue()
    assert str(record) in told
    return told


@pytest.mark.parametrize("game", [DicyCards(2, goal=1), DicyCards(3, goal=1), DiceStars(1), DiceStars(3)], ids=str)
def test_the_end_of_a_game_names_the_coach(tmp_path: Path, game: Game[Any, Any]) -> None:
    assert "starfrost analyse" in told_after(game, tmp_path / "a.sfr")


def test_the_end_of_a_variant_that_no_coach_knows_names_the_record(tmp_path: Path) -> None:
    variant = Setup.of("dice-stars", 1, rules='game = "dice-stars"\nname = "Large"\nbox-points = 4\n').make(Random(0))
    assert "starfrost analyse" not in told_after(variant, tmp_path / "a.sfr")


def test_without_the_extra_the_end_of_a_game_names_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    assert "starfrost analyse" not in told_after(DicyCards(2, goal=1), tmp_path / "a.sfr")
