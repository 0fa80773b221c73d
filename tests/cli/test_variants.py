"""`--rules FILE` on the command line, and a variant in the terminal."""

import json
from pathlib import Path

from starfrost.games.setup import read_variant
from tests.cli.command import starfrost
from tests.variants import LUCKY, STARRY_DICE


def test_a_variant_is_simulated_rated_and_marked(tmp_path: Path) -> None:
    (tmp_path / "lucky.toml").write_text(LUCKY)
    shown = {"name": "Lucky numbers", "digest": read_variant(LUCKY).digest}
    line = "simulate dicy-cards --rules lucky.toml --bots greedy,random --games 4"
    done = starfrost(*line.split(), "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["variant"] == shown
    assert f"variant “Lucky numbers” ({shown['digest']})" in starfrost(*line.split(), cwd=tmp_path).stdout
    line = "strength --rules lucky.toml --games 1 --bots greedy,random --json"
    rated = json.loads(starfrost(*line.split(), cwd=tmp_path).stdout)
    assert [duel["players"] for duel in rated["duels"]] == [2, 3, 4]
    assert all(duel["variant"] == shown for duel in rated["duels"])


def test_a_fault_in_the_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(LUCKY.replace("goal = 40", "goal = 'many'"))
    for line in ("simulate dicy-cards --bots greedy,random", "solve", "strength", "play dicy-cards"):
        done = starfrost(*line.split(), "--rules", "bad.toml", cwd=tmp_path)
        expected = "starfrost: bad.toml: goal must be a whole number from 1 to 999999, not 'many'.\n"
        assert (done.returncode, done.stderr) == (2, expected), line


def test_a_variant_is_played_in_the_terminal_saved_and_replayed(tmp_path: Path) -> None:
    (tmp_path / "starry.toml").write_text(STARRY_DICE)
    played = starfrost(
        "play", "--rules", "starry.toml", "--players", "bot:greedy,bot:planner", "--save-dir", ".", cwd=tmp_path
    )
    assert "Variant “Starry dice”" in played.stdout
    (record,) = tmp_path.glob("*.sfr")
    assert record.read_text().startswith("starfrost: 1-variant\n")
    told = json.loads(starfrost("replay", record.name, "--json", cwd=tmp_path).stdout)
    assert told["ok"]
    assert told["variant"]["name"] == "Starry dice"
    judged = starfrost("analyse", record.name, cwd=tmp_path)
    expected = "starfrost: The coach judges this game by networks that know only the official rules, not variants.\n"
    assert (judged.returncode, judged.stderr) == (2, expected)


def test_a_file_for_another_game_is_named(tmp_path: Path) -> None:
    (tmp_path / "starry.toml").write_text(STARRY_DICE)
    done = starfrost(*["simulate", "dicy-cards", "--rules", "starry.toml", "--bots", "random,random"], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "starfrost: starry.toml has rules of dice-stars, not of dicy-cards.\n")
