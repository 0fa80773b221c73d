"""The result of a finished game for each of its seats, as the store keeps it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from starfrost.games.setup import variant_of
from starfrost.table.moves import Move
from starfrost.table.snapshot import Seat, Snapshot

PEOPLE: Final = "people"
"""Stands for other guests in `Result.against`."""
DEVICE: Final = "device"
"""Stands for other seats of the same guest in `Result.against`."""
VARIANT: Final = "variant:"
"""Stands before the name of a variant in `Result.mode`."""
HERE: Final = "here-"
"""The beginning of the ids of games that were played on a device without the server."""
_LONGEST: Final = 200


class Result(NamedTuple):
    """What a finished game brought one seat."""

    table_id: str
    seat: int
    """The seat, from 1."""
    guest: str | None
    """Who played here, or did until a bot took over; None for a bot's own seat."""
    bot: str | None
    """The bot that sat here at the end."""
    name: str
    game: str
    mode: str | None
    seats: int
    against: str
    """The other seats: names of bots, `PEOPLE`, `DEVICE`, each once, in order, with a plus sign between them."""
    counts: bool
    """Whether the result says something about the guest: not with several seats of one guest, help or a variant."""
    score: int
    lead: int
    """The points ahead of the best other seat; 0 in a game alone."""
    share: float
    """The share of the victory; nothing for a guest who left the game to a bot."""
    turns: int
    at: float
    """When the game ended."""
    room: str | None = None
    """The room of the table."""

    @property
    def rated(self) -> bool:
        """Whether the game changes the guest's level: it counts, and there were others."""
        return self.guest is not None and self.counts and self.seats > 1


class HistoryEntry(NamedTuple):
    """A finished game in a guest's list."""

    mine: Result
    seats: tuple[Result | None, ...]
    """The result of every seat; None for somebody who deleted their data."""


def results_of(table: Snapshot, state: Any, moves: Sequence[Move], at: float) -> tuple[Result, ...]:
    """Return the results of a game that ends in this state after all these moves."""
    game = table.game
    scores, winners = game.scores(state), game.winners(state)
    turns = [0] * game.seats
    for move in moves:
        if game.starts_turn(move.before):
            turns[game.turn_of(move.before)] += 1
    # What the coach was asked, a practice game, one that began with moves played elsewhere, a position
    # that was set up, or dice that people entered.
    aided = table.coach == "practice" or table.start is not None or table.entered
    helped = bool(table.helps or table.given or aided)
    variant = variant_of(game)
    mode = f"{VARIANT}{variant['name']}" if variant else table.mode
    found = []
    for number, seat in enumerate(table.seats):
        others = [score for other, score in enumerate(scores) if other != number]
        against = _against(table.seats, number)
        left = seat.player is not None and seat.kind == "bot"
        found.append(
            Result(
                table.id,
                number + 1,
                seat.player,
                seat.bot if seat.kind == "bot" else None,
                seat.name,
                game.name,
                mode,
                game.seats,
                "+".join(against)[:_LONGEST],
                DEVICE not in against and not helped and variant is None,
                scores[number],
                scores[number] - max(others, default=scores[number]),
                1 / len(winners) if number in winners and not left else 0.0,
                turns[number],
                at,
                table.room,
            )
        )
    return tuple(found)


def _against(seats: Sequence[Seat], number: int) -> list[str]:
    me = seats[number].player
    return sorted(
        {
            str(other.bot) if other.player is None else DEVICE if other.player == me else PEOPLE
            for place, other in enumerate(seats)
            if place != number
        }
    )
