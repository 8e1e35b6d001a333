"""A file of the study becomes traces: one per worker, with its streams, steps and dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.look import FileLook
from lanescope.formats.straggler.dependencies import Plans
from lanescope.formats.straggler.groups import Members, members, ranks_of
from lanescope.formats.straggler.operations import OPERATIONS, STREAMS, operation
from lanescope.formats.straggler.rows import BETWEEN_NS, MAGIC, StudyRows, has_columns, read_rows
from lanescope.formats.straggler.sizes import JobSizes, is_sizes, read_sizes, sizes_beside
from lanescope.formats.streams import (
    CollectiveRows,
    DeviceRows,
    StepRows,
    StreamRecording,
    stream_trace,
)
from lanescope.formats.streams.recording import WORK, DeviceLane
from lanescope.trace import Trace
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array

_GAPS = (
    f"Every step begins at 0 in the file. The steps lie one after the other here, "
    f"{BETWEEN_NS // 1_000_000} ms apart; the time between them is not recorded."
)


def recognises(look: FileLook) -> str | None:
    """A Parquet file with the study's columns, or the YAML file that has its sizes."""
    if look.head.startswith(MAGIC):
        return "straggler-study" if has_columns(look.path) else None
    is_yaml = look.path.suffix in (".yaml", ".yml")
    return "sizes" if is_yaml and is_sizes(look.head) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One trace per worker, by stage and data-parallel rank."""
    path = bundle.main.path
    rows = read_rows(path)
    beside = sizes_beside(path)
    sizes = JobSizes() if beside is None else read_sizes(beside)
    if beside is not None:
        _require_same_sizes(beside, sizes, rows)
        file = Detected(beside, None, "sizes", bytes=beside.stat().st_size)
        bundle = replace(bundle, files={**bundle.files, "sizes": file})
    notes = _notes(path, rows, sizes)
    before, after, turn = _edges(rows, sizes)
    together = members(rows, turn)
    for worker, (stage, dp, rank) in enumerate(rows.workers):
        own = np.flatnonzero(rows.worker == worker)
        recording = _recording(rows, own, together)
        inside = np.isin(before, own)
        place = np.full(len(rows.worker), -1)
        place[own] = np.arange(len(own))
        recording.edges = (place[before[inside]], place[after[inside]], "explicit")
        recording.facts = {
            "rank": rank,
            "world": sizes.world_size or None,
            "run": sizes.trial_name[:256],
            "extra": {
                "straggler-study": {
                    **msgspec.structs.asdict(sizes),
                    "dp_rank": dp,
                    "stage": stage,
                }
            },
        }
        name = f"{bundle.name}-dp{dp}-stage{stage}"
        yield stream_trace(recording, replace(bundle, name=name), notes=notes)


def _edges(rows: StudyRows, sizes: JobSizes) -> tuple[Array, Array, Array]:
    """Rows before and after, and by row which transfer of its type it is."""
    plans = Plans(rows, data_parallel=rows.replicas * sizes.dsp_size > 1)
    before, after, turn = [], [], []
    for block in rows.blocks:
        plan = plans.of(block)
        before.append(plan.before + block.first)
        after.append(plan.after + block.first)
        turn.append(plan.turn)
    return np.concatenate(before), np.concatenate(after), np.concatenate(turn)


def _recording(rows: StudyRows, own: Array, together: Members) -> StreamRecording:
    """What one worker recorded; `own` are its rows."""
    stream_of = np.array([STREAMS.index(operation(name).stream) for name in rows.types])
    work_of = np.array([WORK.index(operation(name).work) for name in rows.types])
    streams, lane = np.unique(stream_of[rows.type[own]], return_inverse=True)
    return StreamRecording(
        lanes=[DeviceLane(name=STREAMS[k]) for k in streams.tolist()],
        work=DeviceRows(
            lane=lane.reshape(-1),
            name=rows.type[own],
            names=rows.types,
            work=work_of[rows.type[own]],
            start=rows.start[own],
            end=rows.end[own],
        ),
        collectives=_collectives(rows, own, together),
        steps=StepRows(
            step=rows.steps,
            name=[f"step {number}" for number in rows.steps.tolist()],
            thread=np.full(len(rows.steps), -1),
            start=rows.step_start,
            end=rows.step_end,
        ),
    )


def _collectives(rows: StudyRows, own: Array, together: Members) -> CollectiveRows:
    at = np.flatnonzero(np.isin(together.row, own))
    group = together.group[at].tolist()
    ranks = [ranks_of(one, rows) for one in together.groups]
    ends = [
        (r[0], r[1]) if g.transfer else (MISSING32, MISSING32)
        for g, r in zip(together.groups, ranks, strict=True)
    ]
    peers = [",".join(str(r) for r in sorted(some) if r != MISSING32) for some in ranks]
    row = together.row[at]
    kinds = [operation(name).kind for name in rows.types]
    return CollectiveRows(
        row=np.searchsorted(own, row),
        group=[together.groups[k].name for k in group],
        sequence=together.sequence[at],
        kind=[kinds[code] for code in rows.type[row].tolist()],
        peers=[peers[k] for k in group],
        size=np.array([len(ranks[k]) for k in group], np.int64),
        source=np.array([ends[k][0] for k in group], np.int64),
        target=np.array([ends[k][1] for k in group], np.int64),
    )


def _require_same_sizes(path: Path, sizes: JobSizes, rows: StudyRows) -> None:
    """Refuse sizes that are too small for the rows: they are those of another job."""
    largest = max(rank for _, _, rank in rows.workers) + 1
    needed = {"dp_size": rows.replicas, "pp_size": rows.stages, "world_size": largest}
    for name, least in needed.items():
        if 0 < getattr(sizes, name) < least:
            problem = f"{name} is {getattr(sizes, name)}, but the rows beside it need {least}"
            raise InputError(path, f"{problem}; is it the file of another job?")


def _notes(path: Path, rows: StudyRows, sizes: JobSizes) -> list[str]:
    workers = len(rows.workers)
    notes = [_GAPS]
    if workers < sizes.world_size:
        notes.append(
            f"The job has {sizes.world_size} ranks, the file has rows of {workers}: one for all "
            "ranks that share a layer (tensor parallel)."
        )
    gaps = int(rows.steps[-1]) - int(rows.steps[0]) + 1 - len(rows.steps)
    if gaps:
        notes.append(f"The {len(rows.steps)} steps are a sample: {gaps} between them have no rows.")
    if not sizes.world_size:
        expected = f"meta-{path.stem.removeprefix('trace-')}.yaml"
        notes.append(f"There is no {expected}, so the number of ranks is not known.")
    other = [name for name in rows.types if name not in OPERATIONS]
    if other:
        notes.append(
            f"What operations of these types wait for is not known: {', '.join(other[:6])}."
        )
    return notes
