"""A user's own graph in a Python file, and every way it can be wrong."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import InputError, UsageError
from lanescope.workloads import (
    WorkKind,
    build_workload,
    describe_graph_file,
    load_graph_file,
)

IMPORTS = """\
import random
import numpy as np
from lanescope import GraphBuilder
from lanescope.workloads import TaskGraph
"""
BODY = """\
def graph(*, links: int = 3, scale: float = 1, kind="aiv"):
    '''A chain of links.'''
    builder = GraphBuilder('')
    last = []
    for number in range(links):
        last = [builder.task(f"LINK{number}", kind=kind, after=last, spin_ns=int(100 * scale))]
    return builder
"""
COLUMNS = """\
def graph():
    columns = dict(func=[0, 1], kind=[0, 0], work=[1, 1], amount=[5, 6], pred=[0], succ=[1])
    columns |= dict({changes})
    return TaskGraph(**dict(name="mine", functions=["A", "B"], kinds=["aiv"]) | columns)
"""
EXPECTED = "a TaskGraph or a GraphBuilder"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(IMPORTS + BODY)
    return path


def refusal(file: Path, settings: dict[str, str] | None = None) -> str:
    """What is wrong with the file, without its path, which comes first."""
    with pytest.raises(InputError) as refused:
        load_graph_file(file, settings or {})
    assert str(refused.value) == f"{file}: {refused.value.problem}"
    return refused.value.problem


def test_a_file_makes_a_graph_named_after_it(file: Path) -> None:
    graph = load_graph_file(file, {})
    assert (graph.name, graph.functions) == ("mine", ("LINK0", "LINK1", "LINK2"))
    assert graph.amount.tolist() == [100, 100, 100]
    assert (graph.pred.tolist(), graph.succ.tolist()) == ([0, 1], [1, 2])


def test_settings_have_the_types_of_annotations_or_else_of_defaults(file: Path) -> None:
    graph = build_workload(str(file), {"links": "2", "scale": "0.5", "kind": "aic"})
    assert (graph.kinds, graph.amount.tolist()) == (("aic",), [50, 50])


def test_a_name_that_is_given_stays(file: Path) -> None:
    file.write_text(IMPORTS + BODY.replace("GraphBuilder('')", "GraphBuilder('given')"))
    assert load_graph_file(file, {}).name == "given"


def test_columns_get_the_types_they_should_have(file: Path) -> None:
    file.write_text(IMPORTS + COLUMNS.format(changes="func=np.array([0, 1], np.uint64)"))
    graph = load_graph_file(file, {})
    assert (graph.name, graph.functions, graph.kinds) == ("mine", ("A", "B"), ("aiv",))
    assert graph.func.dtype == graph.kind.dtype == graph.work.dtype == np.int32
    assert graph.amount.dtype == graph.pred.dtype == graph.succ.dtype == np.int64
    assert graph.work.tolist() == [WorkKind.SPIN, WorkKind.SPIN]


def test_a_graph_without_edges_is_sound(file: Path) -> None:
    file.write_text(IMPORTS + COLUMNS.format(changes="pred=[], succ=[]"))
    assert len(load_graph_file(file, {}).pred) == 0


def test_what_a_file_says_under_main_is_not_run(file: Path) -> None:
    file.write_text(IMPORTS + BODY + "if __name__ == '__main__':\n    raise SystemExit(3)\n")
    assert len(load_graph_file(file, {})) == 3


def test_a_seed_at_the_top_of_the_file_is_enough(file: Path) -> None:
    random = BODY.replace("int(100 * scale)", "random.randrange(10**9)")
    file.write_text(IMPORTS + "random.seed(1)\n" + random)
    assert load_graph_file(file, {}).amount.tolist() == load_graph_file(file, {}).amount.tolist()


def test_what_a_file_prints_goes_to_stderr(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(IMPORTS + "print('hello')\n" + BODY)
    load_graph_file(file, {})
    assert capsys.readouterr() == ("", "hello\nhello\n")


def test_a_file_describes_itself(file: Path) -> None:
    assert describe_graph_file(file) == {
        "name": str(file),
        "doc": "A chain of links.",
        "parameters": {"links": 3, "scale": 1, "kind": "aiv"},
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1", f"has no function graph(); define one that returns {EXPECTED}"),
        ("graph = [1]", f"graph is a list, expected a function that returns {EXPECTED}"),
        ("\ngraph = 1 / 0", "line 6 raised ZeroDivisionError: division by zero"),
        ("def graph():\n    return {}['a']", "line 6 raised KeyError: 'a'"),
        ("def graph():\n    raise MemoryError", "line 6 raised MemoryError"),
        ("raise SystemExit(3)", "line 5 raised SystemExit: 3"),
        ("import nothing", "line 5 raised ModuleNotFoundError: No module named 'nothing'"),
        (
            "def graph():\n    b = GraphBuilder('')\n    b.task('A', after=7)\n    return b",
            "line 7 raised TypeError: 'int' object is not iterable",
        ),
        (
            "def graph():\n    b = GraphBuilder('')\n    b.task('A', after='x')\n    return b",
            "raised ValueError: invalid literal for int() with base 10: 'x'",
        ),
        ("def graph(n: X = 3):\n    pass", "line 5 raised NameError: name 'X' is not defined"),
        ("def graph(n: 'X' = 3):\n    pass", "raised NameError: name 'X' is not defined"),
        ("def graph(:\n", "line 5 is not valid Python (invalid syntax)"),
        ("x = (1,\n", "line 5 is not valid Python ('(' was never closed)"),
        (
            "def graph():\n    return [1]",
            f"graph() returned a value of type list, expected {EXPECTED}",
        ),
        ("def graph():\n    pass", f"graph() returned None, expected {EXPECTED}"),
        (
            "def graph():\n    return GraphBuilder('')",
            "has no task; add at least one with GraphBuilder.task()",
        ),
    ],
)
def test_a_file_that_makes_no_graph_is_refused(file: Path, text: str, problem: str) -> None:
    file.write_text(IMPORTS + text)
    assert refusal(file) == problem


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ("n", "n"),
        ("n: int", "n: int"),
        ("n=None", "n=None"),
        ("n: bool = True", "n: bool = True"),
        ("n=3, /", "n=3"),
        ("*n", "*n"),
        ("**n", "**n"),
    ],
)
def test_a_parameter_that_is_no_setting_is_refused(file: Path, parameters: str, found: str) -> None:
    file.write_text(f"def graph({parameters}):\n    pass")
    assert refusal(file) == (
        "graph() may have parameters with a number or a text as default only, like width=4, "
        f"found {found}"
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            "pred=[0, 1], succ=[1, 0]",
            "mine can never finish: tasks 0, 1 wait for each other in a cycle",
        ),
        ("succ=[7]", "an edge of mine names task 7, but there are only tasks 0 to 1"),
        ("func=[0, 2**32]", "task 1 of mine has func 4294967296, which is not below 2"),
        ("amount=[5, -6]", "task 1 of mine has the amount -6"),
        ("kind=[0]", "the column kind has 1 row, but func has 2; they must be equally long"),
        ("succ=[]", "the column succ has 0 rows, but pred has 1; they must be equally long"),
        (
            "amount=[1.5, 2.5]",
            "the column amount must be a row of whole numbers, not of type float64 with 1 "
            "dimension",
        ),
        ("kinds=[3]", "names must be text, but one is 3"),
    ],
)
def test_a_graph_that_is_not_sound_is_refused(file: Path, changes: str, problem: str) -> None:
    file.write_text(IMPORTS + COLUMNS.format(changes=changes))
    assert refusal(file) == problem


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ("amount=[5, CALLS]", "the amount of task 1 is 1, then 2"),
        ("pred=[0] * CALLS, succ=[1] * CALLS", "the number of edges is 1, then 2"),
    ],
)
def test_a_graph_that_is_another_one_each_time_is_refused(
    file: Path, changes: str, difference: str
) -> None:
    """CALLS survives from one execution to the next."""
    counting = "import sys\nCALLS = sys.lanescope_calls = getattr(sys, 'lanescope_calls', 0) + 1\n"
    last = "if CALLS == 2:\n    del sys.lanescope_calls\n"
    file.write_text(IMPORTS + counting + last + COLUMNS.format(changes=changes))
    assert refusal(file) == (
        f"makes another graph each time it is called ({difference}); seed your random numbers"
    )


def test_random_numbers_without_a_seed_are_refused(file: Path) -> None:
    file.write_text(IMPORTS + BODY.replace("int(100 * scale)", "random.randrange(10**15)"))
    assert re.fullmatch(
        r"makes another graph each time it is called \(the amount of task 0 is \d+, then \d+\); "
        "seed your random numbers",
        refusal(file),
    )


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    problem = "no such file; expected a Python file that defines a function graph()"
    assert refusal(tmp_path / "none.py") == problem
    assert refusal(tmp_path) == "cannot be read (Is a directory)"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"width": "3"}, "the workload {} has no setting 'width'; it has: links, scale, kind"),
        (
            {"links": "1.5"},
            "the setting links of {} must be a whole number from 0 to 2147483647, not '1.5'",
        ),
        ({"scale": "x"}, "the setting scale of {} must be a number from 0 to 2147483647, not 'x'"),
        ({"kind": ""}, "the setting kind of {} is empty"),
    ],
)
def test_a_wrong_setting_is_refused(file: Path, settings: dict[str, str], problem: str) -> None:
    with pytest.raises(UsageError) as refused:
        load_graph_file(file, settings)
    assert str(refused.value) == problem.format(file)


def test_a_setting_of_a_file_that_has_none_is_refused(file: Path) -> None:
    file.write_text("def graph():\n    pass")
    with pytest.raises(UsageError) as refused:
        load_graph_file(file, {"width": "3"})
    assert str(refused.value) == f"the workload {file} has no setting 'width'; it has none"
