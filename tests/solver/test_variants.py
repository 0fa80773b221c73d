"""The solver under variants: right by the reference engine, and never a change to what the official cards are worth."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from starfrost.games.dicy_cards import CARDS, DicyCards, cards
from starfrost.games.dicy_cards.bots.perfect import DicyCardsPerfect
from starfrost.games.dicy_cards.solver import card_set as numbers
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver import store
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.sweep import solve
from tests.solver.iteration import Iteration
from tests.solver.oracle import difference, plain_difference
from tests.variants import EVERY_DIE, GENEROUS_ODDS, LUCKY, game_of


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    monkeypatch.setattr(service, "_opened", {})
    return tmp_path


def varied(rules: str, goal: int) -> DicyCards:
    game = game_of(rules, 2, goal=goal)
    assert isinstance(game, DicyCards)
    return game


def test_every_value_of_a_variant_is_the_reference_engines() -> None:
    game = varied(EVERY_DIE, 3)
    assert difference(Iteration(game), solve(game.kinds, game.goal)).greatest < 1e-12


def test_other_faces_too_by_plain_expectimax() -> None:
    game = varied(LUCKY, 20)
    assert plain_difference(game, solve(game.kinds, game.goal), 12, seed=2, most_cards=2).greatest < 1e-12


def test_solving_a_variant_never_changes_the_official_values(own_cache: Path) -> None:
    game = varied(GENEROUS_ODDS, 4)
    official = service.ensure_solved(game.cards, 4)
    before, path = np.array(official.between), store.path_of(service.in_order(game.cards), 4)
    content = path.read_bytes()
    other = service.ensure_solved(game.kinds, 4)
    assert not np.array_equal(other.between, before)
    assert path.read_bytes() == content
    service._opened.clear()
    found = service.find(game.cards, 4)
    assert found is not None
    assert np.array_equal(found.between, before)
    assert len(list(own_cache.glob("*.worth"))) == 2


def test_a_card_patched_in_python_is_never_taken_for_the_official_one(monkeypatch: pytest.MonkeyPatch) -> None:
    five = ("any-two", "no-sixes", "odds", "straight", "two-pairs")
    official = np.array(service.ensure_solved(five, 4).between)

    def forget() -> None:
        service._opened.clear()
        for remembered in (cards.options, cards.card_of, numbers._numbers, numbers.card_set):
            remembered.cache_clear()

    with monkeypatch.context() as patched:
        patched.setitem(CARDS, "odds", replace(CARDS["odds"], fixed=3))
        forget()
        assert service.find(five, 4) is None
        assert not np.array_equal(service.ensure_solved(five, 4).between, official)
    forget()
    assert service.find(five, 4) is None
    assert np.array_equal(service.ensure_solved(five, 4).between, official)


def test_a_file_from_before_the_digest_keeps_working() -> None:
    path = store.save(solve(service.in_order(("any-two", "no-sixes", "odds", "straight", "two-pairs")), 3))
    data = path.read_bytes()
    fields = json.loads(data.split(b"\n", 1)[0].rpartition(b"|")[0])
    del fields["rules"]
    path.write_bytes(store._header(fields) + data[store._PAGE :])
    assert store.load(tuple(fields["cards"]), 3) is not None


def test_perfect_plays_a_variant_by_its_values() -> None:
    game = varied(LUCKY, 12)
    values = service.ensure_solved(game.kinds, game.goal)
    adviser = Adviser(game, values)
    assert adviser.value(game.start()) == values.first_player_wins_from((0, 4))
    assert adviser.value(game.start()) < values.first_player_wins
    state = game.apply(game.start(), game.parse_action("664421"))
    best = max(adviser.action_values(state), key=lambda one: one.value)
    assert str(DicyCardsPerfect().choose(game, state, Random(0))) == str(adviser.best(state).action)
    assert adviser.best(state).value == pytest.approx(best.value, abs=1e-11)
