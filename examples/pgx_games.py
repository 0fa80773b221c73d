"""Pgx: the games as `pgx.Env`, on the vector engines. Needs `pip install 'starfrost[vector]' pgx`.

Rewards are the share of victory minus its mean, so that they sum to zero as in Pgx's own games; in the solo game they
are 1 for a win and 0 for a loss. `pgx.make` supports only Pgx's own ids, so create these classes directly.
"""

from functools import cache
from random import Random
from typing import Any, ClassVar

import jax.numpy as jnp
from pgx._src.struct import dataclass
from pgx.core import Env, State

from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.vector.arrays import U32
from starfrost.vector.registry import DEFAULT, ENGINES


@dataclass
class PgxState(State):  # type: ignore[misc]
    """A Pgx state around a packed one."""

    current_player: Any
    observation: Any
    rewards: Any
    terminated: Any
    truncated: Any
    legal_action_mask: Any
    _step_count: Any
    _packed: Any

    @property
    def env_id(self) -> Any:
        """The id, derived from the class of the packed state."""
        game = next(game for game, kit in ENGINES.items() if isinstance(self._packed, kit.state))
        return game.replace("-", "_")

    def to_svg(self, **_: Any) -> str:
        """Return the observation as plain numbers, because Pgx's visualizer supports only Pgx's games."""
        rows = jnp.atleast_2d(self.observation).tolist()
        lines = [f'<text x="4" y="{14 * (i + 1)}">{" ".join(map(str, row))}</text>' for i, row in enumerate(rows)]
        size = f'width="2400" height="{14 * len(rows) + 8}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-size="11">{"".join(lines)}</svg>'

    def save_svg(self, filename: Any, **options: Any) -> None:
        """Write `to_svg` to a file."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_svg(**options))


class PgxEnv(Env):  # type: ignore[misc]
    """A game for Pgx: `PgxDicyCards(3, goal=50)`."""

    game_id: ClassVar[str] = DEFAULT

    def __init__(self, players: int = 2, **options: Any) -> None:
        """Set up a game; the options are those of its kit, with an underscore for a dash. Raises UsageError."""
        super().__init__()
        self.game = ENGINES[self.game_id].make(Setup.of(self.game_id, players, **options).make(Random(0)))

    def _wrap(self, packed: Any, steps: Any) -> PgxState:
        game = self.game
        rewards = game.rewards(packed)
        if game.seats > 1:
            rewards = rewards - rewards.mean(axis=-1, keepdims=True)
        return PgxState(
            current_player=game.actor(packed).astype(jnp.int32),
            observation=jnp.zeros(game.observation_size, dtype=jnp.uint8),
            rewards=rewards.astype(jnp.float32),
            terminated=game.over(packed),
            truncated=jnp.bool_(False),
            legal_action_mask=game.legal(packed),
            _step_count=steps,
            _packed=packed,
        )

    def _init(self, key: Any) -> PgxState:
        return self._wrap(self.game.init(key), jnp.int32(0))

    def _step(self, state: PgxState, action: Any, key: Any) -> PgxState:
        packed = self.game.step(state._packed, jnp.asarray(action).astype(U32), key)
        return self._wrap(packed, state._step_count)

    def _observe(self, state: PgxState, player_id: Any) -> Any:
        return self.game.observe(state._packed, jnp.asarray(player_id))

    @property
    def id(self) -> Any:
        """The id, as in the states."""
        return self.game_id.replace("-", "_")

    @property
    def version(self) -> str:
        """The version of the environment's behaviour."""
        return "v0"

    @property
    def num_players(self) -> int:
        """The number of seats."""
        return int(self.game.seats)


@cache
def __getattr__(name: str) -> type[PgxEnv]:
    """Return the environment class of one game: `PgxDiceStars`, `PgxDicyCards`, one for each vector engine."""
    for game in ENGINES:
        if name == "Pgx" + GAMES[game].title.replace(" ", ""):
            return type(name, (PgxEnv,), {"game_id": game, "__module__": __name__})
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
