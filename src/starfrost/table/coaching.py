"""Where the coach may speak, what it was asked, and games that go on from a position."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from starfrost.errors import IllegalAction, NotationError, Refused
from starfrost.fair.dice import Line
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.table.moves import Move, Moves

if TYPE_CHECKING:
    from starfrost.table.snapshot import Snapshot

CoachMode = Literal["ask", "practice"]
"""`ask`: the coach speaks when asked. `practice`: it judges every move, and every move can be taken back."""

HINT: Final = "hint"
JUDGED: Final = "judged"
TAKEN_BACK: Final = "taken-back"


class Help(NamedTuple):
    """A help that a player had: a hint before an event, a judged event, or an event that was taken back."""

    what: str
    event: int
    """The number of the event in the record, from 1."""

    def __str__(self) -> str:
        return f"{self.what}@{self.event}"


def coached_seat(table: "Snapshot") -> int | None:
    """Return the seat that the coach may help, from 0: the only person's at a running table where nobody else can sit.

    This is the one place that decides it. At a table with other people, present or away, nobody is helped; nor is
    anybody in a game whose result is compared with other people's. Where people with real dice share one device, all of
    them see what the coach says to whoever acts; a score pad has no coach.
    """
    if table.entered and len({seat.player for seat in table.seats if seat.kind != "bot"}) == 1:
        acting = table.acting
        return None if table.dice == "pad" or acting is None or table.seats[acting].kind != "person" else acting
    people = [number for number, seat in enumerate(table.seats) if seat.kind != "bot" or seat.player is not None]
    if table.status != "running" or len(people) != 1 or table.daily is not None:
        return None
    return people[0] if table.seats[people[0]].kind == "person" else None


def helped(table: "Snapshot", guest: str) -> int:
    """Return the seat (from 1) of a guest whom the coach may help. Raises Refused."""
    seat = coached_seat(table)
    if seat is None or table.seats[seat].guest != guest:
        raise Refused("no-coach", "The coach helps only in a running game in which all other players are bots.", 403)
    return seat + 1


def play_given(game: Game[Any, Any], events: Sequence[str], position: str | None = None) -> tuple[Line, Moves]:
    """Play the events of a record with which a game begins, in its first position or in one that was set up.

    Raises Refused if the rules do not allow that.
    """
    line, moves = Line.start(game), list[Move]()
    try:
        if position is not None:
            line = Line.start(game, game.parse_position(position))
            if game.actor(line.state) == OVER:
                raise IllegalAction("The game is over.")
        for text in events:
            who, _, what = text.partition(" ")
            seat = CHANCE if who == "*" else int(who) - 1
            action = game.parse_action(what)
            if seat != game.actor(line.state):
                raise IllegalAction("It is not this seat's turn.")
            moves.append(Move(seat, action, line.state))
            line = line.after(action)
    except (IllegalAction, NotationError, ValueError):
        raise Refused("bad-position", "A game cannot go on from there: these moves break the rules.", 422) from None
    return line, Moves(moves, len(moves))
