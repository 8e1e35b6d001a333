"""What recording costs whom: ns per record of each kind, with an interval.

A simulated run knows its costs and writes them into its trace. For other platforms there is a file
of fitted costs, which `lanescope bench --fit --save FILE` writes.
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path

import msgspec
import numpy as np

from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.trace.flags import Feature
from lanescope.trace.trace import Trace

PAID = {
    "core_task": (Feature.CHIP_SWIMLANE_CORE_TIMING, "the core, behind the task"),
    "core_moved": (
        Feature.CHIP_SWIMLANE_CORE_TIMING,
        "the scheduler that sees the task end: copying or counting the core's record",
    ),
    "staging_shared": (
        Feature.CHIP_SWIMLANE_CORE_TIMING,
        "the orchestrator, while a scheduler copies",
    ),
    "controller_task": (
        Feature.CHIP_SWIMLANE_TASK_LIFECYCLE,
        "the scheduler that sees the task end",
    ),
    "scheduler_phase": (Feature.CHIP_SWIMLANE_PHASE_BUFFERS, "the scheduler, behind the phase"),
    "orchestrator_phase": (
        Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES,
        "the orchestrator, behind the phase",
    ),
    "pmu_core": (Feature.PMU, "the core, before it tells that the task ended"),
    "pmu_controller": (Feature.PMU, "the scheduler that sees the task end"),
    "engine_drain": (Feature.CORE_SWIMLANE, "the scheduler that sees the task end"),
    "burst": (Feature.CORE_SWIMLANE, "the scheduler that takes it from the trace engine"),
}
"""Kind of cost → the recorded feature that causes it, and who pays."""


class Cost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cost of one record in ns: the estimate, and the interval that the truth lies in with the
    confidence of the fit."""

    ns: float
    low_ns: float
    high_ns: float

    def problem(self) -> str:
        """What is wrong with these numbers; empty: nothing."""
        values = (self.low_ns, self.ns, self.high_ns)
        if not all(isfinite(value) for value in values) or sorted(values) != list(values):
            return f"expected low_ns <= ns <= high_ns, found {values}"
        return ""


class RecordCosts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What each kind of record costs on one platform with one protocol."""

    platform: str
    protocol: str
    basis: str
    """`known`: parameters of the run. `fitted`: to runs at several levels."""
    costs: dict[str, Cost]
    """Kind of cost (a key of PAID) → cost of one record."""
    note: str = ""
    """Where the costs come from."""

    def at(self, edge: str) -> dict[str, float]:
        """Kind of cost → ns: the estimates (`ns`), or one end of the intervals (`low_ns` or
        `high_ns`). A value below 0 becomes 0."""
        return {kind: max(getattr(cost, edge), 0.0) for kind, cost in self.costs.items()}


class CostFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The file that `lanescope bench --fit --save` writes."""

    costs_version: int = 1
    fits: tuple[RecordCosts, ...]
    """One per protocol."""


class _ReadCosts(CostFile, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same as `lanescope bench --fit --json` prints it."""

    schema: str = ""


def known_costs(trace: Trace) -> RecordCosts | None:
    """The costs that the trace's own run knows; None where it does not know them."""
    facts = trace.meta.recording
    if facts is None or facts.record_costs_ns is None:
        return None
    return RecordCosts(
        platform=trace.meta.chip,
        protocol=facts.protocol,
        basis="known",
        costs={kind: Cost(ns, ns, ns) for kind, ns in facts.record_costs_ns.items()},
        note="parameters of the simulated chip",
    )


def read_costs(path: Path) -> CostFile:
    """Read a file of fitted costs. Raises InputError for a file that holds anything else."""
    try:
        read = msgspec.json.decode(path.read_bytes(), type=_ReadCosts)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            path, f"expected costs as 'lanescope bench --fit --save' writes them, found: {error}"
        ) from error
    file = CostFile(costs_version=read.costs_version, fits=read.fits)
    if file.costs_version != 1:
        raise InputError(path, f"expected costs of version 1, found {file.costs_version}")
    for fit in file.fits:
        for kind, cost in fit.costs.items():
            if kind not in PAID:
                raise InputError(path, f"expected costs of {', '.join(PAID)}, found {kind!r}")
            if cost.problem():
                raise InputError(path, f"{fit.protocol} {kind}: {cost.problem()}")
    return file


def costs_for(trace: Trace, path: Path | None) -> RecordCosts:
    """The costs to use for a trace: those of the file, or without a file those that its run knows.

    Raises LanescopeError where neither has the costs of the trace's protocol.
    """
    if path is None:
        known = known_costs(trace)
        if known is None:
            raise LanescopeError(
                f"{trace.meta.name} does not know what recording cost it (simulated runs do); "
                "measure that with 'lanescope bench --fit --save FILE' on the same machine, and "
                "give --corrected FILE"
            )
        return known
    fits = read_costs(path).fits
    protocol = trace.meta.recording.protocol if trace.meta.recording is not None else ""
    mine = [fit for fit in fits if protocol in ("", fit.protocol)]
    if len(mine) != 1:
        has = ", ".join(fit.protocol for fit in fits) or "none"
        wanted = (
            f"costs for {protocol}, which the trace was recorded with"
            if protocol
            else "costs for one protocol, as the trace does not say which it was recorded with"
        )
        raise UsageError(f"{path}: expected {wanted}, found {has}; see 'bench --fit --protocols'")
    return mine[0]


def costs_paid(trace: Trace, costs: RecordCosts) -> RecordCosts:
    """The costs without the kinds that the trace's recorded features do not cause."""
    flags = Feature(trace.meta.flags)
    paid = {kind: cost for kind, cost in costs.costs.items() if flags & PAID[kind][0]}
    return msgspec.structs.replace(costs, costs=paid)


def records_of(trace: Trace, kind: str) -> int:
    """How many records of a kind of cost the trace's run wrote. A cost per task has one record per
    run on a core."""
    if kind == "burst":
        return sum(entry.total for entry in trace.meta.ledger if entry.kind == kind)
    if kind.endswith("_phase"):
        lane = trace.code(kind.removesuffix("_phase"))
        return int(np.count_nonzero(trace.phases["lane"] == lane))
    return int(np.count_nonzero(trace.ran()))
