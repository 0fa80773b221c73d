"""Vectors for Numba: a value that is `LANES` doubles wide, or as many small codes, kept in registers.

Numba cannot promise LLVM that two arrays do not overlap, so a plain inner loop over lanes stays scalar or is checked
at run time. With a vector type of its own the loop is always vectors, which LLVM cuts to the width of the machine.
"""

from collections.abc import Callable
from typing import Any, Final

from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import MASKS

try:
    from llvmlite import ir
    from numba import extending, types
    from numba.core import cgutils
except ModuleNotFoundError as missing:
    raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.") from missing

LANES: Final = MASKS
"""As many lanes as there are sets of active cards."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_CODES = ir.VectorType(ir.IntType(8), LANES)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Register an intrinsic; Numba fills in its first parameter, which a type checker cannot know."""
    return extending.intrinsic(function)


class _Vector(types.Type):
    pass


_lanes, _codes = _Vector(name="Lanes"), _Vector(name="Codes")


@extending.register_model(_Vector)
class _Model(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _CODES if kind == _codes else _VECTOR)  # type: ignore[no-untyped-call]


def _pointer(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """Point to a row of a contiguous array whose last axis is the lanes: no bounds check, no strides."""
    proxy: Any = cgutils.create_struct_proxy
    data = proxy(kind)(context, builder, array).data
    start = builder.mul(row, ir.Constant(row.type, LANES))
    return builder.bitcast(builder.gep(data, [start]), (_CODES if kind.dtype == types.uint8 else _VECTOR).as_pointer())


def _splat(builder: Any, value: Any, vector: Any = _VECTOR) -> Any:
    single = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), zeros)


def _code(builder: Any, number: Any) -> Any:
    return _splat(builder, builder.trunc(number, ir.IntType(8)), _CODES)


@intrinsic
def load(typing: Any, array: Any, row: Any) -> Any:
    """Read one row of lanes, or of codes from a table of bytes."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        return builder.load(_pointer(context, builder, signature.args[0], arguments[0], place), align=8)

    return (_codes if array.dtype == types.uint8 else _lanes)(array, row), make


@intrinsic
def store(typing: Any, array: Any, row: Any, value: Any) -> Any:
    """Write one row of lanes or of codes."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        builder.store(arguments[2], _pointer(context, builder, signature.args[0], arguments[0], place), align=8)
        return context.get_dummy_value()

    return types.void(array, row, value), make


def _binary(build: Callable[[Any, Any, Any], Any]) -> Any:
    """Return an intrinsic that combines two vectors lane by lane."""

    def typed(typing: Any, left: Any, right: Any) -> Any:
        return _lanes(left, right), lambda context, builder, signature, arguments: build(builder, *arguments)

    return intrinsic(typed)


add: Final = _binary(lambda builder, left, right: builder.fadd(left, right))
minus: Final = _binary(lambda builder, left, right: builder.fsub(left, right))
times: Final = _binary(lambda builder, left, right: builder.fmul(left, right))
maximum: Final = _binary(
    lambda builder, left, right: builder.select(builder.fcmp_ordered(">", left, right), left, right)
)


@intrinsic
def fill(typing: Any, value: Any) -> Any:
    """Fill every lane with the same number."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _splat(builder, arguments[0])

    return _lanes(value), make


@intrinsic
def fill_codes(typing: Any, number: Any) -> Any:
    """Fill every lane with the same code."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _code(builder, context.cast(builder, arguments[0], signature.args[0], types.intp))

    return _codes(number), make


@intrinsic
def where_reached(typing: Any, values: Any, enough: Any, number: Any, codes: Any) -> Any:
    """Set a code in the lanes whose value is enough; the others keep theirs."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        reached = builder.fcmp_ordered(">=", arguments[0], arguments[1])
        code = _code(builder, context.cast(builder, arguments[2], signature.args[2], types.intp))
        return builder.select(reached, code, arguments[3])

    return _codes(values, enough, number, codes), make


@intrinsic
def only(typing: Any, codes: Any, number: Any, values: Any) -> Any:
    """Keep the values of the lanes with this code; 0 in the others."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _code(builder, context.cast(builder, arguments[1], signature.args[1], types.intp))
        meant = builder.icmp_unsigned("==", arguments[0], code)
        return builder.select(meant, arguments[2], ir.Constant(_VECTOR, [0.0] * LANES))

    return _lanes(codes, number, values), make
