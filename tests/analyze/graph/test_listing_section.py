"""The sections of `lanescope report --graph` as text."""

from __future__ import annotations

from dataclasses import replace

from tests.analyze.graph.test_listing import edge, small
from tests.analyze.hand import make_trace, task

from lanescope.analyze.graph.listing import list_graph
from lanescope.analyze.graph.listing_section import graph_sections
from lanescope.render.plain import render_sections
from lanescope.trace import Source, Trace

TEXT = """\
Task graph
  nodes     8 (run 4, node 2, dummy 1, outside 1)
  edges     11 pairs found in 13 rows: 2 between tasks that ran, 3 with a task that has no run, 1
            with one that only edges name
  left out  2 name a task that is not in the trace, 1 join a task with itself, 2 are on a cycle
  ends      5 sources, 4 sinks, 3 isolated nodes (counted as both)
  depth     4 nodes on the longest path; widest at depth 1 with 5 nodes
  fan-in    mean 0.75, largest 3, in all 6
  fan-out   mean 0.75, largest 3, in all 6
  implied   2 of 6 edges (redundant); 1 of them creator edges, which the peer keeps

Task graph: largest fan-out
  task  function  kind     fan-in  fan-out  depth  first start ns
  ----  --------  -------  ------  -------  -----  --------------
  1     QK        run           0        3      1               2
  5     -         outside       0        1      1               -
  2     QK, SF    run           1        1      2               7
  3     -         dummy         2        1      3               -

Task graph: largest fan-in
  task  function  kind   fan-in  fan-out  depth  first start ns
  ----  --------  -----  ------  -------  -----  --------------
  4     SF        run         3        0      4              12
  3     -         dummy       2        1      3               -
  2     QK, SF    run         1        1      2               7

Task graph: deepest
  task  function  kind   fan-in  fan-out  depth  first start ns
  ----  --------  -----  ------  -------  -----  --------------
  4     SF        run         3        0      4              12
  3     -         dummy       2        1      3               -
  2     QK, SF    run         1        1      2               7
"""


def test_the_whole_text() -> None:
    assert render_sections(graph_sections(list_graph(small())), 100) == TEXT


def remarks(trace: Trace) -> tuple[tuple[str, ...], bool]:
    (figures, *_) = graph_sections(list_graph(trace))
    return figures.lines, figures.is_warning


def deps_of(path: str) -> dict[str, object]:
    return {"sources": (Source(path=path, format="deps", bytes=1),)}


def test_a_dependency_file_without_edges_is_said() -> None:
    runs = [task(0, 0, 1, 2, 3, 4, task=1)]
    assert remarks(make_trace(deps_of("a/deps.json"), tasks=runs)) == (
        ("deps.json was read and names no edge.",),
        False,
    )
    assert remarks(make_trace(tasks=runs)) == (("No edge is recorded.",), False)


def test_edges_of_another_run_are_a_warning() -> None:
    runs = [task(0, 0, 1, 2, 3, 4, task=1), {"kind": "outside", "task": 7}]
    runs.append({"kind": "outside", "task": 8})
    found = make_trace(deps_of("d0/deps.json"), tasks=runs, edges=[edge(7, 8)])
    assert remarks(found) == (
        (
            "deps.json has 1 edge, and none joins two tasks that ran. Do the edges and the records "
            "come from one run?",
        ),
        True,
    )


def test_a_graph_without_any_run_is_no_warning() -> None:
    tasks = [{"kind": "node", "task": 7}, {"kind": "node", "task": 8}]
    assert remarks(make_trace(tasks=tasks, edges=[edge(7, 8)])) == ((), False)


def test_figures_that_do_not_add_up_are_a_warning() -> None:
    (figures, *_) = graph_sections(replace(list_graph(small()), adds_up=False))
    assert figures.is_warning
    assert figures.lines == (
        "These figures do not add up: 11 pairs found, fan-in 6 and fan-out 6 in all. Please report "
        "this with the trace.",
    )


def test_implied_edges_that_were_not_counted_say_so() -> None:
    (figures, *_) = graph_sections(list_graph(small(), step_limit=1))
    assert dict(figures.facts)["implied"] == "not computed: would take more than 1 steps"


def test_an_empty_trace_says_so() -> None:
    (only,) = graph_sections(list_graph(make_trace()))
    assert only.lines == ("The trace has no tasks and no edges.",)
