"""The command that trains: it keeps what an earlier training made."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from research.train import train
from research.with_jax import jax
from starfrost.errors import UsageError


@pytest.fixture(autouse=True)
def _cache_of_jax() -> Iterator[None]:
    """Give JAX its folder for compiled programs back."""
    before = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    yield
    jax.config.update("jax_compilation_cache_dir", before)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("game", ["dice-stars", "dicy-cards"])
def test_an_earlier_training_is_kept(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module(f"research.{game.replace('-', '_')}.train")
    trained: list[int] = []

    def overwrite(count: int, *given: Any) -> None:
        trained.append(count)
        for file in tmp_path.glob(f"*-{count}.npz"):
            file.write_text("shorter")

    monkeypatch.setattr(module, "train", overwrite)
    monkeypatch.setattr(module, "compile_ahead", lambda count, plan: None, raising=False)
    monkeypatch.setattr(module, "solved", lambda names, goal: [None] * len(names), raising=False)
    monkeypatch.setattr("research.curves.draw", lambda folder: folder)
    files = [tmp_path / f"{game}-4.npz", tmp_path / "checkpoint-4.npz"]
    for file in files:
        file.write_text("longer")
    with pytest.raises(UsageError, match=r"-4\.npz is there already: go on from it with --resume, or .* --out\.$"):
        train(game, "3,4", "1", tmp_path)
    assert trained == []
    assert [file.read_text() for file in files] == ["longer", "longer"]
    train(game, "3", "1", tmp_path)
    train(game, "4", "1", tmp_path / "another")
    train(game, "4", "1", tmp_path, resume=True)
    assert trained == [3, 4, 4]
