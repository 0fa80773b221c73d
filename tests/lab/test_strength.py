"""The strength table is well formed, and stronger bots win where a few games can show it."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from starfrost.cli import main
from starfrost.cli.strength import BEGIN, END
from starfrost.lab.deals import Facts, PlayedGames
from starfrost.lab.strength import Duel, Variant, arrangements, outcomes, rated, tournament, variants
from starfrost.lab.tables import strength_tables

LADDER = ("random", "greedy", "planner")


@pytest.mark.parametrize(("seats", "count"), [(2, 2), (3, 6), (4, 6)])
def test_arrangements_are_balanced(seats: int, count: int) -> None:
    ways = arrangements(seats)
    assert len(set(ways)) == len(ways) == count
    for seat in range(seats):
        assert Counter(way[seat] for way in ways) == {0: count // 2, 1: count // 2}


def test_every_variant_of_both_games_is_there() -> None:
    found = {str(variant) for variant in variants()}
    assert {
        f"dicy-cards {mode} {seats} players"
        for mode in ("glacial", "b", "c", "d", "interglacial")
        for seats in (2, 3, 4)
    } < found
    assert {"dice-stars solo", "dice-stars 2 players", "dice-stars 3 players", "dice-stars 4 players"} < found
    assert len(found) == 19


def test_equal_play_is_even_in_every_arrangement() -> None:
    """Both names are the greedy bot, so every deal must split its credits evenly."""
    for seats in (2, 3, 4):
        credits = Duel(Variant("dicy-cards", "b", seats), ("greedy", "greedy"), 3).play(range(1))
        assert credits.mean() == pytest.approx(0.5)


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_the_ladder_of_three_holds(variant: Variant) -> None:
    """Greedy beats random everywhere within a few games; the docs' table has the long runs."""
    for outcome in outcomes(tournament([variant], 12, 1, ("random", "greedy"))):
        assert outcome.bots == ("greedy", "random")
        assert outcome.win_rate.low > 0.5


@pytest.mark.parametrize("variant", [Variant("dicy-cards", "glacial", 2), Variant("dicy-cards", "d", 3)], ids=str)
def test_planner_beats_greedy(variant: Variant) -> None:
    (outcome,) = outcomes(tournament([variant], 24, 2, ("greedy", "planner")))
    assert outcome.bots == ("planner", "greedy")
    assert outcome.decided
    assert outcome.win_rate.mean > 0.5


def test_the_tables_show_every_duel_and_every_rating() -> None:
    where = [Variant("dicy-cards", "glacial", 2), Variant("dice-stars", "", 1)]
    played = outcomes(tournament(where, 4, 1, LADDER[:2]))
    text = "\n".join(strength_tables(played, rated(played, "planner"), "planner").values())
    lines = text.splitlines()
    assert len([line for line in lines if line.startswith("| glacial 2 players ")]) == 2
    assert len([line for line in lines if line.startswith("| solo ")]) == 2
    widths = {line.count("|") for line in lines if line.startswith("|") and "random" in line}
    assert len(widths) <= 2
    assert "greedy – random" in text


def test_the_command_writes_the_tables_into_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "bots.md"
    begin, end = BEGIN.format(game="dice-stars"), END.format(game="dice-stars")
    page.write_text(f"Before.\n{begin}\nold\n{end}\nAfter.\n", encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["strength", "--games", "2", "--bots", "random,greedy", "--game", "dice-stars", "--write", str(page)])
    assert left.value.code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"Before.\n{begin}\n")
    assert text.endswith(f"{end}\nAfter.\n")
    assert "\nold\n" not in text
    assert capsys.readouterr().out.strip() in text


def test_the_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["strength", "--games", "2", "--bots", "random,greedy", "--game", "dice-stars", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [duel["players"] for duel in found["duels"]] == [2, 3, 4, 1]
    assert {name for row in found["ratings"] for name in row["bots"]} == {"random", "greedy"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--games", "0"), "at least 1"),
        (("--game", "chess"), "There is no game 'chess'"),
        (("--bots", "random,genius"), "There is no bot 'genius'"),
        (("--bots", "random"), "two bots"),
        (("--write", "no-such-page.md"), "cannot be read"),
    ],
)
def test_bad_input_gets_one_sentence(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["strength", *arguments])
    assert left.value.code == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert said in captured.err


def test_two_winners_of_the_solo_game_are_equal_and_points_compare_losers(monkeypatch: pytest.MonkeyPatch) -> None:
    credits = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [0, 0]])[..., None]
    scores = np.array([[90, 95], [80, 99], [99, 80], [70, 60], [50, 50]])[..., None]
    played = PlayedGames(scores, credits, np.zeros((5, 2), np.int64), [], Facts())
    monkeypatch.setattr("starfrost.lab.strength.play_deals", lambda *given, **options: played)
    duel = Duel(Variant("dice-stars", "", 1), ("strong", "planner"), 0)
    assert duel.play(range(5)).tolist() == [[0.5], [1], [0], [1], [0.5]]
