"""Conditions and points of a variant's cards: small expressions about the chosen dice, checked when they are read.

    sum % 2 == 0              an even sum
    values == 2 and alike == 3    with five dice: a full house
    max(10, 2 * highest)      at least ten points

The numbers of an expression are those of `NAMES` and whole numbers to 999. `+`, `-`, `*`, `//` and `%` by a number,
`min`, `max`, comparisons, `and`, `or` and `not` connect them: a part of Python's grammar, and nothing else is accepted.
"""

import ast
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from starfrost.errors import UsageError, quoted

LONGEST: Final = 120
"""The most characters of an expression."""

MOST: Final = 999
"""The largest number in an expression."""

_FACES: Final = ("ones", "twos", "threes", "fours", "fives", "sixes")


def _showing(face: str) -> Callable[[str], int]:
    return lambda dice: dice.count(face)


NAMES: Final[dict[str, Callable[[str], int]]] = {
    "sum": lambda dice: sum(map(int, dice)),
    "dice": len,
    "highest": lambda dice: int(max(dice)),
    "lowest": lambda dice: int(min(dice)),
    "values": lambda dice: len(set(dice)),
    "alike": lambda dice: max(Counter(dice).values()),
    **{name: _showing(str(face)) for face, name in enumerate(_FACES, 1)},
}
"""What an expression can ask of the chosen dice: `values` is how many different ones, `alike` the most equal ones."""

_FUNCTIONS: Final[dict[str, Callable[..., int]]] = {"min": min, "max": max}
_SUMS: Final[dict[type, Callable[[int, int], int]]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_ORDERS: Final[dict[type, Callable[[int, int], bool]]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


def condition(text: str) -> str:
    """Return a condition in its canonical form, without spaces. Raises UsageError."""
    return _canonical(text, truth=True)


def number(text: str) -> str:
    """Return a sum in its canonical form, without spaces. Raises UsageError."""
    return _canonical(text, truth=False)


@lru_cache(maxsize=1 << 14)
def value(expression: str, dice: str) -> int:
    """Return what a canonical expression is for some chosen dice; a condition is 0 or 1."""
    return int(_value(_tree(expression.replace("_", " ")), dice))


def readable(expression: str) -> str:
    """Return a canonical expression with its spaces, as `condition` and `number` read it."""
    return ast.unparse(_tree(expression.replace("_", " ")))


def _canonical(text: str, *, truth: bool) -> str:
    tree = _tree(text)
    _check(tree, text, truth=truth)
    return ast.unparse(tree).replace(" ", "_")


@lru_cache(maxsize=512)
def _tree(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise UsageError("An expression has at most %(most)s characters.", most=LONGEST)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refusal(text) from None


def _refusal(text: str) -> UsageError:
    return UsageError("%(text)s is not an expression about the chosen dice.", text=quoted(text))


def _check(node: ast.AST, text: str, *, truth: bool) -> None:
    """Raise UsageError unless a part of an expression is a condition, or a number, of the grammar."""
    parts: list[tuple[ast.AST, bool]] | None = None
    match node:
        case ast.BoolOp(values=values) if truth:
            parts = [(each, True) for each in values]
        case ast.UnaryOp(op=ast.Not(), operand=operand) if truth:
            parts = [(operand, True)]
        case ast.Compare(left=left, ops=orders, comparators=others) if truth and {*map(type, orders)} <= {*_ORDERS}:
            parts = [(each, False) for each in (left, *others)]
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod(), right=ast.Constant(value=divisor)) if not truth:
            parts = [(left, False), (node.right, False)] if divisor else None
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right) if not truth:
            parts = [(left, False), (right, False)]
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not truth:
            parts = [(operand, False)]
        case ast.Call(func=ast.Name(id=name), args=values, keywords=[]) if not truth and name in _FUNCTIONS:
            parts = [(each, False) for each in values] if len(values) > 1 else None
        case ast.Name(id=name) if not truth and name in NAMES:
            parts = []
        case ast.Constant(value=int() as constant) if not truth and type(constant) is int and constant <= MOST:
            parts = []
    if parts is None:
        raise _refusal(text)
    for part, wanted in parts:
        _check(part, text, truth=wanted)


def _value(node: ast.AST, dice: str) -> Any:
    """Return the value of a checked expression."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(each, dice) for each in values)
        case ast.BoolOp(values=values):
            return any(_value(each, dice) for each in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, dice)
        case ast.UnaryOp(operand=operand):
            return -_value(operand, dice)
        case ast.Compare(left=left, ops=orders, comparators=others):
            numbers = [_value(each, dice) for each in (left, *others)]
            return all(_ORDERS[type(order)](a, b) for order, a, b in zip(orders, numbers, numbers[1:], strict=False))
        case ast.BinOp(left=left, op=operation, right=right):
            return _SUMS[type(operation)](_value(left, dice), _value(right, dice))
        case ast.Call(func=ast.Name(id=name), args=values):
            return _FUNCTIONS[name](*(_value(each, dice) for each in values))
        case ast.Name(id=name):
            return NAMES[name](dice)
        case ast.Constant(value=constant):
            return constant
    raise _refusal(ast.unparse(node))
