"""What is printed and read: width, colour, paging, and plain characters where a terminal has no others."""

import codecs
import sys
import unicodedata
from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from starfrost.words import Words

__all__ = ["WIDTH", "Closed", "PlainWords", "Screen", "fold", "pad"]

WIDTH: Final = 80

# What a terminal without these characters shows instead; one for one, so that drawings keep their shape.
PLAIN: Final = {
    **dict.fromkeys("│┃║▌", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼╥╨", "+"),
    **dict.fromkeys("─━═–−", "-"),
    **dict.fromkeys("·•", "-"),
    **dict.fromkeys("░☆□…", "."),
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("█■", "#"),
    "●": "o",
    "★": "*",
    "❄": "~",
    "▲": "^",
    "◆": "%",
    "×": "x",
    "→": ">",
    "▶": ">",
    "⚖": "!",
    "’": "'",
}
GERMAN: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}


def fold(text: str) -> str:
    """Spell letters as a terminal with ASCII alone can: `Straße` as `Strasse`, `año` as `ano`."""
    spelled = "".join(GERMAN.get(letter, letter) for letter in text)
    return "".join(letter for letter in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(letter))


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(letter) or (folded if (folded := fold(letter)).isascii() else "?") for letter in lost), (
        error.end
    )


codecs.register_error("starfrost-plain", _replace)


class PlainWords(Words):
    """A language for terminals that know ASCII alone: folded before anything is measured or aligned."""

    def gettext(self, message: str) -> str:
        """Give the message, folded."""
        return fold(super().gettext(message))

    def ngettext(self, one: str, many: str, n: int) -> str:
        """Give the plural form, folded."""
        return fold(super().ngettext(one, many, n))

    def __call__(self, message: str, /, **values: object) -> str:
        """Say a message, folded."""
        return fold(super().__call__(message, **values))


class Closed(Exception):
    """Standard input has ended: nobody will answer any more."""


class Screen:
    """One person's terminal."""

    def __init__(self, language: str, *, colour: bool = True, console: Console | None = None) -> None:
        if console is None:
            # An unencodable character must never end a game.
            for stream in (sys.stdout, sys.stderr):
                if reconfigure := getattr(stream, "reconfigure", None):
                    reconfigure(errors="starfrost-plain")
            console = Console(highlight=False, no_color=not colour or None, soft_wrap=False)
        self.console = console
        self.console.width = min(self.console.width, WIDTH)
        try:
            "äñ".encode(self.console.encoding)
            self.w: Words = Words(language)
        except UnicodeEncodeError:
            self.w = PlainWords(language)
        self.folds = isinstance(self.w, PlainWords)

    @property
    def width(self) -> int:
        """How many columns there are to draw in."""
        return self.console.width

    def text(self, text: str) -> str:
        """Give a text that does not come from `w` (a name, a rules page) as this terminal can show it."""
        return fold(text) if self.folds else text

    def clear(self) -> None:
        """Start an empty screen, where there is a screen."""
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self.console.clear()
        else:
            self.console.print()

    def show(self, *lines: RenderableType) -> None:
        """Print lines; one that is too long is cut, for the table's essential part must not scroll away."""
        for line in lines:
            self.console.print(line, overflow="ellipsis", no_wrap=True, crop=True)

    def say(self, text: str, style: str = "") -> None:
        """Print sentences, wrapped at the width, a blank before each line."""
        for line in Text(text, style=style).wrap(self.console, self.width - 2):
            self.console.print(Text.assemble(" ", line))

    def ask(self, keys: str = "") -> str:
        """Read an answer behind the keys that work here, without blanks around it.

        Raises Closed when the input has ended.
        """
        try:
            answer = self.console.input(Text.assemble((f" {keys}", "dim") if keys else "", (" > ", "bold")))
        except EOFError:
            self.console.print()
            raise Closed from None
        # A stray arrow key or worse must not find its way back to the screen.
        return "".join(letter for letter in answer if letter.isprintable()).strip()

    def read(self, parts: Iterable[RenderableType]) -> None:
        """Show something long, a screenful at a time where there is a screen; Enter goes on, q goes back."""
        with self.console.capture() as capture:
            for part in parts:
                self.console.print(part)
        lines = capture.get().rstrip("\n").split("\n")
        pages = self.console.is_terminal and not self.console.is_dumb_terminal
        height = max(self.console.height - 2, 5) if pages else len(lines)
        for start in range(0, len(lines), height):
            if pages:
                self.console.clear()
            # Already drawn, with its colours: printed as it is.
            self.console.file.write("\n".join(lines[start : start + height]) + "\n")
            self.console.file.flush()
            if pages and start + height < len(lines):
                if self.ask(self.w("Enter: go on reading, q: back")).lower().startswith("q"):
                    return
            elif pages:
                self.ask(self.w("Enter: back to the game"))


def pad(text: str, width: int) -> str:
    """Fill a text up with blanks to a width in cells, or cut it."""
    while cell_len(text) > width:
        text = text[:-1]
    return text + " " * (width - cell_len(text))
