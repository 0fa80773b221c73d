"""The written-out games replay line by line."""

import pytest

from tests.games.dice_stars.playthroughs import GOLDENS, MODES, tell


@pytest.mark.parametrize("mode", MODES)
def test_a_playthrough_replays_line_by_line(mode: str) -> None:
    game, _ = MODES[mode]
    text = (GOLDENS / f"{mode}.txt").read_text()
    assert len(text) < 20_000
    lines = text.splitlines()
    events = [line.split(" ", 1)[1].split("  (")[0] for line in lines if line[:2] in ("* ", "1 ", "2 ", "3 ", "4 ")]
    told = list(tell(game, map(game.parse_action, events)))
    for number, (expected, line) in enumerate(zip(lines, told, strict=True), start=1):
        assert line == expected, f"{mode}.txt, line {number}"
