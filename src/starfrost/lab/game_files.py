"""Every game of a run as a file, a row for each seat: CSV or Parquet.

Rows are written as they come, so any number of games takes the same memory.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from starfrost.errors import MissingExtra, UsageError

Rows = Mapping[str, "NDArray[Any] | str | int"]
"""The columns of some games; a text or a number is the same in all rows."""

COLUMNS: Final = ("players", "option", "game", "turns", "seat", "score", "credit", "rules")
GROUP: Final = 1 << 17
"""The rows of a row group of a Parquet file: about a megabyte."""


class GameFile(Protocol):
    """A file that takes the rows of games."""

    def write(self, rows: Rows, number: int) -> None:
        """Write so many rows."""


@contextmanager
def csv_file(path: Path) -> Iterator[GameFile]:
    """Write a CSV file during the block. Raises UsageError."""
    with _writable(path), path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(COLUMNS) + "\n")
        yield _Csv(file)


@contextmanager
def parquet_file(path: Path, facts: Mapping[str, object]) -> Iterator[GameFile]:
    """Write a Parquet file with these facts about the run during the block; one that is interrupted can be read.

    Raises MissingExtra without PyArrow, and UsageError.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as missing:
        raise MissingExtra("Parquet files need PyArrow: pip install 'starfrost[lab]'.") from missing
    number, text = pyarrow.int32(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = (pyarrow.int8(), text, pyarrow.int64(), number, pyarrow.int8(), number, pyarrow.float64(), text)
    about = {f"starfrost.{name}": fact if isinstance(fact, str) else json.dumps(fact) for name, fact in facts.items()}
    schema = pyarrow.schema(list(zip(COLUMNS, types, strict=True)), metadata=about)
    with _writable(path), parquet.ParquetWriter(path, schema) as writer:
        file = _Parquet(writer, schema)
        try:
            yield file
        finally:
            file.flush()


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError("%(file)s cannot be written: %(reason)s.", file=path, reason=reason) from error


class _Csv:
    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, rows: Rows, number: int) -> None:
        columns = [_cells(rows[name], number) for name in COLUMNS]
        self._file.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))


def _cells(values: "NDArray[Any] | str | int", number: int) -> list[str]:
    if isinstance(values, str | int):
        text = str(values)
        return [f'"{text}"' if "," in text else text] * number
    return [f"{value:g}" if values.dtype.kind == "f" else str(value) for value in values.tolist()]


class _Parquet:
    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[Any] = []
        self._rows = 0

    def write(self, rows: Rows, number: int) -> None:
        import pyarrow

        arrays = []
        for field in self._schema:
            values = rows[field.name]
            if isinstance(values, str):
                index = pyarrow.array(np.zeros(number, np.int32))
                arrays.append(pyarrow.DictionaryArray.from_arrays(index, [values]))
            else:
                values = np.full(number, values) if isinstance(values, int) else values
                arrays.append(pyarrow.array(values).cast(field.type))
        self._waiting.append(pyarrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows += number
        if self._rows >= GROUP:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._waiting:
            import pyarrow

            self._writer.write_table(pyarrow.concat_tables(self._waiting), row_group_size=GROUP)
            self._waiting, self._rows = [], 0
