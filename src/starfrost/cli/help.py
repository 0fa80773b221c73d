"""The help and the usage errors of the command line, in the user's language.

Typer writes both in English only: commands of these classes show their help themselves, and `told` translates errors.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from starfrost.words import Words, mark

if TYPE_CHECKING:
    from rich.table import Table

Explain = Callable[[Words], str]
"""Returns a help text in a language; for help texts that contain names."""

_SUBJECT: Final = r"Invalid value for '(?P<subject>.+?)': "

_FAULTS: Final[Mapping[str, str]] = {
    r"No such option: (?P<option>.+) \(Possible options: (?P<options>.+)\)": mark(
        "There is no option %(option)s. Did you mean %(options)s?"
    ),
    r"No such option: (?P<option>.+)": mark("There is no option %(option)s."),
    r"No such command '(?P<command>.*)'\. Did you mean (?P<commands>.+)\?": mark(
        "There is no command %(command)s. Did you mean %(commands)s?"
    ),
    r"No such command '(?P<command>.*)'\.": mark("There is no command %(command)s."),
    r"Missing option '(?P<option>.+)'\.": mark("The option %(option)s is missing."),
    r"Missing argument '(?P<argument>.+)'\.": mark("The argument %(argument)s is missing."),
    r"Option '(?P<option>.+)' requires an argument\.": mark("The option %(option)s needs a value."),
    r"Option '(?P<option>.+)' does not take a value\.": mark("The option %(option)s takes no value."),
    r"Got unexpected extra argument\(?s?\)? \((?P<arguments>.+)\)": mark("Too many arguments: %(arguments)s."),
    _SUBJECT + "Input should be a valid integer.*": mark("%(subject)s needs a whole number."),
    _SUBJECT + "Input should be a valid number.*": mark("%(subject)s needs a number."),
    _SUBJECT + r"Input should be greater than or equal to (?P<least>[\d.]+)": mark(
        "%(subject)s must be at least %(least)s."
    ),
    _SUBJECT + r"Input should be less than or equal to (?P<most>[\d.]+)": mark("%(subject)s must be at most %(most)s."),
}
"""Our sentence for each message of Typer, by a pattern that finds the facts in it."""


def told(error: typer.TyperException, w: Words) -> str:
    """Return an error of Typer in words; its own message if we do not know it."""
    message = error.format_message()
    for pattern, sentence in _FAULTS.items():
        if found := re.fullmatch(pattern, message, re.DOTALL):
            facts = found.groupdict()
            return w(sentence, **{name: w(text) if name == "argument" else text for name, text in facts.items()})
    return message


def explained(**texts: Explain) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give parameters of a command help texts that contain names, such as those of the games."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command.help_texts = {**getattr(command, "help_texts", {}), **texts}  # type: ignore[attr-defined]
        return command

    return decorate


def _words(context: typer.Context) -> Words:
    return Words(context.obj or "en")


class Command(TyperCommand):
    """A command whose help is in the user's language."""

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Print the help."""
        _show(self, ctx, _words(ctx))


class Group(TyperGroup):
    """A group of commands whose help is in the user's language."""

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Print the help."""
        _show(self, ctx, _words(ctx))


def help_text(command: Any, parameter: Any, w: Words) -> str:
    """Return the help text of an option or argument."""
    if parameter.name == "help":
        return w("Show this help and exit.")
    explain: Explain | None = getattr(command.callback, "help_texts", {}).get(parameter.name)
    return explain(w) if explain else w(str(parameter.help))


def _details(parameter: Any, w: Words) -> Iterator[str]:
    """Yield what to know about a value: whether it is needed, its default and its limits."""
    if parameter.required:
        yield w("required")
    least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if least is not None and most is not None:
        yield w("from %(least)s to %(most)s", least=least, most=most)
    elif least is not None:
        yield w("at least %(least)s", least=least)
    if parameter.default is not False and parameter.default not in (None, ""):
        yield w("default: %(value)s", value=parameter.default)


def _kind(parameter: Any, context: typer.Context, w: Words) -> str:
    """Return a word for the value of an option: a text, a number or a file; nothing if it takes none."""
    if getattr(parameter, "is_flag", False):
        return ""
    if parameter.metavar:
        return w(parameter.metavar)
    shown = str(parameter.display_type(context) or "").lower()
    return w("NUMBER") if "int" in shown else w("FILE") if "path" in shown else w("TEXT")


def _name(argument: Any, w: Words) -> str:
    name = w(argument.metavar) if argument.metavar else argument.name
    return name if argument.required else f"[{name}]"


def _table(command: Any, context: typer.Context, w: Words, kind: str) -> "Table | None":
    """Return the table of all options or of all arguments; None if there are none."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for parameter in command.get_params(context):
        if parameter.param_type_name != kind:
            continue
        details = "; ".join(_details(parameter, w))
        text = " ".join(part for part in (help_text(command, parameter, w), f"[{details}]" if details else "") if part)
        names = ", ".join(parameter.opts) if kind == "option" else _name(parameter, w)
        # Texts, not markup: brackets are to be seen.
        table.add_row(*map(_plain, (names, _kind(parameter, context, w) if kind == "option" else "", text)))
    return table if table.row_count else None


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)


def _show(command: Any, context: typer.Context, w: Words) -> None:
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table

    console = Console(highlight=False)
    arguments = [_name(each, w) for each in command.get_params(context) if each.param_type_name == "argument"]
    others = [w("COMMAND [ARGUMENTS]")] if isinstance(command, TyperGroup) else arguments
    usage = " ".join((w("Usage:"), context.command_path, w("[OPTIONS]"), *others))
    console.print(_plain(f"\n{usage}\n\n{w(str(command.help))}\n"))
    tables = {title: _table(command, context, w, kind) for title, kind in _titles(w).items()}
    if isinstance(command, TyperGroup):
        tables[w("Commands")] = commands = Table.grid(padding=(0, 2))
        for name in command.list_commands(context):
            listed: Any = command.get_command(context, name)
            commands.add_row(name, _plain(w(str(listed.help))))
    for title, table in tables.items():
        if table is not None:
            console.print(Panel(table, title=title, title_align="left", border_style="dim"))


def _titles(w: Words) -> Mapping[str, str]:
    return {w("Arguments"): "argument", w("Options"): "option"}
