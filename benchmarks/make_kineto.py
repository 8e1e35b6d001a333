"""Writes a Kineto file of any size: what a training job's profile looks like, by a fixed seed.

    python -m benchmarks.make_kineto 100 -o big.json       (about 100 MB)

Rows are like those of real files: nested operators, launches, kernels with long names and all
their arguments, copies, collectives, arrows, steps.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BASE_NS = 1735632360000000000
_KERNELS = [
    f"void at::native::vectorized_elementwise_kernel<4, at::native::Functor_{k}<float>, "
    f"at::detail::Array<char*, {k % 3 + 1}> >(int, at::native::Functor_{k}<float>, "
    f"at::detail::Array<char*, {k % 3 + 1}>)"
    for k in range(60)
]
_OPERATORS = [f"aten::operator_{k}" for k in range(120)]
_PROCESS = 2910249


def events(rows: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """At least so many rows, in the order in which the profiler writes them: host, then device."""
    chance = random.Random(seed)
    clock, device = 4458676422880.181, {7: 0.0, 40: 0.0}
    later: list[dict[str, Any]] = []
    number = step = 0
    step_start = clock
    while number * 6 < rows:
        number += 1
        thread = _PROCESS + (number // 200 % 2)
        name = chance.choice(_OPERATORS)
        clock += chance.uniform(1, 30)
        length = chance.uniform(8, 60)
        for depth in range(2):
            yield _row(
                "cpu_op",
                f"{name}_{depth}" if depth else name,
                _PROCESS,
                thread,
                clock + depth,
                length - 2 * depth,
                {
                    "External id": number,
                    "Record function id": 0,
                    "Ev Idx": number,
                    "Input Dims": [[8, 1024], [1024, 1024]],
                    "Input type": ["float", "float"],
                },
            )
        call = clock + 3
        stream = 40 if number % 50 == 0 else 7
        yield _row(
            "cuda_runtime",
            "cudaLaunchKernel",
            _PROCESS,
            thread,
            call,
            4.5,
            {"External id": number, "cbid": 211, "correlation": number},
        )
        start = max(device[stream], call + chance.uniform(4, 9))
        kernel = _kernel(chance, number, stream, start)
        device[stream] = start + kernel["dur"]
        later.append(kernel)
        arrow = {"id": number, "cat": "ac2g", "name": "ac2g"}
        yield {"ph": "s", "pid": _PROCESS, "tid": thread, "ts": round(call, 3), **arrow}
        later.append(
            {"ph": "f", "pid": 0, "tid": stream, "ts": round(start, 3), **arrow, "bp": "e"}
        )
        clock += length
        if number % 4000 == 0:
            yield _row(
                "user_annotation",
                f"ProfilerStep#{step}",
                _PROCESS,
                _PROCESS,
                step_start,
                clock - step_start,
                {"External id": 10**9 + step},
            )
            step, step_start = step + 1, clock
    yield from later


def _kernel(chance: random.Random, number: int, stream: int, start: float) -> dict[str, Any]:
    place = {
        "External id": number,
        "queued": 0,
        "device": 0,
        "context": 1,
        "stream": stream,
        "correlation": number,
    }
    if number % 9 == 0:
        size = chance.randrange(1 << 22)
        return _row(
            "gpu_memcpy",
            "Memcpy DtoD (Device -> Device)",
            0,
            stream,
            start,
            chance.uniform(1, 6),
            {**place, "bytes": size},
        )
    shape = {
        "registers per thread": 22,
        "shared memory": 0,
        "blocks per SM": 116.148148,
        "warps per SM": 464.59259,
        "grid": [12544, 1, 1],
        "block": [128, 1, 1],
        "est. achieved occupancy %": 100,
    }
    if stream == 40:
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
        shape |= {
            "Collective name": "allreduce",
            "In msg nelems": 2049000,
            "Out msg nelems": 2049000,
            "Group size": 2,
            "dtype": "Float",
            "Process Group Name": "0",
            "Process Group Ranks": "[0, 1]",
            "Seq": number,
        }
        return _row("kernel", name, 0, stream, start, chance.uniform(40, 400), place | shape)
    return _row(
        "kernel", chance.choice(_KERNELS), 0, stream, start, chance.uniform(2, 40), place | shape
    )


def _row(
    cat: str, name: str, pid: int, tid: int, start: float, length: float, args: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": cat,
        "name": name,
        "pid": pid,
        "tid": tid,
        "ts": round(start, 3),
        "dur": round(length, 3),
        "args": args,
    }


def write(path: Path, megabytes: float) -> None:
    """Write a file of about that size."""
    head = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "numSms": 108}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": _BASE_NS,
    }
    rows = int(megabytes * 1e6 / 253)
    with path.open("w") as file:
        file.write(json.dumps(head)[:-1] + ',\n"traceEvents": [\n')
        for number, row in enumerate(events(rows)):
            file.write((",\n" if number else "") + json.dumps(row))
        file.write("\n]}\n")


def main() -> None:
    """Write one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("megabytes", type=float)
    parser.add_argument("-o", type=Path, required=True)
    options = parser.parse_args()
    write(options.o, options.megabytes)
    print(f"{options.o}: {options.o.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
