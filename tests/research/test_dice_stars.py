"""Training: a few seconds on a CPU are enough to beat a random player, and training can be resumed."""

import csv
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from research.curves import draw
from research.dice_stars import selfplay
from research.dice_stars import train as training
from research.dice_stars.learn import Settings
from research.dice_stars.parameters import fresh
from research.dice_stars.selfplay import compare
from research.dice_stars.train import COLUMNS, Plan, measured, train
from starfrost.cli import main
from starfrost.errors import UsageError
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.bots.choice import Policy
from starfrost.games.dice_stars.bots.features import features, size
from starfrost.games.dice_stars.bots.network import Params, read
from starfrost.games.dice_stars.bots.search import Search, best_draw, best_take
from starfrost.games.dice_stars.vector.engine import StarsState, VectorStars, draw_dice, seat_of
from starfrost.games.dice_stars.vector.reference import pack
from starfrost.vector.arrays import U32, Array
from starfrost.vector.game import choose


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_features_have_the_size_that_networks_expect(seats: int) -> None:
    seen = features(pack([DiceStars(seats).start()] * 3), np.zeros(3, dtype=np.uint32), 30)
    assert seen.shape == (3, size(seats))
    assert seen.dtype == np.float32
    assert np.abs(seen).max() < 10


def mean_score(game: VectorStars, params: Params) -> float:
    """Return the mean score of a network in 64 solo games, played with NumPy, which needs no compiling."""
    policy = Policy(params, 0, np.float32(0.2))
    ids = np.arange(64, dtype=U32)
    state = game.blank(ids & U32(0))
    for turn in range(60):
        going = ~game.over(state)
        before, draw = best_draw(game, policy, state, going)
        rolled = draw_dice(before, draw, game.roll(before, (ids, ids * U32(0) + U32(turn))))
        state = choose(going, best_take(game, policy, rolled, going).state, state)
    assert game.over(state).all()
    return float(game.scores(state).mean())


def test_learning_shows_soon_and_goes_on_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Alone, the program that learns is the smallest; the matches of `measured` would be a second one to compile.
    monkeypatch.setattr(training, "measured", lambda game, plan, params, earlier, seed: (0.5, 0.25))
    plan = Plan(updates=240, settings=Settings(games=128, batch=512, muon=True), hidden=(48, 24), measure_every=1e9)
    game = VectorStars(1)
    untaught = mean_score(game, fresh(1, plan.hidden, 5))
    lines: list[str] = []
    params = train(1, plan, tmp_path, 5, False, lines.append)
    assert mean_score(game, {name: np.asarray(value) for name, value in params.items()}) > untaught + 20

    saved = read(tmp_path / "dice-stars-1.npz")
    assert {name: value.shape for name, value in saved.items()} == {name: v.shape for name, v in params.items()}
    assert np.allclose(saved["w0"], params["w0"], atol=1e-2)
    longer = plan._replace(updates=248)
    train(1, longer, tmp_path, 5, True, lines.append)
    assert any("going on" in line for line in lines)
    with (tmp_path / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert int(rows[-1]["updates"]) >= 248 > int(rows[0]["updates"])
    assert [rows[0][name] for name in ("against_random", "against_earlier")] == ["0.5", "0.25"]
    assert draw(tmp_path).read_text().startswith("<svg")

    # The moments of Adam do not continue a training with Muon.
    by_adam = longer._replace(settings=longer.settings._replace(muon=False))
    with pytest.raises(UsageError, match="another version"):
        train(1, by_adam, tmp_path, 5, True, lines.append)


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_each_seat_of_a_comparison_is_played_by_its_own_policy(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(
        game: VectorStars, state: StarsState, policy: Policy, key: tuple[Array, Array], search: Search
    ) -> tuple[StarsState, None]:
        """Add the policy's mark to the grid, and check that everybody is given the dice of the game."""
        seat = (seat_of(state) + U32(1)) % U32(seats)
        marked = state.solo + policy.random * jnp.where(key[0] // U32(7) == 0, 1, 100) + 10 * search.rolls
        return state._replace(meta=state.meta & U32(0xFFE7FFFF) | seat << U32(19), solo=marked), None

    monkeypatch.setattr(selfplay, "play_turn", play)
    own, other = (Policy({}, jnp.uint32(mark), 0) for mark in (1, 0))
    found = compare.__wrapped__(VectorStars(seats), own, other, 2 * seats, 2 * seats, jnp.uint32(0), Search(rolls=1))
    # Each game has two rounds, so two turns of `own`, with its look-ahead; the second deal has other dice.
    assert found["solo"].tolist() == [22] * seats + [220] * seats


def test_measurements_play_against_a_random_player_and_an_earlier_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, float]] = []

    def compared(game: VectorStars, own: Policy, rival: Policy, *rest: object) -> dict[str, Array]:
        asked.append((float(rival.random), float(rival.params["w"])))
        return {"won": np.array([0.5, 1.0]) / len(asked)}

    monkeypatch.setattr(training, "compare", compared)
    new, old = {"w": np.float32(2)}, {"w": np.float32(1)}
    assert measured(VectorStars(2), Plan(), new, old, 1) == (0.75, 0.375)
    assert asked == [(pytest.approx(1.01), 2), (0, 1)]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["chess"], "expected dice-stars or dicy-cards"),
        (["dice-stars", "--players", "5"], "1 to 4 players"),
        (["dice-stars", "--minutes", "soon"], "expected numbers"),
        (["dice-stars", "--minutes", "-1"], "more than 0"),
        (["dice-stars", "--players", "1,2,3", "--minutes", "1,2"], "once for all"),
        (["dice-stars", "--hidden", "64"], "two layer sizes"),
        (["dice-stars", "--pictures", "--out", "nowhere"], "no curve.csv"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["train", *arguments])
    assert left.value.code == 2
    assert complaint in capsys.readouterr().err
