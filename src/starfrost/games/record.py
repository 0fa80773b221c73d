"""Game records: one text format for both games, written, parsed, replayed and checked."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from starfrost.errors import IllegalAction, NotationError, Phrase, RecordError, UsageError, quoted
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import make_game
from starfrost.games.variants import RULES, VARIANT

VERSION = "1"
VARIANT_VERSION = "1-variant"
"""The format version of games with rules of their own: readers that know only the official rules refuse it."""

POSITION_VERSION = "1-position"
"""The format version of games that begin in a position which was set up; they can have rules of their own, too."""

POSITION = "position"
"""The header with that position."""

SIZE_LIMIT = 4_000_000
"""The largest record in bytes, far more than any real game needs."""

EVENT_LIMIT = 200
"""The longest event in characters: no real event is half as long, and an error can quote it in full."""

_HEADER = re.compile(r"([^\s:]+):(?:\s+(.*))?")
_BETWEEN_NAMES = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_SEAT_NUMBERS = ("1", "2", "3", "4")
_RESULT_HEADERS = ("result", "solo", "winners")
_SEPARATOR = " | "


class Event(NamedTuple):
    """One line of a game: a seat's decision (seats from 0) or, with CHANCE, a roll."""

    seat: int
    action: Any

    def __str__(self) -> str:
        """Return the event as a line of a record."""
        return f"* {self.action}" if self.seat == CHANCE else f"{self.seat + 1} {self.action}"


@dataclass(frozen=True)
class Record:
    """A stored game: players, setup, every event, and any further headers in their order."""

    game: Game[Any, Any]
    players: tuple[str, ...]
    events: tuple[Event, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    """every header except `starfrost`, `game` and `players`: setup, results and unknown ones"""
    start: Any = None
    """the position in which the game began, if it was set up; None for the first position of the game"""
    header_lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """the line of each header in the file"""
    event_lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """the line of each event in the file"""

    @property
    def first(self) -> Any:
        """The position before the first event."""
        return self.game.start() if self.start is None else self.start


@dataclass(frozen=True)
class Replay:
    """A replayed record: `states[i]` is the position before `events[i]`, and the last state is the current one."""

    record: Record
    states: tuple[Any, ...]
    turns: int

    @property
    def final(self) -> Any:
        """The position at the end of the record."""
        return self.states[-1]

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.record.game.actor(self.final) == OVER

    @property
    def scores(self) -> tuple[int, ...]:
        """The current points."""
        return self.record.game.scores(self.final)

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats, from 0."""
        return self.record.game.winners(self.final)

    def results(self) -> dict[str, str]:
        """Return the result headers of a finished game; empty while it is unfinished."""
        return _results(self.record.game, self.final)


def _results(game: Game[Any, Any], final: Any) -> dict[str, str]:
    if game.actor(final) != OVER:
        return {}
    winners = " ".join(str(seat + 1) for seat in game.winners(final)) or "none"
    extra = {key: str(value) for key, value in game.extra_results(final).items()}
    return {**extra, "result": " ".join(map(str, game.scores(final))), "winners": winners}


def read_file(path: Path) -> str:
    """Return the text of a record file. Raises RecordError."""
    try:
        with path.open("rb") as stream:
            # Reading one byte more than allowed shows that a file is too large.
            return decode(stream.read(SIZE_LIMIT + 1))
    except OSError as error:
        raise RecordError(1, "Expected a readable file: %(reason)s.", reason=error.strerror) from None


def decode(data: bytes) -> str:
    """Decode the bytes of a record file. Raises RecordError."""
    if len(data) > SIZE_LIMIT:
        raise RecordError(
            1, "Expected a record of at most %(most)s MB; this file is larger.", most=SIZE_LIMIT // 1_000_000
        )
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordError(line, "Expected UTF-8 text; this is not a text file or is in another encoding.") from None
    if "\0" in text:
        raise RecordError(text.count("\n", 0, text.index("\0")) + 1, "Expected text; this is a binary file.")
    return text


def parse_record(text: str) -> Record:
    """Parse a record. Raises RecordError for the first error in the file."""
    lines = _numbered(text)
    version, headers, places, end = _headers(lines)
    for key in ("game", "players"):
        if key not in headers:
            raise RecordError(end, "Expected a header '%(header)s' before the first empty line.", header=key)
    names = _names(headers.pop("players"))
    if not all(names):
        raise RecordError(places["players"], "Expected a name for every player, separated by ' | '.")
    needed = {VARIANT_VERSION: RULES, POSITION_VERSION: POSITION}.get(version, "game")
    if needed != "game" and needed not in headers:
        raise RecordError(end, "Expected a header '%(header)s' before the first empty line.", header=needed)
    # In version 1 a header of this name means nothing.
    setup = {key: headers[key] for key in headers if key != RULES or version != VERSION}
    try:
        game = make_game(headers.pop("game"), len(names), setup)
    except UsageError as error:
        raise RecordError(places.get(error.about, end), error.sentence, **error.facts) from None
    if RULES in setup:
        expected, found = game.headers()[VARIANT], headers.get(VARIANT, "")
        if found.split() != expected.split():
            raise RecordError(
                places.get(VARIANT, end),
                "Expected %(expected)s; found %(found)s.",
                expected=Phrase("'%(header)s: %(value)s'", header=VARIANT, value=expected),
                found=quoted(f"{VARIANT}: {found}"),
            )
    start = None
    if version == POSITION_VERSION:
        try:
            start = game.parse_position(headers[POSITION])
        except NotationError as error:
            raise RecordError(places[POSITION], error.sentence, **error.facts) from None
    events: list[Event] = []
    numbers: list[int] = []
    for number, line in lines:
        if line:
            numbers.append(number)
            try:
                events.append(_event(game, number, line))
            except RecordError:
                # An illegal event on an earlier line is reported first.
                replay(Record(game, names, tuple(events), {}, start, event_lines=tuple(numbers)))
                raise
    return Record(game, names, tuple(events), headers, start, places, tuple(numbers))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in _BETWEEN_NAMES.split(text))


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines from 1 and leave comments out."""
    # Not splitlines(): it would also break at characters that a name can contain.
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line.startswith("#"):
            yield number, line


def _headers(lines: Iterator[tuple[int, str]]) -> tuple[str, dict[str, str], dict[str, int], int]:
    """Return the format version, the headers, the line of each, and the line on which they end."""
    number, line = next(lines, (1, ""))
    found = _HEADER.fullmatch(line)
    if number != 1 or found is None or found[1] != "starfrost":
        raise RecordError(1, "Expected 'starfrost: %(version)s' as the first line of a record.", version=VERSION)
    version = found[2] or ""
    if version not in (VERSION, VARIANT_VERSION, POSITION_VERSION):
        raise RecordError(
            1,
            "Expected format version %(version)s; this record has version %(found)s.",
            version=VERSION,
            found=quoted(version),
        )
    headers: dict[str, str] = {}
    places = {"starfrost": number}
    for number, line in lines:
        if not line:
            break
        found = _HEADER.fullmatch(line)
        if found is None:
            raise RecordError(number, "Expected a header 'key: value', or an empty line before the events.")
        key, value = found[1], found[2] or ""
        if key in places:
            raise RecordError(number, "Expected the header %(header)s only once.", header=quoted(key))
        headers[key], places[key] = value, number
    return version, headers, places, number


def _event(game: Game[Any, Any], number: int, line: str) -> Event:
    if len(line) > EVENT_LIMIT:
        raise RecordError(number, "Expected an event; this line has %(length)s characters.", length=len(line))
    who, *what = line.split(maxsplit=1)
    if who == "*":
        seat = CHANCE
    elif who in _SEAT_NUMBERS[: game.seats]:
        seat = int(who) - 1
    else:
        raise RecordError(
            number, "Expected an event that starts with '*' or a seat from 1 to %(seats)s.", seats=game.seats
        )
    try:
        return Event(seat, game.parse_action("".join(what)))
    except NotationError as error:
        raise RecordError(number, error.sentence, **error.facts) from None


def replay(record: Record) -> Replay:
    """Replay a record and check every event and its result headers. Raises RecordError."""
    game = record.game
    states = [record.first]
    turns = 0
    for index, event in enumerate(record.events):
        state = states[-1]
        turns += game.starts_turn(state)
        try:
            if event.seat != game.actor(state):
                raise IllegalAction("It is not this seat's turn.")
            states.append(game.apply(state, event.action))
        except IllegalAction:
            line = record.event_lines[index] if record.event_lines else index + 1
            raise RecordError(
                line, "Expected %(expected)s; found %(found)s.", expected=game.expected(state), found=quoted(str(event))
            ) from None
    played = Replay(record, tuple(states), turns)
    _check_results(played)
    return played


def _check_results(played: Replay) -> None:
    """Compare the result headers of a record with the results of the rules."""
    results = played.results()
    for key in _RESULT_HEADERS:
        claimed = played.record.headers.get(key)
        if claimed is None or _same(key, claimed, results.get(key, "")):
            continue
        if not played.finished:
            expected = Phrase("no header '%(header)s' while the game is unfinished", header=key)
        elif key in results:
            expected = Phrase("'%(header)s: %(value)s'", header=key, value=results[key])
        else:
            expected = Phrase("no header '%(header)s' in this game", header=key)
        found = quoted(f"{key}: {claimed}")
        raise RecordError(
            played.record.header_lines.get(key, 1),
            "Expected %(expected)s; found %(found)s.",
            expected=expected,
            found=found,
        )


def _same(key: str, claimed: str, result: str) -> bool:
    """Compare words: scores in seat order, winners in any order."""
    ours, theirs = result.split(), claimed.split()
    return bool(ours) and (sorted(ours) == sorted(theirs) if key == "winners" else ours == theirs)


def write_record(record: Record, final: Any = None) -> str:
    """Return a record as text, with the results if the game is over; unknown headers are kept.

    Without `final`, the state after the last event, the game is replayed. Raises
    RecordError if an event is not allowed, or if a name or a header cannot be written on a line of its own.
    """
    if final is None:
        final = replay(Record(record.game, record.players, record.events, start=record.start)).final
    players = _SEPARATOR.join(record.players)
    if _names(players) != record.players or len(record.players) != record.game.seats or not all(record.players):
        raise RecordError(
            1,
            "Expected %(seats)s names that hold no lone bar; found %(found)s.",
            seats=record.game.seats,
            found=quoted(players),
        )
    setup = record.game.headers()
    version = VARIANT_VERSION if RULES in setup else VERSION
    if record.first != record.game.start():
        version = POSITION_VERSION
        setup = {**setup, POSITION: record.game.position_text(record.first)}
    known = {"starfrost": version, "game": record.game.name, "players": players, **setup}
    foreign = {key: value for key, value in record.headers.items() if key not in {*known, *_RESULT_HEADERS}}
    headers = known | foreign | _results(record.game, final)
    lines = [_header(number, key, value) for number, (key, value) in enumerate(headers.items(), 1)]
    return "\n".join([*lines, "", *map(str, record.events), ""])


def _header(number: int, key: str, value: str) -> str:
    """Return a header line; refuse one that would not parse back to the same value."""
    line = f"{key}: {value.strip()}".rstrip()
    found = _HEADER.fullmatch(line)
    if found is None or found[1] != key or key.startswith("#") or _UNWRITABLE.search(line):
        raise RecordError(number, "Expected a header that stands on one line; found %(header)s.", header=quoted(line))
    return line
