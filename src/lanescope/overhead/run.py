"""Measures what recording costs: what `lanescope bench` does, as Python functions."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from lanescope.device.flags import level_features
from lanescope.errors import UsageError
from lanescope.overhead.comparison import compare
from lanescope.overhead.core_sources import compare_sources, read_sources
from lanescope.overhead.fit_costs import fit_costs
from lanescope.overhead.plan import COMPARED, Configuration, configurations, rounds_of
from lanescope.overhead.platforms import RunOnce, bench_machine, protocols_of
from lanescope.overhead.probed import SimProbed, ThreadProbed
from lanescope.overhead.report import BenchReport, BenchSetting, FitReport, SourceReport
from lanescope.overhead.sample import RunSample
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, is_simulated
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.costs import known_costs_ns
from lanescope.platforms.sim.driver import CORE_SOURCES
from lanescope.workloads.catalogue import Workload, graph_of
from lanescope.workloads.graph import TaskGraph

LEVELS = (0, 1, 2, 3, 4)
Progress = Callable[[int, int], None]
"""Is called after every run with the number of runs done and the number of all runs."""


def bench(
    workload: Workload,
    *,
    settings: Mapping[str, Any] | None = None,
    platform: str = "a2a3",
    cores: str | None = None,
    schedulers: int | None = None,
    pre_dispatch: int = 1,
    pin: bool = False,
    levels: Sequence[int | str] = LEVELS,
    protocols: Sequence[str] | None = None,
    rounds: int = 15,
    seed: int = 1,
    on_full: str = "block",
    host_lost_s: float = 30.0,
    buffer_records: int = 1024,
    buffers: int = 8,
    folder: str | PathLike[str] | None = None,
    progress: Progress = lambda done, runs: None,
) -> BenchReport:
    """Measures what recording costs, with runs that take turns.

    Every round runs each level with each protocol once, in an order of its own. One more round
    comes first and only warms up.

    Args:
        workload: A built-in workload's name, a Python file `NAME.py` with a function `graph()`,
            a `GraphBuilder`, or a `TaskGraph`.
        settings: Parameters of a built-in workload or of a file, by name; the command line's
            `--set`.
        platform: Where it runs: `threads`, `cuda` (this machine's GPU), a simulated chip (`a2a3`,
            `a5`) or a chip's TOML file.
        cores: Cores of each kind, such as "aic=1,aiv=2" (threads) or "sm=8" (cuda).
        schedulers: Scheduler threads or CTAs; threads and cuda. None means one.
        pre_dispatch: How many tasks a core may hold beside the one it runs: 0, 1 or 2.
        pin: Tie each thread to one processor; threads only.
        levels: Levels that are compared, from 0 to 4. Without 0 nothing is compared with it.
        protocols: Protocols that are compared: `staging`, `controller-rotated` and
            `producer-rotated`, on a GPU the last alone; `after-finish` where it is asked for.
        rounds: Runs of each configuration; at least 2.
        seed: Decides the order in each round, and on a simulated chip the lengths of tasks.
        on_full: What a producer does without a free buffer: `block` waits, `drop` drops the record
            and counts it.
        host_lost_s: A waiting producer gives up and drops after this many seconds.
        buffer_records: Records in one buffer.
        buffers: Buffers of each lane.
        folder: Folder on the disk that captures are written to; None means the system's folder for
            temporary files. Nothing is left there. A GPU's captures lie in memory.
        progress: Is called after every run with the number of runs done and of all runs.

    Returns:
        The setting, and for every configuration its makespan and what recording added.

    Raises:
        UsageError: An option is wrong or does not fit the platform, or there is no GPU.
        InputError: The workload's file or the chip's file cannot be used.
        LanescopeError: A run failed or computed wrong numbers, or records are missing.

    Examples:
        >>> from lanescope.overhead import bench
        >>> report = bench("chain", platform="a2a3", settings={"tasks": 20}, levels=[0, 1],
        ...                protocols=["staging"], rounds=2)
        >>> [result.configuration.name for result in report.results]
        ['off', '1 staging']
    """
    machine = MachineRequest(
        platform=platform, cores=cores, schedulers=schedulers, pre_dispatch=pre_dispatch, pin=pin
    )
    machine.check()
    compared = protocols_of(platform, None if protocols is None else tuple(protocols))
    chosen = configurations(levels, compared)
    graph = graph_of(workload, settings)
    recording = Recording(
        on_full=on_full, host_lost_s=host_lost_s, buffer_records=buffer_records, buffers=buffers
    )
    orders = rounds_of(chosen, rounds, seed=seed)
    with (
        tempfile.TemporaryDirectory(prefix="lanescope-bench-", dir=folder) as place,
        bench_machine(graph, machine, recording, seed=seed) as ready,
    ):
        capture = Path(place, "run.capture")
        samples = _samples((chosen, *orders), ready.run_once, capture, progress)
    results = compare(samples, tasks=len(graph))
    setting = _setting(graph, machine, recording, ready.facts, rounds=rounds, seed=seed)
    return BenchReport(setting, results)


def bench_core_sources(
    workload: Workload,
    *,
    settings: Mapping[str, Any] | None = None,
    platform: str = "a5",
    core_source: Sequence[str] = CORE_SOURCES,
    rounds: int = 15,
    seed: int = 1,
    progress: Progress = lambda done, runs: None,
) -> SourceReport:
    """Compares what the core swimlane brings from each source, on a simulated chip.

    Args:
        workload: As for `bench`.
        settings: Parameters of a built-in workload or of a file, by name.
        platform: A simulated chip with trace engines.
        core_source: Sources that are compared: `perfmon` (engines that the controllers drain) and
            `driver` (a model of the driver's channels).
        rounds: Runs of each source; at least 2.
        seed: Decides the lengths of tasks in each round.
        progress: Is called after every round with the number of rounds done and of all rounds.

    Returns:
        The setting, and for every source the cores and records that it showed in each round.

    Raises:
        UsageError: An option is wrong, or the chip has no trace engines.
        InputError: The workload's file or the chip's file cannot be used.

    Examples:
        >>> from lanescope.overhead import bench_core_sources
        >>> report = bench_core_sources("vector", settings={"tiles": 8}, rounds=2)
        >>> [result.source for result in report.results]
        ['perfmon', 'driver']
    """
    sources = read_sources(core_source)
    if not is_simulated(platform):
        raise UsageError("--core-source needs a simulated chip with trace engines: --platform a5")
    graph, chip = graph_of(workload, settings), load_chip(platform)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, rounds)

    with tempfile.TemporaryDirectory(prefix="lanescope-bench-") as place:
        results = compare_sources(
            graph,
            chip,
            sources,
            rounds=rounds,
            seed=seed,
            directory=Path(place, "run.capture"),
            step=step,
        )
    machine = MachineRequest(platform=platform)
    of_chip = {"cores": chip.core_kinds(), "schedulers": chip.schedulers}
    setting = _setting(graph, machine, Recording(), of_chip, rounds=rounds, seed=seed)
    return SourceReport(setting, tuple(results))


def bench_fit(
    *,
    platform: str = "a2a3",
    protocols: Sequence[str] = COMPARED,
    rounds: int = 15,
    seed: int = 1,
) -> FitReport:
    """Fits what one record of each kind costs, with runs of probes; `lanescope bench --fit`.

    Args:
        platform: Where the probes run: `threads`, a simulated chip or a chip's TOML file.
        protocols: Protocols whose costs are fitted.
        rounds: Runs of every probe; at least 6, for an interval of 95 %.
        seed: Decides the order of runs and the lengths of tasks.

    Returns:
        Nanoseconds per record of each kind, with intervals, for every protocol.

    Raises:
        UsageError: An option is wrong.
        InputError: The chip's file cannot be used.

    Examples:
        >>> from lanescope.overhead import bench_fit
        >>> report = bench_fit(platform="a2a3", protocols=["producer-rotated"], rounds=6)
        >>> sorted(report.fits[0].costs)
        ['controller_task', 'core_task', 'orchestrator_phase', 'scheduler_phase']
    """
    if platform == "cuda":
        raise UsageError(
            "bench --fit runs its probes on threads and on simulated chips; choose another "
            "--platform"
        )
    MachineRequest(platform=platform).check()
    names = [key.protocol for key in configurations([1], protocols)]
    with tempfile.TemporaryDirectory(prefix="lanescope-fit-") as place:
        probed: SimProbed | ThreadProbed = ThreadProbed(Path(place))
        known: dict[str, dict[str, float]] = {}
        if is_simulated(platform):
            chip = load_chip(platform)
            probed = SimProbed(chip, Path(place))
            known = {name: known_costs_ns(chip, level_features(True), name) for name in names}
        fits = tuple(fit_costs(probed, name, rounds=rounds, seed=seed) for name in names)
        return FitReport(platform=probed.name, rounds=rounds, fits=fits, known=known)


def _samples(
    orders: Sequence[Sequence[Configuration]],
    run_once: RunOnce,
    directory: Path,
    progress: Progress,
) -> dict[Configuration, list[RunSample]]:
    """Run the configurations in these orders; the first order only warms up and gives no sample."""
    samples: dict[Configuration, list[RunSample]] = {key: [] for key in orders[0]}
    done, runs = 0, sum(map(len, orders))
    for number, order in enumerate(orders):
        for key in order:
            samples[key].append(run_once(key, number, directory))
            done += 1
            progress(done, runs)
    return {key: taken[1:] for key, taken in samples.items()}


def _setting(
    graph: TaskGraph,
    machine: MachineRequest,
    recording: Recording,
    of_machine: Mapping[str, Any],
    *,
    rounds: int,
    seed: int,
) -> BenchSetting:
    facts: dict[str, Any] = {
        "workload": graph.name,
        "tasks": len(graph),
        "rounds": rounds,
        "seed": seed,
        "platform": machine.platform,
        "pre_dispatch": machine.pre_dispatch,
        "on_full": recording.on_full,
        "buffer_records": recording.buffer_records,
        "buffers": recording.buffers,
    }
    return BenchSetting(**facts, **of_machine)
