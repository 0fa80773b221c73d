"""`starfrost completion`: a script that lets a shell complete commands and options."""

from typing import Annotated

import typer

from starfrost.errors import UsageError, mark

SHELLS = ("bash", "zsh", "fish")


def completion(shell: Annotated[str, typer.Argument(help=mark("bash, zsh or fish."))]) -> None:
    """Run `starfrost completion`."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    if shell not in SHELLS:
        raise UsageError(
            "There is no script for %(shell)s; there is one for %(shells)s.", shell=shell, shells=", ".join(SHELLS)
        )
    print(get_completion_script(prog_name="starfrost", complete_var="_STARFROST_COMPLETE", shell=shell))
