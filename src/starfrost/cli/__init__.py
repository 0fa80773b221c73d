"""The command line: thin, one file a command; every error is one sentence and an exit status."""

import sys
from importlib import import_module

import typer

from starfrost import __version__
from starfrost.errors import StarfrostError

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Two dice games: Dicy Cards and Dice Stars. Play, check, simulate, solve.",
)

# One module a command; each defines a function of its own name with an underscore for a dash.
COMMANDS: tuple[str, ...] = (
    "play",
    "replay",
    "serve",
    "simulate",
    "strength",
)


def _register() -> None:
    for name in COMMANDS:
        module = import_module(f"starfrost.cli.{name}")
        app.command(name)(getattr(module, name))


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and leave.")
) -> None:
    if version:
        print(f"starfrost {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input gets one sentence on standard error and exit status 2."""
    _register()
    try:
        status = app(args=arguments, standalone_mode=False)
    except typer.TyperException as error:
        print(f"starfrost: {error.format_message()}", file=sys.stderr)
        status = 2
    except StarfrostError as error:
        print(f"starfrost: {error}", file=sys.stderr)
        status = 2
    except (typer.Abort, KeyboardInterrupt):
        print("starfrost: interrupted.", file=sys.stderr)
        status = 130
    except BrokenPipeError:
        # The reader went away (`| head`): nobody is left to tell.
        sys.stderr.close()
        status = 141
    raise SystemExit(status if isinstance(status, int) else 0)
