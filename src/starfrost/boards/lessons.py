"""Lessons: short chapters on the real board with prepared dice, and a final check. All of it is played by the rules.

A chapter begins in a position and goes through steps. At a step the learner reads what happens, or is asked for one
action; other actions that the rules allow are explained. The address holds the step, so nothing else needs to be kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from starfrost.errors import IllegalAction
from starfrost.games.core import CHANCE
from starfrost.games.record import Event

ROLL: Final = "roll"
"""What the learner does at the start of a turn where the dice wait for it, as a table's form names it."""

CHECK: Final = "check"
"""The final check in addresses, where a chapter has its number."""


class PlayedTurn(NamedTuple):
    """Events and the positions around them: `states[i]` is the position before `events[i]`."""

    events: tuple[Event, ...]
    states: tuple[Any, ...]


@dataclass(frozen=True)
class Scene:
    """A position of a game, and events that are played from there."""

    game: Any
    position: str = ""
    """The position as the game writes it; empty for the start of a game."""
    events: str = ""
    """Lines of a record, separated by line breaks or semicolons."""
    learner: int = 0
    """The learner's seat, from 0."""

    @cached_property
    def played(self) -> PlayedTurn:
        """The events, played by the rules. Raises IllegalAction and NotationError."""
        start = self.game.parse_position(self.position) if self.position else self.game.start()
        return play_on(self.game, PlayedTurn((), (start,)), self.events)


def play_on(game: Any, before: PlayedTurn, lines: str) -> PlayedTurn:
    """Play further lines of a record. Raises IllegalAction and NotationError."""
    events, states = list(before.events), list(before.states)
    for line in filter(None, map(str.strip, lines.replace(";", "\n").splitlines())):
        who, _, text = line.partition(" ")
        event = Event(CHANCE if who == "*" else int(who) - 1, game.parse_action(text))
        if event.seat != game.actor(states[-1]):
            raise IllegalAction("It is not this seat's turn.")
        events.append(event)
        states.append(game.apply(states[-1], event.action))
    return PlayedTurn(tuple(events), tuple(states))


@dataclass(frozen=True)
class Step:
    """A text at one moment of a chapter, and what happens next."""

    say: str
    do: str = ""
    """What the learner is asked to do; empty where there is only something to read."""
    action: str = ""
    """The action that is asked for: `roll`, or notation."""
    then: str = ""
    """The events that follow: dice, and the turns of others."""
    other: Mapping[str, str] = field(default_factory=dict)
    """What is explained when another action is tried, by the beginning of its notation."""
    choice: tuple[str, ...] = ()
    """The kinds of action that the learner chooses from; empty for that of the action that is asked for."""
    scene: Scene | None = None
    """The position in which the step begins, if that is not where the step before it ended."""
    points_at: str = ""
    """The part of the board that the step speaks of, if the board can point at it."""
    table: Sequence[Sequence[str]] = ()
    """Rows of a small table below the text; the first cell of a row says what it holds."""

    def offers(self, action: str) -> bool:
        """Return whether the board offers an action here: the learner sees no buttons that the step is not about."""
        return action.split()[0] in (self.choice or self.action.split()[:1])


@dataclass(frozen=True)
class Chapter:
    """A part of a lesson that takes about a minute."""

    id: str
    title: str
    scene: Scene
    steps: Sequence[Step]
    end: str

    @cached_property
    def stops(self) -> tuple[PlayedTurn, ...]:
        """For every step, and for the end, what was played before it. Raises IllegalAction and NotationError."""
        found = [self.scene.played]
        for step in self.steps:
            if step.scene:
                found[-1] = step.scene.played
            decision = f"{self.scene.learner + 1} {step.action};" if step.action not in ("", ROLL) else ""
            found.append(play_on(self.scene.game, found[-1], decision + step.then))
        return tuple(found)


@dataclass(frozen=True)
class Question:
    """A position of the final check: the actions after which `worth` is highest are right."""

    scene: Scene
    ask: str
    hint: str
    """What is said after a first wrong answer."""
    answer: str
    """Why the right answer is right."""
    worth: Callable[[Any, Any, Any], int]
    """Judges the position after an action, given the game and the position before it."""

    @cached_property
    def right(self) -> tuple[Any, ...]:
        """The right actions, as the rules judge them."""
        game, before = self.scene.game, self.scene.played.states[-1]
        worth = {action: self.worth(game, before, game.apply(before, action)) for action in game.legal_actions(before)}
        return tuple(action for action, value in worth.items() if value == max(worth.values()))


@dataclass(frozen=True)
class Lesson:
    """The chapters of a game, in order, and its final check."""

    chapters: Sequence[Chapter]
    questions: Sequence[Question]
    other: Mapping[str, str]
    """What is explained when an action is tried that no step explains, by the beginning of its notation."""

    def explain(self, step: Step, action: str) -> str:
        """Return why a step does not ask for an action; of the beginnings that fit, the longest decides."""
        for texts in (step.other, self.other):
            fitting = [start for start in texts if f"{action} ".startswith(f"{start} ") or not start]
            if fitting:
                return texts[max(fitting, key=len)]
        return ""


@dataclass(frozen=True)
class Progress:
    """What a reader has learnt of a game: the chapters that are done, and answers of the check by number."""

    done: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str) -> "Progress":
        """Read what `str` wrote; a reader may have changed it."""
        return cls(frozenset(text.split(".")) - {""} if len(text) < 400 else frozenset())

    def __str__(self) -> str:
        return ".".join(sorted(self.done))

    def finish(self, chapter: str) -> "Progress":
        """Add a chapter."""
        return Progress(self.done | {chapter})

    def answer(self, number: int, right: bool) -> "Progress":
        """Note whether a question of the check was answered at the first try; an earlier answer is replaced."""
        return Progress((self.done - {f"{number}y", f"{number}n"}) | {f"{number}{'y' if right else 'n'}"})

    def answered(self, number: int) -> bool | None:
        """Return whether a question was answered at the first try; None before an answer."""
        return True if f"{number}y" in self.done else False if f"{number}n" in self.done else None

    def next_chapter(self, lesson: Lesson) -> int | None:
        """Return the number of the first chapter, from 1, that is not done; None if all are."""
        return next((n for n, chapter in enumerate(lesson.chapters, 1) if chapter.id not in self.done), None)

    def passed(self, lesson: Lesson) -> int:
        """Return how many questions were answered at the first try."""
        return sum(self.answered(number) is True for number in range(1, len(lesson.questions) + 1))

    def checked(self, lesson: Lesson) -> bool:
        """Return whether all questions were answered."""
        return all(self.answered(number) is not None for number in range(1, len(lesson.questions) + 1))
