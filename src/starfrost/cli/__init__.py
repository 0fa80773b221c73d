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

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")

INTERRUPTED = 130


def _register(arguments: list[str]) -> None:
    """Import only the requested command; without one (for the help), import all."""
    requested = next((word for word in arguments if not word.startswith("-")), None)
    # Typer imports Pydantic to look for the --help before a command, a third of the time of `starfrost play --help`.
    app.callback(invoke_without_command=True, add_help_option=arguments[:1] != [requested])(_root)
    if requested not in COMMANDS:
        titles = " and ".join(kit.title for _, kit in GAMES.items())
        app.info.help = f"Dice games: {titles}. Play, check, simulate, solve."
    for name in (requested,) if requested in COMMANDS else COMMANDS:
        module = import_module(f"starfrost.cli.{COMMANDS[name]}")
        app.command(name)(getattr(module, name))


def _root(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and leave.")
) -> None:
    if version:
        print(f"starfrost {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def _in_words(phrase: Phrase, arguments: list[str]) -> str:
    """Return an error, or another final message, in the language of --lang or else of the system."""
    from starfrost.words import LANGUAGES, Words, language_from_environment

    requested = re.search(r"(?:^|\n)--lang[\n=](\w+)", "\n".join(arguments))
    language = requested[1] if requested and requested[1] in LANGUAGES else language_from_environment()
    return Words(language).say(phrase)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input gets one sentence on standard error and exit status 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if isinstance(sys.stdout, TextIOWrapper):
        # A file name or a player's name can contain characters outside the terminal's encoding.
        sys.stdout.reconfigure(errors="backslashreplace")
    _register(arguments)
    try:
        status = app(args=arguments, standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:
            # Typer turns an interrupt into its exit status without a message.
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
        # The reader closed the pipe (`| head`), so Python must not fail again when it closes its output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    raise SystemExit(status if isinstance(status, int) else 0)
