"""JAX for the modules that train. Raises MissingExtra without it."""

from starfrost.errors import MissingExtra

try:
    import jax
    import jax.numpy as jnp
    import optax
except ModuleNotFoundError as missing:
    raise MissingExtra("Training needs an optional install: pip install 'starfrost[vector]'.") from missing

__all__ = ["jax", "jnp", "optax"]
