"""Count the tree below named positions of both games, chance included: every distinct roll counts as one move.

`python -m tests.games.perft` writes the counts anew into `goldens/perft.txt` of both games.
"""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from starfrost.games.core import Game
from starfrost.games.registry import make_game
from tests.games.dice_stars import naive as naive_stars
from tests.games.dicy_cards import naive as naive_cards

HERE = Path(__file__).parent
NAIVE: Mapping[str, ModuleType] = {"dicy-cards": naive_cards, "dice-stars": naive_stars}
"""The naive implementation of each game: `read(position, headers)`, `events`, `after`, `scores`, `same`."""


class Named(NamedTuple):
    """A position, its setup, and the nodes at depth 1, 2, …"""

    name: str
    game: Game[Any, Any]
    position: str
    counts: tuple[int, ...]


def moves(game: Game[Any, Any], state: Any) -> tuple[Any, ...]:
    """List the possible events in a state, decisions or rolls."""
    return game.legal_actions(state) or tuple(roll for roll, _ in game.chance_outcomes(state))


def perft(game: Game[Any, Any], state: Any, depth: int) -> int:
    """Count the nodes `depth` events below a state."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(moves(game, state))
    return sum(perft(game, game.apply(state, move), depth - 1) for move in moves(game, state))


def naive_table(named: Named) -> Any:
    """Read a named position by brute force."""
    return NAIVE[named.game.name].read(named.position, named.game.headers())


def walk(naive: ModuleType, table: Any, depth: int) -> int:
    """Count the nodes `depth` events below a table by brute force."""
    if depth == 0:
        return 1
    events = naive.events(table)
    return len(events) if depth == 1 else sum(walk(naive, naive.after(table, event), depth - 1) for event in events)


def divide(named: Named, depth: int) -> str:
    """Count below each first move, by the engine and by brute force."""
    game, naive, table = named.game, NAIVE[named.game.name], naive_table(named)
    state = game.parse_position(named.position)
    ours = {str(move): perft(game, game.apply(state, move), depth - 1) for move in moves(game, state)}
    theirs = {event: walk(naive, naive.after(table, event), depth - 1) for event in naive.events(table)}
    rows = [f"{move}: engine {ours.get(move)}, brute force {theirs.get(move)}" for move in sorted({*ours, *theirs})]
    return "\n".join(rows)


def golden(name: str) -> Path:
    """Return the path of a game's counts."""
    return HERE / name.replace("-", "_") / "goldens" / "perft.txt"


def read_golden(name: str) -> list[Named]:
    """Read blocks of `name:`, `seats:`, record headers, `position:` and `nodes:` lines."""
    found = []
    for block in golden(name).read_text().strip().split("\n\n"):
        lines = [line.split(": ", 1) for line in block.splitlines() if not line.startswith("#")]
        if lines:
            part = dict(lines)
            game = make_game(name, int(part["seats"]), part)
            counts = tuple(int(count) for count in part["nodes"].split())
            found.append(Named(part["name"], game, part["position"], counts))
    return found


def write_golden(name: str) -> None:
    """Write the blocks, counting each as deep as it was counted before."""
    blocks = [f"# Nodes at depth 1, 2, … below named positions of {name}; written by tests/games/perft.py."]
    for label, game, position, counts in read_golden(name):
        state = game.parse_position(position)
        nodes = " ".join(str(perft(game, state, depth + 1)) for depth in range(len(counts)))
        headers = [f"{key}: {value}" for key, value in game.headers().items()]
        lines = [f"name: {label}", f"seats: {game.seats}", *headers, f"position: {position}", f"nodes: {nodes}"]
        blocks.append("\n".join(lines))
    golden(name).write_text("\n\n".join(blocks) + "\n")


if __name__ == "__main__":
    for game_name in NAIVE:
        write_golden(game_name)
