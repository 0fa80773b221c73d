"""A table as one guest may see it: what is not in a `TableView` never leaves the service.

Seats count from 1 here, as in every text and JSON that leaves the program.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple

from starfrost.errors import mark
from starfrost.games.core import Game
from starfrost.games.registry import GAMES
from starfrost.table.moves import Move

Status = Literal["waiting", "running", "over", "closed"]
SeatKind = Literal["open", "person", "bot"]

NOBODY: Final = mark("a guest")
"""The name of a person who has been deleted."""

DiceSource = Literal["sealed", "entered", "pad"]
"""Where a table's dice come from: from its sealed seed, or from people who roll real dice and enter them. `pad` says
the same of a table that is no more than a score pad: it shows points, but no hints, and the device is not passed on.
"""

HURRY: Final = "hurry"
REACTIONS = ("clap", "laugh", "wow", "sigh", "heart", HURRY)

_SUMMARY = ("id", "version", "status", "game", "headers", "mode", "clock", "seats", "acting", "scores", "winners")


class Guest(NamedTuple):
    """A person with a name; whoever holds a token is this guest."""

    id: str
    name: str


class Watchers(NamedTuple):
    """Who watches a table: guests, and the number of streams without a guest."""

    guests: frozenset[str]
    anonymous: int
    looking: frozenset[str] = frozenset()
    """Those of the guests who have the table before their eyes."""


class DailyTable(NamedTuple):
    """What makes a table one of the daily game."""

    day: str
    """The day in UTC, such as `2026-11-16`."""
    counts: bool
    """Whether this is the guest's first attempt; any other is practice."""
    opens: float
    """When the envelope with the day's seed is opened."""


class SeatChange(NamedTuple):
    """A seat that a bot took over from a person during the game, or gave back."""

    step: int
    """The number of moves before it."""
    seat: int
    what: str
    """`left`, `clock`, `resigned` or `gone` for a bot that takes over; `back` or `joined` for a person who does."""
    name: str
    """The person."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as one guest may see it."""

    seat: int
    kind: SeatKind
    name: str
    bot: str | None = None
    yours: bool = False
    present: bool = False
    vacated: bool = False
    """A bot plays for a person who left and may come back."""
    reserved: bool = False
    kept_for_you: bool = False
    contribution: str | None = None
    source: str = "bot"
    """Who made the contribution: player, server or bot."""
    away: str | None = None
    """Why a bot took the seat over from a person: left, clock, resigned or gone."""
    takeable: bool = False
    """Whether the guest may take the seat from the bot that holds it."""
    free_at: float | None = None
    """When the guest may take the seat from the bot that holds it, if its player is not back before; else None."""
    program: bool = False
    """Whether whoever sits here says that they are a program."""


@dataclass(frozen=True, slots=True)
class TableView:
    """One version of a table as one guest may see it."""

    id: str
    version: int
    status: Status
    game: Game[Any, Any]
    state: Any
    """The position of the game now."""
    moves: Sequence[Move]
    """The moves that stand, each with the position before it."""
    seats: tuple[SeatView, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    mode: str | None = None
    clock: str = "none"
    deadline: float | None = None
    public: bool = False
    host: bool = False
    host_name: str = ""
    """The name of whoever opened the table, once they sit there."""
    invitation: str | None = None
    acting: int | None = None
    """The seat that the table waits for, also when it waits for a roll."""
    legal: tuple[Any, ...] = ()
    """The actions that the guest may take now; `ROLL` when the dice wait to be rolled, `ENTER` to be entered."""
    undo: tuple[int, ...] = ()
    """The guest's seats that may take back their last move."""
    held: float | None = None
    """Until when bots wait for the guest to take back the last move; None if they do not wait."""
    commitment: str = ""
    seed: str | None = None
    previous: str | None = None
    rematch: str | None = None
    offered: int | None = None
    """The seat whose player offered the rematch; None if it was somebody else."""
    room: str | None = None
    """The room in which the table was opened."""
    undone: int | None = None
    """The seat whose player has just taken a move back."""
    first: int | str | None = None
    """Who begins, as the host chose: a seat of the list that the table was opened with, or `random`."""
    watchers: int = 0
    gone: int | None = None
    """The seat whose person is waited for and has been away so long that the others may let a bot play."""
    paused: bool = False
    """Everybody has left or run out of time: the bots wait until somebody comes back."""
    upgrading: bool = False
    """A newer version has written the next event: the table waits until this server is upgraded."""
    member: bool = False
    """Whether the guest plays here, or did until a bot took over."""
    changes: Sequence[SeatChange] = ()
    coach: str = ""
    """Whether the guest may ask the coach now: `ask`, or `practice` where it judges every move; empty if not."""
    practice: bool = False
    given: int = 0
    """The number of moves with which the game began, played elsewhere."""
    helps: Sequence[str] = ()
    """What the coach was asked, and what was taken back in practice, each with the number of its event."""
    daily: DailyTable | None = None
    dice: DiceSource = "sealed"
    """Where the dice come from."""

    @property
    def mine(self) -> tuple[int, ...]:
        """Return the guest's seats."""
        return tuple(seat.seat for seat in self.seats if seat.yours)

    @property
    def for_one(self) -> bool:
        """Return whether the table is for one person among bots."""
        return sum(seat.kind != "bot" for seat in self.seats) == 1

    def state_at(self, step: int) -> Any:
        """Return the position after a number of moves."""
        return self.moves[step].before if step < len(self.moves) else self.state

    def json(self) -> dict[str, Any]:
        """Return the view as the JSON interface shows it."""
        game, state = self.game, self.state
        ender = GAMES[game.name].last_round(game, state)
        return {
            "id": self.id,
            "version": self.version,
            "status": self.status,
            "game": game.name,
            "headers": dict(self.headers),
            "mode": self.mode,
            "clock": self.clock,
            "deadline": self.deadline,
            "public": self.public,
            "host": self.host,
            "invitation": self.invitation,
            "seats": [asdict(seat) for seat in self.seats],
            "acting": self.acting,
            "turn": game.turn_of(state) + 1,
            "last_round": None if ender is None else ender + 1,
            "legal": [str(action) for action in self.legal],
            "undo": list(self.undo),
            "state": game.view(state, self.mine[0] - 1 if self.mine else None),
            "scores": list(game.scores(state)),
            "winners": [seat + 1 for seat in game.winners(state)],
            "commitment": self.commitment,
            "seed": self.seed,
            "previous": self.previous,
            "rematch": self.rematch,
            "first": self.first,
            "watchers": self.watchers,
            "gone": self.gone,
            "paused": self.paused,
            "member": self.member,
            "practice": self.practice,
            "dice": self.dice,
            "helps": list(self.helps),
            "daily": self.daily._asdict() if self.daily else None,
            "reactions": list(REACTIONS),
        }

    def summary(self) -> dict[str, Any]:
        """Return the part of the JSON that lists of tables show."""
        shown = self.json()
        return {name: shown[name] for name in _SUMMARY}
