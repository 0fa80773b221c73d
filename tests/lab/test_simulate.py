"""Simulations: the same seed gives the same games, for any bots and any number of processes."""

import json
import multiprocessing
import re
from typing import Any

import pytest

from starfrost.batch.chance import BotRandom
from starfrost.bots.registry import make_bot
from starfrost.cli import main
from starfrost.games.setup import Setup
from starfrost.lab.deals import deal, play
from starfrost.lab.simulate import Simulation, simulate


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command that must succeed and return the JSON it prints."""
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--json"])
    assert left.value.code == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must fail and return the sentence it prints."""
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    assert left.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("starfrost: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "simulate", "dicy-cards", "--bots", "greedy,random,greedy", "--games", "30", "--seed", "4")
    assert list(found) == ["game", "games", "seconds", "mean_turns", "players"]
    assert (found["game"], found["games"]) == ("dicy-cards", 30)
    assert found["mean_turns"] > 9
    assert [player["bot"] for player in found["players"]] == ["greedy", "random", "greedy"]
    for player in found["players"]:
        assert list(player) == ["bot", "wins", "shared", "win_rate", "interval", "mean_score", "forfeits"]
        low, high = player["interval"]
        assert 0 <= low <= player["win_rate"] <= high <= 1
    assert sum(player["win_rate"] for player in found["players"]) == pytest.approx(1)
    assert sum(player["wins"] for player in found["players"]) <= 30


@pytest.mark.parametrize(
    "options",
    [
        ("dicy-cards", "--bots", "greedy,random", "--swap-seats", "--cards", "interglacial"),
        ("dice-stars", "--bots", "random,random,greedy", "--swap-seats"),
    ],
)
def test_the_number_of_processes_changes_nothing(capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    command = ("simulate", *options, "--games", "25", "--seed", "9")
    one, two = told(capsys, *command), told(capsys, *command, "--jobs", "2")
    assert one.pop("seconds") >= 0
    assert two.pop("seconds") >= 0
    assert one == two
    assert one["games"] == 25


def test_another_seed_gives_other_games(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (
        told(capsys, "simulate", "dice-stars", "--bots", "random,random", "--games", "5", "--seed", seed)
        for seed in ("1", "2")
    )
    assert one["players"] != other["players"]


def test_swapped_seats_report_bots_in_the_order_given(capsys: pytest.CaptureFixture[str]) -> None:
    for bots, better in (("greedy,random", 0), ("random,greedy", 1)):
        found = told(capsys, "simulate", "dicy-cards", "--bots", bots, "--games", "20", "--seed", "1", "--swap-seats")
        assert found["players"][better]["bot"] == "greedy"
        assert found["players"][better]["wins"] == 20


def test_equal_bots_on_swapped_seats_and_the_same_dice_win_equally_often() -> None:
    table = Setup("dicy-cards", 2)
    summary = simulate(Simulation(table, ("greedy", "greedy"), games=40, seed=3, swap_seats=True))
    assert [player.win_rate.mean for player in summary.players] == [0.5, 0.5]
    low, high = summary.players[0].win_rate.interval
    assert high - low < 0.12


def test_dice_belong_to_the_turn_and_not_to_what_happened_before() -> None:
    """A seat's third turn starts with the same dice, whether the others reroll or not."""
    game = deal(Setup("dicy-cards", 2, {"goal": "300"}), 0, 0)

    def first_rolls(opponent: str) -> list[str]:
        seen: list[str] = []

        class Watcher:
            name = "watcher"

            def choose(self, game: Any, state: Any, rng: Any) -> Any:
                if state.dice:
                    seen.append(state.dice)
                return next(action for action in reversed(game.legal_actions(state)) if action.verb != "reroll")

        play(game, [Watcher(), make_bot(opponent, game)], [BotRandom((1, 2)), BotRandom((3, 4))], (7, 1))
        return seen[:6]

    assert first_rolls("greedy") == first_rolls("planner")


def test_solo(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "simulate", "dice-stars", "--bots", "greedy", "--games", "20", "--solo-boxes", "90")
    (player,) = found["players"]
    assert player["win_rate"] == player["wins"] / 20
    assert player["shared"] == 0


def test_the_goal_shortens_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    short = told(capsys, "simulate", "dicy-cards", "--bots", "greedy,greedy", "--games", "10", "--goal", "20")
    assert short["mean_turns"] < 8


def test_cards_by_commas_or_spaces_or_mode(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("simulate", "dicy-cards", "--bots", "greedy,greedy", "--games", "6", "--seed", "5")
    ids = ["any-two", "sixes", "three-lowest", "straight", "double-pair"]
    wanted = (("--cards", ",".join(ids)), ("--cards", " ".join(ids)), ("--cards", "d"), ("--mode", "d"))
    found = [told(capsys, *command, *option)["players"] for option in wanted]
    assert all(players == found[0] for players in found)


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["simulate", "dicy-cards", "--bots", "greedy,random", "--games", "4", "--mode", "interglacial"])
    assert left.value.code == 0
    shown = capsys.readouterr()
    assert "greedy" in shown.out
    assert "95% interval" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(("language", "heading"), [("de", "Siegquote"), ("nl", "winst (%)"), ("es", "% de victorias")])
def test_a_table_in_every_language(capsys: pytest.CaptureFixture[str], language: str, heading: str) -> None:
    with pytest.raises(SystemExit):
        main(["simulate", "dice-stars", "--bots", "greedy,random", "--games", "4", "--lang", language])
    shown = capsys.readouterr().out
    assert heading in shown
    assert re.search("0,0\u00a0?%", shown)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chess", "--bots", "random,random"), "There is no game 'chess'"),
        (("dicy-cards", "--bots", "genius,random"), "There is no bot 'genius'"),
        (("dicy-cards", "--bots", "random,random,random,random,random,random"), "2 to 4 players, not 6"),
        (("dicy-cards", "--bots", "random"), "2 to 4 players, not 1"),
        (("dicy-cards", "--bots", ""), "players"),
        (("dicy-cards",), "--bots"),
        (("dicy-cards", "--bots", "random,random", "--games", "0"), "The number of games is at least 1, not 0."),
        (("dicy-cards", "--bots", "random,random", "--games", "many"), "--games"),
        (("dicy-cards", "--bots", "random,random", "--jobs", "0"), "The number of jobs is at least 1, not 0."),
        (
            ("dicy-cards", "--bots", "random,random", "--jobs", "2", "--cluster", "auto"),
            "--jobs or --cluster, not both",
        ),
        (("dicy-cards", "--bots", "random,random", "--cards", "odds"), "five different cards"),
        (("dicy-cards", "--bots", "random,random", "--cards", "odds odds sixes straight any-two"), "five different"),
        (("dicy-cards", "--bots", "random,random", "--cards", "odds evens sixes straight any-two"), "no card 'evens'"),
        (("dicy-cards", "--bots", "random,random", "--mode", "e"), "There is no mode 'e'"),
        (("dicy-cards", "--bots", "random,random", "--mode", "b", "--cards", "c"), "not both"),
        (("dicy-cards", "--bots", "random,random", "--goal", "0"), "The goal of Dicy Cards"),
        (("dicy-cards", "--bots", "random,random", "--solo-boxes", "9"), "dicy-cards has no option"),
        (("dice-stars", "--bots", "random,random", "--mode", "b"), "dice-stars has no option 'mode'"),
        (("dice-stars", "--bots", "random,random", "--solo-boxes", "9"), "dice-stars with these seats has no option"),
    ],
)
def test_bad_input_gets_one_sentence(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(capsys, "simulate", *arguments)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_the_work(jobs: int) -> None:
    def interrupted(games: int) -> None:
        raise KeyboardInterrupt

    plan = Simulation(Setup("dicy-cards", 2), ("random", "random"), games=10_000, seed=0)
    with pytest.raises(KeyboardInterrupt):
        simulate(plan, jobs, interrupted)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(("language", "said"), [("en", "interrupted."), ("de", "abgebrochen.")])
def test_an_interrupt_ends_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("starfrost.lab.simulate.simulate", interrupted)
    with pytest.raises(SystemExit) as left:
        main(["simulate", "dicy-cards", "--bots", "random,random", "--lang", language])
    assert left.value.code == 130
    assert capsys.readouterr().err == f"starfrost: {said}\n"
