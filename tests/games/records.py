"""A small finished game that record tests modify."""

from pathlib import Path

RECORDS = Path(__file__).parents[1] / "vectors" / "records"

GOOD = """\
starfrost: 1
game: dicy-cards
players: Ada | Bo
cards: any-two no-sixes odds straight two-pairs
goal: 5
date: 2024-05-01
result: 3 25
winners: 2

* 554421
1 reroll 21 freeze odds
* 63
1 skip
* 654321
2 score any-two 21
1 freeze any-two
* 665211
1 score straight 21
* 665511
2 score two-pairs 6655
"""


def bent(changes: dict[int, str | None], text: str = GOOD) -> str:
    """Return the record with lines replaced or removed."""
    lines: list[str | None] = [*text.split("\n")]
    for number, line in changes.items():
        lines[number - 1] = line
    return "\n".join(line for line in lines if line is not None)
