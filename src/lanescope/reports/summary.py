"""What a command says about a trace that it stored: one line, or a dict for JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lanescope.render.cells import many_text
from lanescope.render.names import file_name, printable

if TYPE_CHECKING:
    from lanescope.trace import Trace
    from lanescope.trace.places import Place


_Output = TypeVar("_Output", Path, "Place")


def trace_path(name: str, output: _Output) -> _Output:
    """Path of a new trace: `output` where it ends in .lanes, else NAME.lanes in that folder."""
    return output if output.suffix == ".lanes" else output / f"{file_name(name)}.lanes"


def summary(trace: Trace, path: Path | Place) -> dict[str, Any]:
    """The trace in a few numbers, for JSON."""
    from lanescope.trace.lane_summary import lane_numbers

    return {
        "trace": str(path),
        "name": trace.meta.name,
        "level": trace.meta.level,
        "tasks": int(trace.ran().sum()),
        "cores": len(trace.cores),
        **lane_numbers(trace),
        "runs": len(trace.runs),
        "phases": len(trace.phases),
        "edge_rows": len(trace.edges),
        "marks": len(trace.marks),
        "counters": len(trace.counters),
        "dropped": sum(entry.dropped for entry in trace.meta.ledger),
        "unmatched": sum(entry.unmatched for entry in trace.meta.ledger),
        "unknown_lanes": sum(entry.unknown for entry in trace.meta.ledger),
        "notes": list(trace.meta.notes),
    }


def sentence(result: dict[str, Any]) -> str:
    """A summary as one line for people; numbers of 0 are left out, and so is a single run."""
    parts = [
        f"{result[key]:,} {key.replace('_', ' ')}"
        for key in ("tasks", "cores", "runs", "phases", "edge_rows", "marks", "counters")
        if result[key] > (key == "runs")
    ]
    level = f"level {result['level']}: "
    if "lanes" in result:
        from lanescope.trace.lane_summary import lane_parts

        parts, level = lane_parts(result), ""
    lost = [f"{result[key]:,} {key}" for key in ("dropped", "unmatched") if result[key]]
    ending = f"; LOST: {', '.join(lost)}" if lost else ""
    if result["unknown_lanes"]:
        ending += f"; NOT KNOWN what else was lost in {many_text(result['unknown_lanes'], 'lane')}"
    return printable(f"{result['trace']}  {level}{', '.join(parts) or 'empty'}{ending}")


def account_problems(trace: Trace) -> list[str]:
    """Why the account of a trace's records is not complete, a sentence each; none: it is."""
    problems = [f"the ledger does not close: {lane}" for lane in broken_lanes(trace)[:1]]
    unknown = [entry for entry in trace.meta.ledger if entry.unknown]
    if unknown:
        problems.append(
            f"it is not known how many records were lost in {many_text(len(unknown), 'lane')}: "
            f"{unknown[0].lane}, {unknown[0].kind}: {unknown[0].reason}"
        )
    return problems


def broken_lanes(trace: Trace) -> list[str]:
    """A sentence per lane whose ledger does not close: records are missing without a trace."""
    return [
        f"{entry.lane}: {entry.total} {entry.kind} records were made, but {entry.delivered} "
        f"delivered, {entry.dropped} dropped and {entry.unmatched} unmatched do not add up to that"
        for entry in trace.meta.ledger
        if not entry.closes
    ]
