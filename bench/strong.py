"""Time a decision of `strong` at every table: `python -m bench.strong`."""

import time
from random import Random

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.players.dice_stars.strong import DiceStarsStrong

GAMES = 12


def main() -> None:
    print(f"{'players':>7} {'decisions':>10} {'mean ms':>8} {'99 in 100 ms':>13} {'longest ms':>11}")
    for seats in (1, 2, 3, 4):
        game, bot, times = DiceStars(seats), DiceStarsStrong(), []
        for seed in range(GAMES + 1):
            rng, state = Random(seed), game.start()
            while (actor := game.actor(state)) != OVER:
                start = time.process_time()
                action = game.sample(state, rng) if actor == CHANCE else bot.choose(game, state, rng)
                # The first game loads the weights.
                if actor != CHANCE and seed:
                    times.append(1000 * (time.process_time() - start))
                state = game.apply(state, action)
        times.sort()
        mean = sum(times) / len(times)
        print(
            f"{seats:7} {len(times):10} {mean:8.2f} {times[int(0.99 * len(times))]:13.2f} {times[-1]:11.2f}", flush=True
        )


if __name__ == "__main__":
    main()
