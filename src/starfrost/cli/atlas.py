"""`starfrost atlas`: all 792 sets of five cards under perfect play."""

import json
from pathlib import Path
from statistics import correlation, mean
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.bars import bar

if TYPE_CHECKING:
    from starfrost.solver.atlas import Entry

__all__ = ["atlas"]

SORTS = ("first_player_wins", "fair", "turns", "swing", "shared", "score_1", "score_2", "skips_1", "skips_2")


def atlas(
    sort: Annotated[str, typer.Option(help=f"What to sort by: {', '.join(SORTS)}.")] = "fair",
    down: Annotated[bool, typer.Option("--down", help="The greatest first.")] = False,
    card: Annotated[
        list[str] | None, typer.Option(help="Only sets with this card; may be given several times.")
    ] = None,
    cards: Annotated[str | None, typer.Option(help="Only this set: five cards, or the name of a mode.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Only sets without this card.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Show this many sets; 0 for all.")] = 20,
    by_card: Annotated[bool, typer.Option("--by-card", help="Show the cards' averages instead of sets.")] = False,
    figures: Annotated[Path | None, typer.Option(help="Save the pictures in this folder.")] = None,
    compute: Annotated[
        Path | None, typer.Option(help="Compute the sets asked for into this file, going on where it ends.")
    ] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Compute on a GPU with CuPy: minutes instead of hours.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Compute with this many processes.")] = 1,
    goal: Annotated[int, typer.Option(min=1, help="Compute for another goal.")] = 100,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON array of all sets that pass the filters, whatever --limit says."),
    ] = False,
) -> None:
    """Browse the solved sets: who wins, how long a game lasts, what each card is for."""
    from starfrost.errors import UsageError
    from starfrost.games.dicy_cards import CARDS
    from starfrost.solver.atlas import all_sets, named_sets
    from starfrost.solver.atlas import atlas as shipped

    asked = [*(card or []), *(without or [])]
    for name in asked:
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
        for one in (named_sets(cards) if cards else all_sets())
        if all(name in one for name in card or []) and not any(name in one for name in without or [])
    ]
    if not wanted:
        raise UsageError("No set of five cards passes these filters.")
    if compute is not None:
        from starfrost.solver.compute import compute as run

        with bar("sets", len(wanted), quiet=as_json) as advance:
            told = 0

            def tell(done: int, count: int, seconds: float) -> None:
                nonlocal told
                advance(done - told)
                told = done

            try:
                entries = run(compute, with_gpu=gpu, jobs=jobs, goal=goal, sets=wanted, tell=tell)
            except OSError as error:
                raise UsageError(
                    "%(file)s cannot be written: %(reason)s.", file=compute, reason=error.strerror
                ) from None
    else:
        entries = [entry for entry in shipped() if entry.cards in wanted]

    def key(entry: "Entry") -> float:
        return abs(entry.first_player_wins - 0.5) if sort == "fair" else float(getattr(entry, sort))

    entries.sort(key=key, reverse=down)
    if figures is not None:
        from starfrost.solver.figures import draw

        try:
            for path in draw(entries, figures):
                print(path)
        except OSError as error:
            raise UsageError(
                "The pictures cannot be saved in %(folder)s: %(reason)s.", folder=figures, reason=error.strerror
            ) from None
    elif as_json:
        print(json.dumps([entry.as_json() for entry in entries]))
    elif by_card:
        _show_cards(entries)
    else:
        _show(entries, limit)


def _count(sets: int) -> str:
    return f"{sets} set{'s' if sets != 1 else ''}"


def _show(entries: "list[Entry]", limit: int) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(title=f"{_count(len(entries))} under perfect play")
    shown.add_column("cards")
    for heading in ("first wins", "turns", "mean scores", "swing", "shared"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for entry in entries[: limit or None]:
        shown.add_row(
            " ".join(entry.cards),
            f"{100 * entry.first_player_wins:.3f} %",
            f"{entry.turns:.2f}",
            f"{entry.score_1:.1f} {entry.score_2:.1f}",
            f"{entry.swing:.3f}",
            f"{100 * entry.shared:.2f} %",
        )
    console = Console(highlight=False)
    console.print(shown)
    console.print(_about_sets(entries))


def _about_sets(entries: "list[Entry]") -> str:
    """Sum the sets up: who is ahead, by how much, and what the length of the game has to do with it."""
    chances = [entry.first_player_wins for entry in entries]
    behind = sum(chance < 0.5 for chance in chances)
    told = f"Going first is a disadvantage in {behind} of {_count(len(entries))}. "
    told += f"The first player wins {min(chances):.6f} to {max(chances):.6f}, on average {mean(chances):.6f}."
    turns = [entry.turns for entry in entries]
    if len(entries) > 2:
        told += f" The correlation of that chance with the length of the game is {correlation(turns, chances):+.2f}."
    return told


def _show_cards(entries: "list[Entry]") -> None:
    from rich.console import Console
    from rich.table import Table

    from starfrost.solver.figures import card_means

    fields = ("scored", "sacrificed", "decides", "frozen")
    means = {field: card_means(entries, field) for field in fields}
    shown = Table(
        title=f"The cards in {_count(len(entries))} under perfect play",
        caption="scored, for a reroll: times per game and player. decides: games in which it is the last card that the"
        " winner scores. frozen: what it costs to start with it frozen.",
    )
    shown.add_column("card")
    for heading in ("scored", "for a reroll", "decides", "frozen"):
        shown.add_column(heading, justify="right")
    for name in sorted(means["frozen"], key=lambda name: -means["frozen"][name]):
        shown.add_row(
            name,
            f"{means['scored'][name]:.3f}",
            f"{means['sacrificed'][name]:.3f}",
            # Both players' share: the mean is over the seats.
            f"{200 * means['decides'][name]:.2f} %",
            f"{100 * means['frozen'][name]:.2f} %",
        )
    console = Console(highlight=False)
    console.print(shown)
    console.print(_about_turns(entries))


def _about_turns(entries: "list[Entry]") -> str:
    """Sum up what happens in the turns of these sets, and whom a card frozen at the start hurts more."""
    turns = sum(entry.turns for entry in entries)
    skips = sum(entry.skips_1 + entry.skips_2 for entry in entries)
    burnt = sum(sum(entry.sacrificed_1 + entry.sacrificed_2) for entry in entries)
    costs = [pair for entry in entries for pair in zip(entry.frozen_1, entry.frozen_2, strict=True)]
    return (
        f"In 100 turns {100 * skips / turns:.1f} are skips, and {100 * burnt / turns:.1f} cards are frozen for rerolls."
        f" A card frozen at the start costs the second player more than the first in {sum(b > a for a, b in costs)} of "
        f"{len(costs)} cases."
    )
