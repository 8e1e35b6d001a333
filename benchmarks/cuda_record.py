"""What recording inside CUDA kernels costs and carries, on the GPU that is there.

    python -m benchmarks.cuda_record cost      cycles per task, against the same kernel without
    python -m benchmarks.cuda_record launch    a 1 ms kernel's wall time, with and without
    python -m benchmarks.cuda_record flood     records per second by number of collectors
    python -m benchmarks.cuda_record endless   a kernel that is stopped after --seconds
    python -m benchmarks.cuda_record clock     how far the clocks of two SMs are apart
    python -m benchmarks.cuda_record short     the stated error of clocks after 31 short launches
    python -m benchmarks.cuda_record budget    registers, memory and occupancy, with and without
    python -m benchmarks.cuda_record proton    Proton on the work of `cost`: cuda_proton.py

Several words are measured one after the other. Prints JSON. Exit code 1 where a limit of
cuda_limits.py is missed; `cost` has one beside `proton`. Needs CuPy.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean
from typing import Any

import cupy
import numpy as np

import lanescope
import lanescope.cuda
from benchmarks.cuda_limits import missed
from lanescope.cuda.budget import kernel_budget

Figures = dict[str, Any]
ROUNDS = 5
PLACES = range(8)
"""Instructions before the code that is timed. A line of the instruction cache holds eight."""
SHORT_LAUNCHES = 31
BESIDE = 1 << 31
"""From this number on tasks of the kernel `relay` are no hops."""


def build(function: str, **defines: int) -> Any:
    source = Path(__file__).with_suffix(".cu").read_text()
    words = tuple(f"-D{name}={value}" for name, value in defines.items())
    options = ("-std=c++17", f"-I{lanescope.include_directory()}", *words)
    return cupy.RawModule(code=source, options=options).get_function(function)


def wait() -> None:
    cupy.cuda.get_current_stream().synchronize()


def multiprocessors() -> int:
    return int(cupy.cuda.Device().attributes["MultiProcessorCount"])


class Timed:
    """Runs the kernel `cost`: cycles per task of the slowest CTA, best of several rounds."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks
        self.cycles = cupy.zeros(multiprocessors(), cupy.uint64)
        self.pins = cupy.array([1.000001, 0.5], cupy.float32)
        self.sink = cupy.zeros(multiprocessors() * 1024, cupy.float32)

    def __call__(self, kernel: Any, shape: tuple[int, int], handle: int) -> float:
        found = []
        for _ in range(ROUNDS):
            arguments = (np.uint32(self.tasks), self.cycles, self.pins, self.sink)
            kernel(shape[:1], shape[1:], (*arguments, np.uint64(handle)))
            wait()
            found.append(float(self.cycles[: shape[0]].max()) / self.tasks)
        return min(found)


def cost(_: argparse.Namespace) -> Figures:
    """Means over PLACES of the code: two are up to 6 cycles apart, without recording, too."""
    timed, figures = Timed(10_000), {}
    for cta, threads in ((0, 32), (1, 128)):
        for loop in (0, 1):
            plain, recording = (
                [build("cost", CTA=cta, LOOP=loop, PLACE=at, LS_RECORDING=on) for at in PLACES]
                for on in (0, 1)
            )
            for grid in (8, multiprocessors()):
                shape = (grid, threads)
                off = mean(timed(kernel, shape, 0) for kernel in plain)
                with lanescope.cuda.record(buffers=64, collectors=4) as rec:
                    on = mean(timed(kernel, shape, rec.handle) for kernel in recording)
                rec.discard()
                without = mean(timed(kernel, shape, 0) for kernel in recording)
                figures[f"{'cta' if cta else 'warp'} loop={loop} grid={grid}"] = {
                    "off_cycles": round(off, 1),
                    "added_cycles": round(on - off, 1),
                    "added_cycles_handle_0": round(without - off, 1),
                    "registers_off": plain[0].num_regs,
                    "registers": recording[0].num_regs,
                    "shared_bytes": recording[0].shared_size_bytes - plain[0].shared_size_bytes,
                }
    return figures


def launch(_: argparse.Namespace) -> Figures:
    """From the launch to the end of the wait; median of many."""
    tasks = 1900
    timed = Timed(tasks)
    shape, kernel = (multiprocessors(), 32), build("cost", CTA=0, LOOP=1)

    def wall(handle: int) -> float:
        taken = []
        for _ in range(50):
            begun = time.perf_counter()
            arguments = (np.uint32(tasks), timed.cycles, timed.pins, timed.sink, np.uint64(handle))
            kernel(shape[:1], shape[1:], arguments)
            wait()
            taken.append(time.perf_counter() - begun)
        return float(np.median(taken)) * 1e3

    wall(0)
    off = wall(0)
    begun = time.perf_counter()
    with lanescope.cuda.record(collectors=4) as rec:
        opened = time.perf_counter() - begun
        on = wall(rec.handle)
        begun = time.perf_counter()
    return {
        "off_ms": off,
        "on_ms": on,
        "once_before_ms": opened * 1e3,
        "once_after_ms": (time.perf_counter() - begun) * 1e3,
    }


def flood(_: argparse.Namespace) -> Figures:
    kernel, figures = build("flood", CTA=0, LOOP=0), {}
    cores, warps, tasks = multiprocessors(), 4, 1_000_000
    for collectors in (1, 4, 8, 12):
        pipes = [f"warp {number}" for number in range(warps)]
        rec = lanescope.cuda.record(pipes=pipes, collectors=collectors, buffers=16)
        with rec:
            begun = time.perf_counter()
            kernel((cores,), (32 * warps,), (np.uint32(tasks), np.uint64(rec.handle)))
            wait()
            seconds = time.perf_counter() - begun
        total = cores * warps * tasks
        figures[str(collectors)] = {
            "records_per_s": total / seconds,
            "bytes_per_s": 16 * total / seconds,
            "lost": total - rec.live().records,
        }
        rec.discard()
    return figures


def endless(args: argparse.Namespace) -> Figures:
    kernel, cores = build("endless", CTA=1, LOOP=0), multiprocessors()
    stop, done = cupy.zeros(1, cupy.uint32), cupy.zeros(cores, cupy.uint64)
    beside = cupy.cuda.Stream(non_blocking=True)
    memory, seen = [], []
    with lanescope.cuda.record(collectors=2) as rec:
        kernel((cores,), (32,), (stop, np.uint32(args.steps), done, np.uint64(rec.handle)))
        begun = time.perf_counter()
        while time.perf_counter() - begun < args.seconds:
            time.sleep(0.5)
            seen.append(rec.live().records)
            memory.append(_resident_bytes())
        before = time.perf_counter()
        stop.data.memset_async(1, 4, beside)
        wait()
        stopped = time.perf_counter()
    made = int(done.sum())
    figures = {
        "seconds": stopped - begun,
        "records": made,
        "records_per_s": made / (stopped - begun),
        "lost": made - rec.live().records,
        "seen_while_it_ran": seen[-1],
        "stopping_ms": (stopped - before) * 1e3,
        "memory_growth_bytes": memory[-1] - memory[1],
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    rec.discard()
    return figures


def clock(_: argparse.Namespace) -> Figures:
    """A flag handed from SM to SM and back. Of two SMs, half the difference between the two ways is
    how far their clocks are apart, if the ways take the same time."""
    kernel, cores, rounds = build("relay", CTA=1, LOOP=0), multiprocessors(), 200_000
    flag = cupy.zeros(1, cupy.uint32)
    with lanescope.cuda.record(cores=cores) as rec:
        kernel((cores,), (32,), (np.uint32(rounds), flag, np.uint64(rec.handle)))
        wait()
    tasks = rec.trace.tasks
    order = np.argsort(tasks["task"])
    order = order[: np.count_nonzero(tasks["task"] < BESIDE)]
    core = tasks["core"][order].astype(np.int64)
    gap = tasks["start_ns"][order][1:] - tasks["end_ns"][order][:-1]
    pair, up = np.minimum(core[1:], core[:-1]), core[1:] > core[:-1]
    ways = [
        [np.median(gap[(pair == one) & (up == way)]) for way in (True, False)]
        for one in range(cores - 1)
    ]
    apart = np.abs(np.diff(np.array(ways))[:, 0]) / 2
    return {
        "hops": len(gap),
        "multiprocessors": len(np.unique(rec.trace.cores["cluster"])),
        "stated_error_ns": rec.trace.meta.recording.clock_error_ns,
        "shortest_hop_ns": int(gap.min()),
        "median_hop_ns": float(np.median(gap)),
        "apart_ns_median": float(np.median(apart)),
        "apart_ns_worst": float(apart.max()),
    }


def short(_: argparse.Namespace) -> Figures:
    """Launches of some microseconds with pauses between: no moment falls inside of one."""
    timed, kernel = Timed(20), build("cost", CTA=0, LOOP=1)
    stated, launches = [], 0
    for _ in range(5):
        with lanescope.cuda.record() as rec:
            for _ in range(SHORT_LAUNCHES):
                arguments = (np.uint32(timed.tasks), timed.cycles, timed.pins, timed.sink)
                kernel((multiprocessors(),), (32,), (*arguments, np.uint64(rec.handle)))
                wait()
                time.sleep(0.01)
        trace = rec.trace
        stated.append(trace.meta.recording.clock_error_ns)
        launches += len(trace.launches)
    lasting = trace.launches["end_ns"] - trace.launches["start_ns"]
    return {
        "launches": launches,
        "launch_ns_median": float(np.median(lasting)),
        "stated_error_ns": stated,
    }


def budget(_: argparse.Namespace) -> Figures:
    """The examples' kernels and `cost`, compiled with and without the recorder."""
    examples = Path(__file__).parents[1] / "examples" / "cuda"
    kernels = [(examples / f"{name}.cu", name, block) for name, block in BLOCKS.items()]
    figures = {}
    for source, name, block in [*kernels, (Path(__file__).with_suffix(".cu"), "cost", 128)]:
        off, on = (
            kernel_budget(_cubin(source, CTA=1, LOOP=1, LS_RECORDING=recording), name, block)
            for recording in (0, 1)
        )
        figures[f"{name}, {block} threads"] = {
            field: [getattr(off, field), getattr(on, field)]
            for field in ("registers", "shared_bytes", "local_bytes", "blocks_per_unit")
        }
    return figures


def proton(_: argparse.Namespace) -> Figures:
    """In a process of its own, which has PyTorch's context."""
    command = [sys.executable, "-m", "benchmarks.cuda_proton"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: Figures = json.loads(done.stdout[done.stdout.index("{") :])["proton"]
    return found


BLOCKS = {"gemm": 256, "pipeline": 96, "server": 128}
"""Kernels of the examples, and how many threads a CTA of them has."""


def _cubin(source: Path, **defines: int) -> bytes:
    words = tuple(f"-D{name}={value}" for name, value in defines.items())
    options = ("-std=c++17", f"-I{lanescope.include_directory()}", *words)
    compiled: bytes = cupy.cuda.compiler.compile_using_nvrtc(source.read_text(), options)[0]
    return compiled


def _resident_bytes() -> int:
    """Of this process; the spool lies in a file."""
    words = Path("/proc/self/statm").read_text().split()
    return (int(words[1]) - int(words[2])) * resource.getpagesize()


COMMANDS = ("cost", "launch", "flood", "endless", "clock", "short", "budget", "proton")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=COMMANDS, nargs="+")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--steps", type=int, default=2_000, help="length of an endless task")
    args = parser.parse_args()
    figures = {what: globals()[what](args) for what in args.what}
    print(json.dumps(figures, indent=1))
    lines = missed(figures)
    for line in lines:
        print(f"MISSED  {line}", file=sys.stderr)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
