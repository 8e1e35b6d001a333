"""A graph of the user's own: a Python file with a function `graph` that makes it.

The file is executed in this process as the user's own code; nothing protects from what it does. It
is executed twice, to refuse a file that makes another graph each time.
"""

from __future__ import annotations

import inspect
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from lanescope.errors import InputError, UsageError
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.difference import first_difference
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.settings import WorkloadSummary, convert, parameters_of, summary_of
from lanescope.workloads.sound import sound

_EXPECTED = "a TaskGraph or a GraphBuilder"
_TYPES = (int, float, str)


def load_graph_file(path: str | PathLike[str], settings: Mapping[str, str]) -> TaskGraph:
    """Return the graph that the file's `graph(...)` makes; its parameters are given as text."""
    file = Path(path)
    first, second = (_build(file, settings) for _ in range(2))
    difference = first_difference(first, second)
    if difference is not None:
        raise InputError(
            file,
            f"makes another graph each time it is called ({difference}); seed your random numbers",
        )
    return first


def describe_graph_file(path: str | PathLike[str]) -> WorkloadSummary:
    """Summarise the file: one sentence, and its settings with their defaults."""
    return summary_of(str(path), *_function(Path(path)))


def _build(file: Path, settings: Mapping[str, str]) -> TaskGraph:
    make, known = _function(file)
    values = convert(settings, known, workload=str(file))
    with _users_code(file):
        made = make(**values)
        graph = made.graph() if isinstance(made, GraphBuilder) else made
    if not isinstance(graph, TaskGraph):
        returned = "None" if graph is None else f"a value of type {type(graph).__name__}"
        raise InputError(file, f"graph() returned {returned}, expected {_EXPECTED}")
    try:
        return sound(replace(graph, name=graph.name or file.stem))
    except UsageError as error:
        raise InputError(file, str(error)) from error


def _function(file: Path) -> tuple[Callable[..., Any], Mapping[str, inspect.Parameter]]:
    """Return the file's `graph` and its parameters, each annotated with a type."""
    try:
        file.open("rb").close()
    except FileNotFoundError:
        problem = "no such file; expected a Python file that defines a function graph()"
        raise InputError(file, problem) from None
    except OSError as error:
        raise InputError(file, f"cannot be read ({error.strerror})") from error
    with _users_code(file):
        names = runpy.run_path(str(file))
    make = names.get("graph")
    if make is None:
        raise InputError(file, f"has no function graph(); define one that returns {_EXPECTED}")
    if not callable(make):
        kind = type(make).__name__
        raise InputError(file, f"graph is a {kind}, expected a function that returns {_EXPECTED}")
    with _users_code(file):
        parameters = parameters_of(make)
    return make, {name: _typed(file, parameter) for name, parameter in parameters.items()}


def _typed(file: Path, parameter: inspect.Parameter) -> inspect.Parameter:
    """Return the parameter annotated with int, float or str: its own type, or its default's."""
    default = parameter.default
    by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    if not by_name or isinstance(default, bool) or not isinstance(default, _TYPES):
        raise InputError(
            file,
            "graph() may have parameters with a number or a text as default only, like width=4, "
            f"found {parameter}",
        )
    if any(parameter.annotation is wanted for wanted in _TYPES):
        return parameter
    inferred = next(wanted for wanted in _TYPES if isinstance(default, wanted))
    return parameter.replace(annotation=inferred)


@contextmanager
def _users_code(file: Path) -> Iterator[None]:
    """Run code of the user's: what it prints goes to stderr, what it raises becomes our error."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit) as error:
        raise InputError(file, _raised(file, error)) from error


def _raised(file: Path, error: BaseException) -> str:
    """Say what the file raised, and in which line."""
    if isinstance(error, SyntaxError) and _same(error.filename, file):
        where = f"line {error.lineno}" if error.lineno else "it"
        return f"{where} is not valid Python ({error.msg})"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if _same(frame.filename, file)]
    where = f"line {lines[-1]} raised" if lines else "raised"
    return f"{where} {type(error).__name__}" + (f": {error}" if str(error) else "")


def _same(filename: str | None, file: Path) -> bool:
    return filename is not None and Path(filename).resolve() == file.resolve()
