"""JAX for the modules that train. Raises MissingExtra without it."""

from typing import Any

from starfrost.errors import MissingExtra

try:
    import jax
    import jax.numpy as jnp
    import optax
    from jax.experimental.layout import Layout, with_layout_constraint
except ModuleNotFoundError as missing:
    raise MissingExtra("Training needs an optional install: pip install 'starfrost[vector]'.") from missing

__all__ = ["in_layout", "jax", "jnp", "optax"]


def in_layout(value: Any, major_to_minor: tuple[int, ...]) -> Any:
    """Return an array with the order of its axes in memory fixed, inside a compiled program."""
    return with_layout_constraint(value, Layout(major_to_minor))  # type: ignore[no-untyped-call]
