"""Vectors for Numba: a value that is `LANES` doubles wide, or as many small codes, kept in registers.

Numba cannot promise LLVM that two arrays do not overlap, so a plain inner loop over lanes stays scalar or is checked
at run time. A vector type of our own says what is meant; LLVM cuts it to whatever width the machine has.
"""

from typing import Any, Final

from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import MASKS

try:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, models, register_model
except ModuleNotFoundError as missing:
    raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.") from missing

__all__ = [
    "LANES",
    "add",
    "apart",
    "average6",
    "fill",
    "fill_codes",
    "load",
    "maximum",
    "minus",
    "one_minus",
    "only",
    "scaled",
    "store",
    "times",
    "where_reached",
]

LANES: Final = MASKS
"""As many lanes as there are sets of active cards."""

_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, LANES)
_CODES = ir.VectorType(ir.IntType(8), LANES)


class _Lanes(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Lanes")


class _Codes(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Codes")


_lanes, _codes = _Lanes(), _Codes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


@register_model(_Codes)
class _CodesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _CODES)  # type: ignore[no-untyped-call]


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
    """Fill every lane with the same number."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _splat(builder, arguments[0])

    return _lanes(value), make


@intrinsic
def add(typing: Any, left: Any, right: Any) -> Any:
    """Add in each lane."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments)

    return _lanes(left, right), make


@intrinsic
def times(typing: Any, left: Any, right: Any) -> Any:
    """Multiply in each lane."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fmul(*arguments)

    return _lanes(left, right), make


@intrinsic
def scaled(typing: Any, values: Any, factor: Any) -> Any:
    """Multiply every lane by the same number."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fmul(arguments[0], _splat(builder, arguments[1]))

    return _lanes(values, factor), make


@intrinsic
def minus(typing: Any, values: Any, number: Any) -> Any:
    """Take the same number from every lane."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fsub(arguments[0], _splat(builder, arguments[1]))

    return _lanes(values, number), make


@intrinsic
def apart(typing: Any, left: Any, right: Any) -> Any:
    """Take the distance of two in each lane."""

    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left_more = builder.fcmp_ordered(">", *arguments)
        return builder.select(left_more, builder.fsub(*arguments), builder.fsub(*reversed(arguments)))

    return _lanes(left, right), make


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
