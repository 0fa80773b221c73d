"""The puzzles of Dice Stars: every one reads back, rollouts prove a sample of them, and false ones are found."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.cells import cell_len

from research.dice_stars import puzzles as dice_stars_puzzles
from research.dice_stars.puzzles import _found, find_puzzles
from starfrost.cli import main
from starfrost.errors import NotationError, UsageError
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.coach.puzzles import PUZZLES, THEMES, StarsPuzzle, verify
from starfrost.words import LANGUAGES


def test_the_shipped_puzzles_are_many_and_different() -> None:
    every = list(PUZZLES)
    assert len(every) >= 200
    assert list(PUZZLES.entries) == [puzzle.id for puzzle in every]
    assert len({puzzle.game.position_text(puzzle.state) for puzzle in every}) == len(every)
    assert set(Counter(theme for puzzle in every for theme in puzzle.themes)) == set(THEMES)
    assert {puzzle.game.seats for puzzle in every} == {1, 2, 3, 4}
    for puzzle in every:
        puzzle._check()
        assert 2 <= len(puzzle.choices) <= 4
        assert puzzle.gap == pytest.approx(puzzle.choices[0].value - max(c.value for c in puzzle.choices[1:]))
        assert puzzle.gap > 0.01
        assert [action for action in puzzle.worths if puzzle.is_right(action)] == [puzzle.answer]


@pytest.mark.parametrize("number", [3, 40, 77, 120, 161, 199])
def test_rollouts_prove_the_answer(number: int) -> None:
    puzzle = PUZZLES[number]
    assert verify(puzzle)
    answer, other, *rest = puzzle.choices
    assert not verify(replace(puzzle, answer=other.action, choices=(other, answer, *rest)))
    inflated = answer._replace(value=answer.value + 0.1)
    assert not verify(replace(puzzle, choices=(inflated, other, *rest)))


def test_rollouts_count_more_than_the_network() -> None:
    # The network alone prefers stars in row 5, which rollouts show to be worse than the answer.
    puzzle = next(puzzle for puzzle in PUZZLES if puzzle.id == "ch4noavl")
    assert verify(puzzle)
    # An action that is as good by the network must be one of the choices, which rollouts compare.
    left = tuple(choice for choice in puzzle.choices if str(choice.action) != "take stars 5 5")
    assert len(left) == len(puzzle.choices) - 1
    assert not verify(replace(puzzle, choices=left))


def test_self_play_finds_puzzles() -> None:
    found = next(find_puzzles(DiceStars(1), Random(2)))
    text = found.text()
    assert StarsPuzzle.from_record(text).text() == text
    assert verify(found)
    with pytest.raises(NotationError, match="no puzzle"):
        StarsPuzzle.from_record("\n".join(line for line in text.splitlines() if not line.startswith("answer")) + "\n")
    theme = found.themes[0]
    wrong = next(name for name in THEMES if name != theme)
    with pytest.raises(NotationError, match="themes"):
        StarsPuzzle.from_record(text.replace(f"themes: {theme}", f"themes: {wrong}"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_asks_and_tells(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 30):
        with pytest.raises(SystemExit) as left:
            main(["puzzle", str(number), "--game", "dice-stars", "--answer", "--lang", language])
        assert left.value.code == 0
        told = capsys.readouterr().out
        assert max(map(cell_len, told.splitlines())) <= 80
        assert "┌" in told
    with pytest.raises(SystemExit):
        main(["puzzle", "1", "--game", "dice-stars", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["estimate"] is True
    assert facts["answer"] == facts["choices"][0]["action"]


def test_an_interrupted_search_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = list(PUZZLES)[:6]
    searched = []

    def of_game(seed: int, number: int) -> list[Any]:
        searched.append(number)
        return [] if number == 1 else shipped[number : number + 1]

    monkeypatch.setattr(dice_stars_puzzles, "_of_game", of_game)
    monkeypatch.setattr(type(shipped[0]), "text", lambda puzzle: puzzle.id)
    by_id = {puzzle.id: puzzle for puzzle in shipped}
    monkeypatch.setattr(type(shipped[0]), "from_record", by_id.__getitem__)
    file = tmp_path / "found.jsonl"
    assert list(_found(2, 1, (), resume=file)) == [shipped[0], shipped[2]]
    assert searched == [0, 1, 2]
    with file.open("a", encoding="utf-8") as out:
        out.write('[["half a')
    assert list(_found(4, 1, (), resume=file)) == [shipped[0], *shipped[2:5]]
    assert searched == [0, 1, 2, 3, 4]
    with pytest.raises(UsageError, match="other settings"):
        list(_found(2, 2, (), resume=file))
