"""`starfrost balance`: equal bots by seat, table size and option or rule, with a report and every game."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from starfrost.cli import main
from starfrost.games.setup import Setup
from starfrost.lab import deals, game_files
from starfrost.lab.balance import Study, Trial, measure
from starfrost.lab.game_files import parquet_file
from starfrost.lab.sweeps import check_sweeps, swept, trials

RULES = """
game = "dicy-cards"
name = "Head start"
handicap = [0, 4]
cards = ["no-sixes", "odds", "straight", "double-pair", "forty-minus"]
"""


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["balance", *arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_the_command_writes_a_report_and_every_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, rows, table = tmp_path / "balance.html", tmp_path / "games.csv", tmp_path / "games.parquet"
    command = ["dicy-cards", "--bot", "greedy", "--players", "2,3", "--sweep", "goal=20..40..20", "--json"]
    files = ["--html", str(page), "--csv", str(rows), "--parquet", str(table)]
    assert run(*command, "--games", "100", *files) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(table["players"], table["option"]) for table in found["tables"]] == [
        (2, "goal=20"),
        (2, "goal=40"),
        (3, "goal=20"),
        (3, "goal=40"),
    ]
    for each in found["tables"]:
        assert sum(seat["win_rate"] for seat in each["seats"]) == pytest.approx(1)
        assert sum(each["turns"].values()) == each["games"] == 100
        assert each["seats"][0]["facts"]["odds scores"] > 0
        points = sum(value for name, value in each["winners"].items() if name.endswith("points"))
        assert points > sum(seat["mean_score"] for seat in each["seats"]) / each["players"]
    lines = rows.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 100 * (2 + 2 + 3 + 3)
    assert lines[0] == "players,option,game,turns,seat,score,credit,rules"
    stored = parquet.read_table(table)
    assert ",".join(stored.column_names) == lines[0]
    assert [
        ",".join(f"{value:g}" if isinstance(value, float) else str(value) for value in row.values())
        for row in stored.to_pylist()
    ] == lines[1:]
    about = {name.decode(): text.decode() for name, text in stored.schema.metadata.items()}
    assert (about["starfrost.game"], about["starfrost.bot"], about["starfrost.seed"]) == ("dicy-cards", "greedy", "0")
    text = page.read_text(encoding="utf-8")
    # The verdict, a comparison for each size, and every table.
    assert text.count("<section") == 1 + 2 + 4
    assert "http" not in text


def test_a_number_of_the_rules_can_be_swept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, table = tmp_path / "rules.toml", tmp_path / "games.parquet"
    rules.write_text(RULES, encoding="utf-8")
    command = ("dicy-cards", "--bot", "greedy", "--players", "2", "--games", "200", "--rules", str(rules))
    sweeps = ("--sweep", "handicap.1=0..8..4", "--sweep", "card.odds.points=sum + 1..2")
    assert run(*command, *sweeps, "--parquet", str(table), "--json") == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [each["option"] for each in tables[:2]] == [
        "handicap.1=0, card.odds.points=sum + 1",
        "handicap.1=0, card.odds.points=sum + 2",
    ]
    digests = [each["variant"]["digest"] for each in tables]
    assert len(set(digests)) == 6
    first = [each["seats"][0]["win_rate"] for each in tables]
    assert first[0] < first[2] < first[4]
    stored = parquet.read_table(table)
    assert list(dict.fromkeys(stored.column("rules").to_pylist())) == digests
    written = json.loads(stored.schema.metadata[b"starfrost.rules"])
    assert written[digests[-1]]["handicap"] == [8, 4]
    assert written[digests[-1]]["card"]["odds"]["points"] == "sum + 2"


@pytest.mark.parametrize("sweep", ["card.strom.points=1..3 + sum", "card.sixes.points=sum + 1..2", "goal=40,40"])
def test_a_sweep_that_changes_nothing_is_refused(capsys: pytest.CaptureFixture[str], sweep: str) -> None:
    assert run("dicy-cards", "--mode", "b", "--bot", "random", "--players", "2", "--games", "10", "--sweep", sweep) == 2
    assert "are the same game: no rule that is played there differs." in capsys.readouterr().err


def test_a_sweep_takes_lists_of_numbers_modes_effects_and_patterns() -> None:
    assert [one.options["goal"] for one in trials("dicy-cards", {}, ["goal=40,50"])] == [40, 50]
    assert [(one.label, one.value) for one in trials("dicy-cards", {}, ["mode=b, c"])] == [
        ("mode=b", None),
        ("mode=c", None),
    ]
    found = trials("dicy-cards", {}, ["card.odds.effect=none,others freeze", "card.odds.pattern=any,alike"])
    cards = [json.loads(str(one.options["rules"]))["card"]["odds"] for one in found]
    assert [(card["effect"], card["pattern"]) for card in cards] == [
        ("none", "any"), ("none", "alike"), ("others freeze", "any"), ("others freeze", "alike"),
    ]  # fmt: skip


def test_a_sweep_over_drawn_cards_can_change_any_of_them() -> None:
    found = trials("dicy-cards", {"mode": "interglacial"}, ["card.sixes.points=sum + 1..2"])
    check_sweeps("dicy-cards", 2, found)


def test_a_report_is_not_recommended_when_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("dicy-cards", "--bot", "random", "--players", "2", "--games", "10", "--sweep", "goal=10,12,14,16,18")
    assert run(*command, "--html", str(tmp_path / "page.html")) == 0
    assert "--html" not in capsys.readouterr().out
    assert run(*command) == 0
    assert "--html" in capsys.readouterr().out


def test_a_game_without_rules_of_its_own_gets_them_from_the_sweep() -> None:
    found = trials("dice-stars", {}, ["box-points=4..6"])
    games = [Setup.of("dice-stars", 1, **trial.options) for trial in found]
    assert [json.loads(game.variant.text)["box-points"] for game in games if game.variant] == [4, 5, 6]


@pytest.mark.parametrize(("language", "words"), [("de", "Endstände"), ("nl", "eindstanden"), ("es", "puntuaciones")])
def test_report_and_terminal_speak_all_languages(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: str,
    words: str,
) -> None:
    # A few games one by one, without compiled code.
    monkeypatch.setattr(deals, "games_at_once", lambda setup, bots, run: 1)
    page = tmp_path / "balance.html"
    assert (
        run("dice-stars", "--bot", "random", "--players", "2", "--games", "20", "--lang", language, "--html", str(page))
        == 0
    )
    text = page.read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in text
    for shown in (text, capsys.readouterr().out):
        assert words in shown
        for english in ("win rate", "mean score", "winners", "final scores", "Row ", "each", "games", "seat"):
            assert english not in shown


def test_cards_that_are_drawn_are_counted_by_name() -> None:
    (found,) = measure(Study((Trial(Setup("dicy-cards", 2, {"mode": "interglacial"}), "greedy", 1),), 300))
    assert sum(name.endswith(" points") for name in found.winners) == 12
    # Of every game in which a card lies on the table, not of all games.
    assert found.seats[0].facts["any-two scores"] > 0.8


def test_a_variant_has_facts_although_its_games_are_played_one_by_one() -> None:
    (trial,) = trials("dice-stars", {}, ["box-points=4..4"])
    (found,) = measure(Study((Trial(Setup.of("dice-stars", 2, **trial.options), "greedy", 1),), 5))
    points = [sum(value for name, value in seat.facts.items() if name.endswith(" points")) for seat in found.seats]
    lost = [seat.facts["penalty"] for seat in found.seats]
    assert [won - less for won, less in zip(points, lost, strict=True)] == pytest.approx(
        [seat.mean_score for seat in found.seats]
    )


def test_processes_and_shards_change_nothing(tmp_path: Path) -> None:
    # Bots play such a variant one game after the other: the processes need no time to compile.
    (trial,) = trials("dice-stars", {}, ["box-points=4..4"])
    tables = tuple(Trial(Setup.of("dice-stars", seats, **trial.options), "random", 3) for seats in (2, 3))
    study = Study(tables, 60)
    alone = measure(study, 1)
    assert alone == measure(study, 2)

    def interrupt(games: int) -> None:
        if games >= 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(study, progress=interrupt, resume=tmp_path / "run.json")
    assert measure(study, resume=tmp_path / "run.json") == alone


def test_parquet_rows_come_in_groups_and_an_interrupted_file_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_files, "GROUP", 100)
    file = tmp_path / "games.parquet"
    numbers = {"game": np.arange(30), "turns": np.arange(30), "seat": np.ones(30, int), "score": np.arange(30)}
    rows = {"players": 2, "option": "", "rules": "", "credit": np.ones(30), **numbers}

    def interrupted() -> None:
        with parquet_file(file, {"seed": 1}) as games:
            for _ in range(9):
                games.write(rows, 30)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    found = parquet.ParquetFile(file)
    assert found.metadata.num_rows == 270
    assert found.metadata.num_row_groups > 2


def test_ranges() -> None:
    assert list(swept("goal=60..80..10")) == [("goal", 60, 60), ("goal", 70, 70), ("goal", 80, 80)]
    assert [value for _, _, value in swept("card.odds.points=40 - 1..2 * sum")] == ["40 - 1 * sum", "40 - 2 * sum"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sweep", "goal"), "is neither a range"),
        (("--sweep", "goal=9..1"), "is neither a range"),
        (("--sweep", "goal=1..99999"), "too many"),
        (("--sweep", "colour=1..2"), "there is no key 'colour'"),
        (("--sweep", "card.odds.price=1..2"), "there is no key 'card.odds.price'"),
        (("--sweep", "card.odds.points=0..2"), "card.odds.points=0: card.odds.points must be 1 to 400 points"),
        (("--sweep", "handicap.1=0..2"), "needs the list handicap"),
        (("--sweep", "goal.x=1..2", "--rules", "RULES"), "goal must be a whole number"),
        (("--sweep", "handicap.3=1..2", "--rules", "RULES"), "the list has the places 1 to 2"),
        (("--sweep", "handicap.1.2=1..2", "--rules", "RULES"), "a number has no '2'"),
        (("--players", "two"), "is not a list of table sizes"),
        (("--bot", "wizard", "--players", "2"), "no bot 'wizard'"),
        (("--bot", "wizard"), "plays at none"),
        (("--resume", "run.json", "--csv", "games.csv"), "keeps sums, not games"),
        (("--csv", "none/games.csv"), "none/games.csv cannot be written"),
        (("--parquet", "none/games.parquet"), "none/games.parquet cannot be written"),
    ],
)
def test_bad_input_gets_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.toml").write_text(RULES, encoding="utf-8")
    assert run("dicy-cards", *(each.replace("RULES", "rules.toml") for each in arguments)) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1


def test_without_pyarrow_a_sentence_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run("dicy-cards", "--parquet", str(tmp_path / "games.parquet")) == 2
    assert "pip install 'starfrost[lab]'" in capsys.readouterr().err


def test_the_verdict_names_the_fairest_value_and_how_much_skill_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, page = tmp_path / "rules.toml", tmp_path / "balance.html"
    rules.write_text(RULES, encoding="utf-8")
    command = ["dicy-cards", "--bot", "greedy", "--players", "2", "--games", "1000", "--rules", str(rules)]
    sweeps = ["--sweep", "handicap.1=0..40..20", "--sweep", "card.odds.points=sum + 1,sum + 2"]
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.argv", ["starfrost", "balance", *command])
    assert run(*command, *sweeps, "--against", "random", "--html", str(page)) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("%") > 12
    assert not [line for line in shown.splitlines() if "…" in line]
    told = " ".join(shown.split())
    # A head start of 20 or 40 of 100 points decides the game.
    assert "2 players: fairest at handicap.1=0, card.odds.points=sum + " in told
    assert "greedy wins 100.0% against random (" in told
    assert "luck alone would be 50.0%." in told
    text = page.read_text(encoding="utf-8")
    assert "<title>Dicy Cards: greedy · Head start</title>" in text
    assert f"<code>starfrost balance dicy-cards --bot greedy --players 2 --games 1000 --rules {rules}</code>" in text
    heat = text.partition('class="heat"')[2].partition("</table>")[0]
    assert heat.count("<td") == 6
    assert "sum + 2" in heat
    assert text.count("<details>") == 6, "every variant shows its rules"
    assert "Head start" in text.partition("<pre>")[2]


def test_the_verdict_of_one_table_says_whether_its_seats_are_equal(capsys: pytest.CaptureFixture[str]) -> None:
    run("dice-stars", "--bot", "random", "--players", "2", "--games", "60")
    assert "2 players: no seat is proved better; seat" in " ".join(capsys.readouterr().out.split())
    run(
        "dicy-cards",
        "--bot",
        "greedy",
        "--players",
        "2",
        "--games",
        "4000",
        "--goal",
        "3",
        "--mode",
        "glacial",
        "--json",
    )
    fair = json.loads(capsys.readouterr().out)["tables"][0]
    run("dicy-cards", "--bot", "greedy", "--players", "2", "--games", "4000", "--goal", "3", "--mode", "glacial")
    told = " ".join(capsys.readouterr().out.split())
    low, high = fair["seats"][0]["interval"]
    assert ("which is not an equal share." in told) is (low > 0.5 or high < 0.5)
