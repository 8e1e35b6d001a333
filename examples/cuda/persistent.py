"""Drains a persistent CUDA kernel while it runs, and reports what recording cost.

    python examples/cuda/persistent.py --tasks 20000 --steps 2000 -o persistent.lanes

Needs a GPU and CuPy. The region lies in shared memory that is registered with the driver, so the
kernel's stores arrive where the collector reads; nothing else differs from other platforms.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
import zlib
from pathlib import Path
from typing import Any

import cupy
import numpy as np

import lanescope
from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.region import RegionConfig

GLOBAL_TIMER_HZ = 1_000_000_000
"""The globaltimer register counts nanoseconds (PTX ISA, special registers)."""
THREADS = 128


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=20_000, help="per core")
    parser.add_argument("--steps", type=int, default=2_000, help="length of a task")
    parser.add_argument("--buffer-records", type=int, default=1024)
    parser.add_argument("--buffers", type=int, default=8)
    parser.add_argument("--on-full", choices=("block", "drop"), default="block")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop the kernel after this")
    parser.add_argument("-o", "--output", type=Path, default=Path("persistent.lanes"))
    return parser.parse_args()


def build() -> Any:
    source = Path(__file__).with_name("persistent.cu").read_text()
    include = lanescope.include_directory()
    # CuPy's cache of compiled kernels knows the source and the options, not the headers.
    headers = b"".join(path.read_bytes() for path in sorted(include.rglob("*.h")))
    options = ("-std=c++17", f"-I{include}", f"-DHEADERS={zlib.crc32(headers)}")
    return cupy.RawModule(code=source, options=options).get_function("persistent")


class Launch:
    """The kernel's arguments beside the region: a stop word, results, a sink."""

    def __init__(self, kernel: Any, cores: int) -> None:
        self.kernel, self.cores = kernel, cores
        self.stop = cupy.zeros(1, cupy.uint32)
        self.beside = cupy.cuda.Stream(non_blocking=True)
        self.results = cupy.zeros((cores, 2), cupy.uint64)
        self.sink = cupy.zeros(cores * THREADS, cupy.float32)

    def run(self, region: int, args: argparse.Namespace) -> tuple[float, Any]:
        """Seconds from launch to end, and cycles and tasks per core."""
        self.stop.fill(0)
        cupy.cuda.get_current_stream().synchronize()
        if args.seconds:
            threading.Timer(args.seconds, self.end).start()
        begun = time.perf_counter()
        arguments = (
            np.uint64(region),
            np.uint64(args.tasks),
            np.uint32(args.steps),
            self.stop,
            self.results,
            self.sink,
        )
        self.kernel((self.cores,), (THREADS,), arguments)
        cupy.cuda.get_current_stream().synchronize()
        return time.perf_counter() - begun, self.results.get()

    def end(self) -> None:
        """Tell the running kernel to stop, on a stream beside its own."""
        self.stop.data.memset_async(1, 4, self.beside)


def main() -> None:
    args = options()
    device = cupy.cuda.Device()
    cores = int(device.attributes["MultiProcessorCount"])
    launch = Launch(build(), cores)
    launch.run(0, args)  # warm-up
    _, plain = launch.run(0, args)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        session = open_session(Path(folder) / "persistent.capture", cores, args)
        figures = record(session, launch, args)
        trace = session.reconcile()
    lanescope.save(trace, args.output)
    figures |= {
        "device": cupy.cuda.runtime.getDeviceProperties(device.id)["name"].decode(),
        "cores": cores,
        "delivered": sum(entry.delivered for entry in trace.meta.ledger),
        "dropped": sum(entry.dropped for entry in trace.meta.ledger),
        "ledger_closes": all(entry.closes for entry in trace.meta.ledger),
        "waits": len(trace.stalls),
        "cycles_per_task_off": float(plain[:, 0].sum() / plain[:, 1].sum()),
        "trace": str(args.output),
    }
    added = figures["cycles_per_task_on"] - figures["cycles_per_task_off"]
    figures["cycles_per_record"] = added
    print(json.dumps(figures, indent=1))


def open_session(directory: Path, cores: int, args: argparse.Namespace) -> CaptureSession:
    config = RegionConfig(
        flags=level_features(1),
        cores=tuple(Core("sm") for _ in range(cores)),
        schedulers=0,
        orchestrators=0,
        buffer_records=args.buffer_records,
        buffers=args.buffers,
        on_full=args.on_full,
        clock_hz=GLOBAL_TIMER_HZ,
        own_clock=False,
        func_shift=48,
        functions={0: "even", 1: "odd"},
    )
    return create_session(directory, config, note=SessionNote("persistent", "GPU"))


def record(session: CaptureSession, launch: Launch, args: argparse.Namespace) -> dict[str, Any]:
    """Run the kernel on the region while the session drains it."""
    runtime = cupy.cuda.runtime
    region = session.region
    mapped = 2  # cudaHostRegisterMapped
    runtime.hostRegister(region.address, len(region.memory), mapped)
    with session:
        seconds, results = launch.run(region.address, args)
        while_running = session.records
        region.mark_stopped()
    runtime.hostUnregister(region.address)
    records = int(region.lanes["recorded"].sum())
    return {
        "seconds": seconds,
        "records": records,
        "records_per_s": records / seconds,
        "drained_while_running": while_running / max(records, 1),
        "cycles_per_task_on": float(results[:, 0].sum() / results[:, 1].sum()),
    }


if __name__ == "__main__":
    main()
