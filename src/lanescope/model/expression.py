"""Evaluates the formulas of data files, like `5 + 7*log2(VLEN)`; no code of the file is executed.

Allowed: names, whole numbers, + - * //, brackets, log2 (of a power of two), ceil_div, min, max,
bits(value, high, low).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache

from lanescope.errors import LanescopeError

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
_LONGEST = 200


class FormulaError(LanescopeError):
    """A formula that cannot be read or has no value."""


class MissingName(FormulaError):
    """A formula with a name that has no value; `name` says which."""

    def __init__(self, formula: str, name: str) -> None:
        super().__init__(f"{formula!r} needs {name}, which is not known")
        self.name = name


def evaluate(formula: str | int, names: Mapping[str, int]) -> int:
    """Value of the formula; MissingName where a name has no value."""
    if isinstance(formula, int):
        return formula
    try:
        return _value(_tree(formula), names, formula)
    except ZeroDivisionError as error:
        raise FormulaError(f"{formula!r} divides by zero") from error


@cache
def _tree(formula: str) -> ast.expr:
    if len(formula) > _LONGEST:
        raise FormulaError(f"expected a formula of at most {_LONGEST} characters")
    try:
        return ast.parse(formula, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise FormulaError(f"expected a formula, found {formula!r}") from error


def _value(node: ast.expr, names: Mapping[str, int], formula: str) -> int:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            if name not in names:
                raise MissingName(formula, name)
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            apply = _OPERATORS[type(op)]
            return apply(_value(left, names, formula), _value(right, names, formula))
        case ast.Call(func=ast.Name(id=called), args=args, keywords=[]):
            return _call(called, [_value(arg, names, formula) for arg in args], formula)
    raise FormulaError(f"expected names, whole numbers and + - * //, found {formula!r}")


def _call(called: str, values: list[int], formula: str) -> int:
    if called in ("min", "max") and values:
        return min(values) if called == "min" else max(values)
    if called == "ceil_div" and len(values) == 2:
        return -(-values[0] // values[1])
    if called == "bits" and len(values) == 3 and 0 <= values[2] <= values[1] < 64:
        return values[0] >> values[2] & (1 << values[1] - values[2] + 1) - 1
    if called == "log2" and len(values) == 1:
        if values[0] < 1 or values[0] & (values[0] - 1):
            raise FormulaError(f"{formula!r}: log2 of {values[0]}, which is no power of two")
        return values[0].bit_length() - 1
    raise FormulaError(
        f"expected log2, ceil_div, min, max or bits, found {called!r} in {formula!r}"
    )
