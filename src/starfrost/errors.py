"""Every exception of Starfrost.

StarfrostError                 one clear sentence for a person; the command line prints it and exits with 2
├── UsageError (ValueError)    an unknown game, bot, card, number of seats, option
├── IllegalAction (ValueError) an action that the rules do not allow in this position
├── NotationError (ValueError) a text that is not an action or a position
├── RecordError (ValueError)   a faulty record; carries the line number
├── MissingExtra (ImportError) a part that needs an optional install
└── Refused                    the table service says no; carries a stable code and an HTTP status
"""

from reprlib import Repr

__all__ = [
    "IllegalAction",
    "MissingExtra",
    "NotationError",
    "RecordError",
    "Refused",
    "StarfrostError",
    "UsageError",
    "quoted",
]

_SHORT = Repr()
_SHORT.maxstring = 60


def quoted(text: str) -> str:
    """Quote what somebody wrote for a sentence about it: on one line, printable, and shortened where it is long."""
    return _SHORT.repr(text)


class StarfrostError(Exception):
    """The root: its text is a sentence that says what was expected."""


class UsageError(StarfrostError, ValueError):
    """Something was asked for that does not exist; `about` names the record header at fault, where there is one."""

    def __init__(self, message: str, about: str = "") -> None:
        super().__init__(message)
        self.about = about


class IllegalAction(StarfrostError, ValueError):
    """The rules do not allow this action in this position."""


class NotationError(StarfrostError, ValueError):
    """A text is not the notation of an action or a position."""


class RecordError(StarfrostError, ValueError):
    """A record is faulty at a line (counted from 1)."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class MissingExtra(StarfrostError, ImportError):
    """A part of Starfrost needs an optional install, for example `pip install starfrost[solver]`."""


class Refused(StarfrostError):
    """The table service refuses a command aloud: a stable code for programs, a sentence for people."""

    def __init__(self, code: str, reason: str, status: int = 409, **detail: object) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.status = status
        self.detail = detail
