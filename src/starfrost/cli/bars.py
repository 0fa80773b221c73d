"""The progress bar of long commands, on standard error and only in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def _progress(quiet: bool, *, counted: bool) -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn() if counted else TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)


@contextmanager
def bar(title: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], object]]:
    """Show a bar during the block, which gets a function to call with the number of finished steps."""
    with _progress(quiet, counted=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda steps: progress.advance(task, steps)


@contextmanager
def share_bar(title: str, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """Show a bar in per cent for work that reports its finished share, from 0 to 1."""
    with _progress(quiet, counted=False) as progress:
        task = progress.add_task(title, total=1.0)

        def tell(share: float) -> None:
            progress.update(task, completed=share)

        yield tell
