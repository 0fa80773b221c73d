"""Adam (Kingma and Ba, 2015) from Optax, with a learning rate that can change from step to step."""

from typing import TypeAlias

from research.with_jax import jax, optax
from starfrost.vector.arrays import Array

Params: TypeAlias = dict[str, Array]
Moments: TypeAlias = optax.ScaleByAdamState
"""The running means of the gradients (`mu`) and of their squares (`nu`), and the number of steps (`count`)."""

_ADAM = optax.scale_by_adam()


def moments(params: Params) -> Moments:
    """Return the moments before the first step."""
    return _ADAM.init(params)


def step(params: Params, kept: Moments, gradient: Params, rate: Array) -> tuple[Params, Moments]:
    """Take one step against a gradient and return the new parameters and moments."""
    direction, kept = _ADAM.update(gradient, kept)
    return jax.tree.map(lambda value, change: value - rate * change, params, direction), kept
