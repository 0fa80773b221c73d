"""Dice nobody can rig: a sealed seed, everybody's randomness, one HMAC a die.

The service seals a seed of 256 bits when a table opens and publishes its SHA-256, the commitment. Then every person who
sits down adds a contribution. Each die is HMAC-SHA256(seed, a text that names the table, the contributions and the
die's place in the game); its bytes are read one by one, and a byte that would make some faces likelier is thrown away.
When the table is over the seed is shown, and anybody can compute every die again.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Any, NoReturn

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, Game
from starfrost.games.registry import GAMES

Contribution = tuple[str, str]
"""Who made it (`player`, `server` or `bot`) and the text (empty for a bot)."""


class Seed:
    """A sealed envelope: it answers with HMACs and shows what is inside only when it is opened on purpose."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) != 32:
            raise UsageError("A seed has 32 bytes.")
        self._secret = secret

    @classmethod
    def fresh(cls) -> "Seed":
        """Make a new seed of 256 random bits."""
        return cls(secrets.token_bytes(32))

    @property
    def commitment(self) -> str:
        """Give the SHA-256 of the seed: it fixes the seed and tells nothing about it."""
        return hashlib.sha256(self._secret).hexdigest()

    def digest(self, text: str) -> bytes:
        """Give HMAC-SHA256 of a text under this seed."""
        return hmac.digest(self._secret, text.encode(), "sha256")

    def unseal(self) -> bytes:
        """Open the envelope: for the store, and for the end of a table."""
        return self._secret

    def __repr__(self) -> str:
        return "Seed(sealed)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A seed stays in the process that made it.")


def write_contributions(contributions: Iterable[Contribution]) -> str:
    """Write the contributions in seat order, the text that records and HMACs carry: `1=player:f00d 2=bot`."""
    return " ".join(
        f"{seat}={source}:{text}" if text else f"{seat}={source}"
        for seat, (source, text) in enumerate(contributions, start=1)
    )


def read_contributions(text: str) -> tuple[Contribution, ...]:
    """Read what `write_contributions` wrote. Raises UsageError."""
    found: list[Contribution] = []
    for number, word in enumerate(text.split(), start=1):
        seat, equals, rest = word.partition("=")
        source, _, value = rest.partition(":")
        if (
            seat != str(number)
            or not equals
            or source not in {"player", "server", "bot"}
            or bool(value) == (source == "bot")
        ):
            raise UsageError(
                "%(word)s is no contribution of seat %(seat)s; expected %(seat)s=player:TEXT or %(seat)s=bot.",
                word=repr(word),
                seat=number,
            )
        found.append((source, value))
    return tuple(found)


class Line:
    """A line of play and its place in the game: the state, the turns begun and the rolls of this turn; immutable."""

    __slots__ = ("game", "rolls", "state", "turns")

    def __init__(self, game: Game[Any, Any], state: Any, turns: int = 0, rolls: int = 0) -> None:
        self.game = game
        self.state = state
        self.turns = turns
        self.rolls = rolls

    @classmethod
    def start(cls, game: Game[Any, Any]) -> "Line":
        """Stand before the first event of a game."""
        return cls(game, game.start())

    def after(self, action: Any) -> "Line":
        """Give the line one event on. Raises IllegalAction."""
        game = self.game
        turns, rolls = self.turns, self.rolls
        if game.starts_turn(self.state):
            turns, rolls = turns + 1, 0
        if game.actor(self.state) == CHANCE:
            rolls += 1
        return Line(game, game.apply(self.state, action), turns, rolls)

    @property
    def place(self) -> tuple[int, int]:
        """Give the turn and the roll (both from 1) that dice falling now would have."""
        if self.game.starts_turn(self.state):
            return self.turns + 1, 1
        return self.turns, self.rolls + 1


class FairDice:
    """The dice of one table: every outcome follows from the seed, the contributions and the place in the game."""

    __slots__ = ("_prefix", "_seed")

    def __init__(self, seed: Seed, table: str, contributions: Iterable[Contribution]) -> None:
        self._seed = seed
        self._prefix = f"starfrost-dice-1\n{table}\n{write_contributions(contributions)}\n"

    def number(self, sides: int, turn: int, roll: int, die: int, what: str) -> int:
        """Draw a number from 0 to sides - 1 for a place; every number is equally likely."""
        limit = 256 - 256 % sides
        attempt = 1
        while True:
            for byte in self._seed.digest(f"{self._prefix}{turn} {roll} {die} {what} {attempt}"):
                if byte < limit:
                    return byte % sides
            attempt += 1

    def outcome(self, line: Line) -> Any:
        """Return the outcome of chance in a state where chance acts."""
        turn, roll = line.place

        def draw(sides: int, die: int, what: str) -> int:
            return self.number(sides, turn, roll, die, what)

        return GAMES[line.game.name].outcome(line.game, line.state, draw)
