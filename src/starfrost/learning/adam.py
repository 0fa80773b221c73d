"""Adam (Kingma and Ba, 2015): the one way in which networks here take a step."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from starfrost.vector.arrays import Array

__all__ = ["Moments", "moments", "step"]

F32 = np.float32
Params = dict[str, Array]


class Moments(NamedTuple):
    """What Adam remembers."""

    first: Params
    """The running mean of the gradients."""
    second: Params
    """The running mean of their squares."""
    updates: Array


def moments(params: Params) -> Moments:
    """Remember nothing yet."""
    zeros = {name: jnp.zeros_like(value) for name, value in params.items()}
    return Moments(zeros, dict(zeros), jnp.float32(0))


def step(params: Params, kept: Moments, gradient: Params, rate: Array) -> tuple[Params, Moments]:
    """Take one step against a gradient."""
    updates = kept.updates + 1
    first = jax.tree.map(lambda m, g: F32(0.9) * m + F32(0.1) * g, kept.first, gradient)
    second = jax.tree.map(lambda s, g: F32(0.999) * s + F32(0.001) * g * g, kept.second, gradient)
    ahead, spread = 1 - F32(0.9) ** updates, 1 - F32(0.999) ** updates
    params = jax.tree.map(
        lambda p, m, s: p - rate * (m / ahead) / (jnp.sqrt(s / spread) + F32(1e-8)), params, first, second
    )
    return params, Moments(first, second, updates)
