"""Writes a run as the runtime's own files: records, deps, names, PMU, the host's phases.

Lossless for what those files can say. They cannot say: which of two vector functions ran, why a
record has no partner, marks, stalls. A trace without cycles is written at 1 GHz.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lanescope.errors import UsageError
from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import atomic_output
from lanescope.formats.simpler.deps_write import write_deps
from lanescope.formats.simpler.host_write import host_lines
from lanescope.formats.simpler.pmu_write import pmu_counters, write_pmu
from lanescope.formats.simpler.records_write import write_records
from lanescope.formats.simpler.shapes import NEWEST, SHAPES, WrittenRun, written_runs
from lanescope.formats.written import FilesExport
from lanescope.trace import MISSING32, Trace
from lanescope.trace.replacing import replace_directory

RECORDS = "chip_swimlane_records.json"
HOST_PHASES = "host_phase_records.jsonl"
PMU = "pmu.csv"


def write(trace: Trace, path: Path, options: ExportOptions) -> FilesExport:
    """The exporter's entry: see `write_run`."""
    return write_run(trace, path, options.values.get("generation", NEWEST))


def write_run(trace: Trace, path: Path, generation: str = NEWEST) -> FilesExport:
    """Write a folder with every file of the run, or only the records file to a path in .json."""
    _require_times(trace)
    runs, shape = written_runs(trace, generation), SHAPES[generation]
    if path.name.endswith((".json", ".json.gz", ".json.zst")):
        with atomic_output(path) as file:
            write_records(runs, shape, file)
        return FilesExport(output=str(path), format="simpler", files=(path.name,))
    names: list[str] = []

    def fill(folder: Path) -> None:
        with (folder / RECORDS).open("wb") as file:
            write_records(runs, shape, file)
        _fill_beside(runs, folder, path.name, epochs=shape.epochs)
        names.extend(sorted(p.name for p in folder.iterdir()))

    _require_own(path)
    replace_directory(path, fill)
    return FilesExport(output=str(path), format="simpler", files=tuple(names))


def _fill_beside(runs: list[WrittenRun], folder: Path, name: str, *, epochs: bool) -> None:
    """Write what lies beside the records; all runs have the graph of the first one."""
    trace = runs[0].trace
    if len(trace.edges) or (trace.tasks["func"] != MISSING32).any():
        with (folder / "deps.json").open("wb") as file:
            write_deps(trace, file, named=epochs)
    (folder / f"name_map_{name}.json").write_bytes(_name_map(trace))
    if host := host_lines(trace):
        (folder / HOST_PHASES).write_bytes(host)
    counted = [(run, counters) for run in runs if (counters := pmu_counters(run.trace))]
    if counted:
        with (folder / PMU).open("wb") as file:
            for number, (run, counters) in enumerate(counted):
                epoch = run.epoch if epochs and len(run.trace.runs) else None
                write_pmu(run.trace, counters, file, epoch=epoch, titled=not number)


def _require_own(path: Path) -> None:
    """Refuse a folder that is no older export.

    A folder is replaced as a whole, and the runtime's own files must never be.
    """
    if path.is_dir():
        held = {file.name for file in path.iterdir()}
        written = {RECORDS, HOST_PHASES, PMU, "deps.json", f"name_map_{path.name}.json"}
        if not held or (held <= written and RECORDS in held and _is_own(path / RECORDS)):
            return
    if path.exists():
        raise UsageError(f"{path} exists and is no exported run; choose another place with -o")


def _is_own(records: Path) -> bool:
    """Whether lanescope wrote the file: the runtime writes no version behind the level."""
    with records.open("rb") as file:
        return b'"version":' in file.read(64)


def _require_times(trace: Trace) -> None:
    if trace.meta.level < 1 or not len(trace.cores):
        raise UsageError(
            f"{trace.meta.name} has no task times (level {trace.meta.level}), and a records file "
            "is about nothing else"
        )


def _name_map(trace: Trace) -> bytes:
    names = zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    named = {str(func): name for func, name in names if name != f"func_{func}"}
    encoded = {"level": 2, "orchestrator_name": None, "callable_id_to_name": named}
    return msgspec.json.encode(encoded) + b"\n"
