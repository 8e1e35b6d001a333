"""Runs one case on the simulator and makes a digest of everything that came out of it.

A digest has five parts, so that a difference says where it is: the result, the tables of the trace,
its meta data, the truth, and the dump. Parts that there are not are empty.

What the simulator does not decide is left out: versions, and columns, tables and fields that nobody
filled. So a new column or table in the schema changes no digest.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from tests.platforms.sim.same_chips import Values, chip
from tests.platforms.sim.same_graphs import graph_of

from lanescope.capture import reading, session
from lanescope.dump.manifest import MANIFEST, VALUES
from lanescope.dump.write import DumpRequest
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.dumped import simulate_dumped
from lanescope.platforms.sim.engine import Behaviour
from lanescope.platforms.sim.run import SimOutcome, SimResult, simulate_recorded
from lanescope.platforms.sim.truth import Truth
from lanescope.trace import Trace
from lanescope.trace.tables import SCHEMA

PARTS = ("result", "tables", "meta", "truth", "dump")
_VERSIONS = ("schema_version", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class SameCase:
    """One run: a graph on a chip, and what is recorded of it."""

    name: str
    graph: str
    chip: str = "a2a3"
    changes: Values = field(default_factory=dict)
    recording: dict[str, Any] = field(default_factory=dict)
    pre_dispatch: int = 1
    keep_truth: bool = False
    engine: dict[str, Any] = field(default_factory=dict)
    select: str | None = None
    """What is dumped; None: nothing is, and nothing is computed."""


def digest_of(case: SameCase) -> str:
    """Run the case; return the parts of its digest, joined by dots."""
    outcome, dump = outcome_of(case)
    return digest(outcome) + (_hashed([dump]) if dump else "")


def digest(outcome: SimOutcome) -> str:
    """Return all parts but the last one, each with a dot behind it."""
    parts = (
        _hashed(_result(outcome.result)),
        "" if outcome.trace is None else _hashed(_tables(outcome.trace)),
        "" if outcome.trace is None else _hashed(_meta(outcome.trace)),
        "" if outcome.result.truth is None else _hashed(_truth(outcome.result.truth)),
    )
    return "".join(f"{part}." for part in parts)


def outcome_of(case: SameCase) -> tuple[SimOutcome, bytes]:
    """Run the case; return what came of it, and the files of its dump."""
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder, _plans_in_memory():
        return _run(case, Path(folder))


def _run(case: SameCase, folder: Path) -> tuple[SimOutcome, bytes]:
    graph, machine = graph_of(case.graph), chip(case.chip, case.changes)
    recording, pre_dispatch = Recording(**case.recording), case.pre_dispatch
    if case.select is None:
        outcome = simulate_recorded(
            graph,
            machine,
            recording,
            directory=folder / "run.capture",
            pre_dispatch=pre_dispatch,
            keep_truth=case.keep_truth,
            engine=Behaviour(**case.engine),
        )
        return outcome, b""
    request = DumpRequest(folder=folder / "run.tensors", select=case.select)
    outcome, _ = simulate_dumped(
        graph,
        machine,
        recording,
        request=request,
        directory=folder / "run.capture",
        pre_dispatch=pre_dispatch,
    )
    return outcome, b"".join((request.folder / name).read_bytes() for name in (MANIFEST, VALUES))


@contextmanager
def _plans_in_memory() -> Iterator[None]:
    """Let captures keep their plans in memory: storing them takes longer than the simulation."""
    plans: dict[Path, Trace] = {}

    def keep(plan: Trace, path: Path) -> None:
        plans[path.parent] = plan

    def kept(directory: Path, problems: list[str]) -> Trace | None:
        return plans.get(directory)

    with patch.object(session, "save", keep), patch.object(reading, "_plan", kept):
        yield


def _hashed(parts: Iterable[bytes | str]) -> str:
    digest = blake2b(digest_size=4)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _result(result: SimResult) -> Iterator[str]:
    """Yield all but the truth."""
    yield from map(repr, map(int, (result.makespan_ps, result.orchestrator_ps)))
    yield repr([int(time) for time in result.scheduler_ps])
    yield repr([int(tasks) for tasks in result.tasks_per_core])
    yield repr(int(result.engine_stop_ps))


def _tables(trace: Trace) -> Iterator[bytes | str]:
    """Yield the words, and every column with a value of every table with rows."""
    yield repr(trace.words)
    for name in SCHEMA:
        table = trace.table(name)
        if not len(table):
            continue
        yield f"{name} {len(table)}"
        for column in table.present():
            values = table[column.name]
            if not column.is_missing(values).all():
                yield f"{column.name} {values.dtype.str}"
                yield values.tobytes()


def _meta(trace: Trace) -> Iterator[str]:
    """Yield the fields of the meta data that are not their defaults."""
    for name, value in sorted(_set_fields(trace.meta).items()):
        if name not in _VERSIONS:
            yield f"{name}={_plain(value)!r}"


def _set_fields(struct: msgspec.Struct) -> dict[str, Any]:
    """Return the fields that are not their defaults."""
    usual = {
        one.name: one.default if one.default_factory is msgspec.NODEFAULT else one.default_factory()
        for one in msgspec.structs.fields(struct)
    }
    return {name: getattr(struct, name) for name in usual if getattr(struct, name) != usual[name]}


def _plain(value: Any) -> Any:
    """Return a value whose `repr` says all of it; dictionaries are sorted."""
    if isinstance(value, msgspec.Struct):
        return _plain(_set_fields(value))
    if isinstance(value, dict):
        return sorted((key, _plain(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _truth(truth: Truth) -> Iterator[str]:
    """Yield the truth, each list of it sorted."""
    yield from sorted(repr(tuple(map(_number, task))) for task in truth.tasks)
    yield from sorted(repr(tuple(map(_number, phase))) for phase in truth.phases)
    yield from sorted(
        repr((*map(_number, true[:4]), sorted(true.events.items()))) for true in truth.counters
    )
    for true in sorted(truth.insides, key=lambda true: true[:3]):
        timeline = true.inside.timeline
        name = "" if true.inside.kernel is None else true.inside.kernel.name
        yield repr((*map(_number, true[:4]), name, timeline.begin_ps, timeline.length_ps))
        yield repr(timeline.spans)


def _number(value: Any) -> int | str:
    return value if isinstance(value, str) else int(value)
