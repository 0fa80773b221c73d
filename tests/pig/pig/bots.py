"""A bot for Pig; the bot `random` plays every game already."""

from random import Random

from pig.game import HOLD, ROLL, Action, Pig, State

from starfrost.bots.registry import Entry


class HoldAtTwenty:
    """Hold with 20 points or more: then the next roll loses more than it gains on average."""

    name = "greedy"

    def choose(self, game: Pig, state: State, rng: Random) -> Action:
        """Return a legal action."""
        return HOLD if state.total >= 20 else ROLL


BOTS = {"greedy": Entry("pig.bots:HoldAtTwenty", "holds with 20 points")}
