"""Game records: one text format for both games, written, parsed, replayed and checked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from starfrost.errors import RecordError, StarfrostError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import make_game

__all__ = ["SIZE_LIMIT", "VERSION", "Event", "Record", "Replay", "decode", "parse_record", "replay", "write_record"]

VERSION = "1"
SIZE_LIMIT = 4_000_000
"""Bytes: far more than the longest game that anybody finishes."""

_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?:\s+(.*))?")
_RESULT_HEADERS = ("result", "solo", "winners")
_SEPARATOR = " | "


class Event(NamedTuple):
    """One line of a game: a seat's decision (seats from 0) or, with CHANCE, what dice showed."""

    seat: int
    action: Any
    line: int = 0

    def __str__(self) -> str:
        """Write the event as a record's line."""
        return f"* {self.action}" if self.seat == CHANCE else f"{self.seat + 1} {self.action}"


@dataclass(frozen=True)
class Record:
    """A game as it is kept: players, set-up, every event, and any further headers in their order."""

    game: Game[Any, Any]
    players: tuple[str, ...]
    events: tuple[Event, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    """every header but `starfrost`, `game` and `players`: set-up, results and those of others"""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """where each header stood"""


@dataclass(frozen=True)
class Replay:
    """A record played through: `states[i]` is the position before `events[i]`, the last one where it stands now."""

    record: Record
    states: tuple[Any, ...]
    turns: int

    @property
    def final(self) -> Any:
        """Give the position where the record ends."""
        return self.states[-1]

    @property
    def finished(self) -> bool:
        """Say whether the game is over."""
        return self.record.game.actor(self.final) == OVER

    @property
    def scores(self) -> tuple[int, ...]:
        """Give the points as they stand."""
        return self.record.game.scores(self.final)

    @property
    def winners(self) -> tuple[int, ...]:
        """Give the winning seats, from 0."""
        return self.record.game.winners(self.final)

    def results(self) -> dict[str, str]:
        """Give the headers that a finished game has, none otherwise."""
        if not self.finished:
            return {}
        winners = " ".join(str(seat + 1) for seat in self.winners) or "none"
        extra = {key: str(value) for key, value in self.record.game.extra_results(self.final).items()}
        return {**extra, "result": " ".join(map(str, self.scores)), "winners": winners}


def decode(data: bytes) -> str:
    """Turn the bytes of a file into the text of a record. Raises RecordError."""
    if len(data) > SIZE_LIMIT:
        raise RecordError(1, f"Expected a record of at most {SIZE_LIMIT // 1_000_000} MB; this file is larger.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordError(line, "Expected UTF-8 text; this is not a text file or is in another encoding.") from None
    if "\0" in text:
        raise RecordError(text.count("\n", 0, text.index("\0")) + 1, "Expected text; this is a binary file.")
    return text


def parse_record(text: str) -> Record:
    """Read a record's headers and events, without playing them. Raises RecordError."""
    lines = _numbered(text)
    headers, places = _headers(lines)
    for key in ("game", "players"):
        if key not in headers:
            raise RecordError(1, f"Expected a header '{key}' before the first empty line.")
    names = tuple(name.strip() for name in headers.pop("players").split(_SEPARATOR.strip()))
    if not all(names):
        raise RecordError(places["players"], "Expected a name for every player, separated by ' | '.")
    try:
        game = make_game(headers.pop("game"), len(names), headers)
    except StarfrostError as error:
        raise RecordError(_blame(str(error), places), str(error)) from None
    events = tuple(_event(game, number, line) for number, line in lines if line)
    return Record(game, names, events, headers, places)


def _blame(sentence: str, places: Mapping[str, int]) -> int:
    """Find the header that a set-up error speaks of."""
    if "no game" in sentence:
        return places["game"]
    if "players" in sentence:
        return places["players"]
    key = next((key for key in ("goal", "solo-boxes") if key in sentence.split(":")[0]), "cards")
    return places.get(key, 1)


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines from 1 and leave comments out."""
    # Only line feeds end a line here: splitlines() would also break at characters that a name may hold.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("#"):
            yield number, line.strip()


def _headers(lines: Iterator[tuple[int, str]]) -> tuple[dict[str, str], dict[str, int]]:
    number, line = next(lines, (1, ""))
    found = _HEADER.fullmatch(line)
    if number != 1 or found is None or found[1] != "starfrost":
        raise RecordError(1, f"Expected 'starfrost: {VERSION}' as the first line of a record.")
    if found[2] != VERSION:
        raise RecordError(1, f"Expected format version {VERSION}; this record has version '{found[2] or ''}'.")
    headers: dict[str, str] = {}
    places: dict[str, int] = {}
    for number, line in lines:
        if not line:
            break
        found = _HEADER.fullmatch(line)
        if found is None:
            raise RecordError(number, "Expected a header 'key: value', or an empty line before the events.")
        key, value = found[1], found[2] or ""
        if key in headers or key == "starfrost":
            raise RecordError(number, f"Expected the header '{key}' only once.")
        headers[key], places[key] = value, number
    return headers, places


def _event(game: Game[Any, Any], number: int, line: str) -> Event:
    who, _, what = line.partition(" ")
    if who == "*":
        seat = CHANCE
    elif len(who) == 1 and who in "123456789" and int(who) <= game.seats:
        seat = int(who) - 1
    else:
        raise RecordError(number, f"Expected an event that starts with '*' or a seat from 1 to {game.seats}.")
    try:
        return Event(seat, game.parse_action(what), number)
    except StarfrostError as error:
        raise RecordError(number, str(error)) from None


def replay(record: Record) -> Replay:
    """Play a record through and check every event and the results it claims. Raises RecordError."""
    game = record.game
    states = [game.start()]
    turns = 0
    for index, event in enumerate(record.events, 1):
        state = states[-1]
        line = event.line or index
        if event.seat != game.actor(state):
            raise RecordError(line, f"Expected {game.expected(state)}; found '{event}'.")
        turns += game.starts_turn(state)
        try:
            states.append(game.apply(state, event.action))
        except StarfrostError:
            raise RecordError(line, f"Expected {game.expected(state)}; found '{event}'.") from None
    played = Replay(record, tuple(states), turns)
    _check_results(played)
    return played


def _check_results(played: Replay) -> None:
    """Compare the results that a record claims with those of the rules."""
    results = played.results()
    for key in _RESULT_HEADERS:
        claimed = played.record.headers.get(key)
        if claimed is None or claimed.split() == results.get(key, "").split() != []:
            continue
        if not played.finished:
            expected = f"no header '{key}' while the game is unfinished"
        elif key in results:
            expected = f"'{key}: {results[key]}'"
        else:
            expected = f"no header '{key}' in this game"
        raise RecordError(played.record.lines.get(key, 1), f"Expected {expected}; found '{key}: {claimed}'.")


def write_record(record: Record) -> str:
    """Write a record, with the results where the game is over; foreign headers are kept. Raises RecordError."""
    played = replay(Record(record.game, record.players, record.events))
    kept = {key: value for key, value in record.headers.items() if key not in _RESULT_HEADERS}
    headers = {
        "starfrost": VERSION,
        "game": record.game.name,
        "players": _SEPARATOR.join(record.players),
        **record.game.headers(),
        **kept,
        **played.results(),
    }
    lines = [f"{key}: {value}".rstrip() for key, value in headers.items()]
    return "\n".join([*lines, "", *map(str, record.events), ""])
