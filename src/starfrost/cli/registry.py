"""The commands; some belong to one game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starfrost.errors import UsageError, mark
from starfrost.games.setup import variant_of
from starfrost.registry import Registry

if TYPE_CHECKING:
    from starfrost.games.record import Replay
    from starfrost.words import Words


@dataclass(frozen=True)
class Judged:
    """A game as the coach sees it."""

    facts: dict[str, Any]
    """The object that `--json` prints."""
    lines: Callable[[], list[str]]
    """Return the report for a terminal."""
    svg: Callable[[], str]
    """Return the curve of the winning chance as a picture."""


def official_only(played: "Replay") -> None:
    """Raise UsageError if a game has rules of its own, which the networks of the coach do not know."""
    if variant_of(played.record.game) is not None:
        raise UsageError("The coach judges this game by networks that know only the official rules, not variants.")


@dataclass(frozen=True)
class PuzzleKit:
    """What the command line adds to the puzzles of a game."""

    question: Callable[["Words", Any], list[str]]
    """Describe a position."""
    verify: Callable[["Words", Sequence[Any], bool], Sequence[bool]]
    """Return for each puzzle whether its answer is right; True as the last argument shows no progress."""


PUZZLES: Final[Registry[PuzzleKit]] = Registry(
    "starfrost.cli.puzzles",
    {"dicy-cards": "starfrost.cli.dicy_cards.puzzle:KIT", "dice-stars": "starfrost.cli.dice_stars.puzzle:KIT"},
)
JUDGES: Final[Registry[Callable[..., Judged]]] = Registry(
    "starfrost.cli.judges",
    {
        "dicy-cards": "starfrost.cli.dicy_cards.analyse:judge",
        "dice-stars": "starfrost.cli.dice_stars.analyse:judge",
    },
)
"""How `starfrost analyse` judges a game: `judge(words, file, replay, quiet)`."""

ADMIN: Final = {
    "backup": ("copies", "backup", mark("Write a backup while servers run: one file with everything.")),
    "restore": ("copies", "restore", mark("Put a backup in place of the database; no server may run.")),
    "export": ("copies", "export", mark("Write the records of all games into a zip file.")),
    "list": ("people", "list_all", mark("List guests, tables or exceptions.")),
    "ban": ("people", "ban", mark("Keep a guest or an address out.")),
    "unban": ("people", "unban", mark("Let a guest or an address in again.")),
    "quota": ("people", "quota", mark("Give a guest or an address other limits, such as a school's network.")),
    "quotas": ("room", "quotas", mark("Show what is stored, which limits apply and who has the most tables.")),
    "delete": ("people", "delete", mark("Delete a person and everything about them; others keep their games.")),
    "prune": ("room", "prune", mark("Archive old tables now, as servers do every hour.")),
}
"""The commands of `starfrost admin`: the module in `cli.admin`, its function, and the help text."""

COMMANDS: Final = {
    "admin": ("admin", mark("Look after a server: backups, people, limits and room.")),
    "analyse": (
        "analyse",
        mark("Judge a game: every decision's loss, every roll's luck, the three costliest decisions, the curve."),
    ),
    "atlas": (
        "dicy_cards.atlas",
        mark("Browse the solved sets: who wins, how long a game lasts, what each card is for."),
    ),
    "balance": ("balance", mark("Play many games of equal bots: results by seat, table size and option, as a report.")),
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
    "simulate": (
        "simulate",
        mark("Play many games between bots: wins, shared wins, scores and turns, with 95 % intervals."),
    ),
    "solve": (
        "dicy_cards.solve",
        mark("Solve two-player Dicy Cards for a set of cards and keep the result in the cache folder."),
    ),
    "strength": (
        "strength",
        mark("Play all bots against each other, in every variant and at every size of table: win rates and ratings."),
    ),
    "train": ("train", mark("Train by self-play, on a GPU where JAX finds one.")),
    "verify": ("verify", mark("Prove that no die was rigged; exit status 1 if any record does not prove it.")),
}
"""The module of each command, which defines a function of the command's name, and its help text."""
