"""Input and output: width, colour, paging, and ASCII replacements for limited terminals."""

import codecs
import os
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from shutil import get_terminal_size
from threading import current_thread, main_thread
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleDimensions, RenderableType
from rich.text import Text

from starfrost.words import Words

WIDTH: Final = 80

# The replacements of characters that a terminal lacks, one for one, so that drawings keep their shape.
PLAIN: Final = {
    **dict.fromkeys("│┃║▌", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼╥╨", "+"),
    **dict.fromkeys("─━═–−", "-"),
    **dict.fromkeys("·•", "-"),
    **dict.fromkeys("░☆□…", "."),
    **dict.fromkeys("“”„«»", '"'),
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
    **dict.fromkeys("‘’", "'"),
}
GERMAN: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}


def fold(text: str) -> str:
    """Return a text in ASCII: `Straße` as `Strasse`, `año` as `ano`."""
    spelled = "".join(GERMAN.get(letter, letter) for letter in text)
    return "".join(letter for letter in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(letter))


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lost = error.object[error.start : error.end]
    plain = (PLAIN.get(letter) or (folded if (folded := fold(letter)).isascii() else "?") for letter in lost)
    return "".join(plain), error.end


codecs.register_error("starfrost-plain", _replace)


class PlainWords(Words):
    """A language for ASCII terminals: messages are folded before they are measured or aligned."""

    def ngettext(self, one: str, many: str, n: int) -> str:
        return fold(super().ngettext(one, many, n))

    def __call__(self, message: str, /, **values: object) -> str:
        return fold(super().__call__(message, **values))


class Closed(Exception):
    """A person leaves, or standard input has ended; the game is already saved."""


class _Resized(Exception):
    """The window has another size."""


def is_plain(environment: Mapping[str, str]) -> bool:
    """Return whether a system says that its terminal shows ASCII alone: `LC_ALL=C`, or a dumb terminal."""
    language = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG")
    return environment.get("TERM") == "dumb" or language in ("C", "POSIX")


class Screen:
    """One person's terminal."""

    def __init__(
        self, language: str, *, colour: bool = True, plain: bool = False, console: Console | None = None
    ) -> None:
        if console is None:
            plain = plain or is_plain(os.environ)
            # An unencodable character must not crash a game.
            for stream in (sys.stdout, sys.stderr):
                if reconfigure := getattr(stream, "reconfigure", None):
                    reconfigure(errors="starfrost-plain", **({"encoding": "ascii"} if plain else {}))
            console = Console(highlight=False, no_color=not colour or None, soft_wrap=False)
            self._window = Console()
            if console.is_dumb_terminal:
                # Rich takes every such window for one of 80 columns.
                self._window.size = console.size = ConsoleDimensions(*get_terminal_size((80, 25)))
        else:
            self._window = Console(width=console.width)
        # Drawn is in at most so many columns; the window itself is asked for its own.
        self.console = console
        self.answers: list[str] = []
        """What was answered before the game so far, so that one can go back."""
        self.known: list[str] = []
        """Answers to the next questions, given already."""
        self.fit()
        self.can_clear = console.is_terminal and not console.is_dumb_terminal
        self._awaits = False
        if self.can_clear and hasattr(signal, "SIGWINCH") and current_thread() is main_thread():
            signal.signal(signal.SIGWINCH, self._resized)
        try:
            "äñ".encode(self.console.encoding)
            self.w: Words = Words(language)
        except UnicodeEncodeError:
            self.w = PlainWords(language)

    def fit(self) -> None:
        """Take on the width of the window, which may have changed."""
        self.width = self.console.width = min(self._window.width, WIDTH)

    def _resized(self, number: int, frame: Any) -> None:
        """Hear that the window has another size; while an answer is awaited, that interrupts the waiting."""
        if self._awaits:
            self._awaits = False
            raise _Resized

    def text(self, text: str) -> str:
        """Return a text that is not from `w` (a name, a rules page) in characters that this terminal can show."""
        return fold(text) if isinstance(self.w, PlainWords) else text

    def clear(self) -> None:
        """Clear the screen if the output is a terminal; otherwise print an empty line."""
        self.fit()
        if self.can_clear:
            self.console.clear()
        else:
            self.console.print()

    def show(self, *lines: RenderableType) -> None:
        """Print lines; long ones are cut, so that the table does not scroll off the screen."""
        for line in lines:
            self.console.print(line, overflow="ellipsis", no_wrap=True, crop=True)

    def say(self, text: str, style: str = "") -> None:
        """Print sentences, wrapped at the width, with a space before each line."""
        for line in wrapped(self, text, style):
            self.console.print(line)

    def ask(self, keys: str = "", redraw: Callable[[], object] | None = None) -> str:
        """Show the available keys and return the answer, stripped. Raises Closed when the input has ended.

        `redraw` draws what is above them again, for a window of another size.
        """
        prompt = Text.assemble((f" {keys}", "dim") if keys else "", (" > ", "bold"))
        while True:
            try:
                self._awaits = redraw is not None
                answer = self.console.input(prompt)
                break
            except EOFError:
                self.console.print()
                raise Closed from None
            except _Resized:
                assert redraw is not None
                redraw()
            finally:
                self._awaits = False
        # Control characters, such as an arrow key, must not be printed again.
        return "".join(letter for letter in answer if letter.isprintable()).strip()

    def read(self, parts: Iterable[RenderableType]) -> None:
        """Show a long text, page by page in a terminal; Enter continues, q goes back."""
        with self.console.capture() as capture:
            for part in parts:
                self.console.print(part)
        lines = capture.get().rstrip("\n").split("\n")
        height = max(self.console.height - 2, 5) if self.can_clear else len(lines)
        for start in range(0, len(lines), height):
            if self.can_clear:
                self.console.clear()
            # The lines are already rendered with their colours.
            self.console.file.write("\n".join(lines[start : start + height]) + "\n")
            self.console.file.flush()
            if not self.can_clear:
                return
            if start + height >= len(lines):
                self.ask(self.w("Enter: back to the game"))
            elif self.ask(self.w("Enter: go on reading, q: back")).lower().startswith("q"):
                return


def wrapped(screen: Screen, text: str, style: str = "") -> list[Text]:
    """Return sentences as lines of the screen's width, with a space before each."""
    return [Text.assemble(" ", line) for line in Text(text, style=style).wrap(screen.console, screen.width - 2)]


def pad(text: str, width: int) -> str:
    """Pad a text with spaces to a width in cells, or cut it."""
    while cell_len(text) > width:
        text = text[:-1]
    return text + " " * (width - cell_len(text))
