"""A third game, defined in this folder alone, is played everywhere but in the browser without a change in src."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from starfrost.bots.registry import bots_for, make_bot
from starfrost.errors import RecordError, UsageError
from starfrost.fair.dice import FairDice, Line, Seed
from starfrost.games.core import CHANCE, OVER
from starfrost.games.record import Event, Record, parse_record, replay, write_record
from starfrost.games.registry import GAMES, make_game
from starfrost.games.setup import Setup
from starfrost.table.opening import offers
from starfrost.terminal import saves
from starfrost.terminal.help import show_help
from starfrost.terminal.screen import Screen
from starfrost.testing import check_bot, check_contract, check_samples
from starfrost.words import Words
from starfrost.words.registry import WORDS
from starfrost.words.story import result, tell
from tests.cli.command import starfrost


def test_pig_is_unknown_unless_it_is_installed() -> None:
    assert "pig" not in GAMES
    assert "pig" not in WORDS
    with pytest.raises(UsageError, match="no game 'pig'; expected one of dicy-cards, dice-stars"):
        make_game("pig", 2, {})


def test_pig_comes_after_our_own_games(pig: ModuleType) -> None:
    assert list(GAMES) == ["dicy-cards", "dice-stars", "pig"]
    assert GAMES["pig"].title == "Pig"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_pig_keeps_the_contract_of_all_games(pig: ModuleType, seats: int) -> None:
    game = pig.Pig(seats, goal=60)
    check_contract(game)
    check_samples(game)
    for bot in bots_for(game):
        check_bot(game, bot)
    assert bots_for(game) == ("random", "greedy")


def test_options_are_checked(pig: ModuleType) -> None:
    assert Setup("pig", 3, {"goal": "40"}).make(Random(0)) == pig.Pig(3, 40)
    assert Setup("pig", 2).make(Random(0)) == pig.Pig(2)
    with pytest.raises(UsageError, match="pig has no option 'mode'"):
        Setup("pig", 2, {"mode": "glacial"}).make(Random(0))
    with pytest.raises(UsageError, match="'goal' is a whole number from 1 to 9999, not 'ten'"):
        Setup("pig", 2, {"goal": "ten"}).make(Random(0))


def played(pig: ModuleType, seed: int = 1) -> Record:
    game, rng = pig.Pig(2, goal=40), Random(seed)
    bot, state, events = make_bot("greedy", game), game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else bot.choose(game, state, rng)
        events.append(Event(actor, action))
        state = game.apply(state, action)
    return Record(game, ("Anna", "Ben"), tuple(events))


def test_a_record_is_written_parsed_and_replayed(pig: ModuleType) -> None:
    record = played(pig)
    text = write_record(record)
    assert text.startswith("starfrost: 1\ngame: pig\nplayers: Anna | Ben\ngoal: 40\n")
    again = replay(parse_record(text))
    assert again.record.events == record.events
    assert again.finished
    assert write_record(again.record) == text


@pytest.mark.parametrize(
    ("line", "changed", "sentence"),
    [
        ("1 roll", "2 roll", "Expected roll; found '2 roll'"),
        ("1 roll", "1 hold", "Expected roll; found '1 hold'"),
        ("1 roll", "1 fly", "'fly' is not a move"),
        ("goal: 40", "goal: 0", "The goal of Pig is 1 to 9999 points, not 0"),
    ],
)
def test_a_faulty_record_is_refused_at_its_line(pig: ModuleType, line: str, changed: str, sentence: str) -> None:
    text = write_record(played(pig))
    with pytest.raises(RecordError, match=sentence) as refused:
        replay(parse_record(text.replace(line, changed, 1)))
    assert text.splitlines()[refused.value.line - 1] == line


def test_the_story_is_told(pig: ModuleType) -> None:
    played_through = replay(played(pig))
    record, w = played_through.record, Words("de")
    sentences = [
        tell(w, record.game, state, event.action, record.players)
        for state, event in zip(played_through.states, record.events, strict=False)
    ]
    assert sentences[0] == "Anna rolls."
    assert any(re.fullmatch(r"(Anna|Ben) holds and scores 2\d\.", sentence) for sentence in sentences)
    assert "gewinnt" in result(w, record.game, played_through.final, record.players)


def test_verifiable_dice_fall_for_pig(pig: ModuleType) -> None:
    line = Line.start(pig.Pig(2)).after(pig.ROLL)
    dice = FairDice(Seed(bytes(32)), "table", [("bot", "")])
    assert dice.outcome(line) == dice.outcome(line)
    assert dice.outcome(line) in pig.FACES


def test_a_table_of_pig_is_offered(pig: ModuleType) -> None:
    offer = next(offer for offer in offers() if offer["game"] == "pig")
    assert offer["options"] == ["goal"]
    assert offer["modes"] == offer["cards"] == []
    assert offer["seats"][0] == {"seats": 2, "bots": ["random", "greedy"]}


def test_simulate_plays_pig_in_two_processes(environment: dict[str, str]) -> None:
    command = ("simulate", "pig", "--bots", "greedy,random", "--games", "40", "--goal", "50", "--json")
    one, two = (json.loads(starfrost(*command, "--jobs", jobs, **environment).stdout) for jobs in ("1", "2"))
    assert one.pop("seconds") > 0
    assert two.pop("seconds") > 0
    assert one == two
    assert (one["game"], one["games"]) == ("pig", 40)
    assert one["players"][0]["wins"] > one["players"][1]["wins"]


def test_the_help_names_pig_and_its_options(environment: dict[str, str]) -> None:
    shown = " ".join(starfrost("simulate", "--help", COLUMNS="200", **environment).stdout.split())
    assert "dicy-cards, dice-stars or pig" in shown
    assert "Dicy Cards, Pig: the points that end the game." in shown


def test_a_whole_game_in_the_terminal(environment: dict[str, str], tmp_path: Path, pig: ModuleType) -> None:
    command = ["play", "pig", "--players", "Anna,bot:greedy", "--goal", "25", "--seed", "3", "--save-dir"]
    done = subprocess.run(
        [sys.executable, "-m", "starfrost", *command, str(tmp_path)],
        # Whatever is asked, one of the answers fits: a bare Enter goes on after a decision.
        input="?\n" + "roll\nroll\nhold\n\n" * 60,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "a move in record notation: roll, hold" in done.stdout
    assert "Anna, do you roll or hold?" in done.stdout
    assert re.search(r"Quick bot (holds and scores 2\d|rolls a 1)", done.stdout)
    (path,) = tmp_path.glob("pig-*.sfr")
    session = saves.resume(path)
    assert session.is_over
    assert max(session.game.scores(session.state)) >= 25
    assert "wins with" in done.stdout or "share the victory" in done.stdout


def test_a_record_of_pig_is_replayed_on_the_command_line(
    environment: dict[str, str], tmp_path: Path, pig: ModuleType
) -> None:
    path = tmp_path / "pig.sfr"
    path.write_text(write_record(played(pig)), encoding="utf-8")
    shown = starfrost("replay", str(path), **environment)
    assert shown.returncode == 0, shown.stderr
    assert "pig" in shown.stdout


def test_what_pig_lacks_is_named(pig: ModuleType) -> None:
    from starfrost.adapters.numbered import NumberedGame

    with pytest.raises(
        UsageError, match="Pig does not have the part 'engine'; games that have it: dicy-cards, dice-st"
    ):
        NumberedGame("pig", 2)


def test_ratings_count_from_a_bot_that_plays(environment: dict[str, str]) -> None:
    done = starfrost("strength", "--game", "pig", "--games", "4", **environment)
    assert "**pig: ratings**, greedy at 0," in done.stdout


@pytest.mark.parametrize("topic", ["rules", "p2", "1", "lost"])
def test_the_help_has_the_rules_of_pig(pig: ModuleType, topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert show_help(Screen("de"), topic, "pig") == ""
    assert "A 1 ends the turn" in capsys.readouterr().out


def test_the_contract_finds_a_game_that_breaks_it(pig: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pig.Pig, "scores", lambda game, state: (0,))
    with pytest.raises(AssertionError):
        check_contract(pig.Pig(2, goal=20))
