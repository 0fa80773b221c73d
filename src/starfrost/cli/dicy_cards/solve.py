"""`starfrost solve`: exact values of every position of a two-player game."""

import json
import time
from random import Random
from typing import Annotated

import typer

from starfrost.cli.bars import share_bar
from starfrost.games.dicy_cards import GOAL


def solve(
    cards: Annotated[str | None, typer.Option(help="Five cards, or the name of a mode.")] = None,
    mode: Annotated[
        str | None, typer.Option(help="glacial, interglacial, b, c or d; glacial if nothing is said.")
    ] = None,
    goal: Annotated[int, typer.Option(help="The points that end the game.")] = GOAL,
    again: Annotated[bool, typer.Option("--again", help="Solve even if the set is in the cache.")] = False,
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="Threads to use; all cores if nothing is said.")
    ] = None,
    lang: Annotated[str, typer.Option(help="en, de, nl or es; otherwise as your system speaks.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Solve two-player Dicy Cards for a set of cards and keep the result in the cache folder."""
    from starfrost.errors import UsageError
    from starfrost.games.dicy_cards import read_cards
    from starfrost.solver import on_demand as service
    from starfrost.solver import store
    from starfrost.words import Words, language_from_environment

    w = Words(lang or language_from_environment())
    if cards is not None and mode is not None:
        raise UsageError("Give --cards or --mode, not both.")
    named = read_cards(next((text for text in (cards, mode) if text is not None), "glacial"), Random())
    chosen = service.in_order(named)
    begun = time.perf_counter()
    cached = not again and service.find(chosen, goal) is not None
    with share_bar(w("solving"), quiet=as_json or cached) as tell:
        values = service.ensure_solved(chosen, goal, tell, threads=threads, again=again)
    seconds = time.perf_counter() - begun
    file = str(store.path_of(chosen, goal)) if service.ready(chosen, goal) else None
    facts = {
        "cards": list(named),
        "goal": goal,
        "first_player_wins": values.first_player_wins,
        "seconds": round(seconds, 3),
        "cached": cached,
        "file": file,
    }
    if as_json:
        print(json.dumps(facts))
    else:
        from starfrost.coach.report import solved

        lost = store.path_of(chosen, goal).parent
        print("\n".join(solved(w, named, goal, values.first_player_wins, seconds, cached=cached, file=file, lost=lost)))
