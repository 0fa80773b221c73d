"""The reference engine with numbered actions and array observations, the same as in the vector engines."""

from random import Random
from typing import Any

import numpy as np

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.vector.arrays import U32
from starfrost.vector.dice_stars import reference as stars_reference
from starfrost.vector.dice_stars.engine import VectorStars
from starfrost.vector.dicy_cards import reference as dicy_reference
from starfrost.vector.dicy_cards.engine import VectorDicy

__all__ = ["NumberedGame"]


class NumberedGame:
    """One game under way: acts by number, shows arrays, rolls its own dice from a seeded source."""

    def __init__(
        self,
        game: str = "dice-stars",
        players: int = 2,
        cards: tuple[str, ...] = MODES["glacial"].cards,
        goal: int = 100,
        solo_boxes: int = 30,
    ) -> None:
        self.rules: DicyCards | DiceStars
        self.packed: VectorDicy | VectorStars
        if game == "dicy-cards":
            self.rules = DicyCards(players, tuple(cards), goal)
            self.packed = VectorDicy(players, tuple(cards), goal)
        elif game == "dice-stars":
            self.rules = DiceStars(players, solo_boxes)
            self.packed = VectorStars(players, solo_boxes)
        else:
            raise UsageError(
                "There is no game %(game)s; expected %(one)s or %(other)s.",
                game=repr(game),
                one="dicy-cards",
                other="dice-stars",
            )
        self.actions = self.packed.actions
        self.observation_size = self.packed.observation_size
        self.players = players
        self.state: Any = None

    def reset(self, rng: Random) -> None:
        """Start a new game."""
        self.rng = rng
        self.state = self.rules.start()
        self._roll()

    def _roll(self) -> None:
        rules: Any = self.rules
        while rules.actor(self.state) == CHANCE:
            self.state = rules.apply(self.state, rules.sample(self.state, self.rng))

    @property
    def actor(self) -> int:
        """Who acts; `OVER` when the game has ended."""
        return self.rules.actor(self.state)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.actor == OVER

    def number(self, action: Any) -> int:
        """Give the number of an action of the reference engine here."""
        if isinstance(self.rules, DicyCards):
            return dicy_reference.action_number(self.rules.cards, self.state.dice, action)
        return stars_reference.action_number(action)

    def action(self, number: int) -> Any:
        """Give the action of the reference engine that a number means here; None if it is not legal."""
        for action in self.rules.legal_actions(self.state):
            if self.number(action) == number:
                return action
        return None

    def mask(self) -> np.ndarray:
        """Give the legal actions as an int8 mask; all 0 when the game has ended."""
        mask = np.zeros(self.actions, dtype=np.int8)
        mask[[self.number(action) for action in self.rules.legal_actions(self.state)]] = 1
        return mask

    def observe(self, seat: int) -> np.ndarray:
        """Give a seat's view as the vector engines do."""
        packed: Any = self.packed
        pack: Any = dicy_reference.pack if isinstance(self.rules, DicyCards) else stars_reference.pack
        view: np.ndarray = packed.observe(pack([self.state]), np.array([seat], dtype=U32))[0]
        return view

    def apply(self, action: Any) -> None:
        """Play an action of the reference engine and roll what then is to be rolled."""
        rules: Any = self.rules
        self.state = rules.apply(self.state, action)
        self._roll()

    def rewards(self) -> list[float]:
        """Share the victory among the winners; nothing for anybody while the game runs."""
        winners = self.rules.winners(self.state)
        return [float(seat in winners) / max(len(winners), 1) for seat in range(self.players)]
