"""A question with options, the parsing of answers, and asking until an answer is valid."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rich.text import Text

from starfrost.terminal.help import show_help
from starfrost.terminal.screen import Closed, Screen
from starfrost.words import Words

Answer = TypeVar("Answer")


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

    @property
    def heading(self) -> Text:
        """The question as a line."""
        return Text(f" {self.question}", style="bold")

    @property
    def pages(self) -> int:
        """The number of pages of options."""
        return -(-len(self.options) // self.page_size)

    def find(self, answer: str) -> Option | None:
        """Return the option whose key or alias is the answer."""
        if not answer:
            return self.default
        return next((option for option in self.options if answer in (option.key, *option.aliases)), None)

    def lines(self, w: Words, width: int) -> list[Text]:
        """Draw the options in columns; long ones are cut, so that the table stays on the screen."""
        options = self.options[self.page * self.page_size : (self.page + 1) * self.page_size]
        rows = -(-len(options) // self.columns)
        column_width = (width - 1) // self.columns
        lines = []
        for row in range(rows):
            line = Text(" ")
            for option in options[row::rows]:
                cell = Text.assemble((f"{option.key:>2} ", "bold" if not option.refusal else "dim"), option.label)
                cell.truncate(column_width - 1, overflow="ellipsis")
                line.append_text(cell).append(" " * (column_width - cell.cell_len))
            line.rstrip()
            lines.append(line)
        if self.pages > 1:
            note = w("m: more (page %(page)s of %(pages)s)", page=self.page + 1, pages=self.pages)
            lines.append(Text(f"  {note}", style="dim"))
        return lines


def _show(screen: Screen, question: Sequence[Text]) -> None:
    """Clear the screen and show the welcome and a question."""
    w = screen.w
    screen.clear()
    screen.show(
        Text(" ★ Starfrost ❄", style="bold"),
        Text(" " + w("Two dice games, against bots or with friends at this keyboard.")),
        Text(" " + w("Answer with a number; Enter picks the first line. ? help, q quit."), style="dim"),
        Text(""),
        *question,
    )


def ask_until(
    screen: Screen, question: Sequence[Text], read: Callable[[str], Answer | None], refusal: str, game: str
) -> Answer:
    """Ask before a game until the answer is valid; `?` shows help. Raises Closed for `q`."""
    _show(screen, question)
    while True:
        answer = screen.ask()
        if answer.lower() in ("q", "quit"):
            raise Closed
        if answer.startswith("?"):
            message = show_help(screen, answer[1:], game)
            _show(screen, question)
            screen.say(message, "yellow")
        elif (found := read(answer)) is not None:
            return found
        else:
            screen.say(refusal, "yellow")


def ask(screen: Screen, menu: Menu, game: str = "", check: Callable[[Any], str] = lambda action: "") -> Any:
    """Ask a question with options; `check` returns why one of them is not possible now, or an empty text."""
    question = [menu.heading]
    for option in menu.options:
        key = f" {option.key:>2} "
        for line in option.label.wrap(screen.console, screen.width - 6):
            question.append(Text.assemble((key, "bold"), line))
            key = "    "

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
