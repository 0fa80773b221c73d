"""`starfrost atlas`: all 792 sets of five cards under perfect play."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.bars import bar
from starfrost.cli.help import explained
from starfrost.cli.options import Cluster, Lang, words, workers_of
from starfrost.errors import mark

if TYPE_CHECKING:
    from starfrost.games.dicy_cards.coach.atlas import Entry

SORTS = ("first_player_wins", "fair", "turns", "swing", "shared", "score_1", "score_2", "skips_1", "skips_2")


@explained(sort=lambda w: w("What to sort by: %(names)s.", names=", ".join(SORTS)))
def atlas(
    sort: Annotated[str, typer.Option()] = "fair",
    down: Annotated[bool, typer.Option("--down", help=mark("The largest values first."))] = False,
    card: Annotated[
        list[str] | None, typer.Option(help=mark("Only sets with this card; may be given several times."))
    ] = None,
    cards: Annotated[str | None, typer.Option(help=mark("Only this set: five cards, or the name of a mode."))] = None,
    without: Annotated[list[str] | None, typer.Option(help=mark("Only sets without this card."))] = None,
    limit: Annotated[int, typer.Option(min=0, help=mark("Show this many sets or cards; 0 for all."))] = 20,
    by_card: Annotated[bool, typer.Option("--by-card", help=mark("Show the cards' averages instead of sets."))] = False,
    figures: Annotated[
        Path | None, typer.Option(help=mark("Save the pictures in this folder."), metavar=mark("FOLDER"))
    ] = None,
    compute: Annotated[
        Path | None, typer.Option(help=mark("Compute the chosen sets into this file, and continue where it ends."))
    ] = None,
    gpu: Annotated[
        bool, typer.Option("--gpu", help=mark("Compute on a GPU with CuPy: minutes instead of hours."))
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, max=256, help=mark("Compute with this many processes."))] = None,
    cluster: Cluster = "",
    goal: Annotated[int | None, typer.Option(min=1, help=mark("Compute for another goal than 100."))] = None,
    lang: Lang = "",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help=mark("Print a JSON array of all sets that pass the filters, regardless of --limit.")
        ),
    ] = False,
) -> None:
    """Run `starfrost atlas`."""
    from starfrost.errors import UsageError
    from starfrost.games.dicy_cards import CARDS
    from starfrost.games.dicy_cards.coach.atlas import all_sets, named_set
    from starfrost.games.dicy_cards.coach.atlas import atlas as shipped

    w = words(lang)
    held, missing = ([name.strip().lower() for name in names or []] for names in (card, without))
    for name in [*held, *missing]:
        if name not in CARDS:
            raise UsageError(
                "There is no card %(card)s; the cards are %(cards)s.", card=repr(name), cards=", ".join(CARDS)
            )
    if sort not in SORTS:
        raise UsageError(
            "The atlas cannot be sorted by %(sort)s; choose from %(names)s.", sort=repr(sort), names=", ".join(SORTS)
        )
    wanted = [
        one
        for one in (all_sets() if cards is None else [named_set(cards)])
        if all(name in one for name in held) and not any(name in one for name in missing)
    ]
    if not wanted:
        raise UsageError("No set of five cards passes these filters.")
    if compute is None and (gpu or jobs is not None or cluster or goal not in (None, 100)):
        raise UsageError(
            "--gpu, --jobs, --cluster and --goal belong to --compute: the atlas of Starfrost is solved to 100 points."
        )
    if compute is not None:
        from starfrost.cli.checkout import from_checkout

        run = from_checkout("dicy_cards.atlas").compute
        try:
            with bar(w("sets"), len(wanted), quiet=as_json) as show:

                def tell(done: int, count: int, seconds: float) -> None:
                    show(done)

                workers = workers_of(jobs or 1, cluster)
                entries = run(compute, with_gpu=gpu, workers=workers, goal=goal or 100, sets=wanted, tell=tell)
        except OSError as error:
            raise UsageError("%(file)s cannot be written: %(reason)s.", file=compute, reason=error.strerror) from None
    else:
        entries = [entry for entry in shipped() if entry.cards in wanted]

    def key(entry: "Entry") -> float:
        return abs(entry.first_player_wins - 0.5) if sort == "fair" else float(getattr(entry, sort))

    entries.sort(key=key, reverse=down)
    if figures is not None:
        from starfrost.games.dicy_cards.coach.atlas_charts import draw

        try:
            saved = draw(entries, figures)
        except OSError as error:
            raise UsageError(
                "The pictures cannot be saved in %(folder)s: %(reason)s.", folder=figures, reason=error.strerror
            ) from None
        if not as_json:
            print("\n".join(map(str, saved)))
    if as_json:
        print(json.dumps([asdict(entry) for entry in entries]))
    elif figures is None:
        from rich.console import Console

        from starfrost.games.dicy_cards.coach import atlas_tables as tables

        console = Console(highlight=False)
        if by_card:
            console.print(tables.cards_table(w, entries, limit), tables.about_cards(w, entries), sep="\n")
        else:
            console.print(tables.sets_table(w, entries, limit), tables.about_sets(w, entries), sep="\n")
