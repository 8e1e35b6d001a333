"""What measures one configuration on each platform, and what a result says of the machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lanescope.device.region import clock_hz
from lanescope.overhead.on_gpu import measure_gpu
from lanescope.overhead.plan import COMPARED, Configuration
from lanescope.overhead.sample import RunSample, measure_threads
from lanescope.overhead.simulated import jittered, measure_simulated
from lanescope.platforms.cuda.machine import CORE_KIND, GpuMachine
from lanescope.platforms.cuda.repeated import PROTOCOL, ready_gpu, require_protocol
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, is_simulated
from lanescope.platforms.sim.chip import load_chip
from lanescope.workloads.graph import TaskGraph

RunOnce = Callable[[Configuration, int, Path], RunSample]
"""Runs one configuration in one round; the capture lies in the folder meanwhile."""


class BenchMachine(NamedTuple):
    """A machine that is ready to run one graph as often as one likes."""

    run_once: RunOnce
    facts: dict[str, Any]
    """Fields of BenchSetting that the machine decides."""


def protocols_of(platform: str, protocols: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the protocols that are compared; None: those that the platform has, but after-finish.

    Refuse protocols that a GPU does not have.
    """
    if platform != "cuda":
        return COMPARED if protocols is None else protocols
    for protocol in protocols or ():
        require_protocol(protocol)
    return (PROTOCOL,) if protocols is None else protocols


@contextmanager
def bench_machine(
    graph: TaskGraph, machine: MachineRequest, recording: Recording, *, seed: int
) -> Iterator[BenchMachine]:
    """Make the machine ready, for as long as the block runs."""
    if machine.platform == "cuda":
        with ready_gpu(graph, machine.gpu()) as gpu:

            def on_gpu(key: Configuration, number: int, directory: Path) -> RunSample:
                own, folder = _recorded(recording, key), gpu.folder / directory.name
                return measure_gpu(graph, gpu.setup, own, directory=folder)

            yield BenchMachine(on_gpu, _gpu_facts(gpu.setup.machine, gpu.setup.engine.name))
    elif is_simulated(machine.platform):
        yield _simulated(graph, machine, recording, seed=seed)
    else:
        yield _threads(graph, machine, recording)


def _recorded(recording: Recording, key: Configuration) -> Recording:
    return replace(recording, chip_swimlane=key.level, protocol=key.protocol)


def _gpu_facts(machine: GpuMachine, name: str) -> dict[str, Any]:
    cores = (CORE_KIND,) * machine.workers
    return {"cores": cores, "schedulers": machine.schedulers, "device": name}


def _threads(graph: TaskGraph, machine: MachineRequest, recording: Recording) -> BenchMachine:
    threads = machine.threads()

    def on_threads(key: Configuration, number: int, directory: Path) -> RunSample:
        return measure_threads(graph, threads, _recorded(recording, key), directory=directory)

    facts = {
        "cores": threads.cores,
        "schedulers": threads.schedulers,
        "pin": threads.pin,
        "processors": len(os.sched_getaffinity(0)),
        "clock_hz": clock_hz(),
    }
    return BenchMachine(on_threads, facts)


def _simulated(
    graph: TaskGraph, machine: MachineRequest, recording: Recording, *, seed: int
) -> BenchMachine:
    chip = load_chip(machine.platform)

    def on_chip(key: Configuration, number: int, directory: Path) -> RunSample:
        return measure_simulated(
            jittered(graph, seed, number),
            chip,
            _recorded(recording, key),
            pre_dispatch=machine.pre_dispatch,
            directory=directory,
        )

    return BenchMachine(on_chip, {"cores": chip.core_kinds(), "schedulers": chip.schedulers})
