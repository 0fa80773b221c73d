"""The command line: one module per command; every error is one sentence and an exit status."""

import os
import re
import sys
from importlib import import_module
from io import TextIOWrapper

import typer

from starfrost import __version__
from starfrost.cli.registry import COMMANDS
from starfrost.errors import Phrase, StarfrostError
from starfrost.games.registry import GAMES

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


INTERRUPTED = 130


def _register(arguments: list[str]) -> None:
    """Import the command that is asked for and leave the others alone; without one, for the help, import all."""
    asked = next((word for word in arguments if not word.startswith("-")), None)
    if asked not in COMMANDS:
        titles = " and ".join(kit.title for _, kit in GAMES.items())
        app.info.help = f"Dice games: {titles}. Play, check, simulate, solve."
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        module = import_module(f"starfrost.cli.{COMMANDS[name]}")
        app.command(name)(getattr(module, name))


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and leave.")
) -> None:
    if version:
        print(f"starfrost {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def _in_words(phrase: Phrase, arguments: list[str]) -> str:
    """Say an error, or whatever else ends a command, in the language that --lang asks for, or else the system."""
    from starfrost.words import LANGUAGES, Words, language_from_environment

    asked = re.search(r"(?:^|\n)--lang[\n=](\w+)", "\n".join(arguments))
    language = asked[1] if asked and asked[1] in LANGUAGES else language_from_environment()
    return Words(language).say(phrase)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input gets one sentence on standard error and exit status 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if isinstance(sys.stdout, TextIOWrapper):
        # A file name or a player's name may hold what the terminal's encoding cannot say.
        sys.stdout.reconfigure(errors="backslashreplace")
    _register(arguments)
    try:
        status = app(args=arguments, standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:
            # Typer turns an interrupt into its exit status without a word.
            raise KeyboardInterrupt
    except typer.TyperException as error:
        print(f"starfrost: {error.format_message()}", file=sys.stderr)
        status = 2
    except StarfrostError as error:
        print(f"starfrost: {_in_words(error, arguments)}", file=sys.stderr)
        status = 2
    except (typer.Abort, KeyboardInterrupt):
        print("starfrost:", _in_words(Phrase("interrupted."), arguments), file=sys.stderr)
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): nobody is left to tell, not even when Python closes its output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    raise SystemExit(status if isinstance(status, int) else 0)
