"""The figures of Dice Stars: intervals, the players of the limit, and a page that says what the figures say."""

import json
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from bench import stars, stars_page
from bench.stars_foresight import kept
from starfrost.games.dice_stars.bots.choice import Policy
from starfrost.games.dice_stars.bots.search import Search
from starfrost.games.dice_stars.bots.strong import SEARCH
from starfrost.games.dice_stars.vector.engine import VectorStars

DOCS = Path(__file__).parents[1] / "docs"


def test_an_interval_is_that_of_independent_groups() -> None:
    mean, low, high = stars.interval(np.array([0.0, 1.0] * 50))
    assert mean == 0.5
    assert high - mean == pytest.approx(mean - low)
    assert high - low == pytest.approx(2 * 1.96 * 0.05, rel=0.01)
    # Winning every one of some games does not prove that every game is won.
    assert stars.interval(np.ones(2048)) == pytest.approx((1, 0.9981, 1), abs=1e-4)


def test_a_line_names_the_table_and_what_is_even(capsys: pytest.CaptureFixture[str]) -> None:
    line = stars.told("deep", 3, np.full(10, 0.4), 0)
    assert (line["what"], line["players"], line["games"], line["won"]) == ("deep", 3, 30, 0.4)
    assert "deep: 3 players, 30 games, even 33.3%, won 40.00% (40.00 to 40.00)" in capsys.readouterr().out


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, *options: str
) -> tuple[list[tuple[int, Search, Search]], list[dict[str, object]]]:
    """Run `limit` with made-up games; return the searches that met, and the lines."""
    met: list[tuple[int, Search, Search]] = []

    def duel(
        seats: int, own: Policy, other: Policy, searches: tuple[Search, Search], size: stars.Size, seed: int
    ) -> np.ndarray:
        met.append((seats, *searches))
        return np.full(size.batch * size.batches, 0.5 + 0.01 * len(met))

    monkeypatch.setattr(stars, "duel", duel)
    monkeypatch.setattr(stars, "share", lambda policy, games, width, seed: np.full(games, width / 40))
    out = tmp_path / "figures.jsonl"
    monkeypatch.setattr(sys, "argv", ["bench.stars", "limit", "--batch", "6", "--out", str(out), *options])
    stars.main()
    capsys.readouterr()
    return met, [json.loads(line) for line in out.read_text().splitlines()]


def test_the_limit_is_looked_for_by_far_more_search(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    met, lines = run(monkeypatch, capsys, tmp_path, "--players", "1,2", "--batches", "2")
    found = {(line["players"], line["what"]): line["won"] for line in lines}
    assert found == pytest.approx(
        {
            (1, "strong"): 0.51,
            (1, "wide"): 0.52,
            (1, "wide less strong"): 0.01,
            (1, "deep"): 0.53,
            (1, "deep less strong"): 0.02,
            (1, "foresight 32"): 0.8,
            (2, "wide"): 0.54,
            (2, "deep"): 0.55,
        }
    )
    assert {line["command"] for line in lines} == {"limit"}
    # With others, each search plays against `strong`; alone there is nobody else.
    assert [(seats, other) for seats, _, other in met][3:] == [(2, SEARCH[2])] * 2
    assert all(search.rolls >= 2 * SEARCH[2].rolls for _, search, _ in met[3:])
    assert met[4][1].turns == 2
    rows = stars_page.limit_table(lines).splitlines()
    assert rows[2] == "| 2 players | more rolls and options | 24 | 50.0% | 54.00% (54.00 to 54.00) |"
    assert rows[-1].startswith("| solo, 30 boxes | knows the coming dice, 32 positions kept: at least | 12 |")


@pytest.mark.parametrize("options", [["--players", "5"], ["--batch", "0"], ["--search", "deeper"]])
def test_bad_options_are_refused(options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.stars", "limit", *options])
    with pytest.raises(SystemExit) as left:
        stars.main()
    assert left.value.code == 2


def test_a_beam_keeps_the_best_different_positions() -> None:
    game = VectorStars(1)
    # Positions that differ in their grid: 0, 1, 1, 2, 3, 4.
    state = game.blank(jnp.zeros((1, 6), jnp.uint32))._replace(solo=jnp.array([[0, 1, 1, 2, 3, 4]], jnp.uint32))
    utilities = jnp.array([[0.1, 0.9, 0.8, 0.7, -jnp.inf, 0.2]])
    found, alive = kept(state, utilities, (1, 6), 3)
    assert found.solo.tolist() == [[1, 2, 4]]
    assert alive.tolist() == [[True, True, True]]


def test_the_page_shows_the_figures() -> None:
    page = (DOCS / "dice-stars.md").read_text(encoding="utf-8")
    balance, limits = stars_page.read(DOCS.parent / "research" / "figures" / "dice-stars.jsonl")
    assert len(balance) == 8
    assert stars_page.replaced(page, "figures", stars_page.balance_text(balance)) == page
    assert len(limits) == 7
    assert stars_page.replaced(page, "limit", stars_page.limit_table(limits)) == page
    assert stars.describe(balance[0]).startswith("4,194,304 games, won 42.38, 57.62%")
