"""What a records file says of its making: collected across runs, or written by lanescope."""

from __future__ import annotations

import msgspec

from lanescope.formats.json_file import Count, Label
from lanescope.render.cells import many_text
from lanescope.trace import LedgerEntry
from lanescope.trace.run_parts import COMPLETE
from lanescope.trace.task_ids import TaskIds

WHOLE = COMPLETE
"""The verdict on a file whose records are all there."""
COUNTED = ("partial_safe",)
"""Other verdicts after which what is missing was counted, as far as buffers arrived."""


_PROBLEMS = {
    "not_received_buffers": ("buffer", "not received"),
    "unpublished_loss": ("record", "never published"),
    "transport_retired_records": ("record", "lost on the way"),
    "unattributable_handoffs": ("buffer", "of no known run"),
    "cut_failed_queues": ("queue", "not closed"),
}
"""Count in the account → what is counted, and what is wrong with it."""


class Collection(msgspec.Struct):
    """`metadata.collection`: the collector's account of one run, where it serves several."""

    verdict: Label
    run_epoch: Count | None = None
    session_id: Count | None = None
    processing_complete: bool = True
    metadata_complete: bool = True
    not_received_buffers: Count = 0
    unpublished_loss: Count = 0
    transport_retired: Count = 0
    transport_retired_records: Count = 0
    unattributable_handoffs: Count = 0
    handoff_identity_verified: bool = True
    cut_failed_queues: Count = 0


class Exported(msgspec.Struct):
    """`metadata.lanescope`, in files that lanescope wrote: what the runtime has no words for."""

    task_ids: TaskIds = TaskIds.PLAIN
    """The form of the ids, where the runtime's name would tell another one."""
    has_runs: bool = True
    """False where the run epochs are filled in: the trace had none."""
    has_setup: bool = True
    """False where the time from receiving a task to its start is filled in."""


def collected(collection: Collection | None) -> tuple[tuple[LedgerEntry, ...], tuple[str, ...]]:
    """The collector's account as entries of the ledger, and what a reader must know of it."""
    if collection is None or collection.verdict == WHOLE:
        return (), ()
    lost = collection.unpublished_loss + collection.transport_retired_records
    counts = {what: getattr(collection, name) for name, what in _PROBLEMS.items()}
    problems = [f"{many_text(n, thing)} {how}" for (thing, how), n in counts.items() if n]
    if not collection.processing_complete or not collection.metadata_complete:
        problems.append("it was written before all of the run was processed")
    told = "; ".join(problems) or "no reason is given"
    run = "the run" if collection.run_epoch is None else f"run {collection.run_epoch}"
    note = f"The collector's verdict on {run} is {collection.verdict!r}: {told}."
    reason = f"collector: {collection.verdict}"
    uncounted = collection.not_received_buffers or collection.unattributable_handoffs
    unknown = bool(uncounted or collection.cut_failed_queues or collection.verdict not in COUNTED)
    entry = LedgerEntry("collector", "record", lost, 0, lost, reason=reason, unknown=unknown)
    return (entry,), (note,)
