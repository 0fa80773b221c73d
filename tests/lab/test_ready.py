"""Tables are solved before the first game, or the request is refused."""

from pathlib import Path

import pytest

from starfrost.errors import UsageError
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.setup import Setup
from starfrost.lab.deals import deal, make_ready
from starfrost.lab.simulate import Simulation, simulate

INTERGLACIAL = Setup("dicy-cards", 2, {"mode": "interglacial"})


def test_bots_without_tables_need_nothing() -> None:
    make_ready(INTERGLACIAL, ("random", "planner"), lambda share: pytest.fail("solving"))


def test_drawn_cards_cannot_be_solved_in_time() -> None:
    with pytest.raises(UsageError, match="choose another mode than interglacial"):
        make_ready(INTERGLACIAL, ("perfect", "random"), lambda share: None)


def test_a_small_game_is_solved_and_played_the_same_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    table = Setup("dicy-cards", 2, {"mode": "b", "goal": "8"})
    shares: list[float] = []
    make_ready(table, ("perfect", "greedy"), shares.append)
    assert service.find(deal(table, 0, 0).headers()["cards"].split(), 8) is not None
    plan = Simulation(table, ("perfect", "greedy"), games=20, seed=1, swap_seats=True)
    assert simulate(plan).players == simulate(plan).players
