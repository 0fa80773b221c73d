"""The parameters of a Dice Stars network in training."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from starfrost.games.dice_stars.bots.features import size
from starfrost.games.dice_stars.bots.network import Params
from starfrost.vector.arrays import Array


def fresh(seats: int, hidden: tuple[int, int], seed: int) -> Params:
    """Return random parameters of an untrained network."""
    rng = np.random.default_rng(seed)
    sizes = (size(seats), *hidden, 2 * seats)
    params: Params = {}
    for i, (inner, outer) in enumerate(pairwise(sizes)):
        scale = np.sqrt(2 / inner) * (0.1 if i == 2 else 1)
        params[f"w{i}"] = rng.normal(0, scale, (inner, outer)).astype(np.float32)
        params[f"b{i}"] = np.zeros(outer, dtype=np.float32)
    return params


def write(path: Path, params: Mapping[str, Array]) -> None:
    """Save parameters as half-precision plain arrays."""
    arrays: dict[str, Any] = {name: np.asarray(value).astype(np.float16) for name, value in params.items()}
    np.savez_compressed(path, **arrays)
