"""Puzzles of Dice Stars: positions in which one action is clearly best, by the network and by rollouts.

The format is that of the puzzles of Dicy Cards: a record that stops at a decision, with the headers `answer`, `gap`,
`themes` and `choices`. Values are estimates: the answer's is the network's, and each other choice is lower by what the
rollouts on the same dice show. `python -m starfrost.coach.dice_stars_puzzles FOLDER` finds new ones by self-play.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from starfrost.coach.dice_stars import StarsJudge
from starfrost.coach.estimate import Option
from starfrost.coach.puzzles import HEADERS, puzzle_headers, puzzle_text, read_folder
from starfrost.errors import NotationError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import Action, DiceStars, Phase, State
from starfrost.games.record import Event, Record, parse_record, replay
from starfrost.words import mark

GAP: Final = (0.03, 0.3)
"""The least and the greatest gap by the network: the answer is clearly best, but not obvious."""
TOLERANCE: Final = 0.02
"""How much a value may differ on another machine, where sums are rounded differently."""

THEMES: Final = {
    "take-the-stars": mark("take the stars"),
    "leave-the-stars": mark("leave the stars"),
    "choose-the-line": mark("choose the line"),
    "how-many-dice": mark("how many dice"),
    "keep-or-return": mark("keep or return the reserve"),
}


class Choice(NamedTuple):
    """An action and its estimated share of the victory for the seat that decides."""

    action: Action
    value: float


@dataclass(frozen=True)
class StarsPuzzle:
    """A position with its best action, and the choices with their values."""

    record: Record
    state: State
    answer: Action
    gap: float
    themes: tuple[str, ...]
    choices: tuple[Choice, ...]

    @property
    def game(self) -> DiceStars:
        assert isinstance(self.record.game, DiceStars)
        return self.record.game

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.state.seat

    def as_json(self) -> dict[str, Any]:
        """Return the puzzle as JSON data; seats count from 1."""
        return {
            "position": self.game.position_text(self.state),
            "estimate": True,
            "seat": self.seat + 1,
            "answer": str(self.answer),
            "gap": self.gap,
            "themes": list(self.themes),
            "choices": [{"action": str(choice.action), "worth": choice.value} for choice in self.choices],
        }

    def text(self) -> str:
        """Write the puzzle as a record."""
        return puzzle_text(self.record, self.answer, self.gap, self.themes, self.choices)


def read_puzzle(text: str) -> StarsPuzzle:
    """Read a puzzle. Raises RecordError, or NotationError if a valid record is not a puzzle."""
    record = parse_record(text)
    game = record.game
    if not isinstance(game, DiceStars) or not record.headers.keys() >= HEADERS:
        raise NotationError("This record is no puzzle: expected Dice Stars, and answer, gap, themes and choices.")
    state: State = replay(record).final
    answer, gap, themes, found = puzzle_headers(record)
    if themes != themes_of(game, state, answer):
        raise NotationError("The themes are not those of the position and the answer.")
    return StarsPuzzle(record, state, answer, gap, themes, tuple(Choice(action, value) for action, value in found))


@lru_cache(maxsize=1)
def puzzles() -> tuple[StarsPuzzle, ...]:
    """Return the shipped puzzles in the order of their numbers."""
    return read_folder(Path(str(files("starfrost.coach") / "data" / "dice-stars-puzzles")), read_puzzle)


def themes_of(game: DiceStars, state: State, answer: Action) -> tuple[str, ...]:
    """Return the themes of a position with its best action."""
    if state.phase is Phase.REFILL:
        return ("keep-or-return",)
    if state.phase is not Phase.TAKE:
        return ("how-many-dice",)
    if str(answer).startswith("take stars"):
        return ("take-the-stars",)
    stars = any(str(action).startswith("take stars") for action in game.legal_actions(state))
    return ("leave-the-stars",) if stars else ("choose-the-line",)


def puzzle_at(judge: StarsJudge, record: Record, state: State, options: Sequence[Option]) -> StarsPuzzle | None:
    """Return the puzzle of a position, given its actions with the best first; None unless rollouts prove it."""
    seat, chosen = state.seat, list(options[:2])
    for option in options[2:]:
        # Star takes that differ only in their rows would fill all places.
        kinds = [str(other.action).split()[:2] for other in chosen]
        if len(chosen) < 4 and str(option.action).split()[:2] not in kinds:
            chosen.append(option)
    answer = chosen[0]
    choices = [Choice(answer.action, round(answer.shares[seat], 6))]
    for option in chosen[1:]:
        found = judge.compare(state, answer.action, option.action)
        if not found.proved:
            return None
        choices.append(Choice(option.action, round(answer.shares[seat] - found.mean[seat], 6)))
    choices[1:] = sorted(choices[1:], key=lambda choice: -choice.value)
    gap = round(choices[0].value - choices[1].value, 6)
    return StarsPuzzle(record, state, answer.action, gap, themes_of(judge.game, state, answer.action), tuple(choices))


def verify(puzzle: StarsPuzzle) -> bool:
    """Return whether rollouts prove the answer better than every other choice, by what the puzzle says."""
    judge = StarsJudge(puzzle.game)
    for choice in puzzle.choices[1:]:
        found = judge.compare(puzzle.state, puzzle.answer, choice.action)
        said = puzzle.choices[0].value - choice.value
        if not found.proved or abs(found.mean[puzzle.seat] - said) > TOLERANCE:
            return False
    return True


def find_puzzles(game: DiceStars, rng: Random) -> Iterator[StarsPuzzle]:
    """Play a game by the network, with some random actions, and yield its positions that make a puzzle."""
    judge = StarsJudge(game)
    names = ("Anna", "Ben", "Cleo", "Dan")[: game.seats]
    state, events = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            options = judge.options(state)
            action = options[0].action
            if len(options) > 1 and GAP[0] <= options[0].shares[actor] - options[1].shares[actor] <= GAP[1]:
                undecided = 0.12 < options[0].shares[actor] < 0.95
                found = puzzle_at(judge, Record(game, names, tuple(events)), state, options) if undecided else None
                if found is not None:
                    yield found
            if rng.random() < 0.12:
                action = rng.choice(options[:6]).action
        events.append(Event(actor, action))
        state = game.apply(state, action)


def main() -> None:
    """Write puzzles into a folder, at most two per game; table sizes alternate."""
    parser = argparse.ArgumentParser(prog="python -m starfrost.coach.dice_stars_puzzles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    number = game = 0
    while number < chosen.count:
        rng = Random(f"{chosen.seed} {game}")
        for found in islice(find_puzzles(DiceStars((2, 1, 3, 4)[game % 4]), rng), min(2, chosen.count - number)):
            number += 1
            (chosen.folder / f"{number:03}.sfr").write_text(found.text(), encoding="utf-8")
        game += 1


if __name__ == "__main__":
    main()
