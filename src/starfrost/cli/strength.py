"""`starfrost strength`: all bots against each other, in every variant."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from starfrost.cli.bars import bar
from starfrost.cli.help import explained
from starfrost.cli.options import AsJson, Cluster, Resume, Rules, rules_of, workers_of
from starfrost.errors import UsageError, mark
from starfrost.games.registry import GAMES

ANCHOR: Final = "planner"
BEGIN: Final = "<!-- strength of {game}: begin -->"
END: Final = "<!-- strength of {game}: end -->"


@explained(game=lambda w: w("Only this game: %(games)s.", games=w.one_of(GAMES)))
def strength(
    games: Annotated[int, typer.Option(help=mark("Games in each four-player duel; smaller tables play more."))] = 300,
    seed: Annotated[int, typer.Option(help=mark("The same seed gives the same games."))] = 0,
    jobs: Annotated[int, typer.Option(help=mark("How many processes to use."))] = 1,
    bots: Annotated[str | None, typer.Option(help=mark("Only these bots, separated by commas."))] = None,
    game: Annotated[str | None, typer.Option()] = None,
    rules: Rules = None,
    cluster: Cluster = "",
    resume: Resume = None,
    write: Annotated[
        Path | None, typer.Option(help=mark("Write the tables into this page, between its “strength” markers."))
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `starfrost strength`."""
    from starfrost.workers import one_thread

    one_thread()
    from starfrost.bots.outside import is_outside, make_outside
    from starfrost.bots.registry import all_bots
    from starfrost.lab.deals import make_ready
    from starfrost.lab.simulate import check_numbers
    from starfrost.lab.strength import outcomes, rated, tournament, variants
    from starfrost.lab.tables import strength_json, strength_tables

    check_numbers(games, jobs)
    every = variants(rules_of(rules).text) if rules is not None else variants()
    where = [variant for variant in every if variant.game == (GAMES[game].id if game else variant.game)]
    known = all_bots()
    only = tuple(name.strip() for name in bots.split(",")) if bots is not None else known
    for name in only:
        if is_outside(name):
            make_outside(name)
        elif name not in all_bots(unlisted=True):
            raise UsageError("There is no bot %(bot)s; choose from %(names)s.", bot=repr(name), names=", ".join(known))
    plan = tournament(where, games, seed, only)
    if not plan.duels:
        raise UsageError("A duel takes two bots that play the same game.")
    if write is not None:
        for each in dict.fromkeys(variant.game for variant in where):
            _filled(write, each, "")
    for variant in where:
        with bar(f"solving the cards of {variant}", quiet=as_json) as show:
            make_ready(variant.setup, [name for name in variant.bots() if name in only], show)
    with bar("deals", sum(plan.deals), quiet=as_json) as show:
        played = outcomes(plan, workers_of(jobs, cluster), show, resume)
    anchor = ANCHOR if ANCHOR in only else only[0]
    ratings = rated(played, anchor)
    tables = strength_tables(played, ratings, anchor)
    print(json.dumps(strength_json(played, ratings, anchor)) if as_json else "\n\n".join(tables.values()))
    if write is not None:
        for each, text in tables.items():
            write.write_text(_filled(write, each, text), encoding="utf-8")


def _filled(path: Path, game: str, text: str) -> str:
    """Return the page with a game's tables between its marks. Raises UsageError if it has no marks."""
    try:
        page = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("%(file)s cannot be read: %(reason)s.", file=path, reason=str(error)) from error
    marks = BEGIN.format(game=game), END.format(game=game)
    before, begin, rest = page.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not (begin and end):
        raise UsageError(
            "%(file)s has no place for the tables: expected the lines %(begin)s and %(end)s.",
            file=path,
            begin=marks[0],
            end=marks[1],
        )
    return f"{before}{begin}\n{text}\n{end}{after}"
