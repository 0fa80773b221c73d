"""The Dice Stars network: from features to every seat's share of victory and final score.

Two hidden layers of rectified units. Parameters are a dictionary of plain arrays; `forward` runs on NumPy and on JAX.

The order in which a machine adds the products of floats changes the last bits of the sums, and a last bit can change a
decision. So `strong` plays by a network of whole numbers (`whole`): every sum in it is a whole number that its type
holds exactly, in any order of additions, in any batch and on any machine.
"""

from collections.abc import Mapping
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from starfrost.learning.dice_stars.features import size, units
from starfrost.vector.arrays import Array, module_of

Params = dict[str, Array]

SCORE_UNIT = np.float32(50)
"""Final scores are learned in units of this many points."""


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


def forward(params: Mapping[str, Array], x: Array) -> tuple[Array, Array]:
    """Return the logits of the shares and the expected final scores (in `SCORE_UNIT`), own seat first.

    With half-precision weights (`halved`) the hidden layers are in half precision too; the sums inside the products and
    the result are in single precision.
    """
    xp = module_of(x)
    half = params["w0"].dtype == np.float16
    x = x.astype(params["w0"].dtype)
    x = xp.maximum(x @ params["w0"] + params["b0"], 0)
    x = xp.maximum(x @ params["w1"] + params["b1"], 0)
    last = xp.matmul(x, params["w2"], preferred_element_type=np.float32) if half else x @ params["w2"]
    out = last + params["b2"].astype(np.float32)
    seats = out.shape[-1] // 2
    return out[..., :seats], out[..., seats:]


def halved(params: Mapping[str, Array]) -> Params:
    """Return the parameters in half precision: twice as fast on a GPU, for play in large batches."""
    return {name: value.astype(np.float16) for name, value in params.items()}


_FIRST, _SECOND, _LAST = 2.0**18, 2.0**16, 2.0**32
"""The scales of the weights, by layer, in a network of whole numbers."""
HIDDEN_SHIFT = 2.0**-10
"""What turns sums of the first layer into hidden units."""
_LOGIT_UNIT, _SCORE_STEP, _LEAST_LOGIT = 2.0**-16, 2.0**-10, -16
FINEST = 2.0**-24
"""The unit of exact shares and utilities."""


def is_whole(params: Mapping[str, Array]) -> bool:
    """Return whether a network is one of whole numbers."""
    return "unit" in params


def whole(params: Mapping[str, Array]) -> Params:
    """Return a network of whole numbers with nearly the same values.

    Its inputs are whole numbers too (`features.units`). In single precision whole numbers below 2**24 are exact. A
    hidden unit can have any scale if the weights after it are divided by it. So each has the scale that leaves it the
    most digits: in the first layer by the length of its weights, in the second by the sum of their sizes. In play all
    sums of sizes are below 2**23.
    """
    w0, w1, w2 = (np.asarray(params[name], np.float64) for name in ("w0", "w1", "w2"))
    b0, b1, b2 = (np.asarray(params[name], np.float64) for name in ("b0", "b1", "b2"))
    first = _FIRST / np.sqrt((w0**2).sum(axis=0) + b0**2 + 1e-12)
    rest = w1 / (HIDDEN_SHIFT * first[:, None])
    # A bias alone must stay below 2**23 too.
    second = _SECOND / (np.maximum(np.abs(rest).sum(axis=0), np.abs(b1) / 128) + 1e-12)
    return {
        "w0": np.rint(w0 / units(w2.shape[1] // 2)[:, None] * first).astype(np.float32),
        "b0": np.rint(b0 * first).astype(np.float32),
        "w1": np.rint(rest * second).astype(np.float32),
        "b1": np.rint(b1 * second).astype(np.float32),
        "w2": np.rint(w2 * (_LAST / second[:, None])),
        "b2": np.rint(b2 * _LAST),
        "unit": np.array(1 / _LAST),
    }


def exact(params: Mapping[str, Array], numbers: Array) -> tuple[Array, Array]:
    """Return the shares and scores by a network of whole numbers, as multiples of powers of two in double precision."""
    xp = module_of(numbers)
    dot = np.matmul if xp is np else partial(xp.matmul, precision="highest")
    hidden = dot(numbers, params["w0"])
    if xp is np:
        # In place: large new arrays take as long as the products.
        hidden += params["b0"]
        np.maximum(hidden, 0, out=hidden)
        hidden *= np.float32(HIDDEN_SHIFT)
        np.rint(hidden, out=hidden)
    else:
        hidden = xp.rint(xp.maximum(hidden + params["b0"], 0) * np.float32(HIDDEN_SHIFT))
    hidden = xp.maximum(dot(hidden, params["w1"]) + params["b1"], 0).astype(np.float64)
    out = (dot(hidden, params["w2"]) + params["b2"]) * params["unit"]
    seats = out.shape[-1] // 2
    return exact_shares(out[..., :seats]), xp.rint(out[..., seats:] / _SCORE_STEP) * _SCORE_STEP


@cache
def exponentials() -> tuple[Array, Array]:
    """Return tables of exp(-n / 256) and exp(-n / 65536), rounded so that products of them are exact."""
    most = -_LEAST_LOGIT * 256
    coarse, fine = np.exp(-np.arange(most + 1) / 256), np.exp(-np.arange(256) / 65536)
    return np.rint(coarse / FINEST) * FINEST, np.rint(fine / FINEST) * FINEST


def exact_shares(logits: Array) -> Array:
    """Convert logits to shares of victory as `shares` does, with the same result on every machine."""
    xp = module_of(logits)
    if logits.shape[-1] == 1:
        logits = xp.concatenate([logits, xp.zeros_like(logits)], axis=-1)
        return exact_shares(logits)[..., :1]
    steps = xp.rint(logits / _LOGIT_UNIT)
    below = xp.minimum(steps.max(axis=-1, keepdims=True) - steps, -_LEAST_LOGIT / _LOGIT_UNIT).astype(np.int32)
    coarse, fine = (xp.asarray(table) for table in exponentials())
    raised = coarse[below >> 8] * fine[below & 255]
    return settled(raised / raised.sum(axis=-1, keepdims=True))


def settled(values: Array) -> Array:
    """Round numbers in double precision to multiples of `FINEST`; leave those of a plain network as they are."""
    return module_of(values).rint(values / FINEST) * FINEST if values.dtype == np.float64 else values


def shares(logits: Array) -> Array:
    """Convert logits to shares of victory, which sum to one except in the solo game."""
    xp = module_of(logits)
    if logits.shape[-1] == 1:
        return 1 / (1 + xp.exp(-xp.clip(logits, -30, 30)))
    raised = xp.exp(logits - logits.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def write(path: Path, params: Mapping[str, Array]) -> None:
    """Save parameters as half-precision plain arrays."""
    arrays: dict[str, Any] = {name: np.asarray(value).astype(np.float16) for name, value in params.items()}
    np.savez_compressed(path, **arrays)


def read(path: Path) -> Params:
    """Load parameters saved by `write`, in single precision."""
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}
