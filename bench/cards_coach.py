"""Check the coach of Dicy Cards with three and four players: `python -m bench.cards_coach [--jobs 2] [--sample]`.

`--sample` first collects decisions of games that the coach never saw, 500 by default, with up to four actions
each, the best by `master` first. Each action is played to the end of the game 1,024 times, on the same dice, with JAX,
best on a GPU. Without it, the coach judges every action as if it had been taken. Where it calls it a mistake, the long
rollouts must not show that it was better.
"""

import argparse
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from starfrost.workers import one_thread

one_thread()

import numpy as np  # noqa: E402

from bench.stars_coach import Found, judged_by, run  # noqa: E402
from starfrost.errors import MissingExtra  # noqa: E402
from starfrost.games.core import CHANCE, OVER  # noqa: E402
from starfrost.games.dicy_cards import MODES, DicyCards, Phase, State  # noqa: E402
from starfrost.games.dicy_cards.coach.judge import CardsJudge  # noqa: E402
from starfrost.games.dicy_cards.solver import on_demand as service  # noqa: E402
from starfrost.games.dicy_cards.solver import store  # noqa: E402
from starfrost.games.dicy_cards.solver.values import Values  # noqa: E402

DATA = Path(__file__).parent / "data" / "cards-decisions.jsonl"
PER_GAME, OPTIONS = 5, 4


@lru_cache(maxsize=16)
def judge_of(seats: int, cards: tuple[str, ...], goal: int) -> CardsJudge:
    """Return the judge of a set-up, after solving its cards if necessary."""
    return CardsJudge(DicyCards(seats, cards, goal), solved(cards, goal))


def solved(cards: tuple[str, ...], goal: int) -> Values:
    """Return the values of a set, solved with Numba or, where that is missing, with CuPy on a GPU."""
    try:
        return service.ensure_solved(cards, goal)
    except MissingExtra:
        from research.dicy_cards.gpu import Cupy, solve_batch

        machine, ordered = Cupy(), service.in_order(cards)
        batch = solve_batch(machine, [ordered], goal)
        # Saved, so that other processes find it.
        store.save(Values(ordered, goal, machine.numbers(batch.between[0]), machine.numbers(batch.last[0])))
        return service.ensure_solved(cards, goal)


def judged(line: dict[str, Any]) -> list[Found]:
    """Judge the actions of a decision."""
    judge = judge_of(line["seats"], tuple(line["cards"]), line["goal"])
    return judged_by(judge, judge.game, judge.game.parse_position(line["position"]), line)


def decisions(judge: CardsJudge, rng: Random) -> list[tuple[State, list[str]]]:
    """Play a game by `master`'s values, with some other actions; return some decisions and their best actions."""
    game, found = judge.game, list[tuple[State, list[str]]]()
    state = game.start()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            options = judge.options(state)
            if len(options) > 1 and 0.03 < options[0].shares[actor] < 0.97:
                # Actions of every kind, and not only other dice for the same card.
                kinds = {str(option.action).split()[0]: option for option in reversed(options)}
                several = dict.fromkeys([options[0], *kinds.values(), *options[1:OPTIONS]])
                found.append((state, [str(option.action) for option in several][:OPTIONS]))
            action = (rng.choice(options[:6]) if rng.random() < 0.15 else options[0]).action
        state = game.apply(state, action)
    return rng.sample(found, min(PER_GAME, len(found)))


def played(judge: CardsJudge, state: State, texts: list[str], key: int, games: int) -> list[np.ndarray]:
    """Play each action to the end many times, on the same dice; return what the acting seat won."""
    from research.dicy_cards.selfplay import Start, pack, rollouts
    from research.with_jax import jax, jnp
    from starfrost.games.dicy_cards.solver.lattice import lattice

    game, values = judge.game, judge.values
    seat = game.actor(state)
    params = {name: jnp.asarray(part, jnp.float32) for name, part in judge.params.items()}
    pairs, cards = on_jax(values.cards, values.goal), pack(values.cards, game.seats)
    found = []
    for text in texts:
        after = game.apply(state, game.parse_action(text))
        while after.phase in (Phase.FREEZE, Phase.RESET):
            after = game.apply(after, judge.options(after)[0].action)
        if after.phase is Phase.OVER:
            found.append(np.full(games, judge.value(after)[seat]))
            continue
        begun = after.phase is Phase.REROLL
        start = Start(
            jnp.asarray(after.scores, jnp.int32),
            jnp.asarray(judge.position(after).masks, jnp.int32),
            jnp.int32(state.seat),
            jnp.asarray(not begun),
            jnp.int32(lattice().number[after.dice] if begun else 0),
        )
        shares = rollouts(pairs, cards, params, start, jax.random.key(key), games)
        found.append(np.asarray(shares, np.float64)[:, seat])
    return found


@lru_cache(maxsize=8)
def on_jax(cards: tuple[str, ...], goal: int) -> Any:
    """Return a solved set on the device, once."""
    from research.dicy_cards.train import on_device
    from starfrost.games.dicy_cards.bots.network import pairs_of

    return on_device(pairs_of(solved(cards, goal)))


def sampled(count: int, seed: int, goal: int, games: int) -> Iterator[dict[str, Any]]:
    """Yield decisions with long rollouts; modes and numbers of players alternate."""
    number = game = 0
    while number < count:
        seats, mode = (3, 4)[game % 2], list(MODES.values())[game // 2 % len(MODES)]
        judge, rng = judge_of(seats, mode.cards, goal), Random(f"{seed} {game}")
        for state, texts in decisions(judge, rng)[: count - number]:
            won = played(judge, state, texts, seed + number, games)
            yield {
                "seats": seats,
                "cards": list(mode.cards),
                "goal": goal,
                "position": judge.game.position_text(state),
                "options": texts,
                "means": [round(float(each.mean()), 6) for each in won],
                "errors": [[round(float((a - b).std() / np.sqrt(len(a))), 6) for b in won] for a in won],
            }
            number += 1
        game += 1


def main() -> None:
    """Collect decisions, or judge those collected."""
    parser = argparse.ArgumentParser(prog="python -m bench.cards_coach", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--decisions", type=int, help="how many: 500 with --sample, otherwise all")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sample", action="store_true", help="collect new decisions into the file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goal", type=int, default=100)
    parser.add_argument("--games", type=int, default=1024, help="games after each action (with --sample)")
    chosen = parser.parse_args()
    if not chosen.sample:
        if not chosen.data.is_file():
            parser.error(f"{chosen.data} does not exist: collect decisions with --sample")
        run(judged, chosen.data, chosen.decisions, chosen.jobs)
        return
    chosen.data.parent.mkdir(parents=True, exist_ok=True)
    with chosen.data.open("w", encoding="utf-8") as file:
        for line in sampled(chosen.decisions or 500, chosen.seed, chosen.goal, chosen.games):
            print(json.dumps(line), file=file, flush=True)


if __name__ == "__main__":
    main()
