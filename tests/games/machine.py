"""Games of either kind in which Hypothesis chooses every action and roll: the invariants of every position."""

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from starfrost.errors import IllegalAction
from starfrost.games.core import CHANCE, OVER, Game


class Games(RuleBasedStateMachine):
    """A random game; a subclass sets up the table and lists actions that are never or nearly legal."""

    game: Game[Any, Any]
    state: Any
    before: Any

    everything: list[Any]
    """every action that any position can allow"""

    def sit(self, game: Game[Any, Any]) -> None:
        """Begin a game."""
        self.game = game
        self.before = self.state = game.start()

    def bend(self, action: Any) -> list[Any]:
        """Return actions that differ slightly from this one."""
        raise NotImplementedError

    def reordered(self, text: str) -> str:
        """Write a roll in another order."""
        raise NotImplementedError

    def possible(self) -> tuple[Any, ...]:
        """List the possible events."""
        return self.game.legal_actions(self.state) or tuple(roll for roll, _ in self.game.chance_outcomes(self.state))

    def advance(self, action: Any) -> None:
        """Apply an action; its text must parse back to it."""
        assert self.game.parse_action(str(action)) == action
        self.before, self.state = self.state, self.game.apply(self.state, action)

    def refuse(self, actions: Iterable[Any]) -> None:
        """Check that illegal actions are refused and change nothing."""
        legal, before = set(self.possible()), hash(self.state)
        for action in actions:
            if action not in legal:
                with pytest.raises(IllegalAction):
                    self.game.apply(self.state, action)
        assert hash(self.state) == before

    @precondition(lambda self: self.game.actor(self.state) >= 0)
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        self.advance(data.draw(st.sampled_from(self.game.legal_actions(self.state))))

    @precondition(lambda self: self.game.actor(self.state) == CHANCE)
    @rule(seed=st.integers(0, 2**32))
    def roll(self, seed: int) -> None:
        action = self.game.sample(self.state, Random(seed))
        assert action in dict(self.game.chance_outcomes(self.state))
        assert self.game.parse_action(self.reordered(str(action))) == action
        self.advance(action)

    @rule(data=st.data())
    def nothing_illegal_is_accepted(self, data: st.DataObject) -> None:
        self.refuse(data.draw(st.lists(st.sampled_from(self.everything), max_size=20)))

    @rule(data=st.data())
    def nor_anything_bent(self, data: st.DataObject) -> None:
        straight = data.draw(st.sampled_from(self.possible() or (self.everything[0],)))
        self.refuse([data.draw(st.sampled_from(self.bend(straight)))])

    @rule(seed=st.integers(0, 2**32))
    def nothing_legal_is_refused(self, seed: int) -> None:
        possible = self.possible()
        for action in Random(seed).sample(possible, min(20, len(possible))):
            assert self.game.apply(self.state, action) != self.state

    @invariant()
    def somebody_can_act_until_it_is_over(self) -> None:
        actions, outcomes = self.game.legal_actions(self.state), self.game.chance_outcomes(self.state)
        actor = self.game.actor(self.state)
        assert bool(actions) == (actor >= 0)
        assert bool(outcomes) == (actor == CHANCE)
        assert len(set(actions)) == len(actions)
        assert bool(self.game.winners(self.state)) <= (actor == OVER)
        assert self.game.expected(self.state)

    @invariant()
    def the_position_reads_back(self) -> None:
        again = self.game.parse_position(self.game.position_text(self.state))
        assert again == self.state
        assert hash(again) == hash(self.state)
