"""What a command says about a trace that it stored: one line, or a dict for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lanescope.render.cells import many_text
from lanescope.render.names import file_name, printable

if TYPE_CHECKING:
    from lanescope.trace import Meta, Trace
    from lanescope.trace.places import Place
    from lanescope.trace.store import StoredTrace


_Output = TypeVar("_Output", Path, "Place")


def trace_path(name: str, output: _Output) -> _Output:
    """Path of a new trace: `output` where it ends in .lanes, else NAME.lanes in that folder."""
    return output if output.suffix == ".lanes" else output / f"{file_name(name)}.lanes"


def summary(trace: Trace, path: Path | Place) -> dict[str, Any]:
    """The trace in a few numbers, for JSON."""
    from lanescope.trace import SCHEMA
    from lanescope.trace.lane_summary import lane_numbers

    rows = {name: len(trace.table(name)) for name in SCHEMA}
    numbers = _numbers(trace.meta, path, rows, ran=int(trace.ran().sum()))
    return {**numbers, **lane_numbers(trace)}


def stored_summary(stored: StoredTrace) -> dict[str, Any]:
    """A trace of cores that was just stored in a few numbers; it is not read for them."""
    return _numbers(stored.meta, stored.path, stored.rows, ran=stored.ran)


def _numbers(
    meta: Meta, path: Path | Place, rows: Mapping[str, int], *, ran: int
) -> dict[str, Any]:
    return {
        "trace": str(path),
        "name": meta.name,
        "level": meta.level,
        "tasks": ran,
        "cores": rows["cores"],
        "runs": rows["runs"],
        "phases": rows["phases"],
        "edge_rows": rows["edges"],
        "marks": rows["marks"],
        "counters": rows["counters"],
        "dropped": sum(entry.dropped for entry in meta.ledger),
        "unmatched": sum(entry.unmatched for entry in meta.ledger),
        "unknown_lanes": sum(entry.unknown for entry in meta.ledger),
        "notes": list(meta.notes),
    }


def sentence(result: dict[str, Any]) -> str:
    """A summary as one line for people; numbers of 0 are left out, and so is a single run."""
    parts = [
        many_text(result[key], key.removesuffix("s").replace("_", " "))
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


def account_problems(meta: Meta) -> list[str]:
    """Why the account of a trace's records is not complete, a sentence each; none: it is."""
    problems = [f"the ledger does not close: {lane}" for lane in broken_lanes(meta)[:1]]
    unknown = [entry for entry in meta.ledger if entry.unknown]
    if unknown:
        problems.append(
            f"it is not known how many records were lost in {many_text(len(unknown), 'lane')}: "
            f"{unknown[0].lane}, {unknown[0].kind}: {unknown[0].reason}"
        )
    return problems


def broken_lanes(meta: Meta) -> list[str]:
    """A sentence per lane whose ledger does not close: records are missing without a trace."""
    return [
        f"{entry.lane}: {entry.total} {entry.kind} records were made, but {entry.delivered} "
        f"delivered, {entry.dropped} dropped and {entry.unmatched} unmatched do not add up to that"
        for entry in meta.ledger
        if not entry.closes
    ]
