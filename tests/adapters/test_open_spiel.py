"""OpenSpiel's own tests, and the same games as the reference engine."""

import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python.observation import make_observation

import examples.open_spiel_mcts  # noqa: F401  (registers the games)
from starfrost.adapters.gymnasium import ENGINES
from starfrost.errors import UsageError

GAMES = [
    "starfrost_dicy_cards(goal=15)",
    "starfrost_dicy_cards(players=3,goal=20,cards=odds sixes straight any-two no-sixes)",
    "starfrost_dice_stars",
    "starfrost_dice_stars(players=1,solo_boxes=10)",
]


@pytest.mark.parametrize("name", GAMES)
def test_open_spiel_accepts_it(name: str) -> None:
    """Its random simulation checks legal actions, chance, observations, copies, serialization and returns."""
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    assert str(pyspiel.load_game(str(game))) == str(game)


@pytest.mark.parametrize("name", GAMES)
def test_states_are_those_of_the_rules(name: str) -> None:
    game = pyspiel.load_game(name)
    rng = random.Random(2)
    state = game.new_initial_state()
    observation = make_observation(game)
    most = 0
    while not state.is_terminal():
        assert not any(state.returns())
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            most = max(most, len(outcomes))
            assert sum(share for _, share in outcomes) == pytest.approx(1)
            state.apply_action(rng.choices(*zip(*outcomes, strict=True))[0])
            continue
        seat = state.current_player()
        engine, rules = ENGINES[game.rules.name], game.rules
        packed = engine.pack([state.position.state])
        assert state.legal_actions() == np.flatnonzero(engine.make(rules).legal(packed)[0]).tolist()
        observation.set_from(state, seat)
        assert np.array_equal(observation.tensor, engine.make(rules).observe(packed)[0])
        assert observation.string_from(state, seat) == rules.position_text(state.position.state) == str(state)
        action = rng.choice(state.legal_actions())
        assert state.action_to_string(seat, action) in {str(one) for one in rules.legal_actions(state.position.state)}
        other = state.clone()
        other.apply_action(action)
        assert str(other) != str(state)
        state.apply_action(action)
        assert str(other) == str(state)
    assert 0 < most <= game.max_chance_outcomes()
    if game.num_players() > 1:
        assert sum(state.returns()) == pytest.approx(game.utility_sum()) == 1
    assert state.legal_actions() == []


def test_bad_parameters_are_refused() -> None:
    for name in ("starfrost_dicy_cards(players=9)", "starfrost_dicy_cards(goal=-4)"):
        with pytest.raises(UsageError):
            pyspiel.load_game(name)
