"""A question with options, the parsing of answers, and asking until an answer is valid."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.text import Text

from starfrost.terminal.help import show_help
from starfrost.terminal.screen import Closed, Screen, wrapped
from starfrost.words import Words

Answer = TypeVar("Answer")

# Wrapping needs a console; it prints nothing.
_PLAIN: Final = Console()


@dataclass(frozen=True)
class Option:
    """One line of a menu: its key, its label, and an action, a further menu, or the reason why it is not possible."""

    key: str
    label: Text
    action: Any = None
    menu: "Callable[[], Menu] | None" = None
    refusal: str = ""
    aliases: tuple[str, ...] = ()


def numbered(entries: Iterable[tuple[Text | str, Any]]) -> list[Option]:
    """Return options for labels and actions, with the keys 1, 2…; an action that is a word can be typed too."""
    return [
        Option(str(number), Text.assemble(label), action, aliases=(action,) if isinstance(action, str) else ())
        for number, (label, action) in enumerate(entries, start=1)
    ]


@dataclass(frozen=True)
class Menu:
    """A question: its options, the default for Enter, and a parser for other answers (None: not understood)."""

    question: str
    options: Sequence[Option]
    default: Option | None = None
    read: "Callable[[str], Any | None]" = field(default=lambda text: None)
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why an action is not possible, by its key and by its notation."""
    columns: int = 1
    """The number of options per line."""
    page: int = 0
    """The page of options that is shown."""
    page_size: int = 12

    def heading(self, screen: Screen) -> list[Text]:
        """Return the question, wrapped at the width, with a space before each line."""
        return wrapped(screen, self.question, "bold")

    @property
    def pages(self) -> int:
        """The number of pages of options."""
        return -(-len(self.options) // self.page_size)

    def find(self, answer: str) -> Option | None:
        """Return the option whose key or alias is the answer."""
        if not answer:
            return self.default
        return next((option for option in self.options if answer in (option.key, *option.aliases)), None)

    def fitted(self, w: Words, width: int, room: int) -> "Menu":
        """Return the menu with so many whole options on a page as `room` lines hold, where some would be cut."""
        if not any("…" in line.plain for line in self.lines(w, width, room)):
            return self
        tallest = max(len(_whole(option, width)) for option in self.options)
        return replace(self, columns=1, page=0, page_size=max(1, (room - 1) // tallest))

    def lines(self, w: Words, width: int, room: int = 0) -> list[Text]:
        """Draw the options in columns. Where one is too long, each gets lines of its own if `room` lines are enough.

        Otherwise long ones are cut, so that the table stays on the screen.
        """
        options = self.options[self.page * self.page_size : (self.page + 1) * self.page_size]
        cells = [
            Text.assemble((f"{option.key:>2} ", "bold" if not option.refusal else "dim"), option.label)
            for option in options
        ]
        note = []
        if self.pages > 1:
            more = w("m: more (page %(page)s of %(pages)s)", page=self.page + 1, pages=self.pages)
            note = [Text(f"  {more}", style="dim")]
        column_width = (width - 1) // self.columns
        if any(cell.cell_len > column_width - 1 for cell in cells):
            whole = [line for option in options for line in _whole(option, width)]
            if len(whole) + len(note) <= room:
                return whole + note
        rows = -(-len(options) // self.columns)
        lines = []
        for row in range(rows):
            line = Text(" ")
            for cell in cells[row::rows]:
                cell.truncate(column_width - 1, overflow="ellipsis")
                line.append_text(cell).append(" " * (column_width - cell.cell_len))
            line.rstrip()
            lines.append(line)
        return lines + note


def _whole(option: Option, width: int) -> list[Text]:
    """Draw an option in as many lines as its label needs."""
    labels = option.label.wrap(_PLAIN, width - 6)
    keys = [f" {option.key:>2} ", *["    "] * (len(labels) - 1)]
    style = "dim" if option.refusal else "bold"
    return [Text.assemble((key, style), label) for key, label in zip(keys, labels, strict=True)]


class Back(Exception):
    """A person wants to answer the question before again."""


Question = Callable[[], Sequence[Text]]
"""The lines of a question, for a window of any width."""


def _show(screen: Screen, question: Question) -> None:
    """Clear the screen and show the welcome and a question."""
    w = screen.w
    screen.clear()
    keys = w("Answer with a number; Enter picks the first line. b back, ? help, q quit.")
    screen.show(
        Text(" ★ Starfrost ❄", style="bold"),
        *wrapped(screen, w("Two dice games, against bots or with friends at this keyboard.")),
        *wrapped(screen, keys, "dim"),
        Text(""),
        *question(),
    )


def with_way_back(screen: Screen, questions: Callable[[], Answer]) -> Answer:
    """Ask questions that depend on each other's answers; `b` asks the one before again."""
    while True:
        screen.answers = []
        try:
            return questions()
        except Back:
            # What was answered before is not asked again.
            screen.known = screen.answers[:-1]


def ask_until(
    screen: Screen, question: Question, read: Callable[[str], Answer | None], refusal: str, game: str
) -> Answer:
    """Ask before a game until the answer is valid; `?` shows help. Raises Closed for `q`, Back for `b`."""
    if screen.known:
        screen.answers.append(screen.known.pop(0))
        found = read(screen.answers[-1])
        assert found is not None
        return found
    _show(screen, question)
    while True:
        answer = screen.ask("", lambda: _show(screen, question))
        if answer.lower() in ("q", "quit"):
            raise Closed
        if answer.lower() in ("b", "back") and screen.answers:
            raise Back
        if answer.startswith("?"):
            message = show_help(screen, answer[1:], game)
            _show(screen, question)
            screen.say(message, "yellow")
        elif (found := read(answer)) is not None:
            screen.answers.append(answer)
            return found
        else:
            screen.say(refusal, "yellow")


def ask(screen: Screen, menu: Menu, game: str = "", check: Callable[[Any], str] = lambda action: "") -> Any:
    """Ask a question with options; `check` returns why one of them is not possible now, or an empty text."""

    def question() -> Sequence[Text]:
        return [*menu.heading(screen), *(line for option in menu.options for line in _whole(option, screen.width))]

    def read(answer: str) -> Any:
        option = menu.find(answer.lower())
        if option and (refusal := check(option.action)):
            screen.say(refusal, "yellow")
            return None
        return option and option.action

    return ask_until(screen, question, read, screen.w("Please answer with one of the numbers above."), game)


def described(name: str, text: str) -> Text:
    """Return a name with a line about it below."""
    return Text.assemble((name, "bold"), "\n", (text, "dim"))
