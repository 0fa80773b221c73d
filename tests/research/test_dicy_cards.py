"""Tables of three and four: combined pairs, turns in batches and learning, compared with the solver and the rules."""

from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import adam
from research.dicy_cards import learn as learning
from research.dicy_cards import train as training
from research.dicy_cards.learn import Learner, Turns, compare, fresh, loss, start, targets
from research.dicy_cards.learn import Settings as LearnSettings
from research.dicy_cards.selfplay import POINTS, Played, pack, play
from research.dicy_cards.train import Plan, choose_sets, on_device, train
from starfrost.cli import main
from starfrost.games.dicy_cards import CARDS, Effect
from starfrost.games.dicy_cards.bots.master import SeveralTurn
from starfrost.games.dicy_cards.bots.network import (
    Pairs,
    Standing,
    all_chances,
    features,
    log_weights,
    logits,
    pairs_of,
    read,
    shares,
)
from starfrost.games.dicy_cards.bots.turn_ends import Ends, answered, ends, entries
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, lattice
from starfrost.games.dicy_cards.solver.turn import solve_turn
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.vector.arrays import Array

GOAL = 20
PLAIN = ("no-sixes", "odds", "straight", "two-pairs", "same-fives")
EFFECTS = ("any-two", "odds", "sixes", "three-lowest", "same-fives")


@cache
def values(cards: tuple[str, ...]) -> Values:
    return service.ensure_solved(cards, GOAL)


@cache
def on_jax(cards: tuple[str, ...]) -> Pairs:
    return on_device(pairs_of(values(cards)))


def random_params(seats: int) -> dict[str, np.ndarray]:
    """Return a network that makes corrections, unlike a new one."""
    rng = np.random.default_rng(seats)
    return {
        name: (value + rng.normal(0, 0.2, np.shape(value))).astype(np.float32)
        for name, value in fresh(seats, (16, 8), 1).items()
    }


def positions(seats: int, tables: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (tables, seats)
    return rng.integers(0, GOAL, shape).astype(np.int32), rng.integers(0, 32, shape).astype(np.int32)


def test_of_two_seats_the_weights_are_the_solved_worths() -> None:
    scores, masks = positions(2, 200, 1)
    solved = values(EFFECTS)
    for moved in (0, 1):
        # The next to move stands first.
        standing = Standing(tuple(scores.T), tuple(masks.T), np.int32(moved))
        found = shares(logits(pairs_of(solved), standing, None))
        seat = 1 - moved
        wanted = [
            solved.value(seat, (own, other) if seat == 0 else (other, own), (mine, its) if seat == 0 else (its, mine))
            for (own, other), (mine, its) in zip(scores.tolist(), masks.tolist(), strict=True)
        ]
        assert np.abs(found[:, 0] - wanted).max() < 2e-6


@pytest.mark.parametrize(
    ("scores", "masks", "wanted"),
    [
        ((GOAL, 3, GOAL + 1), (31, 31, 0), (0, 0, 1)),
        ((GOAL + 2, 3, GOAL + 1), (0, 31, 31), (1, 0, 0)),
        ((GOAL, 3, GOAL), (3, 31, 3), (0.5, 0, 0.5)),
        ((GOAL, 3, GOAL), (3, 31, 7), (0, 0, 1)),
        ((GOAL, GOAL, GOAL), (3, 3, 3), (1 / 3, 1 / 3, 1 / 3)),
    ],
)
def test_a_finished_round_is_the_result(
    scores: tuple[int, ...], masks: tuple[int, ...], wanted: tuple[float, ...]
) -> None:
    # E2: score, then active cards, then shared; no network has a say.
    standing = Standing(
        tuple(np.array([score]) for score in scores), tuple(np.array([mask]) for mask in masks), np.int32(2)
    )
    found = shares(logits(pairs_of(values(EFFECTS)), standing, random_params(3)))[0]
    assert found == pytest.approx(wanted, abs=1e-5)


def test_with_one_seat_to_move_it_must_pass_the_best() -> None:
    solved = values(EFFECTS)
    # The second of three has just moved, the first leads: the third has one turn for 16 points and more.
    standing = Standing(
        tuple(np.array([score]) for score in (GOAL - 14, GOAL + 2, GOAL + 1)),
        tuple(np.array([mask]) for mask in (21, 7, 31)),
        np.int32(1),
    )
    known = all_chances(pairs_of(solved), standing)
    weights = np.exp([weight[0] for weight in log_weights(pairs_of(solved), standing, known)])
    passes = float(solved.last[16, 7, 21])
    assert weights == pytest.approx([passes, 1 - passes, 0], abs=1e-5)
    assert shares(logits(pairs_of(solved), standing, random_params(3)))[0, 0] == pytest.approx(passes, abs=1e-5)


@pytest.mark.parametrize(("cards", "seats"), [(PLAIN, 2), (EFFECTS, 3), (EFFECTS, 4)])
def test_batches_of_turns_are_the_solver_s_turns(cards: tuple[str, ...], seats: int) -> None:
    params = random_params(seats) if seats > 2 else None
    scores, masks = positions(seats, 12, seats)
    seat = seats - 2
    deck = pack(cards, seats)
    seen = ends(on_jax(cards), params, deck.entries, jnp.asarray(scores), jnp.asarray(masks), jnp.int32(seat))
    chances = jnp.moveaxis(seen.shares[..., -1], 0, -1)
    kept = np.asarray(solving()(deck.offers, chances[:POINTS], chances[POINTS, 31]))
    dice = lattice().dice[:KEPT]
    compared = 0
    for table, (own_scores, own_masks) in enumerate(zip(scores.tolist(), masks.tolist(), strict=True)):
        own = own_masks[-1]
        given = (pairs_of(values(cards)), entries(cards, seats), scores[table], masks[table], np.int32(seat))
        known = len(entries(cards, seats).points) - 1
        trained = [np.delete(np.asarray(mask)[table], np.s_[known:POINTS]) for mask in seen.masks]
        choices = (answered(*given)[1], trained)
        # Nothing is rolled without an active card (T7). Of cards that are equally good an affected seat chooses any.
        if not own or any((one != other).any() for one, other in zip(*choices, strict=True)):
            continue
        compared += 1
        order = [(seat + 1 + place) % seats for place in range(seats)]
        in_seats = [(own_scores[order.index(one)], own_masks[order.index(one)]) for one in range(seats)]
        turn = SeveralTurn(values(cards), params, seat, *(tuple(part) for part in zip(*in_seats, strict=True)))
        for mask in {own, own & 21, own & 10}:
            assert kept[:, mask, table] == pytest.approx([turn.kept(text, mask) for text in dice], abs=5e-4)
        if seats == 2:
            solved = values(cards).value(seat, *(tuple(part) for part in zip(*in_seats, strict=True)))
            assert turn.kept("", own) == pytest.approx(solved, abs=1e-5)
    assert compared > 6


@cache
def solving() -> Any:
    return jax.jit(lambda *given: solve_turn(*given).kept)


@pytest.mark.parametrize("seats", [3, 4])
def test_played_turns_keep_to_the_rules(seats: int) -> None:
    tables = 192
    scores, masks = positions(seats, tables, 9)
    deck, chosen = pack(EFFECTS, seats), card_set(EFFECTS)
    # NumPy needs nothing compiled; the test above compares both.
    seen = ends(pairs_of(values(EFFECTS)), None, jax.tree.map(np.asarray, deck.entries), scores, masks, np.int32(1))
    after = jax.jit(play)(deck, seen, jnp.asarray(scores), jnp.asarray(masks), jax.random.key(3))
    gained = np.asarray(after.scores) - scores
    assert (gained[:, :-1] == 0).all()
    skipped = 0
    for table in range(tables):
        points, before, now = gained[table, -1], masks[table].tolist(), np.asarray(after.masks)[table].tolist()
        if points == 0:
            # T5: all one's own, and one of every other seat that has a frozen one.
            skipped += 1
            assert now[-1] == 31
            assert all(new in _turned(old, ~old & 31) for old, new in zip(before[:-1], now[:-1], strict=True))
            continue
        explained = False
        for card, name in enumerate(EFFECTS):
            effect = CARDS[name].effect
            possible = chosen.points[chosen.points_first[card] : chosen.points_first[card + 1]]
            if not before[-1] >> card & 1 or points not in possible:
                continue
            places = range(seats - 1) if effect is Effect.OTHERS_FREEZE else (0, seats - 2)
            fits = now[-1] & ~(before[-1] & ~(1 << card)) == 0
            for place in range(seats - 1):
                old, new = before[place], now[place]
                if effect is Effect.NONE or place not in places:
                    fits = fits and new == old
                else:
                    fits = fits and new in _turned(old, ~old & 31 if effect is Effect.NEIGHBOURS_RESET else old)
            explained = explained or fits
        assert explained
    assert 0 < skipped < tables / 2


def _turned(mask: int, among: int) -> list[int]:
    return [mask ^ 1 << bit for bit in range(5) if among >> bit & 1] or [mask]


def test_targets_run_backwards_from_the_result() -> None:
    # Two turns of one table of three, then the end, then a turn of the next game.
    seen = jnp.asarray([[[0.5, 0.3, 0.2]], [[0.6, 0.2, 0.2]], [[0.0, 1.0, 0.0]], [[0.4, 0.3, 0.3]]])
    over = jnp.asarray([[False], [False], [True], [False]])
    nothing = jnp.zeros(0)
    found = np.asarray(targets(Turns(nothing, nothing, nothing, nothing, seen, over), 0.75))[:, 0]
    assert found[2] == pytest.approx([0, 1, 0])
    assert found[1] == pytest.approx([0, 1, 0])
    assert found[0] == pytest.approx(0.25 * np.array([0.6, 0.2, 0.2]) + 0.75 * np.array([0, 1, 0]))


def test_a_short_training_runs_learns_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The matches of the measurement would be a second program to compile; `compare` has a test of its own.
    monkeypatch.setattr(training, "compare", lambda *given: {"won": 0.4})
    plan = Plan(iterations=4, tables=64, rounds=2, batch=96, hidden=(8, 4), measure_sets=1)
    lines: list[str] = []
    sets = {EFFECTS: on_jax(EFFECTS)}
    params = train(3, plan, sets, tmp_path, 1, lines.append)
    assert np.abs(params["w2"]).max() > 0
    saved = read(tmp_path / "dicy-cards-3.npz")
    assert all(np.array_equal(saved[name], value) for name, value in params.items())
    train(3, plan._replace(iterations=1, resume=True, measure_sets=0), sets, tmp_path, 1, lines.append)
    assert any("going on" in line for line in lines)
    rows = (tmp_path / "dicy-cards.csv").read_text().splitlines()
    assert rows[0].startswith("players,seconds,games,updates")
    assert rows[1].startswith("3,")
    assert " ".join(EFFECTS) in rows[1]
    assert rows[1].endswith(",40.0,33.33")


@pytest.mark.parametrize("seats", [3, 4])
def test_each_seat_of_a_comparison_is_played_by_its_own_network(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def marked(pairs: Pairs, params: Any, *rest: object) -> Ends:
        return Ends(jnp.full((2 * seats, 1, 1, seats), params), ())

    def scored(cards: object, seen: Ends, scores: Array, masks: Array, key: object) -> Played:
        """Let every seat gain what its network says; the leader wins."""
        after = scores.at[:, -1].add(seen.shares[:, 0, 0, 0])
        return Played(after, masks, (after == after.max(axis=-1, keepdims=True)).astype(jnp.float32))

    monkeypatch.setattr(learning, "ends", marked)
    monkeypatch.setattr(learning, "play", scored)
    cards = pack(EFFECTS, seats)
    found = compare.__wrapped__(
        LearnSettings(seats, 2 * seats), on_jax(EFFECTS), cards, 9, 1, jax.random.key(0), rounds=3
    )
    assert (float(found["won"]), float(found["finished"])) == (1.0, 1.0)


def test_a_step_brings_the_chances_closer_to_the_targets() -> None:
    rng = np.random.default_rng(2)
    scores, masks = positions(3, 64, 5)
    pairs = pairs_of(values(EFFECTS))
    standing = Standing(tuple(scores.T), tuple(masks.T), np.int32(0))
    known = all_chances(pairs, standing)
    plain = np.stack(log_weights(pairs, standing, known), axis=-1)
    target = rng.dirichlet((1, 1, 1), 64).astype(np.float32)
    sample = (features(pairs, standing, known), masks, plain, target, np.ones(64, np.float32))
    learner = start(fresh(3, (16, 8), 1))
    losses = []

    @jax.jit
    def improved(learner: Learner, kinds: Array, sample: tuple[Array, ...]) -> tuple[Array, Learner]:
        lost, gradient = jax.value_and_grad(loss)(learner.params, kinds, sample)
        return lost, Learner(*adam.step(learner.params, learner.moments, gradient, jnp.float32(0.01)))

    for _ in range(60):
        lost, learner = improved(learner, pairs.kinds, sample)
        losses.append(float(lost))
    assert losses[-1] < losses[0] - 0.05
    assert max(losses) == losses[0]


def test_sets_to_learn_with_start_with_the_modes() -> None:
    sets = choose_sets(10, 0)
    assert len(set(sets)) == 10
    assert sets[0] == ("any-two", "no-sixes", "odds", "straight", "two-pairs")
    assert choose_sets(10, 0) == sets != choose_sets(10, 1)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--players", "2"], "3 and 4 players"),
        (["--players", "three"], "expected numbers"),
        (["--minutes", "0"], "more than 0"),
        (["--sets", "0"], "from 1 to 792"),
        (["--hidden", "3,4"], "has no option"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["train", "dicy-cards", *arguments])
    assert stopped.value.code == 2
    assert complaint in capsys.readouterr().err
