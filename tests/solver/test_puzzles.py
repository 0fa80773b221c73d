"""Puzzles: found ones are true, shipped ones are whole, and the command asks and answers."""

import io
import json
from itertools import islice
from random import Random

import pytest

from starfrost.cli import main
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.solver.adviser import Adviser
from starfrost.solver.lessons import lesson
from starfrost.solver.puzzles import GAP, THEMES, find_puzzles, puzzles, read_puzzle, verify
from starfrost.solver.riddle import choice_lines, question, solution
from starfrost.solver.sweep import solve
from starfrost.words import LANGUAGES, Words
from starfrost.words.cards import card_name


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
        assert max(after[1:]) == pytest.approx(after[0] - puzzle.gap, abs=1e-12)


def test_shipped_puzzles_are_whole() -> None:
    assert len(puzzles()) >= 40
    assert {puzzle.game.cards for puzzle in puzzles()} == {mode.cards for mode in MODES.values()}
    for puzzle in puzzles():
        legal = puzzle.game.legal_actions(puzzle.state)
        assert puzzle.answer == puzzle.choices[0].action
        assert all(choice.action in legal for choice in puzzle.choices)
        next_best = max(choice.worth for choice in puzzle.choices[1:])
        assert puzzle.choices[0].worth - next_best == pytest.approx(puzzle.gap, abs=2e-6)
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
        assert max(map(len, lines)) <= 80
        assert len({lesson(w, puzzle, theme) for theme in puzzle.themes}) == len(puzzle.themes)


def test_a_lesson_names_what_the_position_holds() -> None:
    w = Words("en")
    for puzzle in puzzles():
        told = {theme: lesson(w, puzzle, theme) for theme in puzzle.themes}
        if "score-now" in told:
            assert told["score-now"].endswith(f"only {100 * (puzzle.choices[0].worth - puzzle.gap):.1f} %.")
        if "last-turn" in told:
            assert (
                f"{puzzle.state.scores[1 - puzzle.seat] - puzzle.state.scores[puzzle.seat]} points" in told["last-turn"]
            )
        if "save-the-big-card" in told:
            assert not told["save-the-big-card"].startswith(card_name(w, puzzle.answer.card))


def test_the_command_asks_and_answers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    order = list(range(len(puzzles()[0].choices)))
    Random(1).shuffle(order)
    right = str(order.index(0) + 1)
    wrong = str(order.index(1) + 1)
    for said, heard in (
        (right, "Right!"),
        (wrong, "Not this time."),
        (f"9\nwhat?\n{right}", f"Type a number from 1 to {len(order)}."),
        ("", "Best: "),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{said}\n"))
        with pytest.raises(SystemExit) as left:
            main(["puzzle", "1", "--lang", "en"])
        assert left.value.code == 0
        told = capsys.readouterr().out
        assert heard in told
        assert ("Not this time." in told) == (said == wrong)
        assert "Theme: " in told
    with pytest.raises(SystemExit):
        main(["puzzle", "1", "--json"])
    assert json.loads(capsys.readouterr().out)["answer"] == str(puzzles()[0].answer)
    with pytest.raises(SystemExit) as left:
        main(["puzzle", "--theme", "nonsense"])
    assert left.value.code == 2
