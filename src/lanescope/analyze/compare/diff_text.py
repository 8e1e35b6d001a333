"""A diff as plain text: the makespan, what got slower, what is new or gone, what got faster."""

from __future__ import annotations

from lanescope.analyze.compare.diff import Diff, Difference
from lanescope.analyze.compare.measures import LANE_GROUPS
from lanescope.analyze.compare.program_text import program_sections
from lanescope.analyze.cores.waiting import LABELS
from lanescope.analyze.streams.kernel_names import short_name
from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.render.cells import count_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections

_MOST = 30
"""Rows that a table shows."""
_TITLES = {
    "slower": "Slower",
    "gone": "New and gone {group}s",
    "unsure": "Different, but one run on a side cannot say whether by chance",
    "faster": "Faster",
}


def diff_text(diff: Diff) -> str:
    """The diff as sections of plain text, ending in a newline."""
    if diff.program is not None:
        return render_sections(program_sections(diff.program))
    sections = [*_unrelated(diff), _summary(diff)]
    for verdict, title in _TITLES.items():
        wanted = ("new", "gone") if verdict == "gone" else (verdict,)
        rows = [row for row in diff.rows if row.verdict in wanted]
        if verdict == "unsure":
            rows = [row for row in rows if row.group not in LANE_GROUPS]
        if rows:
            sections.append(_table(title.format(group=rows[0].group), rows))
    return render_sections(sections)


def _unrelated(diff: Diff) -> list[Section]:
    """What to know first where the two sides are not runs of one program."""
    if not diff.unrelated:
        return []
    line = (
        f"These are different programs: no function of {_side(diff.base)} is in {_side(diff.new)}. "
        "A difference between them is no change of either; compare two runs of one program."
    )
    return [Section(title="Read this first", lines=(line,), is_warning=True)]


def _summary(diff: Diff) -> Section:
    compared = [row for row in diff.rows if row.p is not None]
    counts = {name: sum(row.verdict == name for row in diff.rows) for name in _TITLES}
    facts = [
        ("base", _side(diff.base)),
        ("new", _side(diff.new)),
        ("makespan", _makespan(diff.row("run", "makespan"))),
        ("critical path", _path(diff)),
    ]
    line = (
        f"{count_text(len(compared))} measures compared: {counts['slower']} slower, "
        f"{counts['faster']} faster. Identical sides would give any at most "
        f"{100 * diff.rate:.0f} % of the time."
    )
    shown = tuple(fact for fact in facts if fact[1])
    return Section(title="Diff", facts=shown, lines=(line,))


def _side(names: tuple[str, ...]) -> str:
    first = clean(names[0])
    return first if len(names) == 1 else f"{len(names)} runs ({first}, …)"


def _makespan(row: Difference | None) -> str:
    if row is None or row.base_ns is None or row.new_ns is None:
        return ""
    text = f"{time_text(row.base_ns)} to {time_text(row.new_ns)}, {_signed(row.change)}"
    if row.low is not None:
        text += f" ({_signed(row.low)} to {_signed(row.high)})"
    return f"{text}: {row.verdict}"


def _path(diff: Diff) -> str:
    """The segment of the observed path that changed most, and by how much."""
    rows = [row for row in diff.rows if row.group == "critical path" and row.name != "static"]
    moved = [(row, (row.new_ns or 0.0) - (row.base_ns or 0.0)) for row in rows]
    row, ns = max(moved, key=lambda pair: abs(pair[1]), default=(None, 0.0))
    if row is None or not ns:
        return ""
    more = "more" if ns > 0 else "less"
    return f"{time_text(abs(ns))} {more} of {row.name}"


def _table(title: str, rows: list[Difference]) -> Section:
    shown = rows[:_MOST]
    hidden = len(rows) - len(shown)
    runs = any(row.base_runs is not None for row in shown)
    columns = [
        PageColumn("what", "text", tuple(row.group for row in shown), key=True),
        PageColumn("name", "text", tuple(_name(row) for row in shown), key=True),
        PageColumn("base", "time", tuple(row.base_ns for row in shown), scale="d"),
        PageColumn("new", "time", tuple(row.new_ns for row in shown), scale="d"),
        PageColumn("change", "text", tuple(_signed(row.change) for row in shown)),
        PageColumn("from", "text", tuple(_signed(row.low) for row in shown)),
        PageColumn("to", "text", tuple(_signed(row.high) for row in shown)),
        PageColumn("effect", "number", tuple(row.effect for row in shown)),
    ]
    if runs:
        columns.append(PageColumn("runs", "count", tuple(row.base_runs for row in shown)))
        columns.append(PageColumn("runs new", "count", tuple(row.new_runs for row in shown)))
    notes = (f"{count_text(hidden)} more are not shown; --json has all.",) if hidden > 0 else ()
    return Section(title=title, columns=tuple(columns), notes=notes)


def _name(row: Difference) -> str:
    if row.group == "kernel":
        return short_name(row.name)
    if row.group == "device time" and row.name in IDLE_LABELS:
        return f"idle: {IDLE_LABELS[row.name]}"
    return LABELS.get(row.name, row.name) if row.group == "core time" else row.name


def _signed(fraction: float | None) -> str:
    return "-" if fraction is None else f"{100 * fraction:+.2f}%"
