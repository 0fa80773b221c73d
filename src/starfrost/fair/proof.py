"""Prove the dice of a game from its record alone."""

from typing import Final, NamedTuple

from starfrost.errors import RecordError, UsageError
from starfrost.fair.dice import FairDice, Line, Seed, read_contributions
from starfrost.games.core import CHANCE
from starfrost.games.record import Record, parse_record, replay

DICE: Final = "dice"
"""The header that says where the dice of a game come from; without it they are those of a table."""

ENTERED: Final = "entered"
"""What it says of dice that people rolled and entered."""

DEVICE: Final = "device"
"""What it says of dice that a device rolled without a server."""


class Proof(NamedTuple):
    """The facts proven: each of these rolls follows from the sealed seed and the contributions."""

    record: Record
    finished: bool
    rolls: int
    players: int
    """The number of contributions that players made themselves."""
    made_by_server: int
    """The number of contributions that the server made for players who gave none."""
    given: int
    """The number of events with which the game began: their dice were rolled elsewhere and are not proven."""
    daily: str
    """The day of the daily game, whose dice are the same for everybody; empty for any other game."""


def prove(text: str) -> Proof:
    """Check that a record follows the rules and that every die follows from the seed. Raises RecordError."""
    record = parse_record(text)
    finished = replay(record).finished
    headers, lines = record.headers, record.header_lines
    if headers.get(DICE) == DEVICE:
        raise RecordError(
            lines[DICE],
            "The device of a player rolled these dice without a server, so no seed was sealed and none can be proved.",
        )
    if headers.get(DICE) == ENTERED:
        raise RecordError(
            lines[DICE],
            "People rolled these dice themselves and entered them, so no seed was sealed and none can be proved.",
        )
    for key in ("table", "commitment"):
        if not headers.get(key):
            raise RecordError(
                1, "There is no header '%(header)s'; only games of online tables can be verified.", header=key
            )
    if not headers.get("contributions"):
        raise RecordError(1, "The game has not begun: there are no dice to prove.")
    if not headers.get("seed") and headers.get("seed-opens"):
        raise RecordError(
            lines["seed-opens"],
            "Everybody has these dice today, so the envelope is opened only at %(when)s. Download the record then.",
            when=headers["seed-opens"],
        )
    if not headers.get("seed"):
        raise RecordError(1, "The envelope is still closed: a record has its seed once the table is over or closed.")
    try:
        seed = Seed(bytes.fromhex(headers["seed"]))
    except (ValueError, UsageError):
        raise RecordError(lines["seed"], "Expected a seed of 64 hexadecimal digits.") from None
    if seed.commitment != headers["commitment"].lower():
        raise RecordError(lines["seed"], "This is not the seed that was sealed: its SHA-256 is not the commitment.")
    try:
        contributions = read_contributions(headers["contributions"])
    except UsageError as error:
        raise RecordError(lines["contributions"], error.sentence, **error.facts) from None
    if len(contributions) != record.game.seats:
        raise RecordError(
            lines["contributions"], "Expected a contribution for each of %(seats)s seats.", seats=record.game.seats
        )
    dice = FairDice(seed, headers["table"], contributions)
    line = Line.start(record.game, record.start)
    given = _given(record)
    for place, (number, event) in enumerate(zip(record.event_lines, record.events, strict=True)):
        if place >= given and event.seat == CHANCE and (fair := dice.outcome(line)) != event.action:
            raise RecordError(
                number,
                "These dice are not the sealed ones: expected '* %(fair)s', found '%(event)s'.",
                fair=fair,
                event=event,
            )
        line = line.after(event.action)
    sources = [source for source, _ in contributions]
    rolls = sum(event.seat == CHANCE for event in record.events[given:])
    day = headers.get("daily", "").partition(" ")[0]
    # Only the name under which the dice were computed proves that they are those of a day.
    daily = day if headers["table"] == f"daily-{day}" else ""
    return Proof(record, finished, rolls, sources.count("player"), sources.count("server"), given, daily)


def _given(record: Record) -> int:
    """Return how many events the game began with: a table can go on from a position of another game."""
    text = record.headers.get("given", "0")
    if not text.isdecimal() or int(text) > len(record.events):
        raise RecordError(record.header_lines["given"], "Expected the number of events with which the game began.")
    return int(text)
