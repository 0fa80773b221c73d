"""How functions are compiled: those that only compiled code calls are linked, and not compiled for Python."""

from starfrost.compiling import jit, lean


@lean
def doubled(number: int) -> int:
    return 2 * number


@jit
def twice_and_one(number: int) -> int:
    return doubled(number) + 1


def test_a_function_that_compiled_code_calls_is_not_compiled_for_python() -> None:
    assert twice_and_one(20) == 41
    assert doubled.overloads == {}  # type: ignore[attr-defined]


def test_such_a_function_can_be_called_from_python_too() -> None:
    assert twice_and_one(20) == 41
    assert doubled(21) == 42
