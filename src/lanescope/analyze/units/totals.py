"""What a source counted for the whole run or for a stage of it: figures that no task has.

They are rows of `counters` with neither task nor time; `site` names the stage.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.render.cells import count_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Trace

_MOST = 40


@dataclass(frozen=True, slots=True)
class RunTotal(Result):
    """One figure of a whole run, or of one stage of it."""

    site: str
    """The stage; empty for the whole run."""
    name: str
    value: float


def run_totals(trace: Trace) -> tuple[RunTotal, ...]:
    """Counters that belong to no task and to no time, in the order of the source."""
    table = trace.counters
    whole = (table["task"] == MISSING) & (table["time_ns"] == MISSING)
    rows = trace.counters.rows(whole & np.isfinite(table["value"]))
    texts = zip(rows.text("site"), rows.text("name"), rows["value"].tolist(), strict=True)
    return tuple(RunTotal(*row) for row in texts)


def _sections(totals: tuple[RunTotal, ...], answers: Answers) -> list[Section]:
    whole = [total for total in totals if not total.site]
    stages = [total for total in totals if total.site]
    return [*([_whole(whole)] if whole else []), *([_stages(stages)] if stages else [])]


def _whole(totals: list[RunTotal]) -> Section:
    return Section(
        title="Counted for the whole run",
        columns=(
            PageColumn("name", "text", tuple(total.name for total in totals), key=True),
            PageColumn("value", "figure", tuple(_figure(total.value) for total in totals)),
        ),
    )


def _stages(totals: list[RunTotal]) -> Section:
    """A row per stage, a column per figure; stages in which nothing was counted are left out."""
    values = {(total.site, total.name): total.value for total in totals}
    counted = dict.fromkeys(total.site for total in totals if total.value)
    shown = list(counted)[:_MOST]
    names = [
        name
        for name in dict.fromkeys(total.name for total in totals)
        if any(values.get((site, name)) for site in shown)
    ]
    hidden = len({total.site for total in totals}) - len(shown)
    columns = [
        PageColumn(name, "figure", tuple(_figure(values.get((site, name))) for site in shown))
        for name in names
    ]
    return Section(
        title="By stage",
        columns=(PageColumn("stage", "text", tuple(shown), key=True), *columns),
        notes=("Sums of each stage; when a stage ran is not known.",)
        + ((f"{count_text(hidden)} more in --json, most of them without a count.",) * bool(hidden)),
    )


def _figure(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{int(value):,}" if value == int(value) else f"{value:,.6g}"


def _answer(basis: Basis) -> tuple[RunTotal, ...]:
    return run_totals(basis.trace)


TOTALS = Analysis(
    name="totals",
    question="What did the source count for the whole run, and for each stage of it?",
    answer=_answer,
    families=frozenset({"units"}),
    sections=_sections,
    place=45,
    keys="[site, name, value]",
)
