"""Muon (Jordan, 2024) from Optax for the matrices before the hidden units, with Adam for all other parameters.

A step changes a matrix equally in all directions of its gradient, so that rare features are learned as fast as common
ones.
"""

from typing import NamedTuple

import numpy as np

from research import adam
from research.adam import Params
from research.with_jax import optax
from starfrost.vector.arrays import Array

MATRICES = ("w0", "w1")
_MUON = optax.contrib.scale_by_muon(
    beta=0.9, weight_dimension_numbers=dict.fromkeys(MATRICES, optax.contrib.MuonDimensionNumbers())
)


class Moments(NamedTuple):
    """The running means of the gradients."""

    matrices: optax.contrib.MuonState
    rest: adam.Moments

    @property
    def count(self) -> Array:
        """The number of steps."""
        return self.rest.count


def _split(params: Params) -> tuple[Params, Params]:
    matrices = {name: params[name] for name in MATRICES}
    return matrices, {name: value for name, value in params.items() if name not in MATRICES}


def moments(params: Params) -> Moments:
    """Return the moments before the first step."""
    matrices, rest = _split(params)
    return Moments(_MUON.init(matrices), adam.moments(rest))


def step(params: Params, kept: Moments, gradient: Params, rate: Array) -> tuple[Params, Moments]:
    """Take one step against a gradient and return the new parameters and moments."""
    matrices, rest = _split(params)
    gradients, others = _split(gradient)
    directions, muon_kept = _MUON.update(gradients, kept.matrices)
    # The entries of an orthogonal matrix are the smaller, the larger it is; this makes them about one, as Adam's are.
    scale = {name: rate * np.sqrt(max(value.shape)) for name, value in matrices.items()}
    matrices = {name: value - scale[name] * directions[name] for name, value in matrices.items()}
    rest, adam_kept = adam.step(rest, kept.rest, others, rate)
    return matrices | rest, Moments(muon_kept, adam_kept)
