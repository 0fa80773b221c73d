"""Puzzles of any game: positions in which one action is clearly best, with the values of all others.

The puzzles that come with Starfrost are lines of JSON in one file for each game: the position, the choices with their
values (the answer first), the value of every legal action in 1/10000, the themes, a rating to begin with, and the parts
of why the answer is better than each other choice. The id of a puzzle is a hash of its position, so that an address
never leads to another puzzle.

Puzzles of one's own lie in a folder as records that stop at a decision. Such a record has four more headers: `answer`,
`gap` (how much lower the value of the next best kind of action is), `themes`, and `choices` with their values.
"""

import json
from base64 import b32encode
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import exp, log10
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, Self

from starfrost.bots.registry import make_bot
from starfrost.coach.judge import Judge, Part, Parts
from starfrost.coach.reasons import told
from starfrost.errors import NotationError, RecordError, StarfrostError, UsageError, quoted
from starfrost.games.core import Game
from starfrost.games.record import Event, Record, decode, parse_record, replay, write_record
from starfrost.games.registry import make_game
from starfrost.words import Words

HEADERS: Final = {"answer", "gap", "themes", "choices"}
PLAYERS: Final = ("Anna", "Ben", "Cleo", "Dan")

SAME: Final = 0.005
"""An action is right too if its value is lower than the answer's by less than this."""
TEMPERATURE: Final = 0.08
"""How far apart two values are if a player of rating 1500 takes the better one 2.7 times as often."""
TEMPTING: Final = 120.0
"""How much higher the rating of a puzzle is in which `greedy` goes wrong."""
RATINGS: Final = (900.0, 2200.0)


class Choice(NamedTuple):
    """An action and its value: the share of the victory of the seat that takes it."""

    action: Any
    value: float


@dataclass(frozen=True)
class Puzzle:
    """A position with its best action, and the choices with their values."""

    game: Any
    state: Any
    players: tuple[str, ...]
    answer: Any
    gap: float
    themes: tuple[str, ...]
    choices: tuple[Choice, ...]
    values: tuple[float, ...] = ()
    """The value of every legal action in the order of the rules; empty if only those of the choices are known."""
    events: tuple[Event, ...] | None = None
    """The game up to the position, if it is known."""
    why: tuple[Parts, ...] = ()
    """The parts that say why the answer is better than each other choice, as far as sentences tell them."""

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return int(self.game.actor(self.state))

    @cached_property
    def id(self) -> str:
        """The puzzle's name in addresses."""
        position = f"{self.game.name} {sorted(self.game.headers().items())} {self.game.position_text(self.state)}"
        return b32encode(sha256(position.encode()).digest())[:8].decode().lower()

    @cached_property
    def worths(self) -> Mapping[Any, float]:
        """The value of every action whose value is known."""
        if not self.values:
            return dict(self.choices)
        return dict(zip(self.game.legal_actions(self.state), self.values, strict=True))

    def is_right(self, action: Any) -> bool:
        """Return whether an action is as good as the answer."""
        return self.worths.get(action, 0.0) > self.worths[self.answer] - SAME

    def reasoned(self, judge: Judge) -> Self:
        """Return the puzzle with the parts that say why its answer is better than each other choice."""
        best, *others = self.choices
        found = [judge.parts(self.state, best.action, one.action, best.value - one.value) for one in others]
        why = [
            tuple(Part(one.part, round(one.value, 4), round(one.number, 2), one.thing) for one in told(parts))
            for parts in found
        ]
        return replace(self, why=tuple(why))

    def compared(self, action: Any) -> tuple[Any, Parts]:
        """Return the choice that an answer is of, or the next best one, and the parts by which the answer is better."""
        kinds = [self.kind(choice.action) for choice in self.choices[1:]]
        place = kinds.index(self.kind(action)) if self.kind(action) in kinds else 0
        return self.choices[1 + place].action, self.why[place] if self.why else ()

    def alternatives(self) -> list[Choice]:
        """Return one action of each kind with its value, the best first."""
        kinds: dict[Hashable, Choice] = {self.kind(self.answer): Choice(self.answer, self.worths[self.answer])}
        for action, value in self.worths.items():
            kinds.setdefault(self.kind(action), Choice(action, value))
        return sorted(kinds.values(), key=lambda choice: -choice.value)

    def rating(self) -> int:
        """Return the rating to begin with: the higher, the harder.

        It supposes that a player takes an action more often the higher its value is, and is tempted by what the bot
        `greedy` would do.
        """
        simple = make_bot("greedy", self.game).choose(self.game, self.state, Random(0))
        best = self.worths[self.answer]
        # A dozen: nobody weighs a hundred rerolls.
        others = sum(exp((choice.value - best) / TEMPERATURE) for choice in self.alternatives()[1:13])
        temptation = -TEMPTING / 2 if self.is_right(simple) else TEMPTING / 2
        low, high = RATINGS
        return round(min(high, max(low, 1500 + 400 * log10(max(others, 1e-3)) + temptation)))

    # What a game adds

    def kind(self, action: Any) -> Hashable:
        """Return the kind of an action: actions of one kind are listed once."""
        return str(action)

    def found_themes(self) -> tuple[str, ...]:
        """Return the themes that the position and the choices have."""
        return self.themes

    def facts(self) -> dict[str, Any]:
        """Return what the JSON data say besides what they say of every puzzle."""
        return {}

    # Writing and reading

    def as_json(self) -> dict[str, Any]:
        """Return the puzzle as JSON data; seats count from 1."""
        return {
            "id": self.id,
            "position": self.game.position_text(self.state),
            **self.facts(),
            "seat": self.seat + 1,
            "answer": str(self.answer),
            "gap": self.gap,
            "themes": list(self.themes),
            "choices": [{"action": str(action), "worth": value} for action, value in self.choices],
        }

    def text(self) -> str:
        """Write the puzzle as a record; its events must be known."""
        headers = {
            "answer": str(self.answer),
            "gap": f"{self.gap:.6f}",
            "themes": " ".join(self.themes),
            "choices": " | ".join(f"{action} = {value:.6f}" for action, value in self.choices),
        }
        return write_record(Record(self.game, self.players, self.events or (), headers))

    @classmethod
    def from_record(cls, text: str) -> Self:
        """Read a puzzle. Raises RecordError, or NotationError if a valid record is not a puzzle."""
        record = parse_record(text)
        game, headers = record.game, record.headers
        if not cls.is_game(game) or not headers.keys() >= HEADERS:
            raise cls.refusal()
        choices = []
        for part in headers["choices"].split(" | "):
            action, _, value = part.rpartition(" = ")
            choices.append(Choice(game.parse_action(action), _number(value)))
        found = cls(
            game,
            replay(record).final,
            record.players,
            game.parse_action(headers["answer"]),
            _number(headers["gap"]),
            tuple(headers["themes"].split()),
            tuple(choices),
            events=record.events,
        )
        found._check()
        return found

    @classmethod
    def is_game(cls, game: Game[Any, Any]) -> bool:
        """Return whether this class is for puzzles of a game."""
        return True

    @classmethod
    def refusal(cls) -> NotationError:
        """Return the error for a record that is no puzzle of this game."""
        return NotationError("This record is no puzzle: expected answer, gap, themes and choices.")

    def _check(self) -> None:
        """Raise NotationError if choices or themes do not fit."""
        legal = self.game.legal_actions(self.state)
        answer, *others = self.choices
        if not others or self.answer != answer.action or any(choice.action not in legal for choice in self.choices):
            raise NotationError("The choices do not fit: expected at least two that are allowed, the answer first.")
        if not self.themes or self.themes != self.found_themes():
            raise NotationError("The themes are not those of the position and the answer.")

    def line(self) -> str:
        """Write the puzzle as a line of a file."""
        facts = {
            "id": self.id,
            "themes": self.themes,
            "rating": self.rating(),
            "seats": self.game.seats,
            "setup": dict(self.game.headers()),
            "position": self.game.position_text(self.state),
            "gap": self.gap,
            "choices": {str(action): value for action, value in self.choices},
            "values": [round(10_000 * value) for value in self.values],
            "why": self.why,
        }
        return json.dumps(facts, separators=(",", ":"))

    @classmethod
    def from_line(cls, name: str, facts: Mapping[str, Any]) -> Self:
        """Read a puzzle of a game from what a line says."""
        game = make_game(name, facts["seats"], facts["setup"])
        choices = tuple(Choice(game.parse_action(text), value) for text, value in facts["choices"].items())
        return cls(
            game,
            game.parse_position(facts["position"]),
            PLAYERS[: game.seats],
            choices[0].action,
            facts["gap"],
            tuple(facts["themes"]),
            choices,
            tuple(value / 10_000 for value in facts["values"]),
            why=tuple(tuple(Part(*part) for part in parts) for parts in facts.get("why", ())),
        )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise NotationError("%(text)s is not a number.", text=quoted(text)) from None


class Entry(NamedTuple):
    """What a list needs to know of a puzzle."""

    id: str
    game: str
    number: int
    """The number on the command line, from 1."""
    themes: tuple[str, ...]
    rating: float
    """The rating to begin with."""


@dataclass(frozen=True)
class PuzzleSet:
    """The puzzles of a game that come with Starfrost."""

    game: str
    puzzle: type[Puzzle]
    themes: Mapping[str, str]
    """The themes by name, each with its meaning as a message."""
    lesson: Callable[[Words, Any, str], str]
    """Return a sentence or two on why the answer of a puzzle is best, from the point of view of a theme."""
    source: str
    """A message that says where the values come from."""
    file: Path

    @cached_property
    def _lines(self) -> Sequence[Mapping[str, Any]]:
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """All puzzles by id, in the order of their numbers."""
        return {
            facts["id"]: Entry(facts["id"], self.game, number, tuple(facts["themes"]), facts["rating"])
            for number, facts in enumerate(self._lines, 1)
        }

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> Puzzle:
        """Return a puzzle by its number, from 1."""
        return self.puzzle.from_line(self.game, self._lines[number - 1])

    def __iter__(self) -> Iterator[Puzzle]:
        return (self[number] for number in range(1, len(self) + 1))


def read_folder(folder: Path, read: Callable[[str], Any]) -> tuple[Any, ...]:
    """Read the puzzles of a folder in the order of their names. Raises UsageError, which names the faulty file."""
    found = []
    for path in sorted(folder.glob("*.sfr")):
        try:
            found.append(read(decode(path.read_bytes())))
        except OSError as error:
            raise UsageError("%(file)s cannot be read: %(reason)s.", file=path, reason=error.strerror) from None
        except RecordError as error:
            raise UsageError("%(file)s, line %(line)s: %(fault)s", file=path, line=error.line, fault=error) from None
        except StarfrostError as error:
            raise UsageError("%(file)s: %(fault)s", file=path, fault=error) from None
    if not found:
        raise UsageError("There is no puzzle in %(folder)s: expected files that end in .sfr.", folder=folder)
    return tuple(found)
