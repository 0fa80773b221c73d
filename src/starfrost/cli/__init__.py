"""The command line: one module per command; every error is one sentence and an exit status."""

import os
import re
import sys
from importlib import import_module
from io import TextIOWrapper

import typer

from starfrost import __version__
from starfrost.cli.help import Command, Group, told
from starfrost.cli.registry import ADMIN, commands
from starfrost.errors import StarfrostError, mark
from starfrost.games.registry import GAMES
from starfrost.words import LANGUAGES, Words, language_from_environment

__all__ = ["app", "main"]

app = typer.Typer(cls=Group, add_completion=False, pretty_exceptions_enable=False)

INTERRUPTED = 130
COMPLETE = "_STARFROST_COMPLETE"
"""With this variable in the environment the command answers a shell that asks for completions."""


def _register(arguments: list[str], language: str) -> None:
    """Import only the requested command; without one, the help lists all of them."""
    requested = next((word for word in arguments if not word.startswith("-")), None)
    # Typer imports Pydantic to look for the --help before a command, a third of the time of `starfrost play --help`.
    app.callback(invoke_without_command=True, add_help_option=arguments[:1] != [requested])(_root)
    known = commands()
    if requested == "admin":
        app.add_typer(_admin(arguments), name=requested, cls=Group, help=known[requested][1])
        return
    if requested in known:
        module, text = known[requested]
        run = getattr(import_module(module), requested)
        app.command(requested, cls=Command, help=text)(run)
        return
    w = Words(language)
    app.info.help = w(
        "Dice games: %(games)s. Play, check, simulate, solve.", games=w.all_of(kit.title for _, kit in GAMES.items())
    )
    for name, (_, text) in known.items():
        app.command(name, cls=Command, help=text)(_listed)


def _admin(arguments: list[str]) -> typer.Typer:
    """Return the commands for hosts; only the requested one is imported."""
    group = typer.Typer(cls=Group, add_completion=False)
    group.callback(invoke_without_command=True)(_admin_root)
    words = [word for word in arguments[arguments.index("admin") + 1 :] if not word.startswith("-")]
    requested = words[0] if words and words[0] in ADMIN else None
    for name, (module, function, text) in ADMIN.items():
        run = getattr(import_module(f"starfrost.cli.admin.{module}"), function) if name == requested else _listed
        group.command(name, cls=Command, help=text)(run)
    return group


def _admin_root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        context.get_help()


def _listed() -> None:
    """Stand in for a command that is only listed."""


def _root(
    context: typer.Context, version: bool = typer.Option(False, "--version", help=mark("Print the version and exit."))
) -> None:
    if version:
        print(f"starfrost {__version__}")
    elif context.invoked_subcommand is None:
        context.get_help()


def _language(arguments: list[str]) -> str:
    """Return the language of --lang, or else of the system."""
    requested = re.search(r"(?:^|\n)--lang[\n=](\w+)", "\n".join(arguments))
    return requested[1] if requested and requested[1] in LANGUAGES else language_from_environment()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input gets one sentence on standard error and exit status 2."""
    arguments = ["--help" if word == "-h" else word for word in (sys.argv[1:] if arguments is None else arguments)]
    if isinstance(sys.stdout, TextIOWrapper):
        # A file name or a player's name can contain characters outside the terminal's encoding.
        sys.stdout.reconfigure(errors="backslashreplace")
    if arguments == ["--version"]:
        # Typer would import Pydantic for it.
        print(f"starfrost {__version__}")
        raise SystemExit(0)
    language = _language(arguments)
    if COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        # A shell asks: of the command that it has so far the options are wanted, too.
        completion_init()
        typed = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
        _register(typed.split()[1:], language)
        app(args=[], prog_name="starfrost", complete_var=COMPLETE)
    _register(arguments, language)
    try:
        status = app(args=arguments, standalone_mode=False, obj=language)
        sys.stdout.flush()
        if status == INTERRUPTED:
            # Typer turns an interrupt into its exit status without a message.
            raise KeyboardInterrupt
    except typer.TyperException as error:
        print(f"starfrost: {told(error, Words(language))}", file=sys.stderr)
        status = 2
    except StarfrostError as error:
        print(f"starfrost: {Words(language).say(error)}", file=sys.stderr)
        status = 2
    except (typer.Abort, KeyboardInterrupt):
        w = Words(language)
        print("starfrost:", w("interrupted."), file=sys.stderr)
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe (`| head`), so Python must not fail again when it closes its output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    raise SystemExit(status if isinstance(status, int) else 0)
