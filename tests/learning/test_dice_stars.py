"""Training: a few seconds on a CPU are enough to beat a random player, and training can be resumed."""

import csv
from pathlib import Path

import numpy as np
import pytest

from starfrost.cli import main
from starfrost.games.dice_stars import DiceStars
from starfrost.learning.curves import draw
from starfrost.learning.dice_stars.features import features, size
from starfrost.learning.dice_stars.learn import Settings
from starfrost.learning.dice_stars.network import fresh, read
from starfrost.learning.dice_stars.train import COLUMNS, Plan, measured, train
from starfrost.vector.dice_stars.engine import VectorStars
from starfrost.vector.dice_stars.reference import pack


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_features_have_the_size_that_networks_expect(seats: int) -> None:
    seen = features(pack([DiceStars(seats).start()] * 3), np.zeros(3, dtype=np.uint32), 30)
    assert seen.shape == (3, size(seats))
    assert seen.dtype == np.float32
    assert np.abs(seen).max() < 10


def test_learning_shows_soon_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    plan = Plan(
        updates=360, settings=Settings(games=128, batch=512), hidden=(48, 24), measure_every=1e9, measure_games=256
    )
    game = VectorStars(2)
    untaught = measured(game, plan, fresh(2, plan.hidden, 5), None, 5)[0]
    lines: list[str] = []
    params = train(2, plan, tmp_path, 5, False, lines.append)
    taught = measured(game, plan, params, None, 5)[0]
    assert taught > 0.9
    assert taught > untaught + 0.15

    saved = read(tmp_path / "dice-stars-2.npz")
    assert {name: value.shape for name, value in saved.items()} == {name: v.shape for name, v in params.items()}
    assert np.allclose(saved["w0"], params["w0"], atol=1e-2)
    longer = plan._replace(updates=368)
    train(2, longer, tmp_path, 5, True, lines.append)
    assert any("going on" in line for line in lines)
    with (tmp_path / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert int(rows[-1]["updates"]) >= 368 > int(rows[0]["updates"])
    assert draw(tmp_path).read_text().startswith("<svg")


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
