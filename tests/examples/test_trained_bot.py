"""Trained weights are measured by the lab's own commands, in several processes."""

import json
from pathlib import Path
from shutil import copy

import starfrost.games.dice_stars.bots
from tests.cli.command import starfrost as run

WEIGHTS = Path(starfrost.games.dice_stars.bots.__file__).parent / "weights"
ROOT = Path(__file__).parents[2]


def test_weights_of_a_folder_play_against_others(tmp_path: Path) -> None:
    copy(WEIGHTS / "dice-stars-2.npz", tmp_path)
    found = {}
    for bot in ("examples.trained_bot:Trained", "strong"):
        done = run(
            *("simulate", "dice-stars", "--bots", f"{bot},random", "--games", "2", "--jobs", "2", "--json"),
            cwd=ROOT,
            TRAINING=str(tmp_path),
        )
        assert done.returncode == 0, done.stderr
        mine = json.loads(done.stdout)["players"][0]
        found[mine.pop("bot")] = mine
    one, other = found.values()
    assert one == other


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    done = run(
        *("simulate", "dice-stars", "--bots", "examples.trained_bot:Trained,random", "--games", "2"),
        cwd=ROOT,
        TRAINING=str(tmp_path),
    )
    assert done.returncode == 2
    assert f"there are no weights in {tmp_path}" in done.stderr
