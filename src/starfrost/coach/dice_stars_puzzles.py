"""Puzzles of Dice Stars: positions in which one action is clearly best, by the network and by rollouts.

Values are estimates: the answer's is the network's, and each other choice is lower by what the rollouts on the same
dice show. Actions that are no choice have the network's value. `python -m starfrost.coach.dice_stars_puzzles FOLDER`
finds new puzzles by self-play.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from itertools import count as numbers
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from starfrost.coach.puzzles import PLAYERS, SAME, Choice, Puzzle, PuzzleSet, data_file, kept, write_all
from starfrost.errors import NotationError, StarfrostError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import Action, DiceStars, Phase, State
from starfrost.games.record import Event
from starfrost.pool import Crew, spread
from starfrost.words import Words, mark

if TYPE_CHECKING:
    from starfrost.coach.dice_stars import StarsJudge
    from starfrost.coach.estimate import Option

GAP: Final = (0.03, 0.3)
"""The least and the greatest gap by the network: the answer is clearly best, but not obvious."""
TOLERANCE: Final = 0.02
"""How much a difference may be another one than the puzzle says, besides the error of the rollouts."""

THEMES: Final = {
    "take-the-stars": mark("take the stars"),
    "leave-the-stars": mark("leave the stars"),
    "choose-the-line": mark("choose the line"),
    "how-many-dice": mark("how many dice"),
    "keep-or-return": mark("keep or return the reserve"),
}


class StarsPuzzle(Puzzle):
    """A position of Dice Stars; its values are estimates."""

    @classmethod
    def is_game(cls, game: Game[Any, Any]) -> bool:
        """Return whether this is Dice Stars."""
        return isinstance(game, DiceStars)

    @classmethod
    def refusal(cls) -> NotationError:
        """Return the error for a record that is no puzzle of this game."""
        return NotationError("This record is no puzzle: expected Dice Stars, and answer, gap, themes and choices.")

    def found_themes(self) -> tuple[str, ...]:
        """Return the themes that the position and the answer have."""
        return themes_of(self.game, self.state, self.answer)

    def facts(self) -> dict[str, Any]:
        """Say that the values are estimates."""
        return {"estimate": True}


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


def puzzle_at(
    judge: "StarsJudge", events: Sequence[Event], state: State, options: Sequence["Option"]
) -> StarsPuzzle | None:
    """Return the puzzle of a position, given its actions with the best first; None unless rollouts prove it."""
    game, seat, chosen = judge.game, state.seat, list(options[:2])
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
    return StarsPuzzle(
        game,
        state,
        PLAYERS[: game.seats],
        answer.action,
        round(choices[0].value - choices[1].value, 6),
        themes_of(game, state, answer.action),
        tuple(choices),
        _values(game, state, options, choices),
        tuple(events),
    )


def _values(game: DiceStars, state: State, options: Sequence["Option"], choices: Sequence[Choice]) -> tuple[float, ...]:
    """Return the values of all legal actions, those of the choices as rollouts show them."""
    values = {option.action: option.shares[state.seat] for option in options} | dict(choices)
    return tuple(min(1.0, max(0.0, values[action])) for action in game.legal_actions(state))


def verify(puzzle: Puzzle) -> bool:
    """Return whether rollouts prove the answer better than every other choice, by what the puzzle says."""
    from starfrost.coach.dice_stars import StarsJudge

    judge = StarsJudge(puzzle.game)
    for choice in puzzle.choices[1:]:
        found = judge.compare(puzzle.state, puzzle.answer, choice.action)
        said = puzzle.choices[0].value - choice.value
        if not found.proved or abs(found.mean[puzzle.seat] - said) > TOLERANCE + found.error:
            return False
    # Of all other actions none may look as good by the network.
    shares = {option.action: option.shares[puzzle.seat] for option in judge.options(puzzle.state)}
    answer = shares[puzzle.answer]
    for choice in puzzle.choices:
        shares.pop(choice.action, None)
    return answer - max(shares.values(), default=0.0) > SAME and puzzle.themes == puzzle.found_themes()


def find_puzzles(game: DiceStars, rng: Random) -> Iterator[StarsPuzzle]:
    """Play a game by the network, with some random actions, and yield its positions that make a puzzle."""
    from starfrost.coach.dice_stars import StarsJudge

    judge = StarsJudge(game)
    state, events = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            options = judge.options(state)
            action = options[0].action
            if len(options) > 1 and GAP[0] <= options[0].shares[actor] - options[1].shares[actor] <= GAP[1]:
                undecided = 0.12 < options[0].shares[actor] < 0.95
                found = puzzle_at(judge, events, state, options) if undecided else None
                if found is not None:
                    yield found
            if rng.random() < 0.12:
                action = rng.choice(options[:6]).action
        events.append(Event(actor, action))
        state = game.apply(state, action)


def _of_game(seed: int, number: int) -> list[StarsPuzzle]:
    """Return at most two puzzles of a numbered game; table sizes alternate."""
    rng = Random(f"{seed} {number}")
    return list(islice(find_puzzles(DiceStars((2, 1, 3, 4)[number % 4]), rng), 2))


def _found(
    count: int, seed: int, known: Iterable[StarsPuzzle], crew: Crew | int = 1, resume: Path | None = None
) -> Iterator[StarsPuzzle]:
    """Yield the known puzzles, then new ones of as many games as it takes; the file `resume` keeps them."""

    def search(games: int) -> Iterator[list[StarsPuzzle]]:
        # The generator closes the processes when it is closed itself.
        yield from spread(partial(_of_game, seed), numbers(games), crew, most=1)

    games = kept(resume, {"seed": seed}, StarsPuzzle, search)
    new = (puzzle for puzzles in games for puzzle in puzzles)
    yield from islice(chain(known, new), count)
    games.close()


def judged_again(puzzles: Iterable[Puzzle]) -> Iterator[StarsPuzzle]:
    """Judge positions by the present network; yield the puzzles that they still are."""
    from starfrost.coach.dice_stars import StarsJudge

    for puzzle in puzzles:
        judge = StarsJudge(puzzle.game)
        options = judge.options(puzzle.state)
        if options[0].shares[puzzle.seat] - options[1].shares[puzzle.seat] >= GAP[0] / 2:
            found = puzzle_at(judge, puzzle.events or (), puzzle.state, options)
            if found is not None:
                yield found


LESSONS: Final = {
    "take-the-stars": mark(
        "A row with all its stars counts double. Here the stars are worth more than the points that are left behind."
    ),
    "leave-the-stars": mark(
        "A row with only some of its stars counts nothing until the rest is ticked. Here the numbers are worth more."
    ),
    "choose-the-line": mark(
        "What counts is not only the points now, but also which spaces stay open and which dice the next turn finds."
    ),
    "how-many-dice": mark(
        "More dice mean more to choose from, but also more that stays in the reserve after the take."
    ),
    "keep-or-return": mark(
        "Dice that are kept can be taken right away; dice that are returned go into the bag and may come back better."
    ),
}
"""Why the answer is best, by theme."""


def _lesson(w: Words, puzzle: Any, theme: str) -> str:
    return w(LESSONS[theme])


PUZZLES: Final = PuzzleSet(
    "dice-stars",
    StarsPuzzle,
    THEMES,
    _lesson,
    mark("The values are estimates: a network's, and for the other choices games played on with the same dice."),
    data_file("dice-stars"),
)


def main() -> None:
    """Write puzzles into a folder, or into a file that ends in .jsonl."""
    parser = argparse.ArgumentParser(prog="python -m starfrost.coach.dice_stars_puzzles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cluster", default="", metavar="ADDRESS", help="search on a Ray cluster")
    parser.add_argument("--again", action="store_true", help="first judge the shipped ones again, with a new network")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep what is found, and continue where it ends")
    chosen = parser.parse_args()
    known = judged_again(PUZZLES) if chosen.again else ()
    crew = Crew(chosen.jobs, chosen.cluster)
    try:
        write_all(chosen.folder, list(_found(chosen.count, chosen.seed, known, crew, chosen.resume)))
    except StarfrostError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
