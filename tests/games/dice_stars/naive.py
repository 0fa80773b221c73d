"""A second, naive implementation of Dice Stars by brute force; it shares no code with the engine.

It reads positions and writes actions in the text forms, and knows the rules from the rulebook alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, product

ALL = ["black"] * 2 + ["purple"] * 3 + ["blue"] * 4 + ["orange"] * 5
ORDER = ["black", "purple", "blue", "orange"]
WIDTH = {2: 8, 3: 7, 4: 6, 5: 5, 6: 4}


@dataclass
class Sheet:
    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    stars: dict[int, int] = field(default_factory=lambda: dict.fromkeys(WIDTH, 0))
    penalty: int | None = None

    def fill(self, line: list[tuple[int, int]], count: int, value: int) -> bool:
        empty = [cell for cell in line if cell not in self.cells]
        if len(empty) < count:
            return False
        for cell in empty[:count]:
            self.cells[cell] = "x"
        self.cells[empty[count - 1]] = str(value)
        return True

    def score(self) -> int:
        points = 0
        for row, stars in self.stars.items():
            numbers = sum(int(v) for (r, _), v in self.cells.items() if r == row and v != "x")
            points += numbers if stars == 0 else 2 * numbers if stars == row else 0
        return points - (self.penalty or 0)

    def complete(self) -> bool:
        return self.penalty is not None or all((row, place) in self.cells for row in WIDTH for place in range(4))


@dataclass
class Table:
    phase: str
    seat: int
    bag: list[str]
    reserve: list[tuple[str, str]]
    discard: list[str]
    sheets: list[Sheet]
    grid: int
    draw: int = 0
    solo: int = 0

    def copy(self) -> "Table":
        """Copy all that can change; the cells and dice in it cannot."""
        sheets = [Sheet({**sheet.cells}, {**sheet.stars}, sheet.penalty) for sheet in self.sheets]
        return replace(self, bag=[*self.bag], reserve=[*self.reserve], discard=[*self.discard], sheets=sheets)


def read(text: str, headers: Mapping[str, str]) -> Table:
    """Read a position of the game that the record headers set up."""
    grid = int(headers.get("solo-boxes", 0))
    phase, *pairs = text.split(" ")
    part = dict(pair.split("=", 1) for pair in pairs)
    bag = [colour for colour, n in zip(ORDER, part["bag"].split("/"), strict=True) for _ in range(int(n))]
    reserve = [(word[:-1], word[-1]) for word in part["reserve"].split(",") if word]
    discard = list(ALL)
    for colour in bag + [colour for colour, _ in reserve]:
        discard.remove(colour)
    sheets = []
    for sheet_text in part["sheets"].split("|"):
        *rows, penalty = sheet_text.split("/")
        sheet = Sheet(penalty=None if penalty == "-" else int(penalty))
        for row, row_text in zip(WIDTH, rows, strict=True):
            cells, stars = row_text.split("*")
            sheet.cells |= {(row, place): v for place, v in enumerate(cells.split(",")) if v != "."}
            sheet.stars[row] = int(stars)
        sheets.append(sheet)
    return Table(phase, int(part["seat"]), bag, reserve, discard, sheets, grid, int(part["draw"]), int(part["solo"]))


def events(table: Table) -> list[str]:
    """Try everything and list what the rules allow, chance included."""
    if table.phase == "refill":
        return ["keep", "return"]
    if table.phase in ("draw", "refilled"):
        if all(face == "*" for _, face in table.reserve):
            return [f"draw {min(3, len(table.bag))}"]
        return [f"draw {n}" for n in (1, 2, 3) if n <= len(table.bag)]
    if table.phase == "roll":
        return sorted({" ".join(f"{c}{f}" for c, f in roll) for roll in _rolls(table)})
    if table.phase == "take":
        lines = [*ORDER, *"23456"]
        stars = [face for _, face in table.reserve].count("*")
        ways = {tuple(sorted(way)) for way in product("23456", repeat=stars)} if stars else set()
        takes = [f"take {line}" for line in lines] + [f"take stars {' '.join(way)}" for way in sorted(ways)]
        allowed = [take for take in takes if after(table, take) is not None]
        return allowed or [f"penalty {line}" for line in lines if any(line in die for die in table.reserve)]
    return []


def _rolls(table: Table) -> set[tuple[tuple[str, str], ...]]:
    faces = {"black": "*23456", "purple": "*23456", "blue": "*23456", "orange": "*3456"}
    drawn = {tuple(sorted(chosen, key=ORDER.index)) for chosen in combinations(table.bag, table.draw)}
    return {
        tuple(sorted(zip(colours, shown, strict=True), key=lambda die: (ORDER.index(die[0]), die[1])))
        for colours in drawn
        for shown in product(*(faces[colour] for colour in colours))
    }


def after(before: Table, event: str) -> Table | None:
    """Apply an event to a copy of the table; None if a take finds no room or no dice."""
    table = before.copy()
    words = event.split()
    if words[0] in ("keep", "return"):
        if words[0] == "return":
            table.bag += [colour for colour, _ in table.reserve]
            table.reserve = []
        table.phase = "refilled"
    elif words[0] == "draw":
        table.phase, table.draw = "roll", int(words[1])
    elif words[0] in ("take", "penalty"):
        if not _take(table, words):
            return None
        _next_turn(table, stars=words[:2] == ["take", "stars"])
    else:
        for word in words:
            table.bag.remove(word[:-1])
            table.reserve.append((word[:-1], word[-1]))
        table.phase, table.draw = "take", 0
    return table


def _take(table: Table, words: list[str]) -> bool:
    sheet = table.sheets[table.seat - 1]
    wanted = "*" if words[1] == "stars" else words[1]
    taken = [die for die in table.reserve if wanted in die]
    value = sum(0 if face == "*" else int(face) for _, face in taken)
    if not taken:
        return False
    if words[0] == "penalty":
        sheet.penalty = value
    elif wanted == "*":
        for row in map(int, words[2:]):
            sheet.stars[row] += 1
        if any(ticked > row for row, ticked in sheet.stars.items()):
            return False
    elif wanted in ORDER:
        if not sheet.fill([(row, ORDER.index(wanted)) for row in WIDTH], len(taken), value):
            return False
    elif not sheet.fill([(int(wanted), place) for place in range(WIDTH[int(wanted)])], len(taken), value):
        return False
    table.reserve = [die for die in table.reserve if die not in taken]
    table.discard += [colour for colour, _ in taken]
    return True


def _next_turn(table: Table, stars: bool) -> None:
    if table.grid:
        numbers = sum(int(face) for _, face in table.reserve if face != "*")
        shown_stars = any(face == "*" for _, face in table.reserve)
        while numbers > 0:
            table.solo += 1
            numbers -= 2.5 if shown_stars else 5
        if shown_stars and all(face == "*" for _, face in table.reserve):
            table.solo += 1
        table.solo = min(table.solo, table.grid)
    if table.seat == len(table.sheets):
        if any(sheet.complete() for sheet in table.sheets) or (table.grid and table.solo == table.grid):
            table.phase = "over"
            return
        table.seat = 0
    table.seat += 1
    table.phase = "draw"
    if stars or not table.bag:
        table.bag += table.discard
        table.discard = []
        table.phase = "refill" if table.reserve else "draw"


def scores(table: Table) -> list[int]:
    """Return the score of every sheet."""
    return [sheet.score() for sheet in table.sheets]


def winners(table: Table) -> list[int]:
    """List the winning seats of a finished game, from 1."""
    if table.grid:
        return [1] if table.solo < table.grid and scores(table)[0] > 5 * table.solo else []
    return [seat for seat, score in enumerate(scores(table), 1) if score == max(scores(table))]


def same(one: Table, other: Table) -> bool:
    """Compare tables, dice in any order."""
    for table in (one, other):
        for pile in (table.bag, table.reserve, table.discard):
            pile.sort()
    return one == other
