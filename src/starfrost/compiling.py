"""How functions are compiled by Numba: the options, and where compiled code is kept.

Numba optimises every function, makes machine code of it and keeps that, even if only other compiled functions call it:
they link its code into theirs and optimise it again. That is more than half of the time. So a function is compiled in
two ways: for Python as Numba does, and for other compiled functions (`_Part`) only as far as they need.
"""

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, TypeVar

from starfrost.cache import compiled_folder, has_room
from starfrost.errors import MissingExtra

# Numba's cache is in the cache folder, because the installed package may be read-only.
os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_folder()))

try:
    from numba import njit, types, version_info
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
except ModuleNotFoundError as missing:
    raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.") from missing

__all__ = ["Array", "fused", "inlined", "jit", "lean"]

Array = Any
Function = TypeVar("Function", bound=Callable[..., Any])

# On a full or read-only disk Numba would fail; compiling again costs only some seconds.
_cached = has_room(os.environ["NUMBA_CACHE_DIR"])


_LINKED: Final = (0, 61) <= version_info.short <= (0, 68)
"""Whether this Numba is known to work with `_Part`; another one compiles all functions as it does by itself."""


class _Part(JITCodeLibrary):
    """The code of a function for its compiled callers: linked, and neither optimised nor made machine code."""

    # Machine code would get the address of its environment here, which only exceptions with arguments need.
    codegen = SimpleNamespace(set_env=lambda name, environment: None)

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0


class _PartCompiler(Compiler):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)  # type: ignore[no-untyped-call]
        self.state.library = _Part(self.state.targetctx.codegen(), "part")  # type: ignore[no-untyped-call]


def _compiler(**options: Any) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function once for all arguments of the same types.

    Numba would compile it, and all that it calls, again for every constant that it is called with.
    """
    numba: Any = njit
    options |= {"nogil": True, "error_model": "numpy", "boundscheck": False, "no_cfunc_wrapper": True}
    decorate = numba(cache=_cached, **options)
    part = numba(no_cpython_wrapper=True, pipeline_class=_PartCompiler, **options)

    def compiled(function: Function) -> Function:
        dispatcher: Any = decorate(function)
        linked: Any = part(function) if _LINKED else dispatcher
        call_template = linked.get_call_template
        plain: Any = types.unliteral
        dispatcher.get_call_template = lambda args, kws: call_template([plain(arg) for arg in args], kws)
        dispatcher.get_overload = linked.get_overload
        return dispatcher  # type: ignore[no-any-return]

    return compiled


jit = _compiler()
# Counts no references to arrays, which takes longer than the work of a small function. It cannot make arrays.
lean = _compiler(_nrt=False)
# The same for sums of whole numbers, which are exact, so that a product and its addition can be one instruction.
fused = _compiler(_nrt=False, fastmath={"contract"})

# A part of one other function, written in place: a function of its own would take seconds more to compile.
inlined = njit(inline="always")
