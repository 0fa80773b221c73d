"""The progress bar of long commands, on standard error and only in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, time


class Compiling:
    """Tell whether Numba compiles, in this process or in a worker: what it has compiled comes into its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._began, self._looked, self._found = folder, time(), 0.0, False

    def __bool__(self) -> bool:
        if not self._found and monotonic() - self._looked > 0.5:
            self._looked = monotonic()
            self._found = any(part.stat().st_mtime >= self._began for part in self._folder.glob("*/*.nbc"))
        return self._found


@contextmanager
def bar(title: str, total: int = 0, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show a bar during the block, which gets a function to call with the finished steps of `total`.

    Without a total it shows per cent, and the function takes the finished share, from 0 to 1. Until the first step is
    finished it says so where functions are compiled, which takes some seconds, once.
    """
    from rich import progress as rich
    from rich.console import Console
    from rich.text import Text

    from starfrost.cache import compiled_folder
    from starfrost.cli.options import words

    w = words()
    compiling, once = Compiling(compiled_folder()), w("compiling, once")

    class Title(rich.TextColumn):
        def render(self, task: rich.Task) -> Text:
            return Text(f"{title}, {once}" if not task.completed and compiling else title)

    console = Console(stderr=True)
    finished = rich.MofNCompleteColumn() if total else rich.TaskProgressColumn()
    columns = (Title(""), rich.BarColumn(), finished, rich.TimeRemainingColumn())
    with rich.Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task(title, total=total or 1.0)
        yield lambda done: progress.update(task, completed=done)
