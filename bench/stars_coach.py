"""Check the coach of Dice Stars: `python -m bench.stars_coach [--jobs 2]`.

`bench/data/stars-decisions.jsonl` has 500 decisions of games that the coach never saw, with up to four actions each,
the best by the network first. Each action was played to the end of the game 1,024 times, on the same dice, on a GPU
(`starfrost.learning.dice_stars.census.rollouts`). The coach judges every other action as if it had been taken. Where it
calls it a mistake, the long rollouts must not show that it was better.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from starfrost.pool import one_thread, spread

one_thread()

from starfrost.coach.dice_stars import StarsJudge  # noqa: E402
from starfrost.coach.estimate import MISTAKE, check  # noqa: E402
from starfrost.games.dice_stars import DiceStars  # noqa: E402

DATA = Path(__file__).parent / "data" / "stars-decisions.jsonl"
Z = 1.96


def judged(line: dict[str, Any]) -> list[tuple[bool, float, float, float]]:
    """Judge the actions of a decision: whether each is a mistake, its loss, the loss by long rollouts and its error."""
    game = DiceStars(line["seats"])
    judge, state = StarsJudge(game), game.parse_position(line["position"])
    ranked = [str(option.action) for option in judge.options(state)]
    found = []
    for place, text in enumerate(line["options"]):
        checked = check(judge, state.seat, state, game.parse_action(text))
        best = str(checked.best) if str(checked.best) != text else ranked[0]
        if best not in line["options"]:
            continue
        rival = line["options"].index(best)
        loss = line["means"][rival] - line["means"][place]
        found.append((checked.loss[state.seat] > MISTAKE, checked.loss[state.seat], loss, line["errors"][rival][place]))
    return found


def main() -> None:
    """Judge all decisions and print how often long rollouts agree."""
    parser = argparse.ArgumentParser(prog="python -m bench.stars_coach", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--decisions", type=int, default=500)
    chosen = parser.parse_args()
    with DATA.open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file][: chosen.decisions]
    began = time.monotonic()
    found = [one for several in spread(judged, lines, chosen.jobs) for one in several]
    mistakes = [one for one in found if one[0]]
    contradicted = sum(loss + Z * error < 0 for _, _, loss, error in mistakes)
    confirmed = sum(loss - Z * error > 0 for _, _, loss, error in mistakes)
    missed = sum(loss - Z * error > MISTAKE for called, _, loss, error in found if not called)
    apart = sum(own - loss for _, own, loss, _ in mistakes) / max(1, len(mistakes))
    print(f"{len(lines)} decisions, {len(found)} actions judged in {time.monotonic() - began:.0f} s")
    print(f"called a mistake: {len(mistakes)}; confirmed by long rollouts: {confirmed}; contradicted: {contradicted}")
    print(f"losses are {100 * apart:+.2f} % larger than by long rollouts, on average")
    print(f"not called a mistake, though long rollouts surely lose more than {100 * MISTAKE:.0f} %: {missed}")


if __name__ == "__main__":
    main()
