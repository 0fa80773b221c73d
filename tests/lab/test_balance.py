"""`starfrost balance`: equal bots by seat, table size and option, with a report and every game."""

import json
from pathlib import Path

import pytest

from starfrost.cli import main
from starfrost.games.setup import Setup
from starfrost.lab.balance import Table, measure, swept


def test_the_command_writes_a_report_and_every_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, rows = tmp_path / "balance.html", tmp_path / "games.csv"
    command = ["balance", "dicy-cards", "--bot", "greedy", "--players", "2,3", "--sweep", "goal=20..40..20"]
    with pytest.raises(SystemExit) as left:
        main([*command, "--games", "100", "--html", str(page), "--csv", str(rows), "--json"])
    assert left.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert [(table["players"], table["option"]) for table in found["tables"]] == [
        (2, "goal=20"),
        (2, "goal=40"),
        (3, "goal=20"),
        (3, "goal=40"),
    ]
    for table in found["tables"]:
        assert sum(seat["win_rate"] for seat in table["seats"]) == pytest.approx(1)
        assert sum(table["turns"].values()) == table["games"] == 100
        assert table["seats"][0]["facts"]["odds scores"] > 0
    lines = rows.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 100 * (2 + 2 + 3 + 3)
    text = page.read_text(encoding="utf-8")
    assert text.count("<h2>") == 4
    assert "http" not in text


def test_processes_and_shards_change_nothing() -> None:
    table = Table(Setup("dice-stars", 2), "random", 3)
    assert measure(table, "", 500, 1) == measure(table, "", 500, 2)


def test_ranges() -> None:
    assert list(swept("goal=60..80..10")) == [("goal", 60), ("goal", 70), ("goal", 80)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sweep", "goal"), "is no range"),
        (("--sweep", "goal=9..1"), "is no range"),
        (("--sweep", "colour=1..2"), "no option"),
        (("--players", "two"), "is no list of table sizes"),
        (("--bot", "wizard", "--players", "2"), "no bot 'wizard'"),
        (("--bot", "wizard"), "plays at none"),
    ],
)
def test_bad_input_gets_one_sentence(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["balance", "dicy-cards", *arguments])
    assert left.value.code == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
