"""Vectors of numbers for Numba: a value that is `LANES` doubles wide, kept in registers.

Numba cannot promise LLVM that two arrays do not overlap, so a plain inner loop over lanes stays scalar or is checked
at run time. A vector type of our own says what is meant; LLVM cuts it to whatever width the machine has.
"""

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = ["LANES", "average6", "fill", "load", "maximum", "one_minus", "store"]

LANES: Final = 32
"""As many lanes as there are sets of active cards."""

_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, LANES)


class _Lanes(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Lanes")


_lanes = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _pointer(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """Point to a row of a contiguous array whose last axis is the lanes: no bounds check, no strides."""
    proxy: Any = cgutils.create_struct_proxy
    data = proxy(kind)(context, builder, array).data
    start = builder.mul(row, ir.Constant(row.type, LANES))
    return builder.bitcast(builder.gep(data, [start]), _VECTOR.as_pointer())


def _splat(builder: Any, value: Any) -> Any:
    single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), zeros)


@intrinsic
def load(typing: Any, array: Any, row: Any) -> Any:
    """Read one row of lanes."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        return builder.load(_pointer(context, builder, signature.args[0], arguments[0], place), align=8)

    return _lanes(array, row), make


@intrinsic
def store(typing: Any, array: Any, row: Any, value: Any) -> Any:
    """Write one row of lanes."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        builder.store(arguments[2], _pointer(context, builder, signature.args[0], arguments[0], place), align=8)
        return context.get_dummy_value()

    return types.void(array, row, value), make


@intrinsic
def maximum(typing: Any, left: Any, right: Any) -> Any:
    """Take the greater in each lane."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return _lanes(left, right), make


@intrinsic
def average6(typing: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """Take the mean of six in each lane."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pairs = [builder.fadd(arguments[place], arguments[place + 1]) for place in (0, 2, 4)]
        total = builder.fadd(builder.fadd(pairs[0], pairs[1]), pairs[2])
        return builder.fmul(total, ir.Constant(_VECTOR, [1 / 6] * LANES))

    return _lanes(a, b, c, d, e, f), make


@intrinsic
def one_minus(typing: Any, value: Any) -> Any:
    """Turn the opponent's chance into one's own."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fsub(ir.Constant(_VECTOR, [1.0] * LANES), arguments[0])

    return _lanes(value), make


@intrinsic
def fill(typing: Any, value: Any) -> Any:
    """Give every lane the same number."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _splat(builder, arguments[0])

    return _lanes(value), make
