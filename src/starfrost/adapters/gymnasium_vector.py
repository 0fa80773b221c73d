"""Gymnasium's `VectorEnv`: one seat of many tables at once, on the vector engine.

    env = gymnasium.make_vec("starfrost.adapters.gymnasium:starfrost/DicyCards-v0", num_envs=4096)

Views, rewards and illegal actions are as in `SeatEnv`. `infos["scores"]` has the points of every seat at every table.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from starfrost.adapters.seated import SeatedBots
from starfrost.adapters.tables import TableBatch, View, others_at_random, see
from starfrost.errors import UsageError
from starfrost.vector.arrays import U32
from starfrost.vector.registry import DEFAULT

Opponents = Callable[[View], Any]
"""Choose an action for every table from the views of the acting seats; only those where an opponent acts count.

Tables whose game is over have a mask that allows everything, so that a policy needs no special case for them.
"""


class SeatVectorEnv(VectorEnv[View, np.ndarray, np.ndarray]):
    """One seat of many tables; the others play by bots, given by name, or by a function of their views.

    One name stands for all other seats; a list names them clockwise from the agent's. The bots decide for all tables at
    once, as the lab does; others, such as those from outside, one table after the other.
    """

    def __init__(
        self,
        num_envs: int = 1,
        game: str = DEFAULT,
        players: int = 1,
        seat: int = 0,
        opponents: str | Sequence[str] | Opponents = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if not 0 <= seat < players:
            raise UsageError(
                "There is no seat %(seat)s (from 0) at a table of %(players)s.", seat=seat, players=players
            )
        self.batch = TableBatch(game, players, num_envs, **options)
        self.num_envs, self.seat, self.opponents = num_envs, seat, opponents
        self._bots = None if callable(opponents) else self._seated(opponents, players)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.single_action_space, self.single_observation_space = self.batch.action_space, self.batch.view_space
        self.action_space, self.observation_space = self.batch.action_spaces, self.batch.view_spaces
        self._done = np.zeros(num_envs, bool)

    def _seated(self, opponents: str | Sequence[str], players: int) -> SeatedBots | None:
        """Return the bots of the other seats; None if all play at random, which is part of the engine."""
        names = [opponents] * (players - 1) if isinstance(opponents, str) else list(opponents)
        if len(names) != players - 1:
            raise UsageError(
                "Expected one opponent for each of the %(seats)s other seats, found %(names)s.",
                seats=players - 1,
                names=len(names),
            )
        if all(name == "random" for name in names):
            return None
        clockwise = [None, *names]
        return SeatedBots(self.batch, [clockwise[(seat - self.seat) % players] for seat in range(players)])

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Start all games, or those of `options["reset_mask"]`; table i gets the seed plus i, or its own of a list."""
        batch = self.batch
        some = (options or {}).get("reset_mask")
        if some is not None and batch.tables is not None and seed is None:
            batch.restart(np.asarray(some, bool))
            self._done = self._done & ~np.asarray(some, bool)
        else:
            super().reset(seed=seed if isinstance(seed, int) else None)
            first = seed if isinstance(seed, int) else int(self.np_random.integers(1 << 62))
            given = [None] * self.num_envs if seed is None or isinstance(seed, int) else list(seed)
            if len(given) != self.num_envs:
                raise ValueError(f"Expected a seed for each of {self.num_envs} tables, not {len(given)}.")
            batch.begin([first + i if own is None else own for i, own in enumerate(given)])
            self._done = np.zeros(self.num_envs, bool)
        self._others()
        batch.look(self.seat)
        return batch.view(), self._infos()

    def step(self, actions: Any) -> tuple[View, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Act at every table, let the others act, and return the agent's views.

        An illegal action ends its game with reward -1. A finished game starts again at the next step, which ignores its
        action (`NEXT_STEP`), at once, with the last view in `infos["final_obs"]` (`SAME_STEP`), or not (`DISABLED`).
        """
        batch, before = self.batch, self._done
        illegal = batch.play(actions, ~before)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            batch.restart(before)
        self._others()
        batch.look(self.seat)
        done = np.array(batch.tables.over)
        rewards = np.where(illegal, -1.0, np.array(batch.seen.rewards[:, self.seat], np.float64))
        if self.autoreset_mode is AutoresetMode.DISABLED:
            rewards[before] = 0.0
        infos = self._infos()
        if illegal.any():
            infos |= {"illegal": illegal, "_illegal": illegal}
        view = batch.view()
        self._done = done
        if self.autoreset_mode is AutoresetMode.SAME_STEP and done.any():
            last = np.full(self.num_envs, None, dtype=object)
            for table in np.flatnonzero(done):
                last[table] = {name: part[table] for name, part in view.items()}
            batch.restart(done)
            self._others()
            batch.look(self.seat)
            view = batch.view()
            infos = {**self._infos(), "final_obs": last, "_final_obs": done, "final_info": infos, "_final_info": done}
            self._done = np.zeros(self.num_envs, bool)
        return view, rewards, done, np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal at every table, as masked policies want it."""
        return self.batch.mask.astype(bool)

    def random_actions(self) -> np.ndarray:
        """Return a random legal action for every table; every one is possible, but not equally likely."""
        return self.batch.random_actions()

    def _infos(self) -> dict[str, Any]:
        return {"scores": np.array(self.batch.seen.scores), "_scores": np.ones(self.num_envs, bool)}

    def _others(self) -> None:
        batch = self.batch
        if self._bots is not None:
            self._bots.play()
        elif not callable(self.opponents):
            if batch.game.seats > 1:
                batch.tables = others_at_random(batch.game, batch.tables, jnp.asarray(self.seat, U32))
        else:
            while True:
                seen = see(batch.game, batch.tables)
                waits = np.asarray(seen.waits)
                theirs = waits & (np.asarray(seen.actor) != self.seat)
                if not theirs.any():
                    return
                batch.seen = seen
                view = batch.view()
                view["action_mask"][~waits] = 1
                if batch.play(self.opponents(view), theirs).any():
                    raise ValueError("An opponent chose an action that is not legal; the mask says which are.")
