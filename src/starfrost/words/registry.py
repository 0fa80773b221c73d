"""The texts of each game, by the game's id."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from starfrost.games.core import Game
from starfrost.games.registry import Part
from starfrost.words.catalogue import Words, mark


def _tell(w: Words, game: Game[Any, Any], state: Any, action: Any, name: str) -> str:
    return f"{name}: {action}."


def _fact(w: Words, name: str) -> tuple[str, str]:
    what, _, kind = name.rpartition(" ")
    return kind, what or kind


@dataclass(frozen=True)
class GameWords:
    """The texts of a game. Texts are English; `Words` translates those that a catalogue holds."""

    tell: Callable[[Words, Any, Any, Any, str], str] = _tell
    """Return a sentence on what an event does: language, game, state, action, name of the player."""
    ending: Callable[[Words, Any, Any, Sequence[str]], str] = lambda w, game, state, names: ""
    """Return a sentence on how a game ended if it needs more than the winner's name and points; empty otherwise."""
    last_round: Callable[[Words, Any, Any, int, str], str] = lambda w, game, state, seat, name: w.told(
        name, mark("%(name)s has brought on the end of the game."), mark("You have brought on the end of the game.")
    )
    """Return a sentence on how a seat brought on the last round: language, game, state, seat, name of the player."""
    glossary: Callable[[Words, Any], Mapping[str, tuple[str, str]]] = lambda w, game: {}
    """Return the terms that help explains, the name and a text by id: those of a game, or of the rulebook (None)."""
    own_rules: Callable[[Words, Any], Sequence[tuple[str, str]]] = lambda w, game: ()
    """Return what a game plays by and the rules pages do not say: a name and a sentence each; nothing if it is the
    game of the rulebook."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """The rules as Markdown by language, for a game of another distribution: sections (`##`) and, in a list, clauses
    such as `- [P1] …`. A language that is missing gets the first one."""
    invitation: str = ""
    """One sentence on what the game is about."""
    moves: str = mark("a move in record notation")
    """The line of help on how moves are typed."""
    topics: str = ""
    """The line of help on where the rules are."""
    modes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The name of each mode and a sentence about it."""
    decisions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Each kind of decision, by the first word of its notation: what it is, and the theme of puzzles that train it."""
    fact: Callable[[Words, str], tuple[str, str]] = _fact
    """Return the kind and the label of a fact that the lab counts, such as `odds points`."""


PLAIN: Final = GameWords()
"""The texts of a game that declares none."""

WORDS: Final = Part[GameWords]("words")
