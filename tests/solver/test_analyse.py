"""`starfrost analyse` and `starfrost solve` from outside."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from starfrost.cli import main
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import write_record
from tests.solver.test_coach import play


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    captured = capsys.readouterr()
    assert left.value.code == status, captured.err
    return captured.out if status == 0 else captured.err


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "game.sfr"
    path.write_text(write_record(play(DicyCards(goal=15), ("random", "greedy"), 4).record), encoding="utf-8")
    return path


def test_solve_prints_what_was_asked(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = json.loads(run(capsys, "solve", "--mode", "d", "--goal", "3", "--json"))
    assert first["goal"] == 3
    assert 0 < first["first_player_wins"] < 0.5
    again = json.loads(run(capsys, "solve", "--mode", "d", "--goal", "3", "--json"))
    assert (again["cached"], again["first_player_wins"]) == (True, first["first_player_wins"])
    assert "Solved" in run(capsys, "solve", "--mode", "d", "--goal", "3", "--again")
    assert "not both" in run(capsys, "solve", "--mode", "d", "--cards", "b", status=2)
    assert "five different" in run(capsys, "solve", "--cards", "", status=2)
    assert "not 4:" in run(capsys, "solve", "--cards", "odds sixes straight any-two any-two", status=2)


@pytest.mark.parametrize(("language", "word"), [("en", "accuracy"), ("de", "Genauigkeit"), ("es", "precisión")])
def test_a_game_is_judged_in_words(record: Path, capsys: pytest.CaptureFixture[str], language: str, word: str) -> None:
    assert word in run(capsys, "analyse", str(record), "--lang", language)


def test_a_game_is_judged_in_numbers_and_drawn(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = record.with_suffix(".svg")
    found = json.loads(run(capsys, "analyse", str(record), "--json", "--svg", str(picture)))
    own, other = found["players"]
    assert own["luck"] - other["luck"] - own["loss"] + other["loss"] == pytest.approx(own["change"], abs=1e-9)
    assert found["curve"][-1] in (0, 0.5, 1)
    assert len(found["curve"]) == len(found["events"]) + 1
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_other_games_and_bad_files_get_a_sentence(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read" in run(capsys, "analyse", str(record.with_name("none.sfr")), status=2)
    record.write_text(
        "starfrost: 1\ngame: dicy-cards\nplayers: a | b | c\ncards: odds sixes straight any-two no-sixes\n\n"
    )
    assert "two-player" in run(capsys, "analyse", str(record), status=2)
    record.write_text("nonsense")
    assert "line 1" in run(capsys, "analyse", str(record), status=2)
