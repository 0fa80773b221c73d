"""`starfrost serve`: the online tables."""

import gc
from pathlib import Path

import typer

from starfrost.errors import UsageError, mark


def serve(
    host: str = typer.Option("127.0.0.1", help=mark("The address to listen on; 0.0.0.0 for everybody in the network.")),
    port: int = typer.Option(8000, min=0, max=65535, help=mark("The port to listen on.")),
    database: str = typer.Option(
        "", help=mark("A file, sqlite:///FILE or postgresql://…; default: a file in your user data folder.")
    ),
    workers: int = typer.Option(1, min=1, max=64, help=mark("Server processes; more than one needs Postgres.")),
    config: Path | None = typer.Option(None, help=mark("A file with settings; starfrost.toml here if there is one.")),
    rules: list[Path] | None = typer.Option(
        None, help=mark("Offer the variant of this rules file at the set-up; may be given several times.")
    ),
    show: bool = typer.Option(
        False, "--open", help=mark("Open the page in a browser, on a free port if this one is taken.")
    ),
) -> None:
    """Run `starfrost serve`."""
    # All that is imported stays: to look for garbage in it would take an eighth of the start.
    gc.disable()
    from starfrost.table import Settings
    from starfrost.web.server import run

    gc.enable()
    given = {"database": database} if database else {}
    if rules:
        given["variants"] = ", ".join(map(str, rules))
    if show:
        # The user plays on this machine, so only warnings and errors are shown.
        given["log_level"] = "warning"
    settings = Settings.load(config, **given)
    settings.offered  # noqa: B018  # Raises UsageError.
    if workers > 1 and settings.is_sqlite:
        raise UsageError("Several workers need Postgres (--database postgresql://…); an SQLite file has one server.")
    run(settings, host, port, workers, show=show)
