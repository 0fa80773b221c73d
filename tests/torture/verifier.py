"""The dice of a record computed again from docs/fair-dice.md and the rules alone, without a line of Starfrost."""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterator

COLOURS = {"black": 2, "purple": 3, "blue": 4, "orange": 5}


class Draws:
    """The numbers of one table."""

    def __init__(self, head: dict[str, str]) -> None:
        self._seed = bytes.fromhex(head["seed"])
        assert hashlib.sha256(self._seed).hexdigest() == head["commitment"], "the seed is not the sealed one"
        self._prefix = f"starfrost-dice-1\n{head['table']}\n{head['contributions']}\n"

    def number(self, sides: int, turn: int, roll: int, die: int, what: str) -> int:
        for attempt in range(1, 100):
            text = f"{self._prefix}{turn} {roll} {die} {what} {attempt}"
            for byte in hmac.new(self._seed, text.encode(), "sha256").digest():
                if byte < 256 - 256 % sides:
                    return byte % sides
        raise AssertionError("no byte will do")


def verify(record: str) -> int:
    """Return the number of dice in a record that are as they must be; the first other one fails."""
    top, _, body = record.partition("\n\n")
    head = dict(line.split(": ", 1) for line in top.splitlines() if ": " in line)
    lines = [line for line in body.splitlines() if line and not line.startswith("#")]
    found = {"dicy-cards": _cards, "dice-stars": _stars}[head["game"]](Draws(head), lines)
    dice = 0
    for line, count, expected in found:
        assert line == expected, f"{head['table']}: the record says {line}, the seed {expected}"
        dice += count
    return dice


def _cards(draws: Draws, lines: list[str]) -> Iterator[tuple[str, int, str]]:
    """Six dice begin a turn; a reroll takes up as many as it names."""
    turn = roll = 0
    before = ""
    for line in lines:
        if line.startswith("* "):
            again = re.match(r"\d reroll (\d+)", before)
            turn, roll = (turn, roll + 1) if again else (turn + 1, 1)
            count = len(again[1]) if again else 6
            faces = sorted((draws.number(6, turn, roll, die + 1, "face") + 1 for die in range(count)), reverse=True)
            yield line, count, "* " + "".join(map(str, faces))
        elif line.endswith(" skip") and not before.startswith("* "):
            # A seat without active cards skips its turn without a roll.
            turn += 1
        before = line


def _stars(draws: Draws, lines: list[str]) -> Iterator[tuple[str, int, str]]:
    """Follow the dice from the bag to the reserve, to the discard pile and back."""
    bag: Counter[str] = Counter(COLOURS)
    reserve: list[tuple[str, str]] = []
    discard: Counter[str] = Counter()
    turn, refills, emptied, count = 0, False, False, 0
    for line in lines:
        if refills:
            bag, discard, refills = bag + discard, Counter(), False
        word, *rest = line.split()[1:]
        if word == "draw":
            turn += 1
        if word == "return":
            bag, reserve = bag + Counter(colour for colour, _ in reserve), []
        elif word == "draw":
            count = int(rest[0])
        elif line.startswith("*"):
            drawn = []
            for die in range(1, count + 1):
                pick = draws.number(bag.total(), turn, 1, die, "bag")
                colour = [each for each in COLOURS for _ in range(bag[each])][pick]
                bag[colour] -= 1
                faces = "**3456" if colour == "orange" else "*23456"
                drawn.append((colour, faces[draws.number(6, turn, 1, die, "face")]))
            reserve += drawn
            emptied = not bag.total()
            # The record lists the dice of a draw in an order of its own.
            said = sorted(line[2:].split())
            yield " ".join(said), count, " ".join(sorted("".join(die) for die in drawn))
        elif rest:
            what = "*" if rest[0] == "stars" else rest[0]
            taken = [die for die in reserve if what in die]
            assert taken, line
            discard += Counter(colour for colour, _ in taken)
            reserve = [die for die in reserve if what not in die]
            refills = emptied or what == "*"
