"""The sections of `lanescope report --graph`: the task graph in figures, three lists of tasks."""

from __future__ import annotations

from pathlib import PurePath

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.graph.listing import Fan, GraphListing, ListedTask, list_graph
from lanescope.render.cells import count_text, many_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section


def graph_sections(graph: GraphListing) -> list[Section]:
    """The figures, then the tasks by fan-out, by fan-in and by depth."""
    if not graph.nodes and not graph.edge_rows:
        return [Section(title="Task graph", lines=("The trace has no tasks and no edges.",))]
    figures = Section(
        title="Task graph",
        facts=(
            ("nodes", _nodes(graph)),
            ("edges", _edges(graph)),
            ("left out", _left_out(graph)),
            ("ends", _ends(graph)),
            ("depth", _depth(graph)),
            ("fan-in", _fan(graph.fan_in)),
            ("fan-out", _fan(graph.fan_out)),
            ("implied", _implied(graph)),
        ),
        lines=tuple(_remarks(graph)),
        is_warning=not graph.adds_up or _joins_nothing(graph),
    )
    lists = (
        ("Task graph: largest fan-out", graph.by_fan_out),
        ("Task graph: largest fan-in", graph.by_fan_in),
        ("Task graph: deepest", graph.by_depth),
    )
    return [figures, *(_tasks(title, tasks) for title, tasks in lists if tasks)]


def _nodes(graph: GraphListing) -> str:
    kinds = ", ".join(f"{clean(tally.kind)} {count_text(tally.count)}" for tally in graph.kinds)
    return f"{count_text(graph.nodes)} ({kinds})" if kinds else count_text(graph.nodes)


def _edges(graph: GraphListing) -> str:
    found = f"{many_text(graph.edge_pairs, 'pair')} found in {many_text(graph.edge_rows, 'row')}"
    return (
        f"{found}: {count_text(graph.between_runs)} between tasks that ran, "
        f"{count_text(graph.unrun)} with a task that has no run, "
        f"{count_text(graph.outside)} with one that only edges name"
    )


def _left_out(graph: GraphListing) -> str:
    reasons = (
        (graph.missing, "name a task that is not in the trace"),
        (graph.self_edges, "join a task with itself"),
        (graph.cyclic, "are on a cycle"),
    )
    said = [f"{count_text(count)} {reason}" for count, reason in reasons if count]
    return ", ".join(said) or "nothing"


def _ends(graph: GraphListing) -> str:
    return (
        f"{many_text(graph.sources, 'source')}, {many_text(graph.sinks, 'sink')}, "
        f"{many_text(graph.isolated, 'isolated node')} (counted as both)"
    )


def _depth(graph: GraphListing) -> str:
    if graph.widest_depth is None:
        return "0"
    return (
        f"{many_text(graph.depth, 'node')} on the longest path; widest at depth "
        f"{count_text(graph.widest_depth)} with {many_text(graph.widest, 'node')}"
    )


def _fan(fan: Fan) -> str:
    mean = "-" if fan.mean is None else f"{fan.mean:,.2f}"
    return f"mean {mean}, largest {count_text(fan.largest)}, in all {count_text(fan.total)}"


def _implied(graph: GraphListing) -> str:
    if graph.implied is None:
        return f"not computed: would take more than {count_text(graph.step_limit)} steps"
    text = f"{count_text(graph.implied)} of {many_text(graph.edges, 'edge')} (redundant)"
    if graph.implied_creator:
        text += f"; {count_text(graph.implied_creator)} of them creator edges, which the peer keeps"
    return text


def _joins_nothing(graph: GraphListing) -> bool:
    """Whether there are edges and tasks that ran, and the edges are about others."""
    return graph.edge_pairs > 0 and graph.ran > 0 and not graph.between_runs


def _remarks(graph: GraphListing) -> list[str]:
    """What to know before using the figures."""
    remarks = []
    if not graph.adds_up:
        remarks.append(
            f"These figures do not add up: {many_text(graph.edge_pairs, 'pair')} found, fan-in "
            f"{count_text(graph.fan_in.total)} and fan-out {count_text(graph.fan_out.total)} in "
            "all. Please report this with the trace."
        )
    files = ", ".join(clean(PurePath(path).name) for path in graph.dependency_files)
    if not graph.edge_pairs:
        remarks.append(f"{files} was read and names no edge." if files else "No edge is recorded.")
    elif _joins_nothing(graph):
        remarks.append(
            f"{files or 'The trace'} has {many_text(graph.edge_pairs, 'edge')}, and none joins two "
            "tasks that ran. Do the edges and the records come from one run?"
        )
    return remarks


def _tasks(title: str, tasks: tuple[ListedTask, ...]) -> Section:
    return Section(
        title=title,
        columns=(
            PageColumn("task", "text", tuple(row.label or None for row in tasks), key=True),
            PageColumn("function", "text", tuple(row.function or None for row in tasks)),
            PageColumn("kind", "text", tuple(row.kind or None for row in tasks)),
            PageColumn("fan-in", "count", tuple(row.fan_in for row in tasks)),
            PageColumn("fan-out", "count", tuple(row.fan_out for row in tasks)),
            PageColumn("depth", "count", tuple(row.depth for row in tasks)),
            PageColumn("first start", "time", tuple(row.start_ns for row in tasks)),
        ),
    )


def _sections(graph: GraphListing, answers: Answers) -> list[Section]:
    return graph_sections(graph)


def _answer(basis: Basis) -> GraphListing:
    return list_graph(basis.trace, basis.graph)


GRAPH = Analysis(
    name="graph",
    question="What does the task graph look like: its edges, fan-in, fan-out and depth?",
    answer=_answer,
    sections=_sections,
    place=55,
    large=True,
    on_request=True,
    keys="nodes, kinds [kind, count], ran, edge_rows, edge_pairs, missing, self_edges, cyclic, "
    "edges, between_runs, outside, unrun, sources, sinks, isolated, depth, widest, widest_depth, "
    "fan_in and fan_out [total, mean, largest], adds_up, implied, implied_creator, step_limit, "
    "dependency_files, by_fan_out, by_fan_in and by_depth [task, label, function, kind, fan_in, "
    "fan_out, depth, start_ns]",
)
