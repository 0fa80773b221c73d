"""The interface that every game implements.

A `Game` is a setup (which game, how many seats, which cards, which goal) and the rules for it; a state is an
immutable, hashable value of that game. In every state either a seat or chance acts, or the game is over.
Nothing here mutates, prints, reads a clock or draws a random number on its own: the caller passes in randomness.

Seats count from 0 in code and from 1 in every text and JSON that leaves the program (records, positions, command line).
"""

from collections.abc import Hashable, Mapping
from random import Random
from typing import Any, Final, Generic, Protocol, TypeVar

from starfrost.errors import Phrase

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
    """A setup of a game and its rules."""

    @property
    def name(self) -> str:
        """The game's id in records and on the command line: `dicy-cards` or `dice-stars`."""

    @property
    def seats(self) -> int:
        """The number of seats."""

    def headers(self) -> Mapping[str, str]:
        """Return the record headers that describe this setup, such as `cards` and `goal`."""

    def start(self) -> State:
        """Return the state before the first event."""

    def actor(self, state: State) -> int:
        """Return the seat that acts (from 0), `CHANCE` or `OVER`."""

    def legal_actions(self, state: State) -> tuple[A, ...]:
        """List the acting seat's actions in a stable order; empty when no seat acts."""

    def chance_outcomes(self, state: State) -> tuple[tuple[A, int], ...]:
        """List the outcomes of chance with exact integer weights, in a stable order; empty when chance does not act."""

    def sample(self, state: State, rng: Random) -> A:
        """Draw one outcome of chance, with the probabilities of `chance_outcomes`."""

    def apply(self, state: State, action: A) -> State:
        """Return the state after an action or an outcome of chance.

        Raises IllegalAction, naming the action and what was expected, if the rules do not allow it here.
        """

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the current points of every seat."""

    def winners(self, state: State) -> tuple[int, ...]:
        """List the winning seats (from 0); empty while the game runs and for a lost solo game."""

    def starts_turn(self, state: State) -> bool:
        """Return whether the next event is the first of a turn."""

    def turn_of(self, state: State) -> int:
        """Return the seat whose turn it is, also while chance or another seat acts; after the game, the last one."""

    def view(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """Return what a seat (None: a watcher) can see, ready for JSON. Nothing is hidden in either game."""

    def parse_action(self, text: str) -> A:
        """Parse an action or an outcome of chance, with its dice in any order. Raises NotationError."""

    def position_text(self, state: State) -> str:
        """Return a state as one line of text."""

    def parse_position(self, text: str) -> State:
        """Parse a line written by `position_text`. Raises NotationError."""

    def extra_results(self, state: State) -> Mapping[str, int]:
        """Return the results in a record besides scores and winners: `solo` for the solo game."""

    def expected(self, state: State) -> Phrase:
        """Describe in words the events that are possible next, for error messages."""


def rolls_at_once(game: Game[Any, Any], state: Any) -> bool:
    """Return whether the dice follow a decision, so that nobody has to roll them; the first roll of a turn waits."""
    return game.actor(state) == CHANCE and not game.starts_turn(state)
