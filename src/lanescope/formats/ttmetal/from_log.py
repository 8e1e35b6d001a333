"""A device log becomes a trace: a lane per core, its RISCs as pipes, its kernels as tasks.

A program runs on many cores: it is one task, with a block per core. On a core it lasts from the
first to the last of the `*-KERNEL` zones that the RISCs of the core have of it. Every zone is also
a mark on its RISC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.formats.bundle import Bundle
from lanescope.formats.ttmetal.cycles import ChipClock, chip_bundle, chosen_chips
from lanescope.formats.ttmetal.log import DeviceLog
from lanescope.formats.ttmetal.zones import MOST_ZONES, Zones, paired
from lanescope.trace import MISSING, LedgerEntry, Table, Trace, Words
from lanescope.trace.numbering import different, nth, numbered
from lanescope.trace.table import Array

_KERNEL = "-KERNEL"
_TENSIX = ("BRISC", "NCRISC", "TRISC")


@dataclass(frozen=True, slots=True)
class _Runs:
    """One row per program and core, sorted by core, then start; times in cycles."""

    core: Array
    program: Array
    """Number of the program's run; blocks of one share it."""
    host_id: Array
    start: Array
    end: Array
    block: Array
    blocks: Array
    token: Array


def log_traces(log: DeviceLog, bundle: Bundle, operations: Mapping[int, str]) -> Iterator[Trace]:
    """A trace per chip of a log; `operations` names what a run host ID stands for."""
    chips = different(log.slot).tolist()
    for chip in chosen_chips(bundle, chips):
        yield _chip_trace(log.of_chip(chip), chip, chip_bundle(bundle, chip, chips), operations)


def _chip_trace(log: DeviceLog, chip: int, bundle: Bundle, operations: Mapping[int, str]) -> Trace:
    zones = paired(log)
    clock = ChipClock(chip, int(log.time.min()), log.hz)
    runs = _runs(log, zones)
    words = Words()
    names = _function_names(runs, operations)
    return Trace(
        meta=bundle.meta(
            chip=log.arch,
            ledger=_ledger(zones, len(runs.core)),
            notes=bundle.notes,
            **clock.facts(),
        ),
        tasks=_tasks(runs, clock, words, names),
        functions=_functions(names, words),
        cores=_cores(log, zones, words),
        marks=_marks(log, zones, runs, clock, words),
        words=words.freeze(),
    )


def _runs(log: DeviceLog, zones: Zones) -> _Runs:
    """Join the kernels of a core's RISCs: the nth of each RISC within a run belong together."""
    is_kernel = np.array([name.endswith(_KERNEL) for name in log.zones], bool)
    at = np.flatnonzero(is_kernel[zones.zone])
    core, run = zones.core[at], zones.run[at]
    key = core * (int(run.max(initial=0)) + 1) + run
    among = nth(key * (len(log.riscs) + 1) + zones.risc[at])
    most = int(among.max(initial=0)) + 1
    codes, place = numbered(key * most + among)
    key, among = codes // most, codes % most
    core, run = key // (int(run.max(initial=0)) + 1), key % (int(run.max(initial=0)) + 1)
    start = np.full(len(codes), np.iinfo(np.int64).max)
    end = np.full(len(codes), -1, np.int64)
    host_id = np.full(len(codes), MISSING)
    np.minimum.at(start, place, zones.start[at])
    np.maximum.at(end, place, zones.end[at])
    host_id[place] = zones.host_id[at]
    _, program = numbered(run * most + among)
    order = np.lexsort((end, start, core))
    core, program = core[order], program[order]
    return _Runs(
        core=core,
        program=program,
        host_id=host_id[order],
        start=start[order],
        end=end[order],
        block=nth(program),
        blocks=np.bincount(program)[program] if len(program) else program,
        token=nth(core),
    )


def _function_names(runs: _Runs, operations: Mapping[int, str]) -> tuple[Array, list[str]]:
    """The operation of each row, by the host's id; a run without a name is called by its id."""
    ids, place = np.unique(runs.host_id, return_inverse=True)
    unnamed = ["program" if i == MISSING else f"run {i}" for i in ids.tolist()]
    called = [operations.get(i, name) for i, name in zip(ids.tolist(), unnamed, strict=True)]
    names = list(dict.fromkeys(called))
    number = {name: k for k, name in enumerate(names)}
    code = np.array([number[name] for name in called], np.int64)
    return code[place.reshape(-1)] if len(ids) else np.empty(0, np.int64), names


def _tasks(runs: _Runs, clock: ChipClock, words: Words, names: tuple[Array, list[str]]) -> Table:
    return Table.build(
        "tasks",
        {
            "task": runs.program,
            "kind": np.full(len(runs.core), words.code("run"), np.int32),
            "core": runs.core.astype(np.int32),
            "token": runs.token,
            "func": names[0].astype(np.int32),
            "block": runs.block.astype(np.int32),
            "blocks": runs.blocks.astype(np.int32),
            "flags": np.zeros(len(runs.core), np.int32),
            "start_ns": clock.times(runs.start),
            "end_ns": clock.times(runs.end),
            "start_cycles": runs.start,
            "end_cycles": runs.end,
            "id": runs.host_id,
        },
    )


def _functions(names: tuple[Array, list[str]], words: Words) -> Table:
    func = np.arange(len(names[1]), dtype=np.int32)
    return Table.build("functions", {"func": func, "name": words.codes(names[1])})


def _cores(log: DeviceLog, zones: Zones, words: Words) -> Table:
    """One row per core: `tensix`, or `ethernet` where only ERISCs wrote."""
    tensix = np.array([name.upper().startswith(_TENSIX) for name in log.riscs] or [False], bool)
    is_tensix = np.zeros(len(zones.cores), bool)
    np.logical_or.at(is_tensix, zones.core, tensix[zones.risc])
    called = [f"core {x},{y}" for _, x, y in zones.cores.tolist()]
    kinds = ["tensix" if one else "ethernet" for one in is_tensix.tolist()]
    return Table.build(
        "cores",
        {
            "core": np.arange(len(called), dtype=np.int32),
            "name": words.codes(called),
            "kind": words.codes(kinds),
            "lane": np.full(len(called), words.code("core"), np.int32),
            "device": zones.cores[:, 0].astype(np.int32),
        },
    )


def _marks(log: DeviceLog, zones: Zones, runs: _Runs, clock: ChipClock, words: Words) -> Table:
    """One row per zone; it belongs to the last task of its core that began before it ended."""
    count = len(zones.core)
    task, token = np.full(count, MISSING), np.full(count, MISSING)
    if len(runs.core) and count:
        at = _last_begun(zones, runs)
        known = (at >= 0) & (runs.end[at] >= zones.start)
        task = np.where(known, runs.program[at], MISSING)
        token = np.where(known, runs.token[at], MISSING)
    pipes, names = words.codes(log.riscs), words.codes(log.zones)
    return Table.build(
        "marks",
        {
            "core": zones.core.astype(np.int32),
            "pipe": pipes[zones.risc] if count else np.empty(0, np.int32),
            "name": names[zones.zone] if count else np.empty(0, np.int32),
            "task": task,
            "token": token,
            "start_ns": clock.times(zones.start),
            "end_ns": clock.times(zones.end),
            "start_cycles": zones.start,
            "end_cycles": zones.end,
        },
    )


def _last_begun(zones: Zones, runs: _Runs) -> Array:
    """Place of the last task of its core that begins before a zone ends; -1 where there is none."""
    at = np.full(len(zones.core), -1, np.int64)
    for core in range(len(zones.cores)):
        first, last = np.searchsorted(runs.core, [core, core + 1]).tolist()
        mine = slice(*np.searchsorted(zones.core, [core, core + 1]).tolist())
        begun = np.searchsorted(runs.start[first:last], zones.end[mine], side="right")
        at[mine] = np.where(begun > 0, first + begun - 1, -1)
    return at


def _ledger(zones: Zones, tasks: int) -> tuple[LedgerEntry, ...]:
    """Whole cores together; each core that lost zones, or may have, by itself."""
    on_core = np.bincount(zones.core, minlength=len(zones.cores))
    doubtful = np.flatnonzero((zones.unpaired > 0) | (zones.full > 0))
    whole = int(on_core.sum() - on_core[doubtful].sum())
    reason = f"a RISC has room for {MOST_ZONES} zones in a run; what came after them is not known"
    entries = [
        LedgerEntry("all cores", "task", tasks, tasks),
        LedgerEntry("whole cores", "mark", whole, whole),
    ]
    for core in doubtful.tolist():
        _, x, y = zones.cores[core].tolist()
        found, alone = int(on_core[core]), int(zones.unpaired[core])
        entries.append(
            LedgerEntry(
                f"core {x},{y}",
                "mark",
                found + alone,
                found,
                unmatched=alone,
                reason=reason,
                unknown=True,
            )
        )
    return tuple(entry for entry in entries if entry.total)
