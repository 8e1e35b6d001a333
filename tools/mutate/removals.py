"""Changes of Python files that leave something out: a statement, a guard, one part of a condition.

cosmic-ray exchanges operators and numbers. What a review forgets is more often something that is
not there: a check, a call, one half of an `and`, one side of a `min`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tools.mutate.change import Change, make_change

_Span = tuple[int, int]
_EXTREMES = frozenset({"min", "max", "minimum", "maximum"})


def removals(root: Path, file: Path) -> list[Callable[[], Change | None]]:
    """Everything in the functions of a file that can be left out, one thing at a time."""
    content = file.read_text()
    starts = _line_starts(content)
    return [
        partial(_made, root, file, _span(starts, node), text)
        for function in ast.walk(ast.parse(content))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in function.body
        for node in _own_nodes(statement)
        for text in _left_out(node)
    ]


def _made(root: Path, file: Path, span: _Span, text: str) -> Change | None:
    content = file.read_bytes()
    changed = (content[: span[0]] + text.encode() + content[span[1] :]).decode()
    try:
        ast.parse(changed)
    except SyntaxError:
        return None
    return make_change(root, file, changed)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it; functions inside have their turn by themselves.

    Annotations do nothing.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Assert):
        return
    yield node
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for child in children if name != "annotation" else ():
            if isinstance(child, ast.AST):
                yield from _own_nodes(child)


def _left_out(node: ast.AST) -> Iterator[str]:
    """What may stand in the place of a node."""
    match node:
        case ast.BoolOp(values=values):
            word = " and " if isinstance(node.op, ast.And) else " or "
            for out in values:
                yield f"({word.join(_inside(value) for value in values if value is not out)})"
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=one, right=other):
            yield from (_inside(one), _inside(other))
        case ast.IfExp(body=one, orelse=other):
            yield from (_inside(one), _inside(other))
        case ast.Call(args=[one, other], keywords=[]) if _called(node) in _EXTREMES:
            yield from (_inside(one), _inside(other))
        case ast.Call(args=[one]) if _called(node) == "sorted":
            yield f"list{_inside(one)}"
        case ast.If(body=[ast.Return() | ast.Raise() | ast.Continue() | ast.Break()], orelse=[]):
            yield "pass"
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield "pass"


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _inside(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _line_starts(content: str) -> list[int]:
    starts = [0]
    for line in content.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _span(starts: list[int], node: ast.AST) -> _Span:
    """From and to, in bytes."""
    assert isinstance(node, ast.stmt | ast.expr)
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (
        starts[node.lineno - 1] + node.col_offset,
        starts[node.end_lineno - 1] + node.end_col_offset,
    )
