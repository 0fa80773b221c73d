"""How functions are compiled by Numba: the options, and where compiled code is kept."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

from starfrost.cache import compiled_folder, has_room
from starfrost.errors import MissingExtra

# Numba's cache is in the cache folder, because the installed package may be read-only.
os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_folder()))

try:
    from numba import njit, types
except ModuleNotFoundError as missing:
    raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.") from missing

__all__ = ["Array", "fused", "inlined", "jit", "lean"]

Array = Any
Function = TypeVar("Function", bound=Callable[..., Any])

# On a full or read-only disk Numba would fail; compiling again costs only some seconds.
_cached = has_room(os.environ["NUMBA_CACHE_DIR"])


def _compiler(**options: Any) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function once for all arguments of the same types.

    Numba would compile it, and all that it calls, again for every constant that it is called with.
    """
    decorate = njit(cache=_cached, nogil=True, error_model="numpy", boundscheck=False, **options)

    def compiled(function: Function) -> Function:
        dispatcher: Any = decorate(function)
        call_template = dispatcher.get_call_template
        plain: Any = types.unliteral
        dispatcher.get_call_template = lambda args, kws: call_template([plain(arg) for arg in args], kws)
        return dispatcher  # type: ignore[no-any-return]

    return compiled


jit = _compiler()
# Counts no references to arrays, which takes longer than the work of a small function. It cannot make arrays.
lean = _compiler(_nrt=False)
# The same for sums of whole numbers, which are exact, so that a product and its addition can be one instruction.
fused = _compiler(_nrt=False, fastmath={"contract"})

# A part of one other function, written in place: a function of its own would take seconds more to compile.
inlined = njit(inline="always")
