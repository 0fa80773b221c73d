"""Check the coach of Dice Stars: `python -m bench.stars_coach [--jobs 2]`.

`bench/data/stars-decisions.jsonl` has 500 decisions of games that the coach never saw, with up to four actions each,
the best by the network first. Each action was played to the end of the game 1,024 times, on the same dice, on a GPU
(`research.dice_stars.census.rollouts`). The coach judges every other action as if it had been taken. Where it
calls it a mistake, the long rollouts must not show that it was better.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from starfrost.workers import map_ordered, one_thread

one_thread()

from starfrost.coach.judge import MISTAKE, Judge, check  # noqa: E402
from starfrost.games.core import Game  # noqa: E402
from starfrost.games.dice_stars import DiceStars  # noqa: E402
from starfrost.games.dice_stars.coach.judge import StarsJudge  # noqa: E402

DATA = Path(__file__).parent / "data" / "stars-decisions.jsonl"
Z = 1.96


class Found(NamedTuple):
    """An action as the coach and long rollouts judge it."""

    mistake: bool
    loss: float
    long_loss: float
    error: float
    """The standard error of the loss by long rollouts."""


def judged_by(judge: Judge, game: Game[Any, Any], state: Any, line: dict[str, Any]) -> list[Found]:
    """Judge the actions of a decision as if each had been taken."""
    seat = game.actor(state)
    ranked = [str(option.action) for option in judge.options(state)]
    found = []
    for place, text in enumerate(line["options"]):
        checked = check(judge, state, game.parse_action(text))
        best = str(checked.best) if str(checked.best) != text else ranked[0]
        if best not in line["options"]:
            continue
        rival = line["options"].index(best)
        loss = line["means"][rival] - line["means"][place]
        found.append(Found(checked.loss[seat] > MISTAKE, checked.loss[seat], loss, line["errors"][rival][place]))
    return found


def judged(line: dict[str, Any]) -> list[Found]:
    """Judge the actions of a decision of Dice Stars."""
    game = DiceStars(line["seats"])
    return judged_by(StarsJudge(game), game, game.parse_position(line["position"]), line)


def run(judge: Callable[[dict[str, Any]], list[Found]], data: Path, decisions: int | None, jobs: int) -> None:
    """Judge all decisions and print how often long rollouts agree."""
    with data.open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file][:decisions]
    began = time.monotonic()
    found = [one for several in map_ordered(judge, lines, jobs) for one in several]
    mistakes = [one for one in found if one.mistake]
    contradicted = sum(one.long_loss + Z * one.error < 0 for one in mistakes)
    confirmed = sum(one.long_loss - Z * one.error > 0 for one in mistakes)
    missed = sum(one.long_loss - Z * one.error > MISTAKE for one in found if not one.mistake)
    apart = sum(one.loss - one.long_loss for one in mistakes) / max(1, len(mistakes))
    print(f"{len(lines)} decisions, {len(found)} actions judged in {time.monotonic() - began:.0f} s")
    print(f"called a mistake: {len(mistakes)}; confirmed by long rollouts: {confirmed}; contradicted: {contradicted}")
    print(f"losses are {100 * apart:+.2f}% larger than by long rollouts, on average")
    print(f"not called a mistake, though long rollouts surely lose more than {100 * MISTAKE:.0f} %: {missed}")


def main() -> None:
    """Judge all decisions of Dice Stars."""
    parser = argparse.ArgumentParser(prog="python -m bench.stars_coach", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--decisions", type=int, default=500)
    chosen = parser.parse_args()
    run(judged, DATA, chosen.decisions, chosen.jobs)


if __name__ == "__main__":
    main()
