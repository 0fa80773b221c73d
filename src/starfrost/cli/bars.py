"""The progress bar of long commands: on standard error, and only for people."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar", "share_bar"]


@contextmanager
def bar(title: str, total: int, quiet: bool = False) -> Iterator[Callable[[int], object]]:
    """Show a bar while the block works; the block calls what it is given with the steps done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda steps: progress.advance(task, steps)


@contextmanager
def share_bar(title: str, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """Show a bar for work that tells which share of it is done, from 0 to 1."""
    done = 0

    with bar(title, 100, quiet) as advance:

        def tell(share: float) -> None:
            nonlocal done
            advance(int(100 * share) - done)
            done = int(100 * share)

        yield tell
