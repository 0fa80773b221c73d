"""Random words for the vector engines: a stateless hash of a key, cheap enough for one call per step.

A key is two uint32 words: a JAX key (typed or raw), an array whose last axis is 2, or a tuple of two arrays. The hash
is pcg4d (Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020): twelve multiplications for four
words, without state. Equal keys give equal words on every machine.
"""

from starfrost.vector.arrays import U32, Array, module_of

CHANCE = 0x9E3779B9
"""The salt for dice."""

POLICY = 0x7F4A7C15
"""The salt for the choices of a random player, so that they never share words with the dice of the same key."""


def key_words(key: Array) -> tuple[Array, Array]:
    """Return the two words of a key in any of its forms."""
    if isinstance(key, tuple):
        first, second = key
        return first, second
    if module_of(key).__name__ == "jax.numpy":
        import jax

        if jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key):
            key = jax.random.key_data(key)
    return key[..., 0], key[..., 1]


def words(key: Array, salt: int) -> tuple[Array, Array, Array, Array]:
    """Hash a key into four random uint32 words."""
    first, second = key_words(key)
    step, shift = U32(1664525), U32(1013904223)
    x, y = first * step + shift, second * step + shift
    z = (first ^ U32(salt)) * step + shift
    w = (second + U32(salt)) * step + shift
    for last in (False, True):
        x = x + y * w
        y = y + z * x
        z = z + x * y
        w = w + y * z
        if not last:
            x, y, z, w = (v ^ (v >> U32(16)) for v in (x, y, z, w))
    # The low bits of the last products are the weakest, so the halves are folded together; callers use the high bits.
    return x ^ (x >> U32(16)), y ^ (y >> U32(16)), z ^ (z >> U32(16)), w ^ (w >> U32(16))


def below(word: Array, *bounds: Array) -> tuple[Array, ...]:
    """Split one random word into a number below each bound (at most 15 each), with a bias below product / 2**28.

    The word is a fraction in [0, 1) of 28 bits; multiplying it by a bound gives a digit and leaves a new fraction.
    """
    mask = U32((1 << 28) - 1)
    fraction = word >> U32(4)
    digits = []
    for bound in bounds:
        product = fraction * (U32(bound) if isinstance(bound, int) else bound)
        digits.append(product >> U32(28))
        fraction = product & mask
    return tuple(digits)
