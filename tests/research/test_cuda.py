"""The CUDA kernels, run on the processor, against Numba's sweep and forward pass."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from research.dicy_cards import gpu
from research.dicy_cards.atlas import compute, entry_of
from research.dicy_cards.forward import follow
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.coach.atlas import all_sets, read, write
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.sweep import solve
from tests.research.host import Host

GOAL = 5
SETS = (MODES["glacial"].cards, MODES["d"].cards, ("sixes", "distinct-fours", "distinct-sum", "forty-minus", "odds"))
COMPILER = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    if COMPILER is None:
        pytest.skip("there is no C++ compiler on this machine to run the CUDA source with")
    return Host(tmp_path_factory.mktemp("cuda"), COMPILER)


def test_the_kernels_agree_with_the_sweep_and_the_forward_pass(host: Host) -> None:
    batch = gpu.solve_batch(host, SETS, GOAL)
    tallies = gpu.follow_batch(host, batch, least=0.0)
    for place, cards in enumerate(SETS):
        values = solve(cards, GOAL)
        assert np.abs(values.between - batch.between[place]).max() < 1e-14
        assert np.abs(values.last - batch.last[place][: len(values.last)]).max() < 1e-14
        assert np.abs(follow(values, least=0.0) - tallies[place]).max() < 1e-11


@pytest.mark.parametrize("cards", SETS)
def test_probability_followed_forwards_meets_the_worths_computed_backwards(cards: tuple[str, ...]) -> None:
    values = solve(cards, 9)
    tally = follow(values, least=0.0)
    entry = entry_of(tuple(cards), values.goal, tally, values.between[0, 0, 0])
    assert sum(entry.decides_1) == pytest.approx(values.first_player_wins, abs=1e-12)
    assert sum(entry.decides_1 + entry.decides_2) == pytest.approx(1, abs=1e-12)
    assert sum(entry.scored_1 + entry.scored_2) + entry.skips_1 + entry.skips_2 == pytest.approx(entry.turns, abs=1e-11)


def test_every_set_fits_the_kernels_tables() -> None:
    assert len(all_sets()) == 792
    for cards in all_sets():
        gpu.pack(card_set(cards))


def test_an_atlas_file_is_read_back(tmp_path: Path) -> None:
    values = solve(MODES["b"].cards, 3)
    entry = entry_of(MODES["b"].cards, values.goal, follow(values), values.between[0, 0, 0])
    path = tmp_path / "atlas.csv"
    write(path, [entry, entry])
    path.write_text(path.read_text()[:-20])
    (back,) = read(path)
    assert back.cards == entry.cards
    assert back.first_player_wins == pytest.approx(entry.first_player_wins, abs=1e-13)
    assert back.scored_1 == pytest.approx(entry.scored_1, abs=1e-6)


def test_both_ways_to_compute_the_atlas_give_the_same(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "Cupy", lambda: host)
    sets = [cards for cards in all_sets() if {"any-two", "sixes", "three-lowest", "odds"} <= set(cards)][:3]
    there = compute(tmp_path / "gpu.csv", with_gpu=True, goal=2, sets=sets, batch=2)
    here = compute(tmp_path / "cpu.csv", goal=2, sets=sets)
    assert [(entry.cards, entry.goal) for entry in there] == [(entry.cards, entry.goal) for entry in here]
    assert (tmp_path / "gpu.csv").read_text() == (tmp_path / "cpu.csv").read_text()
