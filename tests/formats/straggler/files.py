"""Files as the straggler study has them, of jobs that are played here: no launch takes time.

Times are whole numbers of 1/512 s, which are exact both as 32-bit floats and in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

UNIT_NS = 1_953_125
SHARED = ("params-all-gather", "grads-reduce-scatter", "separate-grads-all-reduce")
"""Operations of all data-parallel ranks of a stage."""
COLLECTIVE = (*SHARED, "embedding-grads-all-reduce", "optimizer-clip-main-grad")
Key = tuple[int, int, str, int]
"""Data-parallel rank, stage, type and number of an operation."""
Length = Callable[[int, Key], int]
"""Step and operation to its length; of a transfer from the moment on that all are there."""


@dataclass
class Player:
    """The operations of one step: what each waits for, who takes part in it with others."""

    deps: dict[Key, list[Key]] = field(default_factory=dict)
    group: dict[Key, list[Key]] = field(default_factory=dict)
    marks: dict[Key, tuple[int, int, int]] = field(default_factory=dict)
    """Part of the model on the stage, micro batch, part in the whole model."""

    def add(self, key: Key, *deps: Key, marks: tuple[int, int, int] = (-1, -1, -1)) -> Key:
        self.deps.setdefault(key, []).extend(deps)
        self.group.setdefault(key, [key])
        if marks != (-1, -1, -1):
            self.marks[key] = marks
        return key

    def together(self, keys: Iterable[Key]) -> None:
        members = [key for key in keys if key in self.deps]
        for key in members:
            self.group[key] = members

    def chain(self, keys: list[Key]) -> None:
        for before, after in pairwise(keys):
            self.add(after, before)

    def play(self, length: Callable[[Key], int]) -> dict[Key, tuple[int, int]]:
        """Start and end of every operation."""
        starts: dict[Key, int] = {}
        ends: dict[Key, int] = {}
        while len(ends) < len(self.deps):
            before = len(ends) + len(starts)
            for key, deps in self.deps.items():
                if key not in starts and all(one in ends for one in deps):
                    starts[key] = max((ends[one] for one in deps), default=0)
            for key, group in self.group.items():
                if key not in ends and all(one in starts for one in group):
                    ends[key] = max(starts[one] for one in group) + length(key)
            assert len(ends) + len(starts) > before, "the operations wait for each other"
        return {key: (starts[key], ends[key]) for key in self.deps}


def schedule(pp: int, vpp: int, batches: int, stage: int) -> list[tuple[str, int, int, int]]:
    """Direction, number, part and micro batch of a stage's computations: one forward, one backward.

    With several parts per stage they are interleaved, as Megatron-LM does it.
    """
    total = batches * vpp
    ahead = min(total, (pp - stage - 1) * 2 + (vpp - 1) * pp if vpp > 1 else pp - stage - 1)

    def work(direction: str, number: int) -> tuple[str, int, int, int]:
        part = number % (pp * vpp) // pp
        batch = number // (pp * vpp) * pp + number % pp
        return direction, number, part if direction == "forward" else vpp - 1 - part, batch

    order = [work("forward", number) for number in range(ahead)]
    for number in range(total - ahead):
        order += [work("forward", ahead + number), work("backward", number)]
    return order + [work("backward", number) for number in range(total - ahead, total)]


def step_of(dp: int, pp: int, vpp: int, batches: int, *, overlapped: bool = False) -> Player:
    """One step of a job with `dp` pipelines of `pp` stages with `vpp` parts each."""
    step = Player()
    for rank in range(dp):
        for stage in range(pp):
            _stage(step, (rank, stage), (pp, vpp, batches), several=dp > 1, overlapped=overlapped)
    keys = list(step.deps)
    for name, number in {(key[2], key[3]) for key in keys}:
        every = [(r, s, name, number) for r in range(dp) for s in range(pp)]
        if name in SHARED:
            for stage in range(pp):
                step.together(key for key in every if key[1] == stage)
        elif name == "embedding-grads-all-reduce":
            for rank in range(dp):
                step.together(key for key in every if key[0] == rank)
        elif name == "optimizer-clip-main-grad":
            step.together(every)
    _pair(step, dp, pp, vpp)
    return step


def _stage(
    step: Player,
    worker: tuple[int, int],
    sizes: tuple[int, int, int],
    *,
    several: bool,
    overlapped: bool,
) -> None:
    pp, vpp, batches = sizes
    stage = worker[1]
    compute = []
    for direction, number, part, batch in schedule(pp, vpp, batches, stage):
        marks = (part, batch, part * pp + stage)
        own = step.add((*worker, f"{direction}-compute", number), marks=marks)
        compute.append(own)
        onward = 1 if direction == "forward" else -1
        parts = range(pp * vpp)
        # With one part per stage the profiler has no rows at the ends of the model.
        if vpp > 1 or marks[2] - onward in parts:
            take = step.add((*worker, f"{direction}-recv", number))
            step.add(own, take)
            if number:
                step.add(take, (*worker, f"{direction}-compute", number - 1))
                step.add(take, (*worker, f"{direction}-recv", number - 1))
        if vpp > 1 or marks[2] + onward in parts:
            send = step.add((*worker, f"{direction}-send", number), own)
            if number:
                step.add(send, (*worker, f"{direction}-send", number - 1))
    step.chain(compute)
    first = next(at for at, key in enumerate(compute) if key[2] == "backward-compute")
    for name in ("backward-send", "backward-recv"):
        if first >= 2 and (*worker, name, 0) in step.deps:
            step.add((*worker, name, 0), compute[first - 2])
    _end_of_step(step, worker, pp, compute, several=several, overlapped=overlapped)


def _end_of_step(
    step: Player,
    worker: tuple[int, int],
    pp: int,
    compute: list[Key],
    *,
    several: bool,
    overlapped: bool,
) -> None:
    parts = sorted({step.marks[key][0] for key in compute})
    gathers: list[Key] = []
    scatters: list[Key] = []
    for part in parts if several else ():
        own = [key for key in compute if step.marks[key][0] == part]
        marks = (part, -1, -1)
        gathers.append(step.add((*worker, "params-all-gather", part), marks=marks))
        step.add(next(key for key in own if key[2] == "forward-compute"), gathers[-1])
        # Gradients of the last part are complete first.
        number = len(parts) - 1 - part if overlapped else part
        scatters.append(step.add((*worker, "grads-reduce-scatter", number), marks=marks))
        if overlapped:
            step.add(scatters[-1], own[-1])
    scatters.sort(key=lambda key: key[3])
    step.chain(gathers + scatters)
    names = ["gc", "layernorm-grads-all-reduce"]
    names += ["embedding-grads-all-reduce"] if worker[1] in (0, pp - 1) else []
    names += ["separate-grads-all-reduce"] if overlapped and several else []
    chain = [step.add((*worker, name, 0)) for name in names]
    ends = [step.add((*worker, name, 0)) for name in ("optimizer-clip-main-grad", "optimizer")]
    if overlapped and several:
        step.add(chain[1], scatters[-1])
    else:
        chain += scatters
    step.chain([compute[-1], *chain, *ends])


def _pair(step: Player, dp: int, pp: int, vpp: int) -> None:
    """The n-th real send of a stage is the n-th real receive of the next one."""
    for rank in range(dp):
        for direction, onward in (("forward", 1), ("backward", -1)):
            for stage in range(pp):
                sends = _real(step, (rank, stage, f"{direction}-send"), onward, pp * vpp)
                other = (rank, (stage + onward) % pp, f"{direction}-recv")
                takes = _real(step, other, -onward, pp * vpp)
                for pair in zip(sends, takes, strict=True):
                    step.together(pair)


def _real(step: Player, which: tuple[int, int, str], toward: int, parts: int) -> list[Key]:
    keys = sorted(key for key in step.deps if key[:3] == which)
    name = which[2].partition("-")[0] + "-compute"
    places = [step.marks[(*which[:2], name, key[3])][2] for key in keys]
    return [key for key, at in zip(keys, places, strict=True) if at + toward in range(parts)]


@dataclass(frozen=True)
class StudyJob:
    """Sizes of a job to play."""

    dp: int = 2
    pp: int = 2
    vpp: int = 1
    batches: int = 4
    steps: tuple[int, ...] = (3, 7)
    overlapped: bool = False
    tp: int = 1

    def rows(self, length: Length) -> list[dict[str, Any]]:
        """The rows of the file."""
        plan = step_of(self.dp, self.pp, self.vpp, self.batches, overlapped=self.overlapped)
        rows = []
        for step in self.steps:
            times = plan.play(lambda key, step=step: length(step, key))  # type: ignore[misc]
            for (dp, stage, name, number), (start, end) in times.items():
                part, batch, place = plan.marks.get((dp, stage, name, number), (-1, -1, -1))
                rows.append(
                    {
                        "dp_rank": dp,
                        "stage": stage,
                        "rank": (stage * self.dp + dp) * self.tp,
                        "step": step,
                        "optype": name,
                        "start_ts": start / 512,
                        "duration": (end - start) / 512,
                        "seq_id": number,
                        "mc": part,
                        "mb_id": batch,
                        "gmc": place,
                    }
                )
        return rows

    def write(self, folder: Path, name: str, length: Length) -> Path:
        """Write trace-NAME.parquet and meta-NAME.yaml; returns the first one."""
        write_sizes(folder / f"meta-{name}.yaml", self, name)
        return write_rows(folder / f"trace-{name}.parquet", self.rows(length))


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows with the types of the published files."""
    types = {
        "dp_rank": pa.int8(),
        "stage": pa.int8(),
        "rank": pa.int16(),
        "step": pa.int64(),
        "optype": pa.dictionary(pa.int8(), pa.string()),
        "start_ts": pa.float32(),
        "duration": pa.float32(),
        "seq_id": pa.int32(),
        "mc": pa.int8(),
        "mb_id": pa.int8(),
        "gmc": pa.int16(),
    }
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()}
    pq.write_table(pa.table(columns), path)
    return path


def write_sizes(path: Path, job: StudyJob, name: str) -> Path:
    """Write the file of sizes."""
    world = job.dp * job.pp * job.tp
    path.write_text(
        f"trial_name: {name}\nrun_id: 0\ndp_size: {job.dp}\ndsp_size: 1\npp_size: {job.pp}\n"
        f"tp_size: {job.tp}\nvpp_size: {job.vpp}\nworld_size: {world}\n"
    )
    return path


def usual(step: int, key: Key) -> int:
    """Lengths that differ from operation to operation; all parts of a collective end together."""
    dp, stage, name, number = key
    if name == "gc":
        return 0
    if name in COLLECTIVE:
        return 3 + number + step % 2
    long = 40 if name.startswith("backward-c") else 20 if name.startswith("forward-c") else 2
    return long + (7 * dp + 5 * stage + 3 * number + step) % 5
