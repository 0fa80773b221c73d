"""Entering real dice: what is asked for, and reading what was entered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from starfrost.errors import UsageError


class Fields(Protocol):
    """The fields of a form."""

    def getlist(self, name: str, /) -> Sequence[Any]:
        """Return every value of a field."""


@dataclass(frozen=True)
class Key:
    """A face that a die can show."""

    value: str
    """The die in records."""
    text: str
    name: str
    """The die in words."""
    icon: str = ""
    """The drawing that shows it, instead of the text."""


@dataclass(frozen=True)
class Kind:
    """Dice of one kind, such as a colour."""

    keys: tuple[Key, ...]
    left: int
    """How many dice of the kind can fall."""
    name: str = ""
    style: str = "btn"
    """The style class of a die."""
    shape: str = ""
    """The drawing that tells the kind from others, if there are others."""


@dataclass(frozen=True)
class Entry:
    """The dice that wait to be entered."""

    question: str
    count: int
    kinds: tuple[Kind, ...]
    joint: str = " "
    """What stands between two dice in records."""

    def read(self, form: Fields) -> str:
        """Return the dice of a form as records write them. Raises UsageError.

        What the rules say about them is checked when they are played.
        """
        dice = [str(die) for die in form.getlist("die") if die]
        if len(dice) != self.count:
            raise (
                UsageError("Enter what the die shows.")
                if self.count == 1
                else UsageError("Enter what all %(n)s dice show.", n=self.count)
            )
        for kind in self.kinds:
            if sum(die in {key.value for key in kind.keys} for die in dice) > kind.left:
                raise UsageError(
                    "There are not that many dice left: at most %(n)s (%(kind)s).", n=kind.left, kind=kind.name
                )
        return self.joint.join(dice)
