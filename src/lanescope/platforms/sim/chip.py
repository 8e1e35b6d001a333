"""A simulated chip: how many of everything it has, and how long everything takes.

The dataclasses are the schema of a chip's file (`chip_file`): a class is a section, a field is a
key, and the text beside the field is its meaning; what costs of the machine mean stands in its
table (native/src/machine/costs.h). Times are nanoseconds in the file (`submit_ns`) and whole
picoseconds here (`submit_ps`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

from lanescope.errors import InputError, UsageError, did_you_mean
from lanescope.native.machine import cost_meanings
from lanescope.platforms.sim.chip_file import (
    Cells,
    Provenance,
    Schema,
    built_in_chips,
    built_in_file,
    expected,
    read_cells,
    unit,
)
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.pmu_file import counter_units

TRACE_ENGINES = ("chip6",)
"""Forms of trace engines' streams that lanescope reads."""

__all__ = ["Chip", "ChipValue", "Provenance", "built_in_chips", "load_chip", "values_of"]


@dataclass(frozen=True, slots=True)
class ClockRates:
    """Section [clock]: rates of the counter and of the cores."""

    counter_hz: Annotated[int, "the counter that all stamps are read from"]
    aic_hz: Annotated[int, "clock of the matrix cores"]
    aiv_hz: Annotated[int, "clock of the vector cores"]


@dataclass(frozen=True, slots=True)
class MemoryRates:
    """Section [memory]: bytes per second. All but `hbm` are those of one core."""

    gm_to_ub_bytes_per_s: Annotated[int, "device memory to a vector core's buffer"]
    gm_to_l1_bytes_per_s: Annotated[int, "device memory to a matrix core's L1"]
    ub_to_gm_bytes_per_s: Annotated[int, "a vector core's buffer to device memory"]
    l0c_to_gm_bytes_per_s: Annotated[int, "a matrix core's results to device memory"]
    l1_to_l0a_bytes_per_s: Annotated[int, "L1 to the left operand"]
    l1_to_l0b_bytes_per_s: Annotated[int, "L1 to the right operand"]
    hbm_bytes_per_s: Annotated[int | None, "device memory, all cores together; none: no limit"] = (
        None
    )


@dataclass(frozen=True, slots=True)
class OrchestratorCosts:
    """Section [orchestrator]: what its actions take, and its window of tasks."""

    submit_ps: int
    submit_edge_ps: int
    scope_end_ps: int
    window_tasks: Annotated[int, "how many tasks may be in use at once"]


@dataclass(frozen=True, slots=True)
class SchedulerCosts:
    """Section [scheduler]: what its actions take."""

    loop_ps: int
    poll_core_ps: int
    complete_ps: int
    resolve_edge_ps: int
    pop_ps: int
    dispatch_ps: int
    publish_ps: int
    poll_engine_ps: int
    release_ps: int
    release_tasks: Annotated[int, "how many finished tasks wait before their places are given back"]
    contention_ps: Annotated[int, "per task written to a core, for each other scheduler"] = 0
    sweeps: Annotated[int, "1: cores are read one by one, and take one task per round"] = 0


@dataclass(frozen=True, slots=True)
class LinkCosts:
    """Section [link]: latencies between a controller and its cores."""

    dispatch_latency_ps: int
    finish_latency_ps: int


@dataclass(frozen=True, slots=True)
class CoreCosts:
    """Section [core]: what a core takes besides running a task."""

    setup_ps: int


@dataclass(frozen=True, slots=True)
class RecordingCosts:
    """Section [recording]: what records and buffers take, and who pays."""

    core_record_ps: int
    staging_copy_ps: Annotated[int, "controller, per task: barrier, cache-line read, copy"]
    staging_shared_ps: int
    count_ps: Annotated[int, "controller that rotates: counting, per task"]
    rotate_ps: int
    controller_record_ps: Annotated[int, "controller's own record, per task"]
    scheduler_phase_ps: int
    orchestrator_phase_ps: int
    host_latency_ps: int
    resolve_least_ps: int = 0


@dataclass(frozen=True, slots=True)
class PmuCosts:
    """Section [pmu]: the performance counters, and what reading them takes."""

    block: Annotated[str, "the cores' performance counters: registers and events"]
    register_read_ps: Annotated[int, "one register read, by whoever reads the counters"]
    record_ps: Annotated[int, "controller, per task: storing the counters' record"]


@dataclass(frozen=True, slots=True)
class PerfmonCosts:
    """Section [perfmon]: the trace engines, and what draining them takes."""

    block: Annotated[str, "the cores' trace engines: what they write"]
    buffer_bytes: Annotated[int, "memory that one core's trace engine writes into"]
    drain_ps: int
    burst_ps: int


@dataclass(frozen=True, slots=True)
class Chip:
    """One simulated chip.

    Fields that are not a section of their own are keys of section [chip]. `provenance` says for
    every "section.key" of the file why its value is what it is.
    """

    name: Annotated[str, "what the chip is called"]
    clusters: Annotated[int, "groups of cores"]
    aic_per_cluster: Annotated[int, "matrix cores in a cluster"]
    aiv_per_cluster: Annotated[int, "vector cores in a cluster"]
    schedulers: Annotated[int, "controller threads that schedule"]
    orchestrators: Annotated[int, "controller threads that submit tasks; 0: the host has"]
    clock: ClockRates
    memory: MemoryRates
    orchestrator: OrchestratorCosts
    scheduler: SchedulerCosts
    link: LinkCosts
    core: CoreCosts
    recording: RecordingCosts
    provenance: Mapping[str, Provenance] = field(hash=False, repr=False)
    pmu: PmuCosts | None = None
    """None: the chip has no performance counters that lanescope knows."""
    perfmon: PerfmonCosts | None = None
    """None: its cores have no trace engines that lanescope can read."""

    def core_kinds(self) -> tuple[str, ...]:
        """Return the kind of each core, by number: first all aic cores, then all aiv cores."""
        aic, aiv = self.clusters * self.aic_per_cluster, self.clusters * self.aiv_per_cluster
        return ("aic",) * aic + ("aiv",) * aiv

    def clusters_of(self) -> tuple[int, ...]:
        """Return the cluster of each core, by number."""
        each = (self.aic_per_cluster, self.aiv_per_cluster)
        return tuple(n // per for per in each for n in range(self.clusters * per))

    def kind_hz(self, kind: str) -> int:
        """Return the clock rate of the cores of a kind, in Hz."""
        clocks = {"aic": self.clock.aic_hz, "aiv": self.clock.aiv_hz}
        if kind not in clocks:
            raise UsageError(f"expected a core kind ({', '.join(clocks)}), found {kind!r}")
        return clocks[kind]


_TYPES = {name: kind for name, kind in get_type_hints(Chip).items() if name != "provenance"}
_OPTIONAL: dict[str, type[Any]] = {"pmu": PmuCosts, "perfmon": PerfmonCosts}
"""Sections that a chip may lack."""
_PARTS: dict[str, type[Any]] = {
    name: _OPTIONAL.get(name, kind) for name, kind in _TYPES.items() if kind not in (int, str)
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "chip": tuple(name for name in _TYPES if name not in _PARTS),
    **{name: tuple(entry.name for entry in fields(kind)) for name, kind in _PARTS.items()},
}
"""Section to the names of its fields."""


def _key(name: str) -> str:
    """Return the key in the file of a field: `submit_ns` for `submit_ps`."""
    return name[:-3] + "_ns" if name.endswith("_ps") else name


_SPARED = frozenset(
    _key(entry.name)
    for kind in _PARTS.values()
    for entry in fields(kind)
    if entry.default is not MISSING
)
"""Keys that a file may leave out."""
SCHEMA: Schema = {section: tuple(map(_key, names)) for section, names in _FIELDS.items()}


def load_chip(name_or_path: str) -> Chip:
    """Load a built-in chip by its name, or the chip that a TOML file describes."""
    if name_or_path in built_in_chips():
        return _chip(name_or_path, read_cells(built_in_file(name_or_path), SCHEMA))
    try:
        return _chip(name_or_path, read_cells(Path(name_or_path), SCHEMA))
    except (FileNotFoundError, NotADirectoryError) as error:
        names = built_in_chips()
        raise UsageError(
            f"expected a chip ({', '.join(names)}) or a TOML file that describes one, found "
            f"{name_or_path!r}{did_you_mean(str(name_or_path), names)}"
        ) from error


def _chip(file: str, cells: Cells) -> Chip:
    """Make the chip of cells that are each right; refuse them if incomplete or wrong together."""
    given = {section for section, _ in cells}
    for section, keys in SCHEMA.items():
        for key in keys if section not in _OPTIONAL or section in given else ():
            if (section, key) not in cells and key not in _SPARED:
                raise InputError(
                    file,
                    f"[{section}] {key}: expected {expected(key)}, found nothing; "
                    'give it, or start from a built-in chip with a first line like base = "a2a3"',
                )
    if not cells["chip", "aic_per_cluster"].value and not cells["chip", "aiv_per_cluster"].value:
        raise InputError(
            file,
            "[chip] aic_per_cluster and aiv_per_cluster: expected at least one core in a cluster, "
            "found 0 and 0",
        )
    for section, known in (("pmu", counter_units()), ("perfmon", TRACE_ENGINES)):
        if section in given and cells[section, "block"].value not in known:
            raise InputError(
                file,
                f"[{section}] block: expected one of {', '.join(known)}, "
                f"found {cells[section, 'block'].value!r}",
            )
    parts = {
        section: kind(**_values(section, cells))
        for section, kind in _PARTS.items()
        if section not in _OPTIONAL or section in given
    }
    why = {f"{section}.{key}": cell.provenance for (section, key), cell in cells.items()}
    return Chip(**_values("chip", cells), **parts, provenance=why)


def _values(section: str, cells: Cells) -> dict[str, Any]:
    given = {name: cells.get((section, _key(name))) for name in _FIELDS[section]}
    return {name: cell.value for name, cell in given.items() if cell is not None}


class ChipValue(NamedTuple):
    """One value of a chip as people read it; times are nanoseconds."""

    section: str
    key: str
    value: int | float | str
    unit: str
    meaning: str
    basis: str
    source: str
    to: str
    """Of a fitted value: the figure that it was chosen to meet; else empty."""


def _meaning(section: str, name: str, note: Any) -> str:
    """Return what a value is for: as the machine's table of costs says, or as it stands here."""
    cost = cost_meanings().get(name.removesuffix("_ps"))
    if cost is not None and cost.section == section:
        return cost.meaning
    (meaning,) = note.__metadata__
    return str(meaning)


def values_of(chip: Chip) -> Iterator[ChipValue]:
    """Yield every value that the chip has, section by section."""
    for section, names in _FIELDS.items():
        owner = chip if section == "chip" else getattr(chip, section)
        if owner is None:
            continue
        notes = get_type_hints(type(owner), include_extras=True)
        for name in names:
            key, value = _key(name), getattr(owner, name)
            if f"{section}.{key}" not in chip.provenance:
                continue
            if key != name:
                value = value / PS_PER_NS if value % PS_PER_NS else value // PS_PER_NS
            meaning = _meaning(section, name, notes[name])
            why = chip.provenance[f"{section}.{key}"]
            yield ChipValue(section, key, value, unit(key), meaning, *why)
