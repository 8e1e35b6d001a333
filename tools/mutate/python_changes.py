"""Changes of Python files, by the operators of cosmic-ray.

cosmic-ray's own command runs one test command for every change it can make: here that were some
150,000 changes with a suite of 10 minutes each. mutmut 3 copies every function once per change and
has no sample, either. So the operators are used as a library; which changes and tests is ours.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tools.mutate.change import Change, make_change

# Boundaries, guards and signs. Left out are exchanges that differ only in type (`==` for `is`, `/`
# for `//`), that nearly always raise (`<<` of floats) and decorators.
_PAIRS = (
    *("Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
    *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
)
_BINARY = (
    "Add_Sub",
    "Sub_Add",
    "Mul_Div",
    "Div_Mul",
    "FloorDiv_Mul",
    "BitAnd_BitOr",
    "BitOr_BitAnd",
)
OPERATORS = (
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in _PAIRS),
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in _BINARY),
    *("core/ReplaceUnaryOperator_Delete_USub", "core/ReplaceUnaryOperator_Delete_Invert"),
    *("core/ReplaceUnaryOperator_Delete_Not", "core/AddNot", "core/ZeroIterationForLoop"),
    *("core/ReplaceTrueWithFalse", "core/ReplaceFalseWithTrue", "core/NumberReplacer"),
    *("core/ReplaceAndWithOr", "core/ReplaceOrWithAnd"),
    *("core/ReplaceBreakWithContinue", "core/ReplaceContinueWithBreak"),
)


# numpy takes every negative size for -1.
# Keywords that guard against mistakes of callers, or save a copy: right callers cannot tell.
_GUARDS = frozenset({"strict", "copy"})


def python_changes(root: Path, file: Path) -> list[Callable[[], Change | None]]:
    """Every change that the operators can make in what a file does; annotations do nothing.

    Each is made when it is called, because that parses the file again. None where it changes
    nothing, or does not compile.
    """
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    content = file.read_text()
    lines = content.splitlines()
    quiet = _quiet_places(ast.parse(content))
    nodes = list(ast_nodes(get_ast(content)))
    found: list[Callable[[], Change | None]] = []
    for name in OPERATORS:
        operator = get_operator(name)()
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(places):
            star = lines[start[0] - 1].startswith("*,", start[1])  # of parameters, no product
            if star or any(first <= start < last for first, last in quiet):
                continue
            found.append(partial(_made, root, file, name, occurrence))
    return found


def _made(root: Path, file: Path, operator: str, occurrence: int) -> Change | None:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    content = file.read_text()
    changed = mutate_code(content, get_operator(operator)(), occurrence)
    if changed is None or changed == content or not _compiles(changed):
        return None
    return make_change(root, file, changed)


def _compiles(content: str) -> bool:
    try:
        ast.parse(content)
    except SyntaxError:
        return False
    return True


_Place = tuple[int, int]


def _quiet_places(tree: ast.Module) -> list[tuple[_Place, _Place]]:
    """Stretches of a file that say nothing at run time, as (line, column) from and to."""
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in _quiet(tree)
    ]


def _quiet(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from node.decorator_list
            if node.returns:
                yield node.returns
        elif isinstance(node, ast.ClassDef):
            yield from node.decorator_list
            yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, ast.keyword) and node.arg in _GUARDS:
            yield node.value
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node.test
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".reshape"):
            yield from (size for size in node.args if ast.unparse(size) == "-1")
