"""Questions before a game: repeated until the answer is valid, with help and a way to quit."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rich.text import Text

from starfrost.terminal.help import show_help
from starfrost.terminal.menu import Menu
from starfrost.terminal.screen import Screen


def _welcome(screen: Screen) -> None:
    """Clear the screen and show the welcome."""
    w = screen.w
    screen.clear()
    screen.show(
        Text(" ★ Starfrost ❄", style="bold"),
        Text(" " + w("Two dice games, against bots or with friends at this keyboard.")),
        Text(" " + w("Answer with a number; Enter takes the first line. ? explains, q leaves."), style="dim"),
        Text(""),
    )


Answer = TypeVar("Answer")


def ask_until(
    screen: Screen, question: Sequence[Text], read: Callable[[str], Answer | None], refusal: str, game: str
) -> Answer:
    """Ask until the answer is valid; `?` shows help and `q` quits."""
    _welcome(screen)
    screen.show(*question)
    while True:
        answer = screen.ask()
        if answer.lower() in ("q", "quit"):
            raise KeyboardInterrupt
        if answer.startswith("?"):
            message = show_help(screen, answer[1:], game)
            _welcome(screen)
            screen.show(*question)
            screen.say(message, "yellow")
        elif (found := read(answer)) is not None:
            return found
        else:
            screen.say(refusal, "yellow")


def ask(screen: Screen, menu: Menu, game: str = "", check: Callable[[Any], str] | None = None) -> Any:
    """Ask a question with options; `check` returns why one of them is not possible now, or an empty text."""
    menu = replace(menu, wraps=True)
    question = [Text(f" {menu.question}", style="bold"), *menu.lines(screen.w, screen.width)]

    def read(answer: str) -> Any:
        option = menu.find(answer.lower())
        refusal = check(option.action) if option and check else ""
        if refusal:
            screen.say(refusal, "yellow")
        return option.action if option and not refusal else None

    return ask_until(screen, question, read, screen.w("Please answer with one of the numbers above."), game)


def described(name: str, text: str) -> Text:
    """Return a name with a line about it below."""
    return Text.assemble((name, "bold"), "\n", (text, "dim"))
