"""One rank of a made job as a profiler of streams records it, by the rank's own clock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.made_job.clocks import Clocks
from benchmarks.made_job.columns import (
    COLLECTIVE,
    COMMUNICATION,
    COMPUTE,
    KERNEL,
    KERNELS,
    LOAD,
    OPERATORS,
    PAIR,
    RECORD,
    SYNC,
    WAIT,
    Joint,
    StepColumns,
)
from benchmarks.made_job.plan import JobPlan
from lanescope.formats.streams import (
    CollectiveRows,
    DeviceLane,
    DeviceRows,
    HostRows,
    HostThread,
    StepRows,
    StreamRecording,
    WaitRows,
)
from lanescope.formats.streams.recording import (
    CATEGORIES,
    HOST_STREAM,
    STREAM_WAITS,
    WAIT_KINDS,
    WORK,
)
from lanescope.trace.schema import MISSING

_CALLS = {
    KERNEL: "cudaLaunchKernel",
    COLLECTIVE: "cudaLaunchKernelExC",
    RECORD: "cudaEventRecord",
    WAIT: "cudaStreamWaitEvent",
    SYNC: "cudaStreamSynchronize",
}
_QUEUES = {COMPUTE: 7, COMMUNICATION: 20, PAIR: 24}
_NCCL = {
    "all_reduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "barrier": "ncclDevKernel_AllReduce_Sum_u8_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "all_gather": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "reduce_scatter": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)",
    "broadcast": "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
    "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
}
_NAMES = [*KERNELS, *dict.fromkeys(_NCCL.values())]
_HOST_NAMES = [*OPERATORS, *_CALLS.values()]


@dataclass(frozen=True, slots=True)
class StageColumns:
    """All columns of one stage; `on` and `operator` count through the whole run."""

    what: np.ndarray
    stream: np.ndarray
    name: np.ndarray
    operator: np.ndarray
    operator_name: np.ndarray
    on: np.ndarray
    step: np.ndarray
    joint: list[Joint]

    @classmethod
    def of(cls, steps: list[StepColumns]) -> StageColumns:
        """Put the steps one after another."""
        counts = np.array([len(one.what) for one in steps])
        first = np.cumsum(counts) - counts
        operators = np.cumsum([one.operators + 1 for one in steps])

        def column(name: str) -> np.ndarray:
            return np.concatenate([np.array(getattr(one, name), np.int64) for one in steps])

        step = np.repeat(np.arange(len(steps)), counts)
        on = column("on")
        joint = [one for columns in steps for one in columns.joint]
        names = iter(_NAMES.index(_NCCL[one.kind]) for one in joint)
        what, name = column("what"), column("name")
        name[what == COLLECTIVE] = list(names)
        return cls(
            what,
            column("stream"),
            name,
            column("operator") + operators[step] - operators[0],
            column("operator_name"),
            np.where(on >= 0, on + first[step], -1),
            step,
            joint,
        )


@dataclass(frozen=True, slots=True)
class RankTimes:
    """The times of one rank's columns by its own clock, and which of them it recorded."""

    call_start: np.ndarray
    call_end: np.ndarray
    start: np.ndarray
    end: np.ndarray
    host: np.ndarray
    """Mask: the call was recorded."""
    device: np.ndarray
    """Mask: the row of the stream was recorded."""
    true: tuple[int, int]
    """True time of the first and the last moment that was recorded."""


def rank_times(
    plan: JobPlan, clocks: Clocks, rank: int, folder: Path, c: StageColumns
) -> RankTimes:
    """Read what the rank did in true time; cut its window; read its clock."""
    stage, place = divmod(rank, plan.replicas)
    files = [folder / f"stage{stage}-step{step}.npy" for step in range(plan.steps)]
    true = np.concatenate([np.load(one, mmap_mode="r")[:, place] for one in files], axis=1)
    call_start, call_end, start, end = true
    runs = (c.what == KERNEL) | (c.what == COLLECTIVE)
    begin, finish = int(call_start.min()), int(max(call_end.max(), end[runs].max()))
    if plan.windows:
        chance = plan.chance(f"window {rank}")
        early, late = chance.integers(0, plan.windows + 1, 2)
        ends = np.sort(end[c.what == COLLECTIVE])
        begin = int(ends[early - 1]) if early else begin
        finish = int(ends[len(ends) - 1 - late])
    host = (call_start >= begin) & (call_end <= finish)
    device = runs & (start >= begin) & (end <= finish)
    shown = [clocks.shown(rank, one) for one in (call_start, call_end, start, end)]
    times = np.concatenate([call_start[host], start[device]])
    ends = np.concatenate([call_end[host], end[device]])
    return RankTimes(*shown, host, device, (int(times.min()), int(ends.max())))


def recording(plan: JobPlan, rank: int, c: StageColumns, times: RankTimes) -> StreamRecording:
    """The rows of one rank, as columns."""
    rows = np.flatnonzero(times.device)
    stated = {"epoch_error_ns": round(plan.offset_ms * 1.2e6)} if plan.epoch == "stated" else {}
    return StreamRecording(
        lanes=[
            DeviceLane(name=f"stream {queue}", device=0, queue=queue) for queue in _QUEUES.values()
        ],
        threads=[HostThread(name="python")],
        work=DeviceRows(
            lane=c.stream[rows],
            name=c.name[rows],
            names=_NAMES,
            work=np.where(
                c.what[rows] == KERNEL, WORK.index("compute"), WORK.index("communication")
            ),
            start=times.start[rows],
            end=times.end[rows],
            launch=rows,
            op=c.operator[rows],
        ),
        host=_host(c, times),
        waits=_waits(c, times),
        collectives=_collectives(plan, rank, c, rows),
        steps=_steps(c, times),
        utc_ns=None if plan.epoch == "none" else 0,
        facts={
            "rank": rank,
            "world": plan.ranks,
            "host": f"host{rank // plan.ranks_per_host:04}",
            "device": rank % plan.ranks_per_host,
            "chip": "made",
            "run": f"made {plan.seed}",
            **stated,
        },
    )


def _host(c: StageColumns, times: RankTimes) -> HostRows:
    """Operators with their calls inside them; loading the batch is an operator without a call."""
    rows = np.flatnonzero(times.host)
    first = rows[np.r_[True, c.operator[rows][1:] != c.operator[rows][:-1]]]
    last = rows[np.r_[c.operator[rows][1:] != c.operator[rows][:-1], True]]
    calls = rows[c.what[rows] != LOAD]
    call_name = np.array([len(OPERATORS) + k for k in range(len(_CALLS))])
    count = len(first)
    return HostRows(
        thread=np.zeros(count + len(calls), np.int64),
        name=np.r_[c.operator_name[first], call_name[c.what[calls]]],
        names=_HOST_NAMES,
        category=np.r_[
            np.full(count, CATEGORIES.index("operator")),
            np.full(len(calls), CATEGORIES.index("call")),
        ],
        start=np.r_[times.call_start[first], times.call_start[calls]],
        end=np.r_[times.call_end[last], times.call_end[calls]],
        launch=np.r_[np.full(count, MISSING), calls],
        op=np.r_[c.operator[first], c.operator[calls]],
    )


def _waits(c: StageColumns, times: RankTimes) -> WaitRows:
    rows = np.flatnonzero(times.host & ((c.what == WAIT) | (c.what == SYNC)))
    stream = c.what[rows] == WAIT
    on = c.on[rows]
    return WaitRows(
        kind=np.where(stream, WAIT_KINDS.index(STREAM_WAITS), WAIT_KINDS.index(HOST_STREAM)),
        lane=c.stream[rows],
        on_lane=np.where(stream, c.stream[on], -1),
        launch=rows,
        on_launch=np.where(stream, on, MISSING),
        start=times.call_start[rows],
        end=times.call_end[rows],
    )


def _steps(c: StageColumns, times: RankTimes) -> StepRows:
    """The steps that were recorded from their first call to their last."""
    whole = [step for step in range(int(c.step[-1]) + 1) if times.host[c.step == step].all()]
    first = [int(np.flatnonzero(c.step == step)[0]) for step in whole]
    last = [int(np.flatnonzero(c.step == step)[-1]) for step in whole]
    return StepRows(
        step=np.array(whole, np.int64),
        name=[f"ProfilerStep#{step}" for step in whole],
        thread=np.zeros(len(whole), np.int64),
        start=times.call_start[first],
        end=times.call_end[last],
    )


def _collectives(plan: JobPlan, rank: int, c: StageColumns, rows: np.ndarray) -> CollectiveRows:
    place = rank % plan.replicas
    number = np.cumsum(c.what == COLLECTIVE) - 1
    at = np.flatnonzero(c.what[rows] == COLLECTIVE)
    joint = [c.joint[k] for k in number[rows[at]].tolist()]
    return CollectiveRows(
        row=at,
        group=[one.groups[place] for one in joint],
        sequence=np.array([one.sequence for one in joint], np.int64)
        if plan.numbering == "source"
        else None,
        kind=[one.kind for one in joint],
        bytes=np.array([one.bytes for one in joint], np.int64),
        bytes_out=np.array([one.bytes for one in joint], np.int64),
        type=["BFloat16"] * len(joint),
        peers=[one.peers[place] for one in joint],
        size=np.array([one.size for one in joint], np.int64),
        source=_ranks([one.sources for one in joint], place),
        target=_ranks([one.targets for one in joint], place),
    )


def _ranks(ranks: list[list[int] | None], place: int) -> np.ndarray:
    from lanescope.trace.schema import MISSING32

    return np.array([MISSING32 if one is None else one[place] for one in ranks], np.int64)
