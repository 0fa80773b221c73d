"""`starfrost solve`: exact values of every position of a two-player game."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from starfrost.cli.bars import bar
from starfrost.cli.options import AsJson, Lang, Rules, rules_of, variant_json, variant_told, words
from starfrost.errors import mark

if TYPE_CHECKING:
    from starfrost.games.dicy_cards.solver.values import Values
    from starfrost.words import Words

MODE: Final = mark("glacial, interglacial, b, c or d; default: glacial.")
THREADS: Final = mark("Threads to use; default: all cores.")


def solve(
    cards: Annotated[str | None, typer.Option(help=mark("Five cards, or the name of a mode."))] = None,
    mode: Annotated[str | None, typer.Option(help=MODE)] = None,
    goal: Annotated[int | None, typer.Option(help=mark("The points that end the game; default: 100."))] = None,
    rules: Rules = None,
    again: Annotated[bool, typer.Option("--again", help=mark("Solve even if the set is in the cache."))] = False,
    threads: Annotated[int | None, typer.Option(min=1, max=256, help=THREADS)] = None,
    lang: Lang = "",
    as_json: AsJson = False,
) -> None:
    """Run `starfrost solve`."""
    from starfrost.errors import UsageError
    from starfrost.games.dicy_cards import DicyCards
    from starfrost.games.dicy_cards.solver import on_demand, store
    from starfrost.games.setup import Setup

    w = words(lang)
    if cards is not None and mode is not None:
        raise UsageError("Give --cards or --mode, not both.")
    text = rules_of(rules).text if rules is not None else None
    options = {"cards": cards, "mode": mode, "goal": goal, "rules": text}
    given = {name: value for name, value in options.items() if value is not None}
    game = Setup.of("dicy-cards", 2, **given).make(Random())
    assert isinstance(game, DicyCards)
    chosen = on_demand.in_order(game.kinds)
    begun = time.perf_counter()
    cached = not again and on_demand.find(chosen, game.goal) is not None
    values = solved(w, chosen, game.goal, as_json, again, threads=threads)
    wins = values.first_player_wins_from(game.scores(game.start()))
    seconds = time.perf_counter() - begun
    path = store.path_of(chosen, game.goal)
    file = str(path) if on_demand.ready(chosen, game.goal) else None
    if as_json:
        facts = {"cards": list(game.cards), "goal": game.goal, "first_player_wins": wins, "seconds": round(seconds, 3)}
        print(json.dumps({**facts, "cached": cached, "file": file, **variant_json(game)}))
    else:
        if line := variant_told(w, game):
            print(line)
        told = _described(w, game.cards, game.goal, wins, seconds, cached=cached, file=file, lost=path.parent)
        print("\n".join(told))


def solved(w: "Words", cards: Sequence[str], goal: int, quiet: bool, again: bool = False, **options: Any) -> "Values":
    """Return the values of a set of cards; solve it first, with a bar, if it is not in the cache."""
    from starfrost.games.dicy_cards.solver import on_demand

    with bar(w("solving"), quiet=quiet or (not again and on_demand.find(cards, goal) is not None)) as show:
        return on_demand.ensure_solved(cards, goal, show, again=again, **options)


def _described(
    w: "Words",
    cards: Sequence[str],
    goal: int,
    chance: float,
    seconds: float,
    *,
    cached: bool,
    file: str | None,
    lost: Path,
) -> list[str]:
    """Describe a solved setup: the result, the time, and the file, or the folder that cannot be written."""
    from starfrost.coach.columns import wrapped
    from starfrost.games.dicy_cards.words import cards_sentence
    from starfrost.words.numbers import decimal

    taken = decimal(w, seconds, 2)
    wins = w("Under perfect play the first player wins with probability %(chance)s.", chance=decimal(w, chance, 12))
    if file is None:
        end = w("Solved in %(seconds)s s, but not saved: %(folder)s cannot be written.", seconds=taken, folder=lost)
    elif cached:
        end = w("Read in %(seconds)s s: %(file)s", seconds=taken, file=file)
    else:
        end = w("Solved in %(seconds)s s: %(file)s", seconds=taken, file=file)
    # The path is not wrapped, so that it can be copied.
    return [*wrapped(cards_sentence(w, cards, goal)), *wrapped(wins), end]
