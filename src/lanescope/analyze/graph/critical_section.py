"""The sections about the critical paths: what the graph demands, and what the run waited for."""

from __future__ import annotations

from dataclasses import replace

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.graph.critical import REDUCTION_STEPS, Critical, PathFunction, critical
from lanescope.analyze.graph.paths import SEGMENTS
from lanescope.render.cells import count_text, many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.trace.run_parts import longest_run

_MAX_FUNCTIONS = 12
_BRIEF = 3
"""Functions and waits on the short page."""
SEGMENT_LABELS = {
    "run": "running",
    "switch": "dispatched, not picked up (switch)",
    "scheduler": "ready, not dispatched (scheduler)",
    "orchestrator": "not submitted yet (orchestrator)",
    "launch": "before the first run",
    "finish": "end to finish of the last",
    "idle": "waiting, dispatch not recorded",
}
CAUSE_LABELS = {
    "data": "data",
    "core": "the run before it on its core",
    "submit": "its submit",
    "first": "nothing that is known",
}


def critical_sentence(critical: Critical) -> str:
    """A sentence about what the observed path spends its time on; empty where there is none."""
    window = critical.window
    if window is None or not window.length_ns or not critical.functions:
        return ""
    largest = max(critical.functions, key=lambda row: row.run_ns)
    waits = {name: ns for name, ns in critical.segments.items() if name != "run"}
    worst = max(waits, key=lambda name: waits[name])
    running = critical.segments["run"] / window.length_ns
    text = f"On the critical path cores run for {percent_text(running)} of the time"
    if largest.run_ns:
        text += f", most of it {clean(largest.name)} ({percent_text(largest.share)})"
    if waits[worst]:
        share = percent_text(waits[worst] / window.length_ns)
        text += f"; its longest wait is {SEGMENT_LABELS[worst]}, {share}"
    return text + "."


def critical_sections(critical: Critical) -> list[Section]:
    """Three tables: segments, functions and causes of the path. None where no run has times."""
    window = critical.window
    if window is None or not critical.path_runs:
        return []
    facts = [("observed", f"{many_text(critical.path_runs, 'run')}, {time_text(window.length_ns)}")]
    if critical.edges:
        share = percent_text(critical.static_share)
        facts += [
            ("static", f"{time_text(critical.static_ns)} ({share} of the window) in "
             f"{many_text(critical.static_tasks, 'task')}, each with all cores to itself"),
            ("no slack", f"{many_text(critical.without_slack, 'task')}; longer ones lengthen it"),
            ("edges", _edges(critical)),
        ]  # fmt: skip
    shown = [name for name in SEGMENTS if critical.segments[name]]
    labels = [*(SEGMENT_LABELS[name] for name in shown), "in all"]
    whole = max(window.length_ns, 1)
    tiles = Section(
        title="Critical path",
        facts=tuple(facts),
        columns=(
            PageColumn("on the path", "text", tuple(labels), key=True),
            PageColumn("time", "time", (*(critical.segments[n] for n in shown), window.length_ns)),
            PageColumn("share", "percent", (*(critical.segments[n] / whole for n in shown), 1.0)),
        ),
    )
    return [tiles, _functions(critical), _causes(critical)]


def brief_section(critical: Critical) -> Section | None:
    """Three lines: what runs on the path, what it waits for, how long it must be at least."""
    window = critical.window
    if window is None or not window.length_ns or not critical.path_runs:
        return None
    whole = window.length_ns
    functions = sorted(critical.functions, key=lambda row: -row.run_ns)[:_BRIEF]
    names = ", ".join(f"{clean(row.name)} {percent_text(row.share)}" for row in functions)
    waits = {name: ns for name, ns in critical.segments.items() if name != "run" and ns}
    longest = sorted(waits, key=lambda name: -waits[name])[: _BRIEF - 1]
    waiting = "; ".join(
        f"{SEGMENT_LABELS[name]} {percent_text(waits[name] / whole)}" for name in longest
    )
    facts = [("running", f"{percent_text(critical.segments['run'] / whole)}: {names}")]
    if waiting:
        facts.append(("waiting", waiting))
    if critical.edges:
        share = percent_text(critical.static_share)
        facts.append(
            ("at least", f"{time_text(critical.static_ns)} ({share}): its longest chain of tasks")
        )
    return Section(title="Critical path", facts=tuple(facts))


def _edges(critical: Critical) -> str:
    if critical.implied is None:
        return many_text(critical.edges, "pair")
    return f"{many_text(critical.edges, 'pair')}, {count_text(critical.implied)} of them implied"


def _functions(critical: Critical) -> Section:
    rows = critical.functions[:_MAX_FUNCTIONS]
    static = {row.func: row for row in critical.static_functions}
    hidden = len(critical.functions) - len(rows)
    return Section(
        title="Critical path: functions",
        columns=(
            PageColumn("function", "text", tuple(row.name for row in rows), key=True),
            PageColumn("runs", "count", tuple(row.runs for row in rows)),
            PageColumn("running", "time", tuple(row.run_ns for row in rows), scale="p"),
            PageColumn("share", "percent", tuple(row.share for row in rows)),
            PageColumn("wait before", "time", tuple(row.wait_ns for row in rows), scale="p"),
            PageColumn("static runs", "count", tuple(_of(static, row).runs for row in rows)),
            PageColumn("static", "time", tuple(_of(static, row).run_ns for row in rows), scale="p"),
        ),
        notes=(f"{count_text(hidden)} more are not shown; --json has all.",) if hidden else (),
    )


def _of(static: dict[int | None, PathFunction], row: PathFunction) -> PathFunction:
    """The same function on the static path; zeros where it is not on it."""
    none = PathFunction(func=row.func, name=row.name, runs=0, run_ns=0, wait_ns=0, share=None)
    return static.get(row.func, none)


def _causes(critical: Critical) -> Section:
    rows = critical.causes
    labels = [CAUSE_LABELS[row.cause] for row in rows]
    return Section(
        title="Critical path: what runs waited for",
        columns=(
            PageColumn("waited for", "text", tuple(labels), key=True),
            PageColumn("edge", "text", tuple(row.kind or None for row in rows), key=True),
            PageColumn("runs", "count", tuple(row.steps for row in rows)),
            PageColumn("until start", "time", tuple(row.wait_ns for row in rows)),
        ),
    )


def _sections(critical: Critical, answers: Answers) -> list[Section]:
    sections = critical_sections(critical)
    longest = answers["rounds"].longest if len(answers["rounds"].runs) > 1 else None
    if sections and longest is not None:
        which = f"Of {longest.name}, the longest of {count_text(len(answers['rounds'].runs))}."
        sections[0] = replace(sections[0], lines=(which, *sections[0].lines))
    return sections


def _brief(critical: Critical, answers: Answers) -> list[Section]:
    section = brief_section(critical)
    return [] if section is None else [section]


def _answer(basis: Basis) -> Critical:
    steps = REDUCTION_STEPS if basis.detail else 0
    if len(basis.trace.runs) > 1:
        return critical(longest_run(basis.trace), most_steps=steps)
    return critical(basis.trace, basis.graph, basis.window, most_steps=steps)


CRITICAL = Analysis(
    name="critical",
    question="What is the longest path through the graph, and what did the run wait for on it?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    brief=_brief,
    place=50,
    large=True,
    keys="window [start_ns, end_ns, length_ns], static_ns, static_tasks, static_share, edges, "
    "implied, path_runs, segments (ns by what; they add up to the window), without_slack, "
    "functions and static_functions [func, name, runs, run_ns, wait_ns, share], "
    "causes [cause, kind, steps, wait_ns]",
)
