"""One trace, held against everything that it should be."""

from __future__ import annotations

from lanescope.checks.controllers import controller_findings
from lanescope.checks.finding import CheckedRun, CheckFinding
from lanescope.checks.graph import graph_findings, submit_findings
from lanescope.checks.lanes import (
    ledger_accounts,
    ledger_findings,
    level_findings,
    phase_findings,
    uncounted_accounts,
    uncounted_findings,
)
from lanescope.checks.simpler.records import (
    collector_findings,
    epoch_findings,
    host_findings,
    phase_lists,
    pmu_account,
    pmu_findings,
)
from lanescope.checks.tasks import TaskSides, task_findings
from lanescope.formats.json_file import JsonFile
from lanescope.trace import Trace

_SAID = ("Level ", "The collector's verdict", "Several files of kind", "Recovered")
"""How notes begin that a finding says, too."""


def checked_run(
    trace: Trace, *, file: JsonFile | None = None, has_graph: bool = False, partly: bool = False
) -> CheckedRun:
    """Check one trace.

    Args:
        trace: What could be read.
        file: The file of the records, where there is one.
        has_graph: Whether a file states the task graph.
        partly: Whether a part of the records was left out: then nothing is said of partners and
            of what the level promises.
    """
    sides = TaskSides.of(trace)
    rows = len(sides.rows)
    findings: list[CheckFinding] = [*collector_findings(trace), *host_findings(trace)]
    told = {one.producer for one in findings}
    findings += [one for one in ledger_findings(trace) if one.producer not in told]
    if not partly:
        findings += [*level_findings(trace), *epoch_findings(trace), *task_findings(sides)]
        findings += [*uncounted_findings(trace), *submit_findings(trace)]
        findings += [*pmu_findings(trace, rows), *graph_findings(trace, has_graph=has_graph)]
    findings += phase_findings(trace)
    findings += controller_findings(trace, phase_lists(file))
    pmu = pmu_account(trace, rows)
    accounts = [*sides.accounts(), *(a for a in ledger_accounts(trace) if a.records != "pmu")]
    accounts += uncounted_accounts(trace)
    return CheckedRun(
        name=trace.meta.name,
        place="",
        level=trace.meta.level or None,
        verdict=", ".join(dict.fromkeys(word for word in trace.runs.text("completeness") if word)),
        accounts=tuple([*accounts, pmu] if pmu is not None else accounts),
        findings=tuple(findings),
        notes=tuple(n for n in trace.meta.notes if trace.meta.level and not n.startswith(_SAID)),
    )
