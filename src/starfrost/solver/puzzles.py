"""Puzzles from the truth: positions with one clearly best action, found in games and stored as records.

A puzzle is a record that stops where somebody has to decide, with a few headers more: `answer` is the best action,
`gap` what the next best kind of action is worth less, `themes` what there is to learn, and `choices` four actions
with their exact worths, the answer among them. `python -m starfrost.solver.collect` finds new ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any, Final

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.games.record import Event, Record, parse_record, replay, write_record
from starfrost.solver.adviser import Adviser, Worth
from starfrost.words import mark

__all__ = ["THEMES", "Puzzle", "find_puzzles", "puzzles", "read_puzzle", "verify"]

GAP: Final = (0.04, 0.25)
"""How much more than any other kind of action the answer is worth: clearly best, but not plain to see."""

THEMES: Final = {
    "skip-now": mark("skip now"),
    "freeze-the-odd-one": mark("freeze the odd one"),
    "wake-the-right-card": mark("wake the right card"),
    "keep-for-the-straight": mark("keep for the straight"),
    "keep-the-pairs": mark("keep the pairs"),
    "score-now": mark("score now"),
    "roll-on": mark("roll on"),
    "save-the-big-card": mark("save the big card"),
    "last-turn": mark("the last turn"),
}


@dataclass(frozen=True)
class Puzzle:
    """A position to solve: who is to decide, what the choices are worth, which is best."""

    record: Record
    state: State
    answer: Action
    gap: float
    themes: tuple[str, ...]
    choices: tuple[Worth, ...]

    @property
    def game(self) -> DicyCards:
        """The set-up."""
        assert isinstance(self.record.game, DicyCards)
        return self.record.game

    @property
    def seat(self) -> int:
        """Who is to decide, from 0."""
        return self.game.actor(self.state)

    def as_json(self) -> dict[str, Any]:
        """Give the puzzle ready for JSON; seats count from 1."""
        return {
            "position": self.game.position_text(self.state),
            "cards": list(self.game.cards),
            "goal": self.game.goal,
            "seat": self.seat + 1,
            "answer": str(self.answer),
            "gap": self.gap,
            "themes": list(self.themes),
            "choices": [{"action": str(choice.action), "worth": choice.worth} for choice in self.choices],
        }

    def text(self) -> str:
        """Write the puzzle as a record."""
        headers = {
            **self.record.headers,
            "answer": str(self.answer),
            "gap": f"{self.gap:.6f}",
            "themes": " ".join(self.themes),
            "choices": " | ".join(f"{choice.action} = {choice.worth:.6f}" for choice in self.choices),
        }
        return write_record(Record(self.record.game, self.record.players, self.record.events, headers))


def read_puzzle(text: str) -> Puzzle:
    """Read a puzzle. Raises RecordError."""
    record = parse_record(text)
    state: State = replay(record).final
    game, headers = record.game, record.headers
    choices = []
    for part in headers["choices"].split(" | "):
        action, _, worth = part.rpartition(" = ")
        choices.append(Worth(game.parse_action(action), float(worth)))
    return Puzzle(
        record,
        state,
        game.parse_action(headers["answer"]),
        float(headers["gap"]),
        tuple(headers["themes"].split()),
        tuple(choices),
    )


@lru_cache(maxsize=1)
def puzzles() -> tuple[Puzzle, ...]:
    """Give the shipped puzzles, in the order of their numbers."""
    folder = files("starfrost.solver") / "data" / "puzzles"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sfr"))
    return tuple(read_puzzle((folder / name).read_text("utf-8")) for name in names)


def _kind(game: DicyCards, state: State, action: Action) -> tuple[str, ...]:
    """Say what an action is at heart.

    Selections of a card that bring the same points are one; so are a skip and a reroll with the last active card, after
    which only a skip is left.
    """
    if action.verb == "score":
        return ("score", action.card, str(dict(options(action.card, state.dice))[action.dice]))
    if action.verb == "reroll" and state.active[state.seat].bit_count() == 1:
        return ("skip", "", "")
    return tuple(action)


def _by_kind(adviser: Adviser, state: State) -> list[Worth]:
    """List one action of each kind, the best first."""
    kinds: dict[tuple[str, ...], Worth] = {}
    # The engine lists the skip last; here it stands for its kind.
    for choice in sorted(adviser.worths(state), key=lambda choice: choice.action.verb != "skip"):
        kinds.setdefault(_kind(adviser.game, state, choice.action), choice)
    return sorted(kinds.values(), key=lambda choice: -choice.worth)


def _run(kept: str) -> bool:
    faces = sorted({int(die) for die in kept})
    return len(faces) == len(kept) >= 3 and faces[-1] - faces[0] <= len(faces)


def _themes(game: DicyCards, state: State, best: Worth, next_best: Worth) -> tuple[str, ...]:
    action, found = best.action, []
    active = [card for place, card in enumerate(game.cards) if state.active[state.seat] >> place & 1]
    if state.phase is Phase.FREEZE:
        found.append("freeze-the-odd-one")
    elif state.phase is Phase.RESET:
        found.append("wake-the-right-card")
    elif action.verb == "skip":
        found.append("skip-now")
    elif action.verb == "reroll":
        kept = state.dice
        for die in action.dice:
            kept = kept.replace(die, "", 1)
        pairs = {die for die in kept if kept.count(die) >= 2}
        if "straight" in active and action.card != "straight" and _run(kept):
            found.append("keep-for-the-straight")
        if pairs and {"two-pairs", "double-pair", "same-fives"} & (set(active) - {action.card}):
            found.append("keep-the-pairs")
        most = max((points for card in active for _, points in options(card, state.dice)), default=0)
        if most >= 12:
            found.append("roll-on")
    else:
        points = dict(options(action.card, state.dice))[action.dice]
        others = [value for card in active if card != action.card for _, value in options(card, state.dice)]
        if points < max(others, default=0):
            found.append("save-the-big-card")
        if next_best.action.verb == "reroll":
            found.append("score-now")
    if max(state.scores) >= game.goal and state.phase is Phase.ACT:
        found.append("last-turn")
    return tuple(found)


def _puzzle(adviser: Adviser, events: Sequence[Event], state: State, names: tuple[str, str]) -> Puzzle | None:
    ranked = _by_kind(adviser, state)
    if len(ranked) < 2 or not 0.08 < ranked[0].worth < 0.92:
        return None
    gap = ranked[0].worth - ranked[1].worth
    themes = _themes(adviser.game, state, ranked[0], ranked[1])
    if not GAP[0] <= gap <= GAP[1] or not themes:
        return None
    # The next best, then those that differ in verb or card: choices that people would really weigh.
    choices, rest = ranked[:2], ranked[2:]
    while rest and len(choices) < 4:
        fresh = [choice for choice in rest if all(choice.action[:2] != taken.action[:2] for taken in choices)]
        chosen = (fresh or rest)[0]
        choices.append(chosen)
        rest.remove(chosen)
    record = Record(adviser.game, names, tuple(events))
    return Puzzle(record, state, ranked[0].action, gap, themes, tuple(choices))


def find_puzzles(adviser: Adviser, rng: Random, names: tuple[str, str] = ("Anna", "Ben")) -> Iterator[Puzzle]:
    """Play on and on, mostly well, and give every position worth a puzzle."""
    game = adviser.game
    while True:
        state, events = game.start(), list[Event]()
        while (actor := game.actor(state)) != OVER:
            if actor == CHANCE:
                action = game.sample(state, rng)
            else:
                found = _puzzle(adviser, events, state, names)
                if found is not None:
                    yield found
                worths = sorted(adviser.worths(state), key=lambda choice: -choice.worth)
                action = adviser.best(state).action if rng.random() < 0.85 else rng.choice(worths[:12]).action
            events.append(Event(actor, action))
            state = game.apply(state, action)


def verify(puzzle: Puzzle, adviser: Adviser) -> bool:
    """Say whether a puzzle's answer, gap and worths are what the solved game says."""
    ranked = _by_kind(adviser, puzzle.state)
    worths = {choice.action: choice.worth for choice in adviser.worths(puzzle.state)}
    return (
        _kind(puzzle.game, puzzle.state, puzzle.answer) == _kind(puzzle.game, puzzle.state, ranked[0].action)
        and abs(ranked[0].worth - ranked[1].worth - puzzle.gap) < 1e-6
        and all(abs(worths[choice.action] - choice.worth) < 1e-6 for choice in puzzle.choices)
    )
