"""A question with options, and the parsing of answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.text import Text

from starfrost.terminal.screen import pad
from starfrost.words import Words


@dataclass(frozen=True)
class Option:
    """One line of a menu: its key, its label, and an action, a further menu, or the reason why it is not possible."""

    key: str
    label: Text
    action: Any = None
    menu: "Callable[[], Menu] | None" = None
    refusal: str = ""
    aliases: tuple[str, ...] = ()


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
    wraps: bool = False
    """Whether long lines wrap; otherwise they are cut, so that the table stays on the screen."""
    page: int = 0
    """The page of options that is shown."""
    page_size: int = 12

    def shown(self) -> Sequence[Option]:
        """The options on this page."""
        return self.options[self.page * self.page_size : (self.page + 1) * self.page_size]

    def more(self) -> bool:
        """Return whether there are more options than fit on one screen."""
        return len(self.options) > self.page_size

    def find(self, answer: str) -> Option | None:
        """Return the option whose key or alias is the answer."""
        if not answer:
            return self.default
        return next((option for option in self.options if answer in (option.key, *option.aliases)), None)

    def lines(self, w: Words, width: int) -> list[Text]:
        """Draw the options in columns."""
        options = self.shown()
        rows = -(-len(options) // self.columns)
        column_width = (width - 1) // self.columns
        lines = []
        for row in range(rows) if not self.wraps else ():
            line = Text(" ")
            for option in options[row::rows]:
                cell = Text.assemble((f"{option.key:>2} ", "bold" if not option.refusal else "dim"), option.label)
                cell.truncate(column_width - 1, overflow="ellipsis")
                cell.append(pad("", column_width - cell.cell_len))
                line.append_text(cell)
            line.rstrip()
            lines.append(line)
        for option in options if self.wraps else ():
            first = Text(f" {option.key:>2} ", "bold" if not option.refusal else "dim")
            wrapped = option.label.wrap(Console(width=width), width - 6)
            lines += [Text.assemble(first if number == 0 else "    ", line) for number, line in enumerate(wrapped)]
        if self.more():
            pages = -(-len(self.options) // self.page_size)
            note = w("m: more (page %(page)s of %(pages)s)", page=self.page + 1, pages=pages)
            lines.append(Text(f"  {note}", style="dim"))
        return lines
