"""A prediction against an emulated run, as sections of a page: the verdict, then the tables."""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.analyze.compare.program_diff import ProgramDiff
from lanescope.analyze.compare.program_figures import CYCLES, SERIAL, ProgramFigure
from lanescope.analyze.compare.program_rows import InstructionDiff
from lanescope.render.cells import count_text, many_text, percent_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section

_MOST = 20
"""Rows that a table shows."""
_FEW = 10
"""Rows of the table of lines that started late."""
_NAMED = 3
"""Opcodes that the verdict names."""
_KINDS = {CYCLES: "", SERIAL: " one instruction after the other"}
"""Lengths of a run, and how they are called in a sentence."""


def program_sections(diff: ProgramDiff) -> list[Section]:
    """The comparison, the verdict first."""
    sections = [_summary(diff), _figures(diff)]
    different = [row for row in diff.opcodes if row.difference]
    if different:
        sections.append(_table("By opcode", different, len(different)))
    if diff.lines:
        sections.append(_table("By line of the program", diff.lines, diff.lines_different))
    alone = [row for row in diff.opcodes if row.predicted_count != row.emulated_count]
    if diff.behind:
        sections.append(_behind(diff))
    if alone:
        sections.append(_alone(alone))
    if diff.notes:
        sections.append(Section(title="Notes of the emulated run", lines=diff.notes))
    return sections


def program_verdict(diff: ProgramDiff) -> str:
    """One paragraph: how far the whole run is off, and where the model is."""
    parts = [_length(diff)]
    different = [row for row in diff.opcodes if row.difference]
    if not diff.matched:
        parts.append("The emulated run is known as a whole only, so nothing is compared by line.")
    elif not different:
        parts.append(f"{_instructions(diff)} take the same cycles in both{_overlap(diff)}.")
    else:
        named = "; ".join(_named(row) for row in different[:_NAMED])
        more = "" if len(different) <= _NAMED else f"; {len(different) - _NAMED} more opcodes"
        parts.append(
            f"{_instructions(diff)} take {_signed(diff.difference)} cycles, in "
            f"{len(different)} of {many_text(len(diff.opcodes), 'opcode')}: {named}{more}."
        )
    return " ".join(part for part in parts if part)


def _overlap(diff: ProgramDiff) -> str:
    """Where a run of another length has the same instructions, and all of them."""
    changed = any(one.name == CYCLES and one.difference for one in diff.figures)
    complete = all(row.predicted_count == row.emulated_count for row in diff.opcodes)
    serial = any(one.name == SERIAL and one.difference is not None for one in diff.figures)
    return ": what differs is how they overlap" if changed and complete and not serial else ""


def _instructions(diff: ProgramDiff) -> str:
    return f"{count_text(diff.matched)} instructions that both have"


def _length(diff: ProgramDiff) -> str:
    """The emulated length beside the figures of the prediction that are of its kind."""
    by_name = {figure.name: figure for figure in diff.figures}
    known = [one for kind in _KINDS if (one := by_name.get(kind)) and one.difference is not None]
    if not known:
        return ""
    # Of a run on one lane every instruction was waited for; of one on units none is serial.
    fitting = known[-1:] if diff.matched else known
    predicted = ", ".join(f"{_predicted(one)}{_KINDS[one.name]}" for one in fitting)
    return f"The run takes {_whole(fitting[0].emulated)} cycles, predicted {predicted}."


def _predicted(figure: ProgramFigure) -> str:
    assert figure.predicted is not None and figure.emulated is not None
    text = _whole(figure.predicted) or ""
    if not figure.predicted:
        return text
    return f"{text} ({100 * (figure.emulated / figure.predicted - 1):+.2f}%)"


def _named(row: InstructionDiff) -> str:
    return (
        f"{clean(row.opcode)} takes {_mean(row.emulated_mean)}, predicted "
        f"{_mean(row.predicted_mean)} ({many_text(row.matched, 'time')}, "
        f"{percent_text(row.share)} of the difference)"
    )


def _mean(cycles: float | None) -> str:
    return "-" if cycles is None else f"{cycles:,.2f}".rstrip("0").rstrip(".")


def _signed(cycles: float) -> str:
    return f"{cycles:+,.0f}"


def _summary(diff: ProgramDiff) -> Section:
    clocks = [
        "no clock" if hz is None else f"{hz / 1e6:,g} MHz"
        for hz in (diff.predicted_hz, diff.emulated_hz)
    ]
    return Section(
        title="Predicted against emulated",
        facts=(
            ("predicted", f"{clean(diff.predicted)}, {clocks[0]}"),
            ("emulated", f"{clean(diff.emulated)}, {clocks[1]}"),
            ("compared", "cycles, not times: each side counts those of its own clock"),
        ),
        lines=(program_verdict(diff),),
    )


def _figures(diff: ProgramDiff) -> Section:
    rows = diff.figures
    return Section(
        title="The run as a whole",
        columns=(
            PageColumn("figure", "text", tuple(row.name for row in rows), key=True),
            PageColumn("predicted", "figure", tuple(_whole(row.predicted) for row in rows)),
            PageColumn("emulated", "figure", tuple(_whole(row.emulated) for row in rows)),
            PageColumn(
                "difference",
                "figure",
                tuple(None if r.difference is None else _signed(r.difference) for r in rows),
            ),
        ),
    )


def _whole(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f}"


def _table(title: str, rows: Sequence[InstructionDiff], total: int) -> Section:
    shown = rows[:_MOST]
    by_line = any(row.pc is not None for row in shown)
    place = (
        PageColumn("line", "count", tuple(row.line for row in shown), key=True),
        PageColumn("pc", "count", tuple(row.pc for row in shown), key=True),
    )
    hidden = total - len(shown)
    return Section(
        title=title,
        columns=(
            *(place if by_line else ()),
            PageColumn("opcode", "text", tuple(row.opcode for row in shown), key=True),
            PageColumn("runs", "count", tuple(row.predicted_count for row in shown)),
            PageColumn("emulated runs", "count", tuple(row.emulated_count for row in shown)),
            PageColumn("cycles each", "number", tuple(row.predicted_mean for row in shown)),
            PageColumn("emulated", "number", tuple(row.emulated_mean for row in shown)),
            PageColumn("difference", "figure", tuple(_signed(row.difference) for row in shown)),
            PageColumn("share", "percent", tuple(row.share for row in shown)),
        ),
        notes=(f"{count_text(hidden)} more; --json has the first 1,000.",) if hidden > 0 else (),
    )


def _behind(diff: ProgramDiff) -> Section:
    shown = diff.behind[:_FEW]
    hidden = len(diff.behind) - len(shown)
    return Section(
        title="Where the emulated run falls behind, or catches up",
        columns=(
            PageColumn("line", "count", tuple(row.line for row in shown), key=True),
            PageColumn("pc", "count", tuple(row.pc for row in shown), key=True),
            PageColumn("opcode", "text", tuple(row.opcode for row in shown), key=True),
            PageColumn("cycles", "figure", tuple(f"{row.behind:+,}" for row in shown)),
        ),
        notes=(
            "Cycles that these instructions started later, beyond what those before them were late."
            + (f" {many_text(hidden, 'more line')} in --json." if hidden else ""),
        ),
    )


def _alone(rows: Sequence[InstructionDiff]) -> Section:
    """Opcodes of which one side has more executions; these are in no difference."""
    shown = rows[:_MOST]
    return Section(
        title="Executions that one side lacks",
        columns=(
            PageColumn("opcode", "text", tuple(row.opcode for row in shown), key=True),
            PageColumn("predicted", "count", tuple(row.predicted_count for row in shown)),
            PageColumn("emulated", "count", tuple(row.emulated_count for row in shown)),
            PageColumn("compared", "count", tuple(row.matched for row in shown)),
        ),
        notes=("They are in no difference above.",),
    )
