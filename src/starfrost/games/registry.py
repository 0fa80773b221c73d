"""The games by id, and the parts of their kits.

Other distributions add games of their own by an entry point that names the game's kit:

    [project.entry-points."starfrost.games"]
    pig = "pig.kit:KIT"
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Generic, NoReturn, TypeVar, overload

from starfrost.errors import UsageError, quoted
from starfrost.games.core import Game
from starfrost.games.kit import GameKit
from starfrost.plugins import entry_points, load

T = TypeVar("T")
Default = TypeVar("Default")

_OWN: Final = {
    "dicy-cards": "starfrost.games.dicy_cards.kit:KIT",
    "dice-stars": "starfrost.games.dice_stars.kit:KIT",
}


class Games(Mapping[str, GameKit]):
    """The kits by game id: first our own, then those of other distributions. A kit is imported when it is used."""

    @staticmethod
    def _reference(game: str) -> str | None:
        # Entry points are read only for a game that is not ours: reading them takes some milliseconds.
        return _OWN.get(game) or entry_points("starfrost.games").get(game)

    def __getitem__(self, game: str) -> GameKit:
        """Return the kit of a game. Raises UsageError, listing the games there are."""
        reference = self._reference(game)
        if reference is None:
            _unknown(game, self)
        kit: GameKit = load(reference)
        return kit

    def __contains__(self, game: object) -> bool:
        return isinstance(game, str) and self._reference(game) is not None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the game ids in a stable order."""
        return iter({**_OWN, **entry_points("starfrost.games")})

    def __len__(self) -> int:
        return len(list(iter(self)))


GAMES: Final = Games()


class Part(Generic[T]):
    """One part of every game's kit, such as its words; it is imported when it is first used."""

    def __init__(self, name: str) -> None:
        """Name the field of `GameKit` that names the part as `module:attribute`."""
        self._name = name

    def _reference(self, game: object) -> str:
        return str(getattr(GAMES[game], self._name)) if isinstance(game, str) and game in GAMES else ""

    def __getitem__(self, game: str) -> T:
        """Return this part of a game. Raises UsageError, listing the games that have it."""
        reference = self._reference(game)
        if not reference and game in GAMES:
            raise UsageError(
                "%(game)s does not have the part %(part)s; games that have it: %(games)s.",
                "game",
                game=GAMES[game].title,
                part=quoted(self._name),
                games=", ".join(self),
            )
        if not reference:
            _unknown(game, self)
        part: T = load(reference)
        return part

    @overload
    def get(self, game: str) -> T | None: ...

    @overload
    def get(self, game: str, default: Default) -> T | Default: ...

    def get(self, game: str, default: Any = None) -> Any:
        """Return this part of a game, or the default if the game has none."""
        reference = self._reference(game)
        return load(reference) if reference else default

    def __contains__(self, game: object) -> bool:
        return bool(self._reference(game))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the games that have this part."""
        return (game for game in GAMES if game in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def items(self) -> Iterator[tuple[str, T]]:
        """Iterate over ids and parts."""
        return ((game, self[game]) for game in self)


def _unknown(game: str, known: Games | Part[Any]) -> NoReturn:
    raise UsageError(
        "There is no game %(game)s; expected one of %(games)s.", "game", game=quoted(game), games=", ".join(known)
    )


def make_game(name: str, seats: int, headers: Mapping[str, str]) -> Game[Any, Any]:
    """Make a game from its id, its number of seats and its record headers. Raises UsageError."""
    known = (option.name for option in GAMES[name].options)
    return _made(name, seats, tuple((key, headers[key]) for key in known if key in headers))


@lru_cache(maxsize=64)
def _made(name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> Game[Any, Any]:
    """Cache games, so that thousands of records with the same headers share their tables."""
    return GAMES[name].make(seats, dict(headers))
