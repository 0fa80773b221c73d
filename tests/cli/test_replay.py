"""`starfrost replay`: what it prints, and its exit status."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from starfrost.cli import main
from starfrost.games.record import parse_record, read_file, replay
from starfrost.terminal.screen import Screen
from starfrost.terminal.watch import watch
from tests.cli.command import starfrost
from tests.games.records import GOOD, RECORDS, bent

EXPECTED: dict[str, dict[str, Any]] = json.loads((RECORDS / "expected.json").read_text())


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, list[str]]:
    """Run the command in this process and return its status and lines; standard error must be empty."""
    with pytest.raises(SystemExit) as left:
        main(["replay", *map(str, arguments)])
    captured = capsys.readouterr()
    assert captured.err == ""
    assert isinstance(left.value.code, int)
    return left.value.code, captured.out.splitlines()


def test_all_vectors_in_one_call(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = run(capsys, "--json", *(RECORDS / file for file in EXPECTED))
    assert status == 1
    for (file, expected), line in zip(EXPECTED.items(), lines, strict=True):
        facts = json.loads(line)
        assert facts.pop("file") == str(RECORDS / file)
        if expected["ok"]:
            assert facts == expected
        else:
            assert set(facts) == {"ok", "line", "error"}
            assert facts["ok"] is False
            assert expected["line"] in (None, facts["line"])
            assert facts["error"].endswith(".")


def test_keys_stand_in_the_order_of_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = run(capsys, RECORDS / "game-11.sfr", "--json")
    assert status == 0
    assert list(json.loads(lines[0])) == ["file", "ok", "game", "finished", "scores", "winners", "turns", "solo"]


def test_an_unfinished_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "unfinished.sfr"
    file.write_text(bent({7: None, 8: None, 19: None, 20: None}))
    assert run(capsys, "--json", file) == (
        0,
        [
            json.dumps(
                {
                    "file": str(file),
                    "ok": True,
                    "game": "dicy-cards",
                    "finished": False,
                    "scores": [3, 3],
                    "winners": [],
                    "turns": 3,
                }
            )
        ],
    )
    assert run(capsys, file) == (0, [f"{file}: dicy-cards, unfinished; Ada 3, Bo 3; 3 turns."])


def test_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.sfr", tmp_path / "bad.sfr"
    good.write_text(GOOD)
    bad.write_text(bent({13: "2 skip"}))
    status, lines = run(capsys, bad, good)
    assert status == 1
    assert lines[0].startswith(f"{bad}:13: Expected seat 1 to score or freeze one of any-two, no-sixes, straight")
    assert lines[1] == f"{good}: dicy-cards, won by Bo; Ada 3, Bo 25; 4 turns."
    assert run(capsys, good)[0] == 0


def test_a_lost_solo_game_is_won_by_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = run(capsys, RECORDS / "game-11.sfr")
    assert "no winner" in lines[0]


def test_thousands_of_files_in_one_call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    texts = [(RECORDS / file).read_text() for file in ("game-04.sfr", "game-12.sfr", "game-20.sfr")] + [GOOD, "broken"]
    files = []
    for number in range(3000):
        file = tmp_path / f"{number:04}.sfr"
        file.write_text(texts[number % len(texts)])
        files.append(file)
    status, lines = run(capsys, "--json", *files)
    facts = [json.loads(line) for line in lines]
    assert status == 1
    assert [fact["file"] for fact in facts] == [str(file) for file in files]
    assert sum(fact["ok"] for fact in facts) == 2400


def test_what_cannot_be_read_does_not_stop_the_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good = tmp_path / "good.sfr"
    good.write_text(GOOD)
    status, lines = run(capsys, "--json", tmp_path / "missing.sfr", tmp_path, good)
    assert status == 1
    missing, folder, fine = map(json.loads, lines)
    assert missing["error"] == "Expected a readable file: No such file or directory."
    assert folder["error"] == "Expected a readable file: Is a directory."
    assert fine["ok"]


def test_names_that_the_terminal_cannot_say(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff\n.sfr"
    with open(odd, "w", encoding="utf-8") as file:
        file.write(bent({3: "players: Ådå | 花"}))
    for form in ("--json", "--"):
        done = starfrost("replay", form, odd)
        assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(starfrost("replay", "--json", odd).stdout)["ok"]


def test_a_reader_who_leaves_gets_no_traceback() -> None:
    files = [str(RECORDS / "game-00.sfr")] * 2000
    command = [sys.executable, "-m", "starfrost", "replay", "--json", *files]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_game_is_watched_event_by_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = RECORDS.parents[2] / "docs" / "pictures" / "coach.sfr"
    played = replay(parse_record(read_file(record)))
    paper = StringIO()
    screen = Screen("en", console=Console(file=paper, width=80))
    asked: list[str] = []

    def ask(keys: str = "", redraw: object = None) -> str:
        asked.append(paper.getvalue())
        paper.seek(0)
        paper.truncate()
        # On, on, back, to the third turn, to the last one and on until the end.
        return {0: "", 1: "", 2: "b", 3: "3", 4: "4"}.get(len(asked) - 1, "")

    monkeypatch.setattr(screen, "ask", ask)
    watch(screen, record, played)
    assert "Turn 1 of 4" in asked[0]
    assert asked[3] == asked[1] != asked[2], "back is where it came from"
    assert "Turn 3 of 4" in asked[4]
    assert "Turn 4 of 4" in asked[5]
    assert "Ben wins with 31 points" in asked[-1]
    assert "▲ Ben" in asked[0]


def test_watching_ends_with_the_input(capsys: pytest.CaptureFixture[str]) -> None:
    done = starfrost("replay", "--watch", RECORDS.parents[2] / "docs" / "pictures" / "coach.sfr")
    assert "Turn 1 of 4" in done.stdout
    assert "won by Ben" in done.stdout.splitlines()[-1]
    assert not done.stderr
