"""The pictures in the README are what the program draws today."""

import pytest

from bench.pictures import FOLDER, PICTURES, picture


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_what_the_program_draws(name: str) -> None:
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert picture(name, PICTURES[name]) == drawn, "run python -m bench.pictures"
    assert len(drawn) < 40_000
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
