"""Bots by name in the seats of many tables: decisions for all tables at once where the bots can, else one by one."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from starfrost.adapters.tables import TableBatch, act, waiting
from starfrost.batch.chance import BotRandom, luck_keys
from starfrost.batch.registry import BATCHES
from starfrost.bots import progress
from starfrost.bots.registry import make_bot
from starfrost.errors import UsageError
from starfrost.vector.arrays import U32


class SeatedBots:
    """The bots of a batch of tables in seat order; None where somebody else plays.

    A bot's luck follows from the seed and the clock of its table, so it decides the same at once and one by one.
    """

    def __init__(self, batch: TableBatch, names: Sequence[str | None]) -> None:
        """Seat the bots, with their tables solved. Raises UsageError."""
        rules, kit = batch.rules, BATCHES.get(batch.rules.name)
        self.batch, self.names = batch, names
        self.single = [make_bot(name, rules) if name is not None else None for name in names]
        if batch.kit.unpack is None:
            raise UsageError("Bots do not play on the vector engine of %(game)s.", game=rules.name)
        given = [name for name in names if name is not None]
        progress.solve(rules, given, lambda share: None)
        quick = {name for name in given if kit is not None and kit.chooser is not None and kit.size(rules, [name]) > 1}
        self.at_once = np.array([name in quick for name in names])
        """The seats whose bots decide for many tables at once."""
        # The other seats need a name too, though they never act here.
        seated = [name if name in quick else min(quick) for name in names] if quick else []
        self.chooser = kit.chooser(rules, seated) if quick and kit is not None and kit.chooser is not None else None

    def play(self) -> None:
        """Let the bots act until none of them is to act at any table."""
        batch = self.batch
        here = jnp.asarray([name is not None for name in self.names])
        while True:
            actor, waits = (np.asarray(part) for part in waiting(batch.game, batch.tables, here))
            if not waits.any():
                return
            batch.tables = act(batch.game, batch.tables, jnp.asarray(self.choices(actor, waits)), jnp.asarray(waits))

    def choices(self, actor: np.ndarray, where: np.ndarray) -> np.ndarray:
        """Return what the bots of the acting seats choose at some tables; anything at the others."""
        chosen, at_once = np.zeros(self.batch.count, np.int64), where & self.at_once[actor]
        for places, choose in ((at_once, self._choose_at_once), (where & ~at_once, self._choose_singly)):
            here = np.flatnonzero(places)
            if len(here):
                chosen[here] = choose(here)
        return chosen

    def _choose_at_once(self, here: np.ndarray) -> np.ndarray:
        assert self.chooser is not None
        return self.chooser(*self._positions(here))

    def _choose_singly(self, here: np.ndarray) -> np.ndarray:
        rules, kit = self.batch.rules, self.batch.kit
        assert kit.unpack is not None
        packed, luck, clock = self._positions(here)
        found = []
        for state, (one, two), decision in zip(kit.unpack(rules, packed), luck.tolist(), clock.tolist(), strict=True):
            bot = self.single[rules.actor(state)]
            assert bot is not None
            found.append(kit.number(rules, state, bot.choose(rules, state, BotRandom((one, two), decision))))
        return np.array(found, np.int64)

    def _positions(self, here: np.ndarray) -> tuple[object, np.ndarray, np.ndarray]:
        """Return the packed positions of some tables, the keys of the bots' luck there, and their clocks."""
        tables = self.batch.tables
        packed = jax.tree.map(lambda part: np.asarray(part)[here], tables.state)
        keys = np.stack([np.asarray(tables.low)[here], np.asarray(tables.high)[here]], axis=-1).astype(U32)
        return packed, np.ascontiguousarray(luck_keys(keys, "table")), np.asarray(tables.clock)[here].astype(np.int64)
