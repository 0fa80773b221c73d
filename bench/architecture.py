"""Draw the packages and their direction of imports into docs/pictures/architecture.svg.

    python -m bench.architecture

The picture is drawn from the table that tests/test_house.py enforces, so it cannot say anything else. An arrow that
follows from two others is left out: `web` imports `games`, but the way through `table` says so already.
"""

from functools import cache

from bench.pictures import FOLDER
from tests.test_house import MAY_IMPORT

NAME = "architecture"
WIDTH, BOX, HEIGHT, ROW = 980, 104, 34, 84
# Columns that keep arrows off the boxes; a package that is not listed stands in the middle.
COLUMNS = {
    "terminal": 0,
    "words": 0,
    "lab": 1,
    "web": 3,
    "coach": 3,
    "vector": 3,
    "fair": 1,
    "api": 4,
    "adapters": 5,
    "pool": 4,
}


def graph() -> dict[str, set[str]]:
    """Return the packages and what each may import, without the entry points of the package itself."""
    packages = {name: used for name, used in MAY_IMPORT.items() if not name.startswith("__")}
    return {name: {other for other in used if other in packages} for name, used in packages.items()}


def reduced(packages: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out every import that is also reached through another one."""

    @cache
    def reach(name: str) -> frozenset[str]:
        return frozenset(packages[name]).union(*(reach(other) for other in packages[name]))

    return {
        name: {other for other in used if not any(other in reach(via) for via in used if via != other)}
        for name, used in packages.items()
    }


def rows(packages: dict[str, set[str]]) -> list[list[str]]:
    """Return the packages in rows, from those that import the most down to those that import nothing."""

    @cache
    def depth(name: str) -> int:
        return 1 + max(map(depth, packages[name]), default=-1)

    levels = [[name for name in packages if depth(name) == level] for level in range(max(map(depth, packages)) + 1)]
    return levels[::-1]


def picture() -> str:
    """Return the picture as SVG."""
    packages = graph()
    levels = rows(packages)
    place = {
        name: (80 + 164 * COLUMNS.get(name, 2), 16 + HEIGHT / 2 + ROW * number)
        for number, level in enumerate(levels)
        for name in level
    }
    height = 32 + HEIGHT + ROW * (len(levels) - 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        "<title>Packages of Starfrost: an arrow points from a package to one that it imports</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#6b7a99"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#f6f8fc"/>',
    ]
    for name, used in reduced(packages).items():
        for other in sorted(used):
            (x, y), (u, v) = place[name], place[other]
            y, v = y + HEIGHT / 2, v - HEIGHT / 2 - 1
            middle = (y + v) / 2
            parts.append(
                f'<path d="M{x:.0f} {y:.0f}C{x:.0f} {middle:.0f} {u:.0f} {middle:.0f} {u:.0f} {v:.0f}" fill="none" '
                'stroke="#6b7a99" stroke-width="1.3" marker-end="url(#tip)"/>'
            )
    for name, (x, y) in place.items():
        parts.append(
            f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" rx="8" fill="#fff" '
            f'stroke="#3a4a78"/><text x="{x:.0f}" y="{y + 5:.0f}" font-size="15" text-anchor="middle" fill="#1d2747">'
            f"{name}</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (FOLDER / f"{NAME}.svg").write_text(picture(), encoding="utf-8")
