"""The commands; some belong to one game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starfrost.errors import mark
from starfrost.games.registry import GAMES, Part

if TYPE_CHECKING:
    from starfrost.words import Words


@dataclass(frozen=True)
class PuzzleKit:
    """What the command line adds to the puzzles of a game."""

    question: Callable[["Words", Any], list[str]]
    """Describe a position."""
    verify: Callable[["Words", Sequence[Any], bool], Sequence[bool]]
    """Return for each puzzle whether its answer is right; True as the last argument shows no progress."""


PUZZLES: Final = Part[PuzzleKit]("puzzle_commands")

ADMIN: Final = {
    "backup": ("copies", "backup", mark("Write a backup while servers run: one file with everything.")),
    "restore": ("copies", "restore", mark("Put a backup in place of the database; no server may run.")),
    "export": ("copies", "export", mark("Write the records of all games into a zip file.")),
    "list": ("people", "list_all", mark("List guests, tables or exceptions.")),
    "ban": ("people", "ban", mark("Keep a guest or an address out.")),
    "unban": ("people", "unban", mark("Let a guest or an address in again.")),
    "quota": ("people", "quota", mark("Give a guest or an address other limits, such as a school's network.")),
    "quotas": ("room", "quotas", mark("Show what is stored, which limits apply and who has the most tables.")),
    "link": ("people", "link", mark("Print the link to the host's page: tables, people, bans and reports.")),
    "delete": ("people", "delete", mark("Delete a person and everything about them; others keep their games.")),
    "prune": ("room", "prune", mark("Archive old tables now, as servers do every hour.")),
}
"""The commands of `starfrost admin`: the module in `cli.admin`, its function, and the help text."""

_COMMANDS: Final = {
    "admin": ("admin", mark("Look after a server: backups, people, limits and room.")),
    "analyse": (
        "analyse",
        mark("Judge a game: every decision's loss, every roll's luck, the three costliest decisions, the curve."),
    ),
    "balance": ("balance", mark("Play many games of equal bots: results by seat, table size and option, as a report.")),
    "completion": ("completion", mark("Print a script with which a shell completes commands and options.")),
    "play": (
        "play",
        mark("Play in the terminal, against bots or with friends; every game is saved and can be resumed."),
    ),
    "puzzle": (
        "puzzle",
        mark("Solve a puzzle: choose the best action, then see how good each choice is."),
    ),
    "replay": ("replay", mark("Read records and check every event; exit status 1 if any record is faulty.")),
    "serve": ("serve", mark("Open tables for people and bots, in the browser and through the JSON interface.")),
    "site": ("site", mark("Write both games as files that any web space serves: they need no server.")),
    "simulate": (
        "simulate",
        mark("Play many games between bots: wins, shared wins, scores and turns, with 95% intervals."),
    ),
    "strength": (
        "strength",
        mark("Play all bots against each other, in every variant and at every size of table: win rates and ratings."),
    ),
    "train": ("train", mark("Train by self-play, on a GPU where JAX finds one.")),
    "verify": ("verify", mark("Prove that no die was rigged; exit status 1 if any record does not prove it.")),
}
"""The module of each command in `cli`, which defines a function of the command's name, and its help text."""


def commands() -> dict[str, tuple[str, str]]:
    """Return the module and the help text of every command, those of the games included."""
    own = {name: (f"starfrost.cli.{module}", text) for name, (module, text) in _COMMANDS.items()}
    return dict(
        sorted({**own, **{name: found for kit in GAMES.values() for name, found in kit.commands.items()}}.items())
    )
