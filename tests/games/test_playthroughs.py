"""The written-out games of both games replay line by line."""

import pytest

from tests.games.playthroughs import ALL, Playthrough, told


@pytest.mark.parametrize(
    "playthrough", ALL, ids=lambda playthrough: f"{playthrough.game.name}: {playthrough.file.stem}"
)
def test_a_playthrough_replays_line_by_line(playthrough: Playthrough) -> None:
    text = playthrough.file.read_text()
    assert len(text.encode()) < 20_000
    lines = text.splitlines()
    events = [line.split(" ", 1)[1].split("  (")[0] for line in lines if line[:2] in ("* ", "1 ", "2 ", "3 ", "4 ")]
    again = told(playthrough, map(playthrough.game.parse_action, events)).splitlines()
    for number, (expected, line) in enumerate(zip(lines, again, strict=True), start=1):
        assert line == expected, f"{playthrough.file.name}, line {number}"
