"""The progress bar of long commands, on standard error and only in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(title: str, total: int = 0, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show a bar during the block, which gets a function to call with the finished steps of `total`.

    Without a total it shows per cent, and the function takes the finished share, from 0 to 1.
    """
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    finished = rich.MofNCompleteColumn() if total else rich.TaskProgressColumn()
    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), finished, rich.TimeRemainingColumn())
    with rich.Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task(title, total=total or 1.0)
        yield lambda done: progress.update(task, completed=done)
