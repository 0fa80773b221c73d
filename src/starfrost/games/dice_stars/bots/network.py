"""The Dice Stars network: from features to every seat's share of victory and final score.

Two hidden layers of rectified units. Parameters are a dictionary of plain arrays; `forward` runs on NumPy and on JAX.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from starfrost.vector.arrays import Array, module_of

Params = dict[str, Array]

SCORE_UNIT = np.float32(50)
"""Final scores are learned in units of this many points."""


def forward(params: Mapping[str, Array], x: Array) -> tuple[Array, Array]:
    """Return the logits of the shares and the expected final scores (in `SCORE_UNIT`), own seat first.

    With half-precision weights (`halved`) the hidden layers are in half precision too; the sums inside the products and
    the result are in single precision.
    """
    xp = module_of(x)
    half = params["w0"].dtype == np.float16
    x = x.astype(params["w0"].dtype)
    for layer in ("0", "1"):
        x = x @ params[f"w{layer}"]
        if xp is np:
            # In place: large new arrays take as long as the products.
            x += params[f"b{layer}"]
            np.maximum(x, 0, out=x)
        else:
            x = xp.maximum(x + params[f"b{layer}"], 0)
    last = xp.matmul(x, params["w2"], preferred_element_type=np.float32) if half else x @ params["w2"]
    out = last + params["b2"].astype(np.float32)
    seats = out.shape[-1] // 2
    return out[..., :seats], out[..., seats:]


def halved(params: Mapping[str, Array]) -> Params:
    """Return the parameters in half precision: twice as fast on a GPU, for play in large batches."""
    return {name: value.astype(np.float16) for name, value in params.items()}


def shares(logits: Array) -> Array:
    """Convert logits to shares of victory, which sum to one except in the solo game."""
    xp = module_of(logits)
    if logits.shape[-1] == 1:
        return 1 / (1 + xp.exp(-xp.clip(logits, -30, 30)))
    raised = xp.exp(logits - logits.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def read(path: Path) -> Params:
    """Load parameters saved by `write`, in single precision."""
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}
