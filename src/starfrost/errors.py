"""Every exception of Starfrost.

StarfrostError                 one clear sentence for a person; the command line prints it and exits with 2
├── UsageError (ValueError)    an unknown game, bot, card, number of seats, option
├── IllegalAction (ValueError) an action that the rules do not allow in this position
├── NotationError (ValueError) a text that is not an action or a position
├── RecordError (ValueError)   a faulty record; carries the line number
├── Forfeit                    a bot from outside failed and loses its game; carries details for its author
├── MissingExtra (ImportError) a part that needs an optional install
└── Refused                    the table service says no; carries a stable code and an HTTP status

An error is a phrase: an English sentence with named placeholders and the facts that fill them. Its text is English;
`Words.say` gives it in the reader's language.

    raise UsageError("There is no card %(card)s; expected one of %(cards)s.", card=quoted(text), cards=", ".join(CARDS))
"""

from collections.abc import Mapping
from importlib.util import find_spec
from reprlib import Repr
from typing import Any

_SHORT = Repr()
_SHORT.maxstring = 60


def mark(message: str) -> str:
    """Return a message unchanged; marks a message in a table of data for translation."""
    return message


def quoted(text: str) -> str:
    """Quote what somebody wrote for a sentence about it: on one line, printable, and shortened where it is long."""
    return _SHORT.repr(text)


class Phrase:
    """A sentence, or a part of one, that can still be said in every language; a fact may be a phrase itself."""

    def __init__(self, sentence: str, /, **facts: object) -> None:
        self.sentence = sentence
        self.facts: Mapping[str, Any] = facts

    def __str__(self) -> str:
        # Without facts nothing is filled in, so a lone per cent sign is safe, as it is in `Words`.
        return self.sentence % self.facts if self.facts else self.sentence


class StarfrostError(Phrase, Exception):
    """The root: its text is a sentence that says what was expected."""

    def __init__(self, sentence: str, /, **facts: object) -> None:
        super().__init__(sentence, **facts)
        self.args = (str(self),)

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors come home from other processes, whatever their constructors ask for.
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[StarfrostError], arguments: tuple[str, ...], state: dict[str, Any]) -> StarfrostError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class UsageError(StarfrostError, ValueError):
    """Something was asked for that does not exist; `about` names the record header at fault, where there is one."""

    def __init__(self, sentence: str, /, about: str = "", **facts: object) -> None:
        super().__init__(sentence, **facts)
        self.about = about


class IllegalAction(StarfrostError, ValueError):
    """The rules do not allow this action in this position."""


class NotationError(StarfrostError, ValueError):
    """A text is not the notation of an action or a position."""


class RecordError(StarfrostError, ValueError):
    """A record is faulty at a line (counted from 1)."""

    def __init__(self, line: int, sentence: str, /, **facts: object) -> None:
        super().__init__(sentence, **facts)
        self.line = line


class Forfeit(StarfrostError):
    """A bot from outside has failed, so it loses its game: `it did not answer in time`."""

    def __init__(self, reason: str, *, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail
        """What exactly happened, for the bot's author."""


class MissingExtra(StarfrostError, ImportError):
    """A part of Starfrost needs an optional install, for example `pip install starfrost[solver]`."""


def require(sentence: str, *modules: str) -> None:
    """Raise MissingExtra with this sentence, which names the extra, unless all modules are installed."""
    if not all(map(find_spec, modules)):
        raise MissingExtra(sentence)


class Refused(StarfrostError):
    """The table service refuses a command aloud: a stable code and details for programs, a sentence for people."""

    def __init__(
        self,
        code: str,
        sentence: str,
        status: int = 409,
        /,
        *,
        detail: Mapping[str, object] | None = None,
        **facts: object,
    ) -> None:
        super().__init__(sentence, **facts)
        self.code = code
        self.status = status
        self.detail = detail or {}
