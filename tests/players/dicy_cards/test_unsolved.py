"""Bots that need solved cards: without them they solve first, or say that they play as the planner meanwhile."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import pytest

import starfrost
from starfrost.bots.progress import solving
from starfrost.bots.thinking import think
from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.bots import perfect
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.record import write_record

GAME = DicyCards(2, MODES["b"].cards, 12)


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function that forgets all solved sets: the folder, and what this process has in memory."""

    def forget(name: str) -> None:
        monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / name))
        for part in (on_demand._opened, on_demand._looked, perfect._advisers):
            part.clear()

    monkeypatch.delenv("STARFROST_SOLVE")
    forget("first")
    yield forget
    on_demand.stop()
    for part in (on_demand._opened, perfect._advisers):
        part.clear()


def test_the_same_seed_gives_the_same_game_from_a_cold_cache(cold: Any, capsys: pytest.CaptureFixture[str]) -> None:
    first = [starfrost.play(GAME, ["perfect", "planner"], seed=seed) for seed in range(12)]
    assert capsys.readouterr().err == "Solving these five cards to 12 points, once; the result is kept.\n"
    again = [starfrost.play(GAME, ["perfect", "planner"], seed=seed) for seed in range(12)]
    cold("second")
    last = [starfrost.play(GAME, ["perfect", "planner"], seed=seed) for seed in range(12)]
    assert (
        [write_record(record) for record in first]
        == [write_record(record) for record in again]
        == [write_record(record) for record in last]
    )
    assert capsys.readouterr().err.count("Solving") == 1


@pytest.mark.usefixtures("cold")
def test_its_decisions_are_the_solvers() -> None:
    records = [starfrost.play(GAME, ["perfect", "random"], seed=seed) for seed in range(12)]
    adviser = Adviser(GAME, on_demand.ensure_solved(GAME.cards, GAME.goal))
    decisions = 0
    for record in records:
        for state, event in zip(starfrost.replay(record).states, record.events, strict=False):
            if event.seat == 0 and GAME.actor(state) != CHANCE:
                assert event.action == adviser.best(state).action
                decisions += 1
    assert decisions > 20


def test_an_environment_gives_the_same_episodes_from_a_cold_cache(cold: Any) -> None:
    def episodes() -> list[list[Any]]:
        env = gymnasium.make(
            "starfrost.adapters.gymnasium:starfrost/DicyCards-v0", opponents="perfect", cards="b", goal=12
        )
        found = []
        for seed in range(8):
            view, _ = env.reset(seed=seed)
            rng, over = Random(seed), False
            while not over:
                found.append(view["observation"].tolist())
                view, reward, over, _, _ = env.step(rng.choice(view["action_mask"].nonzero()[0].tolist()))
            found.append([reward])
        return found

    first = episodes()
    cold("second")
    on_demand.ensure_solved(GAME.cards, GAME.goal)
    assert episodes() == first


@pytest.mark.usefixtures("cold")
def test_master_solves_first_too() -> None:
    game = DicyCards(3, MODES["b"].cards, 11)
    one, other = (write_record(starfrost.play(game, ["master", "greedy", "random"], seed=3)) for _ in range(2))
    assert one == other
    assert on_demand.ready(game.cards, game.goal)


@pytest.mark.usefixtures("cold")
def test_a_disk_that_is_full_changes_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(values: object) -> None:
        raise OSError("no space")

    solved = starfrost.play(GAME, ["perfect", "greedy"], seed=1)
    for part in (on_demand._opened, perfect._advisers):
        part.clear()
    monkeypatch.setattr("starfrost.games.dicy_cards.solver.store.load", lambda *key: None)
    monkeypatch.setattr("starfrost.games.dicy_cards.solver.store.save", full)
    assert write_record(starfrost.play(GAME, ["perfect", "greedy"], seed=1)) == write_record(solved)


@pytest.mark.usefixtures("cold")
def test_at_a_table_of_people_nobody_waits_and_the_news_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_SOLVE", "never")
    monkeypatch.setattr(on_demand, "ensure_solved", lambda *given: pytest.fail("somebody waits"))
    state = GAME.apply(GAME.start(), GAME.sample(GAME.start(), Random(1)))
    headers = tuple(GAME.headers().items())
    planner, instead = (
        think(bot, GAME.name, 2, headers, GAME.position_text(state), 1) for bot in ("planner", "perfect")
    )
    assert instead == planner
    news = solving(GAME, ["perfect"])
    assert news is not None
    assert (news.bot, news.percent) == ("perfect", None)
