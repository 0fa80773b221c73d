"""`starfrost puzzle`: a position with one clearly best action, and its exact worth."""

import json
import sys
from random import Random
from typing import Annotated

import typer

__all__ = ["puzzle"]


def puzzle(
    number: Annotated[int | None, typer.Argument(min=1, help="Which puzzle; otherwise any.")] = None,
    theme: Annotated[str | None, typer.Option(help="Only puzzles of this theme; --themes lists them.")] = None,
    themes: Annotated[bool, typer.Option("--themes", help="List the themes and leave.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Show the solution without asking.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Solve the sets and check every puzzle's answer.")] = False,
    lang: Annotated[str, typer.Option(help="en, de, nl or es; otherwise as your system speaks.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the puzzle as one JSON object.")] = False,
) -> int:
    """Solve a puzzle: choose the best action, then see what each choice is worth."""
    from starfrost.errors import UsageError
    from starfrost.solver.puzzles import THEMES, puzzles
    from starfrost.solver.riddle import ask, choice_lines, question, solution, title, verdict
    from starfrost.words import Words, language_from_environment

    w = Words(lang or language_from_environment())
    every = puzzles()
    if themes:
        for name, meaning in THEMES.items():
            print(f"{name}: {w(meaning)} ({sum(name in one.themes for one in every)})")
        return 0
    if verify:
        return _verify()
    if theme is not None and theme not in THEMES:
        raise UsageError(f"There is no theme {theme!r}; choose from {', '.join(THEMES)}.")
    numbers = [place for place, one in enumerate(every, 1) if theme is None or theme in one.themes]
    if number is not None and number not in numbers:
        raise UsageError(f"There is no puzzle {number}; there are {len(every)}, and {len(numbers)} pass the filter.")
    if not numbers:
        raise UsageError(f"There is no puzzle of the theme {theme!r} yet.")
    chosen = number or Random().choice(numbers)
    one = every[chosen - 1]
    if as_json:
        print(json.dumps({"number": chosen, **one.as_json()}))
        return 0
    order = list(range(len(one.choices)))
    Random(chosen).shuffle(order)
    print("\n".join([title(w, chosen, len(every)), "", *question(w, one), "", *choice_lines(w, one, order)]))
    if not answer:
        print(f"\n{ask(w)} ", end="", flush=True)
        said = sys.stdin.readline()
        if not said:
            print()
            return 0
        print(verdict(w, said.strip() == str(order.index(0) + 1)))
    print("\n".join(["", *solution(w, one), *choice_lines(w, one, order, worths=True)]))
    return 0


def _verify() -> int:
    from starfrost.solver import service
    from starfrost.solver.adviser import Adviser
    from starfrost.solver.puzzles import puzzles, verify

    wrong = [
        number
        for number, one in enumerate(puzzles(), 1)
        if not verify(one, Adviser(one.game, service.ensure_solved(one.game.cards, one.game.goal)))
    ]
    print(f"{len(puzzles()) - len(wrong)} of {len(puzzles())} puzzles are right.")
    return 1 if wrong else 0
