"""Steps of Muon: a matrix changes equally in all directions of its gradient, everything else as with Adam."""

import jax.numpy as jnp
import numpy as np

from research import adam, muon


def test_a_matrix_changes_in_all_directions_and_the_rest_by_adam() -> None:
    rng = np.random.default_rng(1)
    shapes = {"w0": (12, 40), "b0": (40,), "w1": (40, 8), "b1": (8,), "w2": (8, 2), "b2": (2,)}
    params = {name: jnp.asarray(rng.normal(size=shape), jnp.float32) for name, shape in shapes.items()}
    # One direction of the gradient is far longer than the others.
    gradient = {name: value * 0.02 for name, value in params.items()}
    gradient["w0"] = gradient["w0"] + jnp.outer(params["w1"][:12, 0], params["b0"])
    gradient["w1"] = gradient["w1"] + jnp.outer(params["b0"], params["b1"])
    rate = jnp.float32(0.01)
    kept = muon.moments(params)
    after, kept = muon.step(params, kept, gradient, rate)
    assert int(kept.count) == 1
    for name in muon.MATRICES:
        change = np.asarray(params[name] - after[name])
        before = np.linalg.svd(np.asarray(gradient[name]), compute_uv=False)
        assert before.max() > 50 * before.min()
        sizes = np.linalg.svd(change, compute_uv=False) / (0.01 * np.sqrt(max(shapes[name])))
        assert sizes.max() < 1.5
        assert sizes.min() > 0.3
        assert (change * np.asarray(gradient[name])).sum() > 0
    rest = [name for name in shapes if name not in muon.MATRICES]
    alone = {name: params[name] for name in rest}
    by_adam, _ = adam.step(alone, adam.moments(alone), {name: gradient[name] for name in rest}, rate)
    for name in rest:
        assert np.allclose(after[name], by_adam[name])
