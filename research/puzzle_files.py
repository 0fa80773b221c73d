"""Files of a search for puzzles: what was found, and what an interrupted search keeps.

`python -m research.puzzle_files` gives the puzzles that come with Starfrost their reasons, by the coach of their game,
which solves what it needs; `--game NAME` only those of one game.
"""

import argparse
import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starfrost.coach.judge import Judge
from starfrost.coach.puzzles import Choice, Puzzle
from starfrost.coach.registry import COACHES, PUZZLES
from starfrost.errors import UsageError

FORMAT: Final = "starfrost puzzles 1"
"""The first line of a file of found puzzles begins with it."""


def write_all(target: Path, found: Sequence[Puzzle]) -> None:
    """Write puzzles into a folder, or into one file if the name ends in .jsonl."""
    if target.suffix == ".jsonl":
        target.write_text("".join(f"{puzzle.line()}\n" for puzzle in found), encoding="utf-8")
        return
    target.mkdir(parents=True, exist_ok=True)
    for number, puzzle in enumerate(found, 1):
        (target / f"{number:03}.sfr").write_text(puzzle.text(), encoding="utf-8")


def kept(
    file: Path | None, about: Mapping[str, Any], puzzle: type[Puzzle], search: Callable[[int], Iterable[list[Any]]]
) -> Generator[list[Any], None, None]:
    """Yield the puzzles of each part of a search; with a file, those that it keeps first.

    `search` gets the number of parts that are known and yields the others. Raises UsageError if the file belongs to a
    search that differs in what `about` says.
    """
    known = _kept(file, about, puzzle) if file is not None else []
    yield from known
    try:
        # Written anew: the last line of an interrupted search may be incomplete.
        with file.open("w", encoding="utf-8") if file is not None else nullcontext() as out:
            if out is not None:
                head = json.dumps({"format": FORMAT, "about": about})
                out.writelines(f"{line}\n" for line in (head, *map(_part, known)))
                out.flush()
            for found in search(len(known)):
                if out is not None:
                    out.write(_part(found) + "\n")
                    out.flush()
                yield found
    except OSError as error:
        if file is None:
            raise
        raise UsageError("%(file)s cannot be written: %(reason)s.", file=file, reason=error.strerror) from None


def _part(found: Sequence[Puzzle]) -> str:
    """Write puzzles as a line; their values in full, unlike in a record."""
    worths = [[one.gap, [choice.value for choice in one.choices], one.values] for one in found]
    return json.dumps([[one.text(), *rest] for one, rest in zip(found, worths, strict=True)])


def _kept(file: Path, about: Mapping[str, Any], puzzle: type[Puzzle]) -> list[list[Puzzle]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True) if file.exists() else []
        head = json.loads(lines[0]) if lines else {"format": FORMAT, "about": about}
    except (OSError, ValueError) as error:
        raise UsageError("%(file)s cannot be read: %(reason)s.", file=file, reason=str(error)) from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UsageError("%(file)s is not the file of a run.", file=file)
    if head["about"] != json.loads(json.dumps(about)):
        raise UsageError("%(file)s belongs to a run with other settings; name another file.", file=file)
    parts = []
    for line in lines[1:]:
        if line.endswith("\n"):
            found = []
            for text, gap, values, every in json.loads(line):
                one = puzzle.from_record(text)
                choices = tuple(Choice(choice.action, value) for choice, value in zip(one.choices, values, strict=True))
                found.append(replace(one, gap=gap, choices=choices, values=tuple(every)))
            parts.append(found)
    return parts


def main() -> None:
    """Write the puzzles of games anew, with their reasons and otherwise as they are."""
    parser = argparse.ArgumentParser(prog="python -m research.puzzle_files", description=__doc__)
    parser.add_argument("--game", choices=list(PUZZLES))
    chosen = parser.parse_args()
    for name in [chosen.game] if chosen.game else PUZZLES:
        kit, judges, lines = PUZZLES[name], dict[str, Judge](), []
        for puzzle, line in zip(kit, kit.file.read_text(encoding="utf-8").splitlines(), strict=True):
            set_up = f"{puzzle.game.seats} {puzzle.game.headers()}"
            if set_up not in judges:
                print(set_up, flush=True)
                judges[set_up] = COACHES[name].prepare(puzzle.game)
            facts = {**json.loads(line), "why": puzzle.reasoned(judges[set_up]).why}
            lines.append(json.dumps(facts, separators=(",", ":")) + "\n")
        kit.file.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
