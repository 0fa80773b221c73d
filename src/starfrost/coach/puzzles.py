"""Puzzles: positions with one clearly best action, found in games and stored as records.

A puzzle is a record that stops at a decision and has four more headers: `answer` is the best action, `gap` how much
lower the value of the next best kind of action is, `themes` what the puzzle teaches, and `choices` three or four
actions of different kinds with their values, the answer first. `starfrost.coach.puzzle_mining` finds new ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, Final

from starfrost.errors import NotationError, RecordError, StarfrostError, UsageError, quoted
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.games.record import Event, Record, decode, parse_record, replay, write_record
from starfrost.solver.adviser import ActionValue, Adviser
from starfrost.words import mark

HEADERS: Final = {"answer", "gap", "themes", "choices"}

GAP: Final = (0.04, 0.25)
"""The least and the greatest gap: the answer is clearly best, but not obvious."""

PAIR_CARDS: Final = ("two-pairs", "double-pair", "same-fives")
"""The cards that equal dice serve."""

THEMES: Final = {
    "skip-now": mark("skip now"),
    "freeze-the-odd-one": mark("freeze the card you can spare"),
    "wake-the-right-card": mark("reset the right card"),
    "keep-for-the-straight": mark("keep for the straight"),
    "keep-the-pairs": mark("keep the pairs"),
    "score-now": mark("score now"),
    "score-the-last-card": mark("score the last card"),
    "roll-on": mark("keep rolling"),
    "save-the-big-card": mark("save the big card"),
    "last-turn": mark("the last turn"),
}


@dataclass(frozen=True)
class Puzzle:
    """A position with its best action, and the choices with their values."""

    record: Record
    state: State
    answer: Action
    gap: float
    themes: tuple[str, ...]
    choices: tuple[ActionValue, ...]

    @property
    def game(self) -> DicyCards:
        assert isinstance(self.record.game, DicyCards)
        return self.record.game

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.game.actor(self.state)

    def as_json(self) -> dict[str, Any]:
        """Return the puzzle as JSON data; seats count from 1."""
        return {
            "position": self.game.position_text(self.state),
            "cards": list(self.game.cards),
            "goal": self.game.goal,
            "seat": self.seat + 1,
            "answer": str(self.answer),
            "gap": self.gap,
            "themes": list(self.themes),
            "choices": [{"action": str(choice.action), "worth": choice.value} for choice in self.choices],
        }

    def text(self) -> str:
        """Write the puzzle as a record."""
        return puzzle_text(self.record, self.answer, self.gap, self.themes, self.choices)


def puzzle_text(
    record: Record, answer: object, gap: float, themes: Sequence[str], choices: Sequence[tuple[Any, float]]
) -> str:
    """Write a puzzle of any game as a record."""
    headers = {
        **record.headers,
        "answer": str(answer),
        "gap": f"{gap:.6f}",
        "themes": " ".join(themes),
        "choices": " | ".join(f"{action} = {value:.6f}" for action, value in choices),
    }
    return write_record(Record(record.game, record.players, record.events, headers))


def puzzle_headers(record: Record) -> tuple[Any, float, tuple[str, ...], list[tuple[Any, float]]]:
    """Return the answer, the gap, the themes and the choices of a puzzle. Raises NotationError if they do not fit."""
    game, headers = record.game, record.headers
    legal = game.legal_actions(replay(record).final)
    choices = []
    for part in headers["choices"].split(" | "):
        action, _, value = part.rpartition(" = ")
        choices.append((game.parse_action(action), _number(value)))
    answer = game.parse_action(headers["answer"])
    if len(choices) < 2 or answer != choices[0][0] or any(action not in legal for action, _ in choices):
        raise NotationError("The choices do not fit: expected at least two that are allowed, the answer first.")
    return answer, _number(headers["gap"]), tuple(headers["themes"].split()), choices


def read_puzzle(text: str) -> Puzzle:
    """Read a puzzle. Raises RecordError, or NotationError if a valid record is not a puzzle."""
    record = parse_record(text)
    game = record.game
    if not isinstance(game, DicyCards) or game.seats != 2 or not record.headers.keys() >= HEADERS:
        raise NotationError(
            "This record is no puzzle: expected Dicy Cards with two players, and answer, gap, themes and choices."
        )
    state: State = replay(record).final
    answer, gap, themes, found = puzzle_headers(record)
    choices = tuple(ActionValue(action, value) for action, value in found)
    if not themes or themes != _themes(game, state, choices):
        raise NotationError("The themes are not those of the position and the answer.")
    return Puzzle(record, state, answer, gap, themes, choices)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise NotationError("%(text)s is not a number.", text=quoted(text)) from None


@lru_cache(maxsize=1)
def puzzles() -> tuple[Puzzle, ...]:
    """Return the shipped puzzles in the order of their numbers."""
    return read_folder(Path(str(files("starfrost.coach") / "data" / "puzzles")))


def read_folder(folder: Path, read: Callable[[str], Any] = read_puzzle) -> tuple[Any, ...]:
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


def _kind(game: DicyCards, state: State, action: Action) -> tuple[str, ...]:
    """Return the kind of an action.

    Selections of a card with the same points are of one kind; so are a skip and a reroll with the last active card,
    after which only a skip is left.
    """
    if action.verb == "score":
        return ("score", action.card, str(dict(options(action.card, state.dice))[action.dice]))
    if action.verb == "reroll" and state.active[state.seat].bit_count() == 1:
        return ("skip", "", "")
    return tuple(action)


def _by_kind(adviser: Adviser, state: State) -> list[ActionValue]:
    """List one action of each kind, the best first."""
    kinds: dict[tuple[str, ...], ActionValue] = {}
    # The engine lists the skip last; here it represents its kind.
    for choice in sorted(adviser.action_values(state), key=lambda choice: choice.action.verb != "skip"):
        kinds.setdefault(_kind(adviser.game, state, choice.action), choice)
    return sorted(kinds.values(), key=lambda choice: -choice.value)


def active_cards(game: DicyCards, state: State, seat: int) -> list[str]:
    """List the active cards of a seat."""
    return [card for place, card in enumerate(game.cards) if state.active[seat] >> place & 1]


def most_points(cards: Sequence[str], dice: str) -> tuple[int, str]:
    """Return the most points that cards score with these dice, and the card that does."""
    return max(((points, card) for card in cards for _, points in options(card, dice)), default=(0, ""))


def _is_run(kept: str) -> bool:
    faces = sorted({int(die) for die in kept})
    return len(faces) == len(kept) >= 3 and faces[-1] - faces[0] <= len(faces)


def _themes(game: DicyCards, state: State, choices: Sequence[ActionValue]) -> tuple[str, ...]:
    """Return the themes of a position, given its best choice first and the next best second."""
    action, found = choices[0].action, []
    active = active_cards(game, state, state.seat)
    others = [card for card in active if card != action.card]
    if state.phase is Phase.FREEZE:
        found.append("freeze-the-odd-one")
    elif state.phase is Phase.RESET:
        found.append("wake-the-right-card")
    elif action.verb == "skip":
        found.append("skip-now")
    elif action.verb == "reroll":
        kept = remove(state.dice, action.dice)
        if "straight" in others and _is_run(kept):
            found.append("keep-for-the-straight")
        if len(set(kept)) < len(kept) and any(card in PAIR_CARDS for card in others):
            found.append("keep-the-pairs")
        if most_points(active, state.dice)[0] >= 12:
            found.append("roll-on")
    else:
        points = dict(options(action.card, state.dice))[action.dice]
        if points < most_points(others, state.dice)[0]:
            found.append("save-the-big-card")
        if choices[1].action.verb == "reroll":
            found.append("score-now")
        # The opposite of skip-now, while there are turns to come; with more cards a reroll would be second.
        elif choices[1].action.verb == "skip" and max(*state.scores, state.scores[state.seat] + points) < game.goal:
            found.append("score-the-last-card")
    if max(state.scores) >= game.goal and state.phase is Phase.ACT:
        found.append("last-turn")
    return tuple(found)


def _choices(ranked: Sequence[ActionValue]) -> tuple[ActionValue, ...]:
    """Choose what to ask about: the best, the next best, then actions that differ in verb or card.

    Values are rounded as a record writes them, so that a puzzle reads back equal.
    """
    choices = list(ranked[:2])
    while len(choices) < min(4, len(ranked)):
        rest = [choice for choice in ranked if choice not in choices]
        fresh = [choice for choice in rest if all(choice.action[:2] != taken.action[:2] for taken in choices)]
        choices.append((fresh or rest)[0])
    return tuple(ActionValue(choice.action, round(choice.value, 6)) for choice in choices)


def _is_interesting(ranked: Sequence[ActionValue]) -> bool:
    """Return whether the best action is clearly best, in an undecided game, with at least three kinds to choose from.

    A skip is best only with the last active card: before that, a reroll has at least the same value, since a skip also
    resets the card frozen for it (T5). The skip then competes with that card's scores alone, which must be tempting and
    differ from each other.
    """
    if len(ranked) < 3:
        return False
    best, second, third = (choice.value for choice in ranked[:3])
    if not 0.08 < best < 0.92 or not GAP[0] <= round(best - second, 6) <= GAP[1]:
        return False
    return ranked[0].action.verb != "skip" or (second >= best / 2 and second - third >= 0.02)


def find_puzzles(adviser: Adviser, rng: Random, names: tuple[str, str] = ("Anna", "Ben")) -> list[Puzzle]:
    """Play a game, mostly with the best actions, and return its positions that make a puzzle."""
    game = adviser.game
    state, events, found = game.start(), list[Event](), list[Puzzle]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            ranked = _by_kind(adviser, state)
            if _is_interesting(ranked) and (themes := _themes(game, state, ranked)):
                gap = round(ranked[0].value - ranked[1].value, 6)
                record = Record(game, names, tuple(events))
                found.append(Puzzle(record, state, ranked[0].action, gap, themes, _choices(ranked)))
            best_first = sorted(adviser.action_values(state), key=lambda choice: -choice.value)
            action = adviser.best(state).action if rng.random() < 0.85 else rng.choice(best_first[:12]).action
        events.append(Event(actor, action))
        state = game.apply(state, action)
    return found


def verify(puzzle: Puzzle, adviser: Adviser) -> bool:
    """Return whether a puzzle's answer, gap and values agree with the solved game."""
    ranked = _by_kind(adviser, puzzle.state)
    values = {choice.action: choice.value for choice in adviser.action_values(puzzle.state)}
    return (
        _kind(puzzle.game, puzzle.state, puzzle.answer) == _kind(puzzle.game, puzzle.state, ranked[0].action)
        and abs(ranked[0].value - ranked[1].value - puzzle.gap) < 1e-6
        and all(abs(values[choice.action] - choice.value) < 1e-6 for choice in puzzle.choices)
    )
