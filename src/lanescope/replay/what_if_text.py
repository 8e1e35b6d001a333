"""A what-if as text: how far the unchanged replay is off, then what each change would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lanescope.render.cells import time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections
from lanescope.replay.doubt import LEAST_DOUBT
from lanescope.replay.ranking import EFFORTS
from lanescope.replay.what_if import FAR_OFF, ChangePrediction, WhatIf

_INTERVAL = (
    "From and to hold every replay over what the records leave open, and the distance of the "
    "unchanged replay. A change has an effect if every replay is shorter with it, or every one "
    f"longer, by {100 * LEAST_DOUBT:g} % or more."
)


def what_if_text(name: str, answer: WhatIf) -> str:
    """The page of a run with this name. It ends in a newline."""
    return render_sections(_sections(name, answer))


def _sections(name: str, answer: WhatIf) -> list[Section]:
    unchanged = Section(
        title=f"Replay of {clean(name)}",
        facts=(
            ("recorded", f"{time_text(answer.recorded_ns)}, first dispatch to last finish"),
            ("replayed", f"{time_text(answer.replayed_ns)} unchanged, {_signed(answer.honesty)}"),
            *_doubts(answer),
        ),
        lines=_cautions(answer),
    )
    sections = [unchanged, *_unexplained(answer)]
    if answer.predictions:
        sure = [row for row in answer.predictions if row.sure]
        sections.append(_table("What if", sure, [p.name for p in answer.predictions if not p.sure]))
    sections += [
        _table(f"What if: {EFFORTS[group.effort]}", group.predictions, group.no_effect)
        for group in answer.ranking
    ]
    if answer.predictions or answer.ranking:
        sections[-1] = replace(sections[-1], notes=(*sections[-1].notes, _INTERVAL))
    return sections


def _table(title: str, rows: Sequence[ChangePrediction], no_effect: Sequence[str]) -> Section:
    """The changes with an effect in a table, the others in a line."""
    return Section(
        title=title,
        columns=(
            PageColumn("change", "text", tuple(row.name for row in rows), key=True),
            PageColumn("makespan", "time", tuple(row.makespan_ns for row in rows), scale="m"),
            PageColumn("change ", "text", tuple(_signed(row.change) for row in rows)),
            PageColumn("from", "text", tuple(_signed(row.low_change) for row in rows)),
            PageColumn("to", "text", tuple(_signed(row.high_change) for row in rows)),
        )
        if rows
        else (),
        notes=(f"No effect: {clean(', '.join(no_effect), 2000)}.",) if no_effect else (),
    )


def _doubts(answer: WhatIf) -> list[tuple[str, str]]:
    """What the replay is made of, and how well it does on what it was not made of."""
    own = "every task's own pick-up, dispatch and finish, as constant costs explain less"
    facts = [("uses", own)] if answer.values == "own" else []
    if answer.unseen:
        halves = ", ".join(_signed(one) for one in answer.unseen)
        facts.append(("unseen", f"{halves}: each half replayed with what the other half tells"))
    if answer.off_processor is not None:
        share = f"{100 * answer.off_processor:.1f} % of the makespan"
        facts.append(("preempted", f"{share}: threads were off the processor"))
    return facts


def _unexplained(answer: WhatIf) -> list[Section]:
    rows = answer.unexplained
    if not rows:
        return []
    return [
        Section(
            title="Waits that the replay does not explain",
            columns=(
                PageColumn("task", "count", tuple(row.task for row in rows), key=True),
                PageColumn("function", "text", tuple(row.function for row in rows)),
                PageColumn("recorded", "time", tuple(row.recorded_ns for row in rows), scale="m"),
                PageColumn("replayed", "time", tuple(row.replayed_ns for row in rows), scale="m"),
            ),
            notes=("From submit and the last predecessor's finish to the dispatch.",),
        )
    ]


def _cautions(answer: WhatIf) -> tuple[str, ...]:
    lines = [f"Note: {clean(note, 200)}." for note in answer.notes]
    if answer.refused:
        lines.append(f"No prediction: {answer.refused}.")
    elif abs(answer.honesty) > FAR_OFF:
        lines.append(
            f"The unchanged replay is more than {100 * FAR_OFF:.0f} % off, so it leaves out what "
            "decided this run; what follows says little about it."
        )
    return tuple(lines)


def _signed(fraction: float) -> str:
    return f"{100 * fraction:+.2f}%"
