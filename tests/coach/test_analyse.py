"""`starfrost analyse` and `starfrost solve` from outside."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from rich.cells import cell_len

from starfrost.cli import main
from starfrost.coach.analysis import Analysis
from starfrost.coach.columns import wrapped
from starfrost.coach.curve import curve_text
from starfrost.coach.judge import NOTICEABLE
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.dicy_cards.words import card_name
from starfrost.games.record import write_record
from starfrost.words import LANGUAGES, Words
from starfrost.words.numbers import decimal
from tests.coach.test_coach import play


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
    assert "Solved" in run(capsys, "solve", "--mode", "d", "--goal", "3", "--again", "--lang", "en")
    for language in ("en", "nl"):
        told = run(capsys, "solve", "--mode", "d", "--goal", "3", "--lang", language)
        assert decimal(Words(language), first["first_player_wins"], 12) in told
        assert card_name(Words(language), "three-lowest") in told
        assert ("Read in" in told) == ("perfect play" in told) == (language == "en")
        assert max(map(cell_len, told.splitlines()[:-1])) <= 80
    assert "not both" in run(capsys, "solve", "--mode", "d", "--cards", "b", status=2)
    assert "five different" in run(capsys, "solve", "--cards", "", status=2)
    assert "--threads" in run(capsys, "solve", "--goal", "3", "--threads", "100000", status=2)
    assert "not 4:" in run(capsys, "solve", "--cards", "odds sixes straight any-two any-two", status=2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_judged_in_words_on_a_plain_terminal(
    record: Path, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    told = run(capsys, "analyse", str(record), "--lang", language)
    assert Words(language)("accuracy") in told
    assert Words(language)("The record stops before the end of the game.") not in told
    assert max(map(cell_len, told.splitlines())) <= 80
    assert all(line == line.rstrip() for line in told.splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
def test_wide_names_keep_the_columns_straight(record: Path, capsys: pytest.CaptureFixture[str], language: str) -> None:
    long = "東京特許許可局長の長い長いお名前"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("players: random | greedy", f"players: {long} | 김철수"), encoding="utf-8")
    lines = run(capsys, "analyse", str(record), "--lang", language).splitlines()
    assert max(map(cell_len, lines)) <= 80
    first = next(place for place, line in enumerate(lines) if line.startswith(Words(language)("chance at the start")))
    assert len({cell_len(line) for line in lines[first - 1 : first + 8]}) == 1
    assert "…" in lines[first - 1]


def test_a_single_word_wider_than_the_screen_is_broken() -> None:
    assert wrapped("長" * 50, "  ") == ["長" * 40, "長" * 10]
    assert wrapped("a " + "b" * 100) == ["a", "b" * 80, "b" * 20]
    assert wrapped(f"  {'x' * 74} 12 %", "    ") == [f"  {'x' * 74}", "    12 %"]


def test_a_narrow_terminal_gets_shorter_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert wrapped("x " * 40) == [("x " * 30).rstrip(), ("x " * 10).rstrip()]


def test_the_columns_of_the_table_add_up(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "analyse", str(record), "--lang", "en").splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("chance at the start"))
    for seat in (0, 1):
        column = [float(re.findall(r"([-+]?[0-9.]+)%", line)[seat]) for line in lines[first : first + 6]]
        assert sum(column[:5]) == pytest.approx(column[5], abs=0.3)
    assert not re.search(r"[-+]0[.]0 ", "\n".join(lines))


def test_a_record_that_stops_early_says_so(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = record.read_text(encoding="utf-8")
    head = [line for line in text.splitlines() if not line.startswith(("result", "winners"))]
    for events in (0, 7):
        cut = head[: head.index("") + 1 + events]
        record.write_text("\n".join(cut) + "\n", encoding="utf-8")
        told = run(capsys, "analyse", str(record), "--lang", "en")
        assert "The record stops before the end of the game." in told
        assert "chance now" in told


@pytest.mark.parametrize("events", [0, 1, 2])
def test_who_decided_nothing_is_not_praised(record: Path, capsys: pytest.CaptureFixture[str], events: int) -> None:
    lines = [line for line in record.read_text(encoding="utf-8").splitlines() if not line.startswith(("result", "win"))]
    record.write_text("\n".join(lines[: lines.index("") + 1 + events]) + "\n", encoding="utf-8")
    told = run(capsys, "analyse", str(record), "--lang", "en")
    accuracy = next(line.split() for line in told.splitlines() if line.startswith("accuracy"))
    players = json.loads(run(capsys, "analyse", str(record), "--json"))["players"]
    assert [player["name"] for player in players] == ["random", "greedy"]
    assert accuracy[-1] == "–"
    assert players[1]["accuracy"] is None
    assert ("Nobody had anything to decide." in told) == (events < 2)
    assert (players[0]["accuracy"] is None) == (events < 2)
    assert "Nobody made a mistake." not in told


def test_a_label_stands_where_its_value_ends() -> None:
    def drawn(value: float) -> dict[str, str]:
        found = Analysis(((value, 1 - value),) * 2, (), ())
        return {line[:5].strip(): line[7:] for line in curve_text(Words("en"), found) if "%" in line}

    assert set(drawn(0.0)["0%"]) == {"─"}
    assert not drawn(0.12)["50%"]
    assert set(drawn(0.12)["0%"]) == {"─"}
    assert set(drawn(0.5)["50%"]) == {"█"}
    assert not drawn(0.5)["100%"]
    assert set(drawn(1.0)["100%"]) == {"█"}


def test_a_game_is_judged_in_numbers_and_drawn(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = record.with_suffix(".svg")
    found = json.loads(run(capsys, "analyse", str(record), "--json", "--svg", str(picture)))
    own, other = found["players"]
    assert own["luck"] - other["luck"] - own["loss"] + other["loss"] == pytest.approx(own["change"], abs=1e-9)
    assert found["curve"][-1] in (0, 0.5, 1)
    assert len(found["curve"]) == len(found["events"]) + 1
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    worst = [event for event in found["events"] if event.get("loss", 0) >= NOTICEABLE]
    assert picture.read_text(encoding="utf-8").count("<circle") == min(3, len(worst))


def test_other_games_and_bad_files_get_a_sentence(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read" in run(capsys, "analyse", str(record.with_name("none.sfr")), status=2)
    record.write_text("starfrost: 1\ngame: dice-stars\nplayers: a | b\n\n", encoding="utf-8")
    assert "The record stops before the end" in run(capsys, "analyse", str(record), "--lang", "en")
    record.write_text("", encoding="utf-8")
    assert "line 1" in run(capsys, "analyse", str(record), status=2)
    record.write_text("nonsense", encoding="utf-8")
    assert "line 1" in run(capsys, "analyse", str(record), status=2)


def test_the_chapter_shows_what_the_command_prints(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = Path(__file__).parents[2] / "docs"
    drawn = record.with_suffix(".svg")
    told = run(capsys, "analyse", str(docs / "pictures" / "coach.sfr"), "--lang", "en", "--svg", str(drawn))
    assert told in (docs / "perfect-play.md").read_text(encoding="utf-8")
    assert drawn.read_text(encoding="utf-8") == (docs / "pictures" / "coach.svg").read_text(encoding="utf-8")
