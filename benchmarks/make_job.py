"""Writes a job of many ranks whose clocks, stragglers and waits are known, by a fixed seed.

    python -m benchmarks.make_job OUT.job --ranks 1024 --tasks 10000 --steps 20 --seed 1

makes OUT.job/rank0000.lanes … and OUT.job/truth.json. The ranks of a pipeline with data-parallel
stages are simulated in true time; then each rank's rows are written by that rank's own clock.
`--help` names what can be wrong with a job: clocks, missing ranks, stragglers, late launches.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import os
import pickle
import shutil
import sys
import tempfile
import typing
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchmarks.made_job.clocks import Clocks
from benchmarks.made_job.columns import StepColumns
from benchmarks.made_job.plan import EPOCHS, GROUPS, NUMBERING, P2P, JobPlan
from benchmarks.made_job.program import Program
from benchmarks.made_job.rows import StageColumns, rank_times, recording
from benchmarks.made_job.truth import Account, truth
from lanescope.formats.bundle import Bundle
from lanescope.formats.streams import stream_trace
from lanescope.trace.store import save

_FEW_RANKS = 64
"""So many ranks are written by one process."""


def make_job(plan: JobPlan, folder: Path) -> dict[str, Any]:
    """Write the traces and truth.json into a folder; returns what truth.json says."""
    folder.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".making.", dir=folder))
    try:
        account, clocks = _simulate(plan, scratch)
        present = sorted({*range(plan.ranks)} - {*plan.absent.tolist()})
        write = partial(_write, plan, clocks, scratch, folder)
        if len(present) <= _FEW_RANKS:
            zeros = dict(map(write, present))
        else:
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
                zeros = dict(pool.map(write, present, chunksize=16))
    finally:
        shutil.rmtree(scratch)
    told = truth(plan, account, clocks, zeros)
    (folder / "truth.json").write_text(json.dumps(told) + "\n")
    return told


def _simulate(plan: JobPlan, scratch: Path) -> tuple[Account, Clocks]:
    """Run the job in true time; a file per stage and step holds its times, so memory is bounded."""
    account = Account(plan)
    program = Program(plan, account)
    columns: list[list[StepColumns]] = [[] for _ in range(plan.stages)]
    for number, step in enumerate(program.steps()):
        for stage, one in enumerate(step):
            np.save(scratch / f"stage{stage}-step{number}.npy", one.times())
            one.blocks = []
            columns[stage].append(one)
    clocks = Clocks.of(plan, float(program.machine.last.max()))
    for stage, steps in enumerate(columns):
        (scratch / f"stage{stage}.pickle").write_bytes(pickle.dumps(StageColumns.of(steps)))
    return account, clocks


@lru_cache(maxsize=1)
def _stage(file: Path) -> StageColumns:
    """What all ranks of a stage share; a process writes one stage after another."""
    columns: StageColumns = pickle.loads(file.read_bytes())
    return columns


def _write(
    plan: JobPlan, clocks: Clocks, scratch: Path, folder: Path, rank: int
) -> tuple[int, tuple[int, int, int]]:
    """Write one rank's trace; returns what `truth` asks for."""
    columns = _stage(scratch / f"stage{rank // plan.replicas}.pickle")
    times = rank_times(plan, clocks, rank, scratch, columns)
    rows = recording(plan, rank, columns, times)
    name = f"rank{rank:04}"
    trace = stream_trace(rows, Bundle(name=name, files={}))
    meta = msgspec.structs.replace(trace.meta, origin="simulated")
    save(dataclasses.replace(trace, meta=meta), folder / f"{name}.lanes")
    parts = (rows.work, rows.host, rows.steps)
    zero = min(int(part.start.min()) for part in parts if len(part.start))
    return rank, (zero, *times.true)


def plan_options(parser: argparse.ArgumentParser) -> None:
    """An option per field of a plan."""
    words = {"groups": GROUPS, "epoch": EPOCHS, "numbering": NUMBERING, "p2p": P2P}
    hints = typing.get_type_hints(JobPlan)
    for one in dataclasses.fields(JobPlan):
        kind = next((t for t in typing.get_args(hints[one.name]) if t is not type(None)), None)
        known = words.get(one.name)
        parser.add_argument(
            f"--{one.name.replace('_', '-')}",
            type=kind or hints[one.name],
            default=one.default,
            choices=known,
            help="; ".join(f"{word}: {what}" for word, what in (known or {}).items()) or None,
        )


def main() -> int:
    """Make one job."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the folder to write, NAME.job")
    plan_options(parser)
    options = vars(parser.parse_args())
    folder = options.pop("out")
    try:
        plan = JobPlan(**options)
    except ValueError as error:
        parser.error(str(error))
    if folder.exists():
        parser.error(f"{folder} is there already; choose another name or remove it")
    told = make_job(plan, folder)
    written = len(told["clock"]["ranks"])
    print(f"{folder}: {written} of {plan.ranks} ranks, {len(told['collectives'])} collectives")
    return 0


if __name__ == "__main__":
    sys.exit(main())
