"""The page about the balance of Dice Stars: `python -m bench.stars_page [--figures FILE] [--page FILE]`.

It prints the tables from the figures that `python -m bench.stars balance|limit --out FILE` counted, puts them between
the marks of the page and draws the charts beside it (extra `plots`).
"""

import argparse
import json
from math import sqrt
from pathlib import Path
from typing import Any

BLUE, ORANGE, PALE = "#1769aa", "#c2410c", "#a9c8e2"
Line = dict[str, Any]


def name_of(line: Line) -> str:
    return f"{line['players']} players" if line["players"] > 1 else f"solo, {line['grid']} boxes"


def mean_turns(line: Line) -> float:
    return sum(number * count for number, count in enumerate(line["turns"])) / line["games"]


def share(count: float, games: float) -> str:
    """Write a share in percent with its 95% interval."""
    part = count / games
    reach = 1.96 * sqrt(part * (1 - part) / games)
    return f"{100 * part:.2f}% ± {100 * reach:.2f}"


def table(rows: list[list[str]]) -> str:
    head, *body = rows
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body))


def seats_table(lines: list[Line]) -> str:
    rows = [["table", "games", "seat", "won", "mean score", "spread", "penalties"]]
    for line in lines:
        games = line["games"]
        for seat, (won, score, squares, penalty) in enumerate(
            zip(line["won"], line["score"], line["score2"], line["penalty"], strict=True), 1
        ):
            spread = sqrt(max(0, squares / games - (score / games) ** 2))
            first = [name_of(line), f"{games:,.0f}"] if seat == 1 else ["", ""]
            rows.append(
                [*first, str(seat), share(won, games), f"{score / games:.1f}", f"{spread:.1f}", share(penalty, games)]
            )
    return table(rows)


def games_table(lines: list[Line]) -> str:
    rows = [["table", "turns", "best score", "lead at the end", "ended by a penalty"]]
    for line in lines:
        games = line["games"]
        rows.append(
            [
                name_of(line),
                f"{mean_turns(line):.1f}",
                f"{line['top'] / games:.1f}",
                f"{line['margin'] / games:.1f}",
                share(line["any_penalty"], games),
            ]
        )
    return table(rows)


def rows_table(lines: list[Line]) -> str:
    rows = [["table", "points", *(f"row {label}" for label in range(2, 7)), "all"]]
    for line in lines:
        sheets = line["games"] * line["players"]
        for kind, label in (("once", "without stars"), ("doubled", "doubled by stars"), ("lost", "lost: some stars")):
            each = [sum(seat[row] for seat in line[kind]) / sheets for row in range(5)]
            first = name_of(line) if kind == "once" else ""
            rows.append([first, label, *(f"{points:.1f}" for points in each), f"{sum(each):.1f}"])
    return table(rows)


def solo_table(lines: list[Line]) -> str:
    rows = [["boxes", "games", "won", "grid filled", "ended by a penalty", "mean score", "turns"]]
    for line in lines:
        games = line["games"]
        rows.append(
            [
                str(line["grid"]),
                f"{games:,.0f}",
                share(line["won"][0], games),
                share(line["grid_lost"], games),
                share(line["any_penalty"], games),
                f"{line['score'][0] / games:.1f}",
                f"{mean_turns(line):.1f}",
            ]
        )
    return table(rows)


PLAYERS = {
    "strong": "`strong`",
    "wide": "more rolls and options",
    "deep": "a round of rollouts",
    "wide less strong": "more rolls and options, less `strong`",
    "deep less strong": "a round of rollouts, less `strong`",
}


def limit_table(lines: list[Line]) -> str:
    """Compare players with far more search with `strong`: alone on the same dice, else one against all others."""
    rows = [["table", "player", "games", "even", "won"]]
    for line in sorted(lines, key=lambda line: line["players"] == 1):
        seats, width = line["players"], line["what"].removeprefix("foresight ")
        name = PLAYERS.get(line["what"], f"knows the coming dice, {width} positions kept: at least")
        even = f"{100 / seats:.1f}%" if seats > 1 else ""
        won, low, high = (f"{100 * line[part]:.2f}" for part in ("won", "low", "high"))
        table_name = f"{seats} players" if seats > 1 else "solo, 30 boxes"
        rows.append([table_name, name, f"{line['games']:,.0f}", even, f"{won}% ({low} to {high})"])
    return table(rows)


def balance_text(lines: list[Line]) -> str:
    """Return the tables of the balance, with the places of the charts."""
    several = [line for line in lines if line["players"] > 1]
    alone = [line for line in lines if line["players"] == 1]
    parts = [
        f"{sum(line['games'] for line in lines):,.0f} games in all; intervals are for 95%.",
        "**Seats**",
        seats_table(several),
        "![Games won by seat](pictures/stars-seats.svg)",
        "**Games**: turns of all players together, the best score, and its lead over the next one",
        games_table(several),
        "![Length of games](pictures/stars-length.svg)",
        "**Rows and stars**: points of a sheet at the end",
        rows_table([*several, *(line for line in alone if line["grid"] == 30)]),
        "![Points by row](pictures/stars-rows.svg)",
        "**Solo by the size of the grid**",
        solo_table(alone),
        "![Solo games won](pictures/stars-solo.svg)",
    ]
    return "\n\n".join(parts)


def replaced(page: str, mark: str, text: str) -> str:
    """Return a page with a text between the two marks of this name."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def charts(lines: list[Line], folder: Path) -> None:
    """Draw the charts. Needs Altair and vl-convert."""
    import altair

    several = [line for line in lines if line["players"] > 1]
    alone = [line for line in lines if line["players"] == 1]

    def save(name: str, rows: list[Line], mark: str, title: str, **encoding: Any) -> None:
        data: Any = altair.InlineData(values=rows)
        chart = getattr(altair.Chart(data), f"mark_{mark}")().encode(**encoding)
        chart.properties(width=560, height=240, title=title).save(str(folder / f"stars-{name}.svg"))

    seats = [
        {"table": name_of(line), "seat": f"seat {seat}", "won": 100 * won / line["games"]}
        for line in several
        for seat, won in enumerate(line["won"], 1)
    ]
    save(
        "seats",
        seats,
        "bar",
        "Games won by seat, in percent",
        x=altair.X("table:N", title=None, axis=altair.Axis(labelAngle=0)),
        xOffset="seat:N",
        y=altair.Y("won:Q", title=None),
        color=altair.Color("seat:N", title=None, scale=altair.Scale(range=[PALE, BLUE, ORANGE, "#5b6b7a"])),
    )
    lengths = [
        {"table": name_of(line), "turns": number / line["players"], "share": 100 * count / line["games"]}
        for line in [*several, *(line for line in alone if line["grid"] == 30)]
        for number, count in enumerate(line["turns"])
        if number % line["players"] == 0 and number / line["players"] <= 40
    ]
    save(
        "length",
        lengths,
        "line",
        "Length of games, in turns of each player",
        x=altair.X("turns:Q", title="turns of each player"),
        y=altair.Y("share:Q", title="percent of games"),
        color=altair.Color("table:N", title=None),
    )
    parts = [
        {
            "row": f"row {row + 2}",
            "kind": label,
            "points": sum(seat[row] for seat in line[kind]) / line["games"] / line["players"],
        }
        for line in several
        if line["players"] == 2
        for kind, label in (("once", "without stars"), ("doubled", "doubled"), ("lost", "lost"))
        for row in range(5)
    ]
    save(
        "rows",
        parts,
        "bar",
        "Points by row with two players: counted once, doubled by stars, lost",
        x=altair.X("row:N", title=None, axis=altair.Axis(labelAngle=0)),
        xOffset="kind:N",
        y=altair.Y("points:Q", title="points a sheet"),
        color=altair.Color("kind:N", title=None, scale=altair.Scale(range=[BLUE, ORANGE, PALE])),
    )
    save(
        "solo",
        [{"boxes": line["grid"], "won": 100 * line["won"][0] / line["games"]} for line in alone],
        "bar",
        "Solo games won by the size of the grid, in percent",
        x=altair.X("boxes:O", title="boxes", axis=altair.Axis(labelAngle=0)),
        y=altair.Y("won:Q", title=None),
    )


def main() -> None:
    """Print the tables, write the page and draw the charts."""
    parser = argparse.ArgumentParser(prog="python -m bench.stars_page", description=__doc__)
    parser.add_argument("--figures", type=Path, default=Path("research/figures/dice-stars.jsonl"))
    parser.add_argument("--page", type=Path, default=Path("docs/dice-stars.md"))
    chosen = parser.parse_args()
    lines, limits = read(chosen.figures)
    texts = {"figures": balance_text(lines), "limit": limit_table(limits)}
    page = chosen.page.read_text(encoding="utf-8")
    for mark, text in texts.items():
        print(text)
        page = replaced(page, mark, text)
    chosen.page.write_text(page, encoding="utf-8")
    charts(lines, chosen.page.parent / "pictures")


def read(figures: Path) -> tuple[list[Line], list[Line]]:
    """Return the lines of `balance` and those of `limit`."""
    with figures.open(encoding="utf-8") as file:
        lines: list[Line] = list(map(json.loads, file))
    balance = [line for line in lines if "turns" in line]
    return balance, [line for line in lines if line.get("command") == "limit"]


if __name__ == "__main__":
    main()
