"""Puzzles: found ones are true, shipped ones are whole, and the command asks and answers."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from rich.cells import cell_len

from research.dicy_cards import puzzles as puzzle_mining
from research.dicy_cards.puzzles import GAP, find_puzzles
from research.dicy_cards.puzzles import main as collect_main
from research.puzzle_files import write_all
from starfrost.cli import main
from starfrost.coach.puzzle_text import choice_lines, solution
from starfrost.coach.puzzles import PuzzleSet
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.coach.puzzle_text import lesson, question
from starfrost.games.dicy_cards.coach.puzzles import PUZZLES, THEMES, DicyPuzzle, verify
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.dicy_cards.words import card_name
from starfrost.words import LANGUAGES, Words
from tests.solver.expectimax import expectimax

SHIPPED = list(PUZZLES)
SOME = SHIPPED[::9]


def kinds(puzzle: DicyPuzzle) -> int:
    """Return the number of kinds of action among the choices."""
    return len({puzzle.kind(choice.action) for choice in puzzle.choices})


def game_to_24() -> tuple[DicyCards, Adviser, list[DicyPuzzle]]:
    game = DicyCards(2, MODES["d"].cards, 24)
    adviser, rng = Adviser(game, solve(game.cards, game.goal)), Random(2)
    return game, adviser, [puzzle for _ in range(12) for puzzle in find_puzzles(adviser, rng)]


def test_found_puzzles_read_back_and_are_true(tmp_path: Path) -> None:
    game, adviser, found = game_to_24()
    for puzzle in found:
        assert kinds(puzzle) >= 3
        back = DicyPuzzle.from_record(puzzle.text())
        assert back.state == puzzle.state
        assert back.answer == puzzle.answer
        assert back.themes == puzzle.themes
        assert verify(back, adviser)
        after = [adviser.value(game.apply(puzzle.state, choice.action), puzzle.seat) for choice in puzzle.choices]
        assert after == pytest.approx([choice.value for choice in puzzle.choices], abs=1e-6)
        assert max(after[1:]) == pytest.approx(after[0] - puzzle.gap, abs=1e-6)
    file = tmp_path / "some.jsonl"
    write_all(file, found[::6])
    lines = list(PuzzleSet("dicy-cards", DicyPuzzle, THEMES, lesson, "", file))
    assert [puzzle.id for puzzle in lines] == [puzzle.id for puzzle in found[::6]]
    for puzzle in lines:
        assert verify(puzzle, adviser)
        explained = puzzle.reasoned(ExactJudge(adviser))
        assert DicyPuzzle.from_line("dicy-cards", json.loads(explained.line())).why == explained.why
        worst = min(puzzle.choices, key=lambda choice: choice.value).action
        assert explained.compared(worst)[0] == worst
        assert explained.compared(puzzle.answer) == (puzzle.choices[1].action, explained.why[0])
        assert not verify(replace(puzzle, values=(*puzzle.values[:-1], puzzle.values[-1] + 0.01)), adviser)
        first, second, *rest = puzzle.choices
        assert not verify(replace(puzzle, answer=second.action, choices=(second, first, *rest)), adviser)


def test_shipped_puzzles_are_whole() -> None:
    assert len(SHIPPED) >= 500
    assert list(PUZZLES.entries) == [puzzle.id for puzzle in SHIPPED]
    assert len({(puzzle.game.cards, puzzle.game.position_text(puzzle.state)) for puzzle in SHIPPED}) == len(SHIPPED)
    sets = Counter(puzzle.game.cards for puzzle in SHIPPED)
    assert sets.keys() >= {mode.cards for mode in MODES.values()}
    assert len(sets) >= 10
    assert min(sets.values()) >= 30
    for puzzle in SHIPPED:
        puzzle._check()
        next_best = max(choice.value for choice in puzzle.choices[1:])
        assert puzzle.choices[0].value - next_best == pytest.approx(puzzle.gap, abs=2e-6)
        assert GAP[0] <= puzzle.gap <= GAP[1]
        assert set(puzzle.themes) <= set(THEMES)
        assert kinds(puzzle) >= 3, "between two, a coin would do"
        # Why the answer is better than each other choice is known, but for two choices of one kind.
        assert len(puzzle.why) == len(puzzle.choices) - 1
        assert all(parts and parts[0].value > 0 for parts in puzzle.why)
        # Exactly the answer and what is of its kind is right.
        assert {puzzle.kind(action) for action in puzzle.worths if puzzle.is_right(action)} == {
            puzzle.kind(puzzle.answer)
        }
    assert all(sum(theme in puzzle.themes for puzzle in SHIPPED) >= 20 for theme in THEMES)
    levels = sorted(entry.rating for entry in PUZZLES.entries.values())
    assert levels[len(levels) // 5] < 1300 < 1500 < levels[-len(levels) // 5]


def test_plain_expectimax_agrees_about_last_turns() -> None:
    """Nothing of the solver is used: the rest of the turn is played out by the rules, every roll and every action."""
    checked = 0
    for puzzle in SHIPPED:
        game, state = puzzle.game, puzzle.state
        last = "last-turn" in puzzle.themes and puzzle.seat == 1 and state.active[1].bit_count() <= 2
        if not last or checked >= 4:
            continue
        for choice in puzzle.choices:
            after = game.apply(state, choice.action)
            if game.actor(after) not in (CHANCE, OVER, 1):
                break
            assert 1.0 - expectimax(game, after, no_worth) == pytest.approx(choice.value, abs=1e-6)
        checked += 1
    assert checked == 4


def no_worth(state: object) -> float:
    raise AssertionError("no other turn follows the last one")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_puzzle_can_be_told(language: str) -> None:
    w = Words(language)
    for puzzle in SOME:
        order = list(range(len(puzzle.choices)))
        lines = [*question(w, puzzle), *choice_lines(w, puzzle, order, values=True), *solution(w, PUZZLES, puzzle)]
        assert all(lines)
        assert max(map(cell_len, lines)) <= 80
        assert len({lesson(w, puzzle, theme) for theme in puzzle.themes}) == len(puzzle.themes)


def test_a_lesson_names_what_the_position_holds() -> None:
    w = Words("en")
    for puzzle in SHIPPED:
        told = {theme: lesson(w, puzzle, theme) for theme in puzzle.themes}
        if "score-now" in told:
            assert told["score-now"].endswith(f"only {100 * (puzzle.choices[0].value - puzzle.gap):.1f}%.")
        if "score-the-last-card" in told or "skip-now" in told:
            assert puzzle.state.active[puzzle.seat].bit_count() == 1
        if "score-the-last-card" in told:
            skip = next(choice.value for choice in puzzle.choices if choice.action.verb == "skip")
            assert told["score-the-last-card"].endswith(f"only {100 * skip:.1f}%.")
        if "last-turn" in told:
            assert (
                f"{puzzle.state.scores[1 - puzzle.seat] - puzzle.state.scores[puzzle.seat]} points" in told["last-turn"]
            )
        if "save-the-big-card" in told:
            assert not told["save-the-big-card"].startswith(card_name(w, puzzle.answer.card))


def test_the_command_asks_and_answers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    order = list(range(len(SHIPPED[0].choices)))
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
    assert json.loads(capsys.readouterr().out)["answer"] == str(SHIPPED[0].answer)
    with pytest.raises(SystemExit) as left:
        main(["puzzle", "--theme", "nonsense"])
    assert left.value.code == 2


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    with pytest.raises(SystemExit) as left:
        main(["puzzle", *arguments])
    told = capsys.readouterr()
    assert left.value.code == status, told.err
    return told.out if status < 2 else told.err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Lay out a folder of puzzles that the command for it has made, of a short game."""
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / "cache"))
    made = tmp_path / "made"
    short = ["--cards", " ".join(reversed(MODES["d"].cards)), "--goal", "24", "--count", "3"]
    kept = ["--resume", str(tmp_path / "kept.jsonl")]
    collect_main([str(made), *short, *kept])
    assert capsys.readouterr().out == f"3 puzzles in {made}\n"
    with monkeypatch.context() as patched:
        # What the file keeps is not searched again.
        patched.setattr(puzzle_mining, "_of_set", lambda *_: pytest.fail("searched again"))
        collect_main([str(tmp_path / "again"), *short, *kept])
    assert [path.read_bytes() for path in sorted((tmp_path / "again").iterdir())] == [
        path.read_bytes() for path in sorted(made.iterdir())
    ]
    capsys.readouterr()
    return made


def test_puzzles_of_ones_own_are_asked_and_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openings = {
        (DicyPuzzle.from_record(path.read_text(encoding="utf-8")).events or ())[:9] for path in folder.iterdir()
    }
    assert len(openings) == 3
    asked = ("--folder", str(folder))
    assert json.loads(run(capsys, "3", "--json", *asked))["goal"] == 24
    assert "Puzzle 2 of 3" in run(capsys, "2", "--answer", "--lang", "en", *asked)
    assert "from 1 to 3" in run(capsys, "4", *asked, status=2)
    counts = json.loads(run(capsys, "--themes", "--json", *asked))
    assert 0 < max(counts.values()) <= 3
    assert run(capsys, "--verify", "--lang", "en", *asked) == "3 of 3 puzzles are right.\n"
    assert json.loads(run(capsys, "--verify", "--json", *asked)) == {"puzzles": 3, "right": 3, "wrong": []}
    path = folder / "002.sfr"
    path.write_text(re.sub(r"gap: 0[.]\d+", "gap: 0.111111", path.read_text(encoding="utf-8")), encoding="utf-8")
    for language in LANGUAGES:
        w = Words(language)
        told = run(capsys, "--verify", "--lang", language, *asked, status=1)
        assert w("%(right)s of %(count)s puzzles are right.", right=2, count=3) in told
        assert w("Not right: %(numbers)s.", numbers=2) in told
        assert language == "en" or "puzzles are right" not in told


def test_checking_shows_how_far_solving_is(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(folder / "empty"))
    monkeypatch.setattr(service, "_opened", {})
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(SystemExit):
        main(["puzzle", "--verify", "--lang", "de", "--folder", str(folder)])
    assert Words("de")("solving") in capsys.readouterr().err


RECORD = """starfrost: 1
game: dicy-cards
players: Anna | Ben
cards: any-two no-sixes odds straight two-pairs
goal: 100
answer: reroll 322 freeze odds
gap: 0.115741
themes: keep-for-the-straight roll-on
choices: reroll 322 freeze odds = 0.421296 | score straight 543 = 0.305556 | skip = 0.100000

* 665331
1 score two-pairs 6633
* 543322
"""
"""A puzzle with made-up values."""


@pytest.mark.parametrize(
    ("bent", "sentence"),
    [
        (lambda text: "", "line 1: "),
        (lambda text: text.replace("score ", "scare ", 1), "002.sfr"),
        (lambda text: re.sub(r"themes: .*\n", "", text), "002.sfr: This record is no puzzle"),
        (lambda text: re.sub(r"themes: .*\n", "themes: last-turn\n", text), "002.sfr: The themes are not those"),
        (lambda text: re.sub(r"gap: .*\n", "gap: wide\n", text), "002.sfr: 'wide' is not a number"),
        (lambda text: re.sub(r"(choices: .*? = ).*\n", r"\g<1>0.5\n", text), "002.sfr: The choices do not fit"),
        (lambda text: re.sub(r"answer: .*\n", "answer: reset odds\n", text), "002.sfr: The choices do not fit"),
        (lambda text: "starfrost: 1\ngame: dice-stars\nplayers: a | b\n\n", "002.sfr: This record is no puzzle"),
    ],
)
def test_a_faulty_puzzle_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bent: Callable[[str], str], sentence: str
) -> None:
    for name in ("001.sfr", "002.sfr"):
        (tmp_path / name).write_text(RECORD, encoding="utf-8")
    path = tmp_path / "002.sfr"
    path.write_text(bent(path.read_text(encoding="utf-8")), encoding="utf-8")
    told = run(capsys, "--folder", str(tmp_path), status=2)
    assert str(path) in told
    assert sentence in told
    assert len(told.splitlines()) == 1


def test_where_there_are_no_puzzles_a_sentence_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        assert f"There is no puzzle in {path}" in run(capsys, "--folder", str(path), status=2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--modes", "foo"], "There is no mode 'foo'"),
        (["--modes", "glacial,interglacial"], "Interglacial draws its cards at the table"),
        (["--cards", "interglacial"], "Interglacial draws its cards at the table"),
        (["--cards", "odds sixes"], "five different cards"),
        (["--modes", "b", "--cards", "b"], "not allowed with"),
        (["--modes", "b", "--goal", "201"], "The solver takes goals from 1 to 200, not 201."),
        (["--modes", "b", "--count", "0"], "at least one puzzle"),
    ],
)
def test_what_cannot_be_collected_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as left:
        collect_main([str(tmp_path), *arguments])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err


def test_puzzles_follow_one_another_with_help_on_cards(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Keyboard("? odds\n1\n\n1\nq\n"))
    printed = run(capsys, "1")
    assert [int(number) for number in re.findall(r"Puzzle (\d+) of", printed)] == [1, 2]
    assert "Choose one to six dice that all show odd numbers." in printed
    assert printed.count("Enter: another puzzle, q: quit") == 2
