"""Puzzles: found ones are true, shipped ones are whole, and the command asks and answers."""

import io
import json
from itertools import islice
from random import Random

import pytest

from starfrost.cli import main
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.solver.adviser import Adviser
from starfrost.solver.puzzles import GAP, THEMES, find_puzzles, puzzles, read_puzzle, verify
from starfrost.solver.riddle import choice_lines, question, solution
from starfrost.solver.sweep import solve
from starfrost.words import LANGUAGES, Words


def test_found_puzzles_read_back_and_are_true() -> None:
    game = DicyCards(2, MODES["d"].cards, 24)
    adviser = Adviser(game, solve(game.cards, game.goal))
    for puzzle in islice(find_puzzles(adviser, Random(2)), 12):
        back = read_puzzle(puzzle.text())
        assert back.state == puzzle.state
        assert back.answer == puzzle.answer
        assert back.themes == puzzle.themes
        assert verify(back, adviser)
        after = [adviser.worth(game.apply(puzzle.state, choice.action), puzzle.seat) for choice in puzzle.choices]
        assert after == pytest.approx([choice.worth for choice in puzzle.choices], abs=1e-12)
        assert max(after[1:]) <= after[0] - GAP[0] + 1e-12


def test_shipped_puzzles_are_whole() -> None:
    assert len(puzzles()) >= 40
    assert {puzzle.game.cards for puzzle in puzzles()} == {mode.cards for mode in MODES.values()}
    for puzzle in puzzles():
        legal = puzzle.game.legal_actions(puzzle.state)
        assert puzzle.answer == puzzle.choices[0].action
        assert all(choice.action in legal for choice in puzzle.choices)
        assert puzzle.choices[0].worth - max(choice.worth for choice in puzzle.choices[1:]) >= puzzle.gap - 2e-6
        assert GAP[0] <= puzzle.gap <= GAP[1]
        assert set(puzzle.themes) <= set(THEMES)
        assert puzzle.themes


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_puzzle_can_be_told(language: str) -> None:
    w = Words(language)
    for puzzle in puzzles():
        order = list(range(len(puzzle.choices)))
        lines = [*question(w, puzzle), *choice_lines(w, puzzle, order, worths=True), *solution(w, puzzle)]
        assert all(lines)


def test_the_command_asks_and_answers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    order = list(range(len(puzzles()[0].choices)))
    Random(1).shuffle(order)
    for said, heard in ((str(order.index(0) + 1), "Right!"), ("9", "Not this time.")):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{said}\n"))
        with pytest.raises(SystemExit) as left:
            main(["puzzle", "1", "--lang", "en"])
        assert left.value.code == 0
        assert heard in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["puzzle", "1", "--json"])
    assert json.loads(capsys.readouterr().out)["answer"] == str(puzzles()[0].answer)
    with pytest.raises(SystemExit) as left:
        main(["puzzle", "--theme", "nonsense"])
    assert left.value.code == 2
