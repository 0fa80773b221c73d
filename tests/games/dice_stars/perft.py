"""Count the tree below named positions, chance included: every distinct roll counts as one move.

`python -m tests.games.dice_stars.perft` writes the counts anew, `goldens/perft.txt`.
"""

from pathlib import Path
from typing import NamedTuple

from starfrost.games.dice_stars import DiceStars, State

GOLDEN = Path(__file__).parent / "goldens" / "perft.txt"


class Named(NamedTuple):
    """A position, the set-up it belongs to, and the nodes at depth 1, 2, …"""

    name: str
    game: DiceStars
    position: str
    counts: tuple[int, ...]


def moves(game: DiceStars, state: State) -> list[State]:
    """List what may follow a state."""
    actions = game.legal_actions(state) or tuple(roll for roll, _ in game.chance_outcomes(state))
    return [game.apply(state, action) for action in actions]


def perft(game: DiceStars, state: State, depth: int) -> int:
    """Count the nodes `depth` events below a state."""
    if depth == 1:
        return len(game.legal_actions(state)) or len(game.chance_outcomes(state))
    return sum(perft(game, following, depth - 1) for following in moves(game, state))


def read_golden(text: str) -> list[Named]:
    """Read blocks of `name:`, `seats:`, `solo-boxes:`, `position:` and `nodes:` lines."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = [line.split(": ", 1) for line in block.splitlines() if not line.startswith("#")]
        if lines:
            part = dict(lines)
            game = DiceStars(int(part["seats"]), int(part.get("solo-boxes", 30)))
            counts = tuple(int(count) for count in part["nodes"].split())
            found.append(Named(part["name"], game, part["position"], counts))
    return found


def write_golden(named: list[Named]) -> str:
    """Write the blocks, counting each as deep as it was counted before."""
    blocks = [
        "# Nodes at depth 1, 2, … below named positions of Dice Stars; written by tests/games/dice_stars/perft.py."
    ]
    for name, game, position, counts in named:
        state = game.parse_position(position)
        nodes = " ".join(str(perft(game, state, depth + 1)) for depth in range(len(counts)))
        solo = f"solo-boxes: {game.solo_boxes}\n" if game.solo_boxes else ""
        blocks.append(f"name: {name}\nseats: {game.seats}\n{solo}position: {position}\nnodes: {nodes}")
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(write_golden(read_golden(GOLDEN.read_text())))
