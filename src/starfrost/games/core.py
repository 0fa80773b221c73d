"""The one contract that both games keep.

A `Game` is a set-up (which game, how many seats, which cards, which goal) and the rules for it; a state is an
immutable, hashable value that the game understands. Somebody acts in every state: a seat, chance, or nobody
because the game is over. Nothing here mutates, prints, reads a clock or draws a random number on its own: randomness
is handed in.

Seats count from 0 in code and from 1 in every text and JSON that leaves the program (records, positions, command line).
"""

from collections.abc import Hashable, Mapping
from random import Random
from typing import Any, Final, Generic, Protocol, TypeVar

from starfrost.errors import Phrase

__all__ = ["CHANCE", "OVER", "Action", "Game", "State"]

CHANCE: Final = -1
"""The actor of a state that waits for dice."""

OVER: Final = -2
"""The actor of a finished game."""

State = TypeVar("State", bound=Hashable)
"""A position of a game: immutable and hashable. Two equal states have the same future."""


class Action(Protocol):
    """A decision of a seat or an outcome of chance: hashable, and `str(action)` is its record notation."""

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...


A = TypeVar("A", bound=Action)


class Game(Protocol, Generic[State, A]):
    """A set-up of a game and its rules."""

    @property
    def name(self) -> str:
        """The game's id in records and on the command line: `dicy-cards` or `dice-stars`."""

    @property
    def seats(self) -> int:
        """The number of seats."""

    def headers(self) -> Mapping[str, str]:
        """Give the record headers that describe this set-up, such as `cards` and `goal`."""

    def start(self) -> State:
        """Give the state before the first event."""

    def actor(self, state: State) -> int:
        """Say who acts: a seat (from 0), `CHANCE` or `OVER`."""

    def legal_actions(self, state: State) -> tuple[A, ...]:
        """List the acting seat's actions in a stable order; empty when no seat acts."""

    def chance_outcomes(self, state: State) -> tuple[tuple[A, int], ...]:
        """List the outcomes of chance with exact integer weights, in a stable order; empty when chance does not act."""

    def sample(self, state: State, rng: Random) -> A:
        """Draw one outcome of chance, with the probabilities of `chance_outcomes`."""

    def apply(self, state: State, action: A) -> State:
        """Give the state after an action or an outcome of chance.

        Raises IllegalAction, naming the action and what was expected, if the rules do not allow it here.
        """

    def scores(self, state: State) -> tuple[int, ...]:
        """Count every seat's points as they stand."""

    def winners(self, state: State) -> tuple[int, ...]:
        """List the winning seats (from 0); empty while the game runs and for a lost solo game."""

    def starts_turn(self, state: State) -> bool:
        """Say whether the next event is the first of a turn."""

    def turn_of(self, state: State) -> int:
        """Say whose turn it is, also while chance or an affected seat acts; the last seat to play when it is over."""

    def view(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """Give what a seat (None: a watcher) may see, ready for JSON. Both games are wholly public."""

    def parse_action(self, text: str) -> A:
        """Read the notation of an action or an outcome of chance, in any order of dice. Raises NotationError."""

    def position_text(self, state: State) -> str:
        """Write a state on one line."""

    def parse_position(self, text: str) -> State:
        """Read what `position_text` wrote. Raises NotationError."""

    def extra_results(self, state: State) -> Mapping[str, int]:
        """Give the results a record holds beyond scores and winners: `solo` for the solo game."""

    def expected(self, state: State) -> Phrase:
        """Say in words what the next event may be, for errors that a person reads."""
