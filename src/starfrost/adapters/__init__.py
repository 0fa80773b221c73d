"""The games as environments for Gymnasium and PettingZoo. Needs `pip install starfrost[vector]`."""

from starfrost.errors import require

require(
    "This part needs JAX, Gymnasium and PettingZoo: pip install 'starfrost[vector]'.", "gymnasium", "jax", "pettingzoo"
)
