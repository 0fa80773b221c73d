"""Puzzles of Dicy Cards: positions of two-player games in which the solver proves one action clearly best.

`starfrost.coach.puzzle_mining` finds new ones.
"""

from collections.abc import Hashable, Iterator, Sequence
from random import Random
from typing import Any, Final

from starfrost.coach.puzzles import Choice, Puzzle, PuzzleSet, data_file
from starfrost.errors import NotationError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.games.record import Event
from starfrost.solver.adviser import ActionValue, Adviser
from starfrost.words import Words, mark

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


class DicyPuzzle(Puzzle):
    """A position of a two-player game."""

    @classmethod
    def is_game(cls, game: Game[Any, Any]) -> bool:
        """Return whether a game has two players, for whom values are exact."""
        return isinstance(game, DicyCards) and game.seats == 2

    @classmethod
    def refusal(cls) -> NotationError:
        """Return the error for a record that is no puzzle of this game."""
        return NotationError(
            "This record is no puzzle: expected Dicy Cards with two players, and answer, gap, themes and choices."
        )

    def kind(self, action: Any) -> Hashable:
        """Return the kind of an action."""
        return _kind(self.game, self.state, action)

    def found_themes(self) -> tuple[str, ...]:
        """Return the themes that the position and the choices have."""
        return _themes(self.game, self.state, self.choices)

    def facts(self) -> dict[str, Any]:
        """Return the cards and the goal."""
        return {"cards": list(self.game.cards), "goal": self.game.goal}


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


def _by_kind(game: DicyCards, state: State, values: Sequence[ActionValue]) -> list[Choice]:
    """List one action of each kind, the best first."""
    kinds: dict[tuple[str, ...], Choice] = {}
    # The engine lists the skip last; here it represents its kind.
    for choice in sorted(values, key=lambda choice: choice.action.verb != "skip"):
        kinds.setdefault(_kind(game, state, choice.action), Choice(*choice))
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


def _themes(game: DicyCards, state: State, choices: Sequence[Choice]) -> tuple[str, ...]:
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
        # The opposite of skip-now, while there are turns to come.
        elif (
            len(active) == 1
            and choices[1].action.verb == "skip"
            and max(*state.scores, state.scores[state.seat] + points) < game.goal
        ):
            found.append("score-the-last-card")
    if max(state.scores) >= game.goal and state.phase is Phase.ACT:
        found.append("last-turn")
    return tuple(found)


def _choices(ranked: Sequence[Choice]) -> tuple[Choice, ...]:
    """Choose what to ask about: the best, the next best, then actions that differ in verb or card.

    Values are rounded as a record writes them, so that a puzzle reads back equal.
    """
    choices = list(ranked[:2])
    while len(choices) < min(4, len(ranked)):
        rest = [choice for choice in ranked if choice not in choices]
        fresh = [choice for choice in rest if all(choice.action[:2] != taken.action[:2] for taken in choices)]
        choices.append((fresh or rest)[0])
    return tuple(Choice(choice.action, round(choice.value, 6)) for choice in choices)


def _is_interesting(ranked: Sequence[Choice]) -> bool:
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


def find_puzzles(adviser: Adviser, rng: Random, names: tuple[str, str] = ("Anna", "Ben")) -> Iterator[DicyPuzzle]:
    """Play a game, mostly with the best actions, and yield its positions that make a puzzle."""
    game = adviser.game
    state, events = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            values = adviser.action_values(state)
            ranked = _by_kind(game, state, values)
            if _is_interesting(ranked) and (themes := _themes(game, state, ranked)):
                yield DicyPuzzle(
                    game,
                    state,
                    names,
                    ranked[0].action,
                    round(ranked[0].value - ranked[1].value, 6),
                    themes,
                    _choices(ranked),
                    tuple(choice.value for choice in values),
                    tuple(events),
                )
            best_first = sorted(values, key=lambda choice: -choice.value)
            action = adviser.best(state).action if rng.random() < 0.85 else rng.choice(best_first[:12]).action
        events.append(Event(actor, action))
        state = game.apply(state, action)


def verify(puzzle: Puzzle, adviser: Adviser) -> bool:
    """Return whether a puzzle's answer, gap and values agree with the solved game."""
    found = adviser.action_values(puzzle.state)
    ranked = _by_kind(puzzle.game, puzzle.state, found)
    values = {choice.action: choice.value for choice in found}
    return (
        puzzle.kind(puzzle.answer) == puzzle.kind(ranked[0].action)
        and puzzle.themes == puzzle.found_themes()
        and abs(ranked[0].value - ranked[1].value - puzzle.gap) < 1e-6
        and all(abs(values[choice.action] - choice.value) < 1e-6 for choice in puzzle.choices)
        and all(abs(values[action] - value) < 1e-4 for action, value in puzzle.worths.items())
    )


def _lesson(w: Words, puzzle: Any, theme: str) -> str:
    # The texts need the words of the game, which a list of puzzles does not.
    from starfrost.coach.puzzle_text import lesson

    return lesson(w, puzzle, theme)


PUZZLES: Final = PuzzleSet(
    "dicy-cards",
    DicyPuzzle,
    THEMES,
    _lesson,
    mark("The values are exact: the solver has worked out the whole game."),
    data_file("dicy-cards"),
)
