"""Where the probes run: a simulated chip, or threads with one core and one scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lanescope.device.region import clock_hz, create_region
from lanescope.errors import LanescopeError
from lanescope.overhead.probes import ProbedCores
from lanescope.overhead.simulated import measure_simulated
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.platforms.threads.machine import ThreadMachine, run_graph
from lanescope.platforms.threads.recorded import region_config, run_recorded
from lanescope.trace import Trace
from lanescope.workloads.graph import TaskGraph

_SIM_SIZES = {"cores": (6, 24), "chain": (150, 600), "gate": (200, 800), "submits": (200, 800)}
_THREAD_SIZES = {"cores": (200, 1000), "chain": (200, 1000), "gate": (2000, 10000)}
_PAGE = 4096


@dataclass(frozen=True)
class SimProbed:
    """A simulated chip. The probes use the kind of core that the chip has fewest of.

    No buffer fills up, so the cost of switching buffers is not in the fitted costs.
    """

    chip: Chip
    folder: Path

    @property
    def name(self) -> str:
        """The chip's name."""
        return self.chip.name

    @property
    def bench(self) -> ProbedCores:
        """The chip's cores that the probes use."""
        kinds = self.chip.core_kinds()
        kind = min(dict.fromkeys(kinds), key=kinds.count)
        return ProbedCores(kind, kinds.count(kind), 60_000, 10_000, _SIM_SIZES)

    def makespan_ns(self, graph: TaskGraph, level: int, protocol: str) -> float:
        """Simulate once; return the longer of the schedulers' and the orchestrator's time."""
        sample = measure_simulated(
            graph,
            self.chip,
            _whole(level, protocol, records=4096),
            pre_dispatch=1,
            directory=self.folder / "probe.capture",
        )
        return float(max(sample.makespan_ns, sample.orchestrator_ns or 0))

    def trace(self, graph: TaskGraph, level: int, protocol: str) -> Trace:
        """Simulate once and return what was recorded."""
        recording = _whole(level, protocol, records=4096)
        with TemporaryDirectory(dir=self.folder) as place:
            directory = Path(place, "probe.capture")
            done = simulate_recorded(graph, self.chip, recording, directory=directory)
        return _require(done.trace)


@dataclass(frozen=True)
class ThreadProbed:
    """Real threads.

    The region holds every record and nobody drains it, so the collector's use of the processors is
    not in the fitted costs.
    """

    folder: Path
    name = "threads"
    bench = ProbedCores("aiv", 1, 2_000, 1_000, _THREAD_SIZES)
    machine = ThreadMachine(cores=("aiv",), schedulers=1, pre_dispatch=1)
    repeats = 3
    """Runs per makespan. A disturbance only adds to a run's time, so the shortest run counts."""

    def makespan_ns(self, graph: TaskGraph, level: int, protocol: str) -> float:
        """Run several times; return the shortest makespan."""
        return min(self._once(graph, level, protocol) for _ in range(self.repeats))

    def _once(self, graph: TaskGraph, level: int, protocol: str) -> float:
        if level == 0:
            return float(run_graph(graph, self.machine, clock_hz=clock_hz()).makespan_ns)
        recording = _whole(level, protocol, records=4 * len(graph) + 1)
        path = self.folder / "probe.region"
        region = create_region(path, region_config(graph, self.machine, recording))
        try:
            # The first touch of a page costs more than all the records in it.
            region.memory[int(region.head.header["prefix_bytes"]) :: _PAGE] |= 0
            done = run_graph(
                graph, self.machine, region_address=region.address, clock_hz=clock_hz()
            )
            if region.lanes["dropped"].any():
                raise LanescopeError("a probe lost records; this is a defect of the benchmark")
            return float(done.makespan_ns)
        finally:
            region.close()
            path.unlink()

    def trace(self, graph: TaskGraph, level: int, protocol: str) -> Trace:
        """Run once and return what was recorded."""
        recording = Recording(chip_swimlane=level, protocol=protocol)
        with TemporaryDirectory(dir=self.folder) as place:
            directory = Path(place, "probe.capture")
            done = run_recorded(graph, self.machine, recording, directory=directory)
        return _require(done.trace)


def _whole(level: int, protocol: str, *, records: int) -> Recording:
    """A recording whose first buffer per lane holds all records."""
    buffers = 2 if protocol == "after-finish" else 1  # a full one waits for a task of the next
    return Recording(
        chip_swimlane=level, protocol=protocol, buffer_records=records, buffers=buffers
    )


def _require(trace: Trace | None) -> Trace:
    assert trace is not None
    return trace
