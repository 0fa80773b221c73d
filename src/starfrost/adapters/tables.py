"""Many tables of one game on the vector engine, for environments that step all of them at once.

Table i has its own chance, decided by its seed alone: it plays the same with any number of other tables. A key of the
engine is the table's seed and its clock, which counts the steps of the table and never starts again.
"""

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from starfrost.errors import UsageError
from starfrost.games.setup import Setup
from starfrost.vector.arrays import U32, Array
from starfrost.vector.game import VectorGame, choose
from starfrost.vector.registry import ENGINES

View = dict[str, np.ndarray]
"""The observations (`observation`, uint8) and the legal actions (`action_mask`, int8) of one seat at every table."""


class Tables(NamedTuple):
    """The tables of a batch."""

    state: Any
    over: Array
    """Whether the game is over, by the rules or by an illegal action."""
    clock: Array
    low: Array
    high: Array
    """The two words of the seed."""

    @property
    def key(self) -> tuple[Array, Array]:
        """The key of the next step."""
        return self.low, self.clock ^ self.high


class Seen(NamedTuple):
    """What can be seen of the tables, on the device."""

    actor: Array
    waits: Array
    """Whether a seat acts."""
    observation: Array
    legal: Array
    """The legal actions, as bits of words."""
    rewards: Array
    scores: Array


@partial(jax.jit, static_argnames=("game",))
def begin(game: VectorGame[Any], low: Array, high: Array) -> Tables:
    """Start a game at every table."""
    start = Tables(None, jnp.zeros(low.shape, bool), jnp.zeros_like(low), low, high)
    return start._replace(state=game.init(start.key), clock=start.clock + U32(1))


@partial(jax.jit, static_argnames=("game",))
def restart(game: VectorGame[Any], tables: Tables, where: Array) -> Tables:
    """Start a new game at some tables."""
    state = choose(where, game.init(tables.key), tables.state)
    return tables._replace(state=state, over=tables.over & ~where, clock=tables.clock + where.astype(U32))


@partial(jax.jit, static_argnames=("game",))
def act(game: VectorGame[Any], tables: Tables, action: Array, where: Array) -> Tables:
    """Apply legal actions at some tables."""
    where = where & ~tables.over
    state = choose(where, game.step(tables.state, action.astype(U32), tables.key), tables.state)
    return tables._replace(state=state, over=tables.over | game.over(state), clock=tables.clock + where.astype(U32))


@partial(jax.jit, static_argnames=("game",))
def others_at_random(game: VectorGame[Any], tables: Tables, seat: Array) -> Tables:
    """Let random players act until it is the turn of `seat` everywhere."""

    def wait(tables: Tables) -> Array:
        return ~tables.over & (game.actor(tables.state) != seat)

    def step(tables: Tables) -> Any:
        return act(game, tables, game.random_action(tables.state, tables.key), wait(tables))

    after: Tables = jax.lax.while_loop(lambda tables: wait(tables).any(), step, tables)
    return after


@partial(jax.jit, static_argnames=("game",))
def waiting(game: VectorGame[Any], tables: Tables, seats: Array) -> tuple[Array, Array]:
    """Return the acting seats, and where one of the given seats (a flag for each) is to act."""
    actor = game.actor(tables.state)
    return actor, ~tables.over & seats[actor]


@partial(jax.jit, static_argnames=("game",))
def random_actions(game: VectorGame[Any], tables: Tables) -> Array:
    """Return a random legal action for every table."""
    # Another salt than that of the clock, so that random opponents and a random agent never share their luck.
    return game.random_action(tables.state, (tables.low ^ U32(0x5BD1E995), tables.clock ^ tables.high))


@partial(jax.jit, static_argnames=("game",))
def see(game: VectorGame[Any], tables: Tables, seat: Array | None = None) -> Seen:
    """Return what a seat sees of every table; None: the acting seat."""
    actor, state = game.actor(tables.state), tables.state
    looking = actor if seat is None else jnp.broadcast_to(seat, actor.shape)
    waits = ~tables.over
    mine = waits & (looking == actor)
    mask = jnp.where(mine[..., None], game.legal_words(state), U32(0))
    rewards = jnp.where(tables.over[..., None], game.rewards(state), 0.0)
    return Seen(actor, waits, game.observe(state, looking), mask, rewards, game.scores(state))


class TableBatch:
    """A number of tables, the spaces of their views and actions, and the seeds of their chance."""

    def __init__(self, game: str, players: int, count: int, **options: Any) -> None:
        """Set up the tables; the options are those of the game's kit, with an underscore for a dash.

        Raises UsageError.
        """
        if count < 1:
            raise UsageError("The number of tables must be at least 1, not %(number)s.", number=count)
        self.kit = ENGINES[game]
        self.rules = Setup.of(game, players, **options).make(Random(0))
        self.game: VectorGame[Any] = self.kit.make(self.rules)
        self.count = count
        self.action_space = spaces.Discrete(self.game.actions)
        self.view_space: Any = spaces.Dict(
            observation=spaces.Box(0, 255, (self.game.observation_size,), np.uint8),
            action_mask=spaces.Box(0, 1, (self.game.actions,), np.int8),
        )
        self.action_spaces = batch_space(self.action_space, count)
        self.view_spaces = batch_space(self.view_space, count)
        self.tables: Any = None
        self.seen: Any = None

    def begin(self, seeds: Sequence[int]) -> None:
        """Start a game at every table, with one seed each."""
        words = np.array([(seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF) for seed in seeds], np.uint32)
        # The clock is small, so a scattered second word keeps the keys of seeds that differ there apart.
        self.tables = begin(self.game, jnp.asarray(words[:, 0]), jnp.asarray(words[:, 1] * U32(0x9E3779B9)))

    def look(self, seat: int | None = None) -> None:
        """Look at every table from a seat; None: the acting seat."""
        self.seen = see(self.game, self.tables, None if seat is None else jnp.asarray(seat, U32))

    def view(self) -> View:
        """Return what was seen last."""
        return {"observation": np.array(self.seen.observation), "action_mask": self.mask}

    @property
    def mask(self) -> np.ndarray:
        """The legal actions of what was seen last, one row of 0 and 1 for each table."""
        words = np.asarray(self.seen.legal)
        # Unpacked here rather than on the device: the words travel eight times as fast.
        bits = np.unpackbits(words.astype("<u4", copy=False).view(np.uint8), axis=-1, bitorder="little")
        mask: np.ndarray = bits[:, : self.game.actions].view(np.int8)
        return mask

    def random_actions(self) -> np.ndarray:
        """Return a random legal action for every table; every one is possible, but not equally likely."""
        return np.array(random_actions(self.game, self.tables)).astype(np.int64)

    def play(self, actions: Any, where: np.ndarray) -> np.ndarray:
        """Apply the acting seats' actions at some tables, end those with an illegal one, and return which these are."""
        chosen = np.asarray(actions).astype(np.int64)
        if chosen.shape != (self.count,):
            raise ValueError(f"Expected one action for each of {self.count} tables, not an array of {chosen.shape}.")
        known = (chosen >= 0) & (chosen < self.game.actions)
        place = np.where(known, chosen, 0)
        words = np.asarray(self.seen.legal)[np.arange(self.count), place >> 5]
        legal = known & ((words >> (place & 31).astype(U32)) & U32(1) != 0)
        self.tables = act(self.game, self.tables, jnp.asarray(np.where(legal, chosen, 0)), jnp.asarray(legal & where))
        illegal: np.ndarray = where & ~legal & np.asarray(self.seen.waits)
        if illegal.any():
            self.tables = self.tables._replace(over=self.tables.over | jnp.asarray(illegal))
        return illegal

    def restart(self, where: np.ndarray) -> None:
        """Start a new game at some tables."""
        if where.any():
            self.tables = restart(self.game, self.tables, jnp.asarray(where))
