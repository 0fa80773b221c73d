"""Dice that nobody can rig: a secret seed, a contribution of every player, one HMAC per die.

The service makes a seed of 256 bits when a table opens and publishes its SHA-256, the commitment. Then every person who
sits down adds a contribution. Each die is HMAC-SHA256(seed, a text with the table, the contributions and the die's
place in the game); its bytes are read one by one, and a byte that would make some faces likelier is skipped.
When the table is over, the seed is published, and anybody can compute every die again.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, NoReturn

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, Game
from starfrost.games.registry import GAMES

Contribution = tuple[str, str]
"""Its source (`player`, `server` or `bot`) and its text (empty for a bot)."""

_CONTRIBUTION: Final = re.compile("([0-9]+)=(?:bot:?|(player|server):(.+))")


class Seed:
    """A secret seed: it computes HMACs, and only `unseal` shows it."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) != 32:
            raise UsageError("A seed must have 32 bytes.")
        self._secret = secret

    @classmethod
    def fresh(cls) -> "Seed":
        """Make a new seed of 256 random bits."""
        return cls(secrets.token_bytes(32))

    @property
    def commitment(self) -> str:
        """The SHA-256 of the seed: it fixes the seed and reveals nothing about it."""
        return hashlib.sha256(self._secret).hexdigest()

    def hasher(self, prefix: str) -> Callable[[str], bytes]:
        """Return a function from the rest of a text to the HMAC-SHA256 of the whole text under this seed.

        It hashes the seed and the prefix once (RFC 2104); `hmac.digest` would take twice as long for every die.
        """
        block = self._secret.ljust(64, b"\0")
        inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + prefix.encode())
        outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

        def digest(rest: str) -> bytes:
            text, whole = inner.copy(), outer.copy()
            text.update(rest.encode())
            whole.update(text.digest())
            return whole.digest()

        return digest

    def unseal(self) -> bytes:
        """Return the secret, for the store and for the end of a table."""
        return self._secret

    def __repr__(self) -> str:
        return "Seed(sealed)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A seed stays in the process that made it.")


def write_contributions(contributions: Iterable[Contribution]) -> str:
    """Return the contributions in seat order as the text in records and HMACs: `1=player:f00d 2=bot`."""
    return " ".join(
        f"{seat}={source}:{text}" if text else f"{seat}={source}"
        for seat, (source, text) in enumerate(contributions, start=1)
    )


def read_contributions(text: str) -> tuple[Contribution, ...]:
    """Parse a text of `write_contributions`. Raises UsageError."""
    found: list[Contribution] = []
    for number, word in enumerate(text.split(), start=1):
        match = _CONTRIBUTION.fullmatch(word)
        if match is None or match[1] != str(number):
            raise UsageError(
                "%(word)s is not a contribution of seat %(seat)s; expected %(seat)s=player:TEXT or %(seat)s=bot.",
                word=repr(word),
                seat=number,
            )
        found.append(("bot", "") if match[2] is None else (match[2], match[3]))
    return tuple(found)


class Line(NamedTuple):
    """A state of a game and its place in the game: the turns begun and the rolls of this turn."""

    game: Game[Any, Any]
    state: Any
    turns: int = 0
    rolls: int = 0

    @classmethod
    def start(cls, game: Game[Any, Any], position: Any = None) -> "Line":
        """Return the line before the first event of a game, or of one that begins in another position."""
        return cls(game, game.start() if position is None else position)

    def after(self, action: Any) -> "Line":
        """Return the line after the next event. Raises IllegalAction."""
        turn, roll = self.place
        rolls = roll if self.game.actor(self.state) == CHANCE else roll - 1
        return Line(self.game, self.game.apply(self.state, action), turn, rolls)

    @property
    def place(self) -> tuple[int, int]:
        """The turn and the number in it (both from 1) of a roll in this state."""
        return (self.turns + 1, 1) if self.game.starts_turn(self.state) else (self.turns, self.rolls + 1)


class FairDice:
    """The dice of one table: every outcome follows from the seed, the contributions and the place in the game."""

    __slots__ = ("_digest",)

    def __init__(self, seed: Seed, table: str, contributions: Iterable[Contribution]) -> None:
        self._digest = seed.hasher(f"starfrost-dice-1\n{table}\n{write_contributions(contributions)}\n")

    def number(self, sides: int, turn: int, roll: int, die: int, what: str) -> int:
        """Return a number from 0 to sides - 1 for a die at a place; all numbers are equally likely."""
        limit = 256 - 256 % sides
        attempt = 1
        while True:
            for byte in self._digest(f"{turn} {roll} {die} {what} {attempt}"):
                if byte < limit:
                    return byte % sides
            attempt += 1

    def outcome(self, line: Line) -> Any:
        """Return the outcome of chance in a state where chance acts."""
        turn, roll = line.place

        def draw(sides: int, die: int, what: str) -> int:
            return self.number(sides, turn, roll, die, what)

        return GAMES[line.game.name].outcome(line.game, line.state, draw)
