"""`starfrost puzzle`: a position with one clearly best action, and the value of each choice."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from starfrost.cli.help import explained
from starfrost.cli.options import AsJson, Lang, words
from starfrost.cli.registry import PUZZLES
from starfrost.errors import mark

if TYPE_CHECKING:
    from starfrost.words import Words

FOLDER: Final = mark("Puzzles of your own: a folder of records.")


@explained(game=lambda w: w("Puzzles of %(games)s.", games=w.one_of(PUZZLES)))
def puzzle(
    number: Annotated[int | None, typer.Argument(min=1, help=mark("The number of the puzzle; default: any."))] = None,
    theme: Annotated[str | None, typer.Option(help=mark("Only puzzles of this theme; --themes lists them."))] = None,
    themes: Annotated[bool, typer.Option("--themes", help=mark("List the themes and exit."))] = False,
    answer: Annotated[bool, typer.Option("--answer", help=mark("Show the solution without asking."))] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help=mark("Check every answer, with the solver or by rollouts.")),
    ] = False,
    folder: Annotated[Path | None, typer.Option(help=FOLDER, metavar=mark("FOLDER"))] = None,
    game: Annotated[str | None, typer.Option()] = None,
    lang: Lang = "",
    as_json: AsJson = False,
) -> int:
    """Run `starfrost puzzle`."""
    from starfrost.coach.puzzle_text import choice_lines, solution
    from starfrost.coach.puzzles import read_folder
    from starfrost.coach.registry import PUZZLES as SETS
    from starfrost.errors import UsageError

    w = words(lang)
    if verify and game is None and folder is None:
        return _verify(w, {name: list(SETS[name]) for name in PUZZLES}, quiet=as_json)
    chosen_game = game or next(iter(PUZZLES))
    kit, shipped = PUZZLES[chosen_game], SETS[chosen_game]
    every = list(shipped) if folder is None else read_folder(folder, shipped.puzzle.from_record)
    names = shipped.themes
    if themes:
        counts = {name: sum(name in one.themes for one in every) for name in names}
        if as_json:
            print(json.dumps(counts))
        else:
            print("\n".join(f"{name}: {w(meaning)} ({counts[name]})" for name, meaning in names.items()))
        return 0
    if verify:
        return _verify(w, {chosen_game: every}, quiet=as_json)
    if theme is not None and theme not in names:
        raise UsageError(
            "There is no theme %(theme)s; choose from %(names)s.", theme=repr(theme), names=", ".join(names)
        )
    numbers = [place for place, one in enumerate(every, 1) if theme is None or theme in one.themes]
    if number is not None and number > len(every):
        raise UsageError(
            "There is no puzzle %(number)s; they are numbered from 1 to %(count)s.", number=number, count=len(every)
        )
    if number is not None and number not in numbers:
        raise UsageError("Puzzle %(number)s does not have the theme %(theme)s.", number=number, theme=repr(theme))
    if not numbers:
        raise UsageError("There is no puzzle of the theme %(theme)s yet.", theme=repr(theme))
    chosen = number or Random().choice(numbers)
    if as_json:
        print(json.dumps({"number": chosen, **every[chosen - 1].as_json()}))
        return 0
    while True:
        one = every[chosen - 1]
        order = list(range(len(one.choices)))
        Random(chosen).shuffle(order)
        title = w("Puzzle %(number)s of %(count)s", number=chosen, count=len(every))
        print("\n".join([title, "", *kit.question(w, one), "", *choice_lines(w, one, order)]))
        if not answer and not _ask(w, order, chosen_game):
            return 0
        print("\n".join(["", *solution(w, shipped, one), "", *choice_lines(w, one, order, values=True)]))
        others = [other for other in numbers if other != chosen]
        if answer or not others or not sys.stdin.isatty() or not _another(w):
            return 0
        # A puzzle by its number is followed by the next one, another by any.
        chosen = next((other for other in others if other > chosen), others[0]) if number else Random().choice(others)


def _another(w: "Words") -> bool:
    """Ask whether another puzzle is wanted."""
    question = w("Enter: another puzzle, q: quit")
    print(f"\n{question} > ", end="", flush=True)
    line = sys.stdin.readline()
    print()
    return bool(line) and line.strip().lower() not in ("q", "quit")


def _ask(w: "Words", order: list[int], game: str) -> bool:
    """Ask for a choice and tell whether it is right; False if the input has ended. `?` shows help on the game."""
    count = len(order)
    while True:
        question = w("Your choice (1 to %(count)s, or nothing to see the answer):", count=count)
        print(f"\n{question} ", end="", flush=True)
        line = sys.stdin.readline()
        said = line.strip()
        if not line:
            print()
            return False
        if not said:
            return True
        if said.startswith("?"):
            from starfrost.terminal.help import show_help
            from starfrost.terminal.screen import Screen

            if message := show_help(Screen(w.language), said[1:], game):
                print(message)
            continue
        if said in map(str, range(1, count + 1)):
            print(w("Right!") if order[int(said) - 1] == 0 else w("Not this time."))
            return True
        print(w("Type a number from 1 to %(count)s.", count=count))


def _verify(w: "Words", games: Mapping[str, Sequence[Any]], *, quiet: bool) -> int:
    """Check every puzzle of some games."""
    from starfrost.coach.columns import wrapped

    count, wrong = 0, {}
    for game, puzzles in games.items():
        right = PUZZLES[game].verify(w, puzzles, quiet)
        count += len(puzzles)
        wrong[game] = [number for number, fine in enumerate(right, 1) if not fine]
    bad = sum(map(len, wrong.values()))
    # Numbers alone are enough as long as there is one game.
    named = [number if len(games) == 1 else f"{game} {number}" for game in wrong for number in wrong[game]]
    if quiet:
        print(json.dumps({"puzzles": count, "right": count - bad, "wrong": named}))
    else:
        print(w("%(right)s of %(count)s puzzles are right.", right=count - bad, count=count))
        if bad:
            print("\n".join(wrapped(w("Not right: %(numbers)s.", numbers=", ".join(map(str, named))))))
    return 1 if bad else 0
