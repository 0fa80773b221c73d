"""The games for OpenSpiel, and its search at Dicy Cards: `python examples/open_spiel_mcts.py [GAMES]`.

Needs `pip install 'starfrost[vector]' open_spiel`. Importing this file registers the games:

    game = pyspiel.load_game("starfrost_dicy_cards(players=3,goal=60)")

Actions have the numbers of the vector engines, outcomes of chance their place in the list of the rules. The returns are
the shares of victory. The observation tensor is that of the vector engines, and zero while chance acts; the
observation string is the position in the notation of records.
"""

import sys
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Final

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.vector.arrays import U32
from starfrost.vector.registry import DEFAULT, ENGINES

LONGEST: Final = 10_000
"""The longest game that OpenSpiel is told of; the rules of some games have no limit."""
OUTCOMES: Final = 10_000
"""More outcomes than chance has in any position: six dice have 462, three of 24 kinds 2,600."""


class Position:
    """A position with its actions by number; it never changes, so copies of a state share it."""

    def __init__(self, rules: Game[Any, Any], state: Any) -> None:
        self.rules, self.state = rules, state

    def __deepcopy__(self, memo: Any) -> "Position":
        return self

    @cached_property
    def actor(self) -> int:
        """The acting seat, `CHANCE` or `OVER`."""
        return self.rules.actor(self.state)

    @cached_property
    def actions(self) -> dict[int, Any]:
        """The legal actions, or the outcomes of chance, by number."""
        if self.actor == CHANCE:
            return {number: outcome for number, (outcome, _) in enumerate(self.rules.chance_outcomes(self.state))}
        number = ENGINES[self.rules.name].number
        return {number(self.rules, self.state, action): action for action in self.rules.legal_actions(self.state)}

    def after(self, number: int) -> "Position":
        """Return the position after an action or an outcome."""
        return Position(self.rules, self.rules.apply(self.state, self.actions[number]))


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game for OpenSpiel."""

    game_id: ClassVar[str] = DEFAULT

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Set up a game; the parameters are the number of players and the options of the kit. Raises UsageError."""
        given = dict(params or {})
        players = given.get("players") or default_players(self.game_id)
        options = {name: value for name, value in given.items() if name != "players" and value}
        self.rules: Game[Any, Any] = Setup.of(self.game_id, players, **options).make(Random(0))
        self.engine = ENGINES[self.game_id]
        self.packed = self.engine.make(self.rules)
        together = {"utility_sum": 1.0} if players > 1 else {}
        info = pyspiel.GameInfo(
            num_distinct_actions=self.packed.actions,
            max_chance_outcomes=OUTCOMES,
            num_players=players,
            min_utility=0.0,
            max_utility=1.0,
            max_game_length=LONGEST,
            **together,
        )
        super().__init__(game_type(self.game_id, alone=players == 1), info, given)

    def new_initial_state(self) -> "SpielState":
        """Return the start of a game."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """Return what observes the states of this game."""
        if params:
            raise ValueError(f"There are no parameters of observations: {params}.")
        return Observer(self)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state for OpenSpiel."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position = Position(game.rules, game.rules.start())

    def current_player(self) -> int:
        """Return the acting seat, or what OpenSpiel has for chance and the end."""
        special = {CHANCE: pyspiel.PlayerId.CHANCE, OVER: pyspiel.PlayerId.TERMINAL}
        player: int = special.get(self.position.actor, self.position.actor)
        return player

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.position.actions) if player == self.position.actor else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """List the outcomes of chance with their probabilities."""
        weights = [weight for _, weight in self.position.rules.chance_outcomes(self.position.state)]
        every = sum(weights)
        return [(number, weight / every) for number, weight in enumerate(weights)]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.position.actions[action])

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.actor == OVER

    def returns(self) -> list[float]:
        """Return every seat's share of victory; all 0 while the game runs."""
        winners = self.position.rules.winners(self.position.state)
        return [float(seat in winners) / max(len(winners), 1) for seat in range(self.position.rules.seats)]

    def __str__(self) -> str:
        return self.position.rules.position_text(self.position.state)


class Observer:
    """What a player sees: everything, because nothing is hidden."""

    def __init__(self, game: SpielGame) -> None:
        self.tensor = np.zeros(game.packed.observation_size, np.float32)
        self.dict = {"observation": self.tensor}
        self._game = game

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the tensor with what a player sees of a state."""
        position, game = state.position, self._game
        if position.actor == CHANCE:
            self.tensor.fill(0)
        else:
            packed = game.engine.pack([position.state])
            self.tensor[:] = game.packed.observe(packed, np.array([player], dtype=U32))[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the position."""
        return str(state)


def default_players(game: str) -> int:
    """Return the number of players if none is given."""
    return min(seats for seats in GAMES[game].seats if seats > 1)


def game_type(game: str, *, alone: bool = False) -> Any:
    """Return the description of a game for OpenSpiel."""
    kit = GAMES[game]
    utility = pyspiel.GameType.Utility
    parameters: dict[str, Any] = {"players": default_players(game)}
    # OpenSpiel needs a default; 0 and the empty text stand for the rules' own.
    parameters |= {option.name.replace("-", "_"): 0 if option.most else "" for option in kit.options}
    return pyspiel.GameType(
        short_name=f"starfrost_{game.replace('-', '_')}",
        long_name=kit.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=utility.GENERAL_SUM if alone else utility.CONSTANT_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(kit.seats),
        min_num_players=min(kit.seats),
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


def register() -> None:
    """Add the games to OpenSpiel's registry; importing this module does it."""
    for game in ENGINES:
        if (kind := game_type(game)).short_name not in pyspiel.registered_names():
            pyspiel.register_game(kind, type(f"Spiel{kind.long_name}", (SpielGame,), {"game_id": game}))


register()


def duel(games: int, simulations: int = 300, goal: int = 8) -> float:
    """Play the search against a random player in alternating seats; return its share of the victories."""
    game = pyspiel.load_game(f"starfrost_dicy_cards(goal={goal})")
    rng = np.random.RandomState(1)
    won = 0.0
    for number in range(games):
        seat = number % 2
        search = mcts.MCTSBot(game, 1.0, simulations, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        bots = [search, pyspiel.make_uniform_random_bot(1 - seat, number)]
        won += pyspiel.evaluate_bots(game.new_initial_state(), bots[::-1] if seat else bots, number)[seat]
    return won / games


if __name__ == "__main__":
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"the search won {duel(games):.0%} of {games} games")
