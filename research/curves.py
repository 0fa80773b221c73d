"""Learning curves as a picture, drawn from the `curve.csv` of a training. Needs the extra `plots`."""

import csv
from pathlib import Path
from typing import Any

from starfrost.errors import UsageError, require

PANELS = (
    ("score", "mean score in self-play"),
    ("measured", "won alone, or against random players"),
    ("loss", "loss"),
)


def read(folder: Path) -> list[dict[str, Any]]:
    """Return the measurements. Raises UsageError if there are none."""
    path = folder / "curve.csv"
    if not path.exists():
        raise UsageError("There is no curve.csv in %(folder)s: training writes one.", folder=folder)
    with path.open(newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    if not rows:
        raise UsageError("%(file)s has no measurements yet.", file=path)
    for row in rows:
        row["measured"] = row["against_random"]
    return [{**row, "table": _table(int(row["players"]))} for row in rows]


def _table(players: int) -> str:
    return "solo" if players == 1 else f"{players} players"


def draw(folder: Path) -> Path:
    """Draw `curves.svg` beside the measurements. Raises MissingExtra without Altair."""
    rows = read(folder)
    require("Pictures need Altair and vl-convert: pip install 'starfrost[plots]'.", "altair", "vl_convert")
    import altair

    data: Any = altair.InlineData(values=rows)
    lines = altair.Chart(data).mark_line(point=True)
    charts = []
    for column, title in PANELS:
        chart = lines.encode(
            x=altair.X("seconds:Q", title="seconds of training"),
            y=altair.Y(f"{column}:Q", title=title, scale=altair.Scale(zero=False)),
            color=altair.Color("table:N", title=None),
        )
        charts.append(chart.properties(width=260, height=220))
    path = folder / "curves.svg"
    altair.hconcat(*charts).save(str(path))
    return path
