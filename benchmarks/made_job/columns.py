"""What the host thread of a rank does in one step, call by call: the same on all ranks of a stage.

A column is one call of the host. Most launch a row of a stream; some record an event, wait for
one, or keep the host busy. The times of a stage are an array (TIMES, replicas, columns).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

KERNEL, COLLECTIVE, RECORD, WAIT, SYNC, LOAD = range(6)
"""What a call does: launch a kernel, launch a collective, record an event on a stream, make a
stream wait for one, wait for the compute stream, load the next batch."""
COMPUTE, COMMUNICATION, PAIR = range(3)
"""The streams of a rank: kernels, collectives of groups, send and receive."""
TIMES = ("call_start", "call_end", "start", "end")

OPERATORS = (
    "DataLoader.__next__",
    "forward",
    "backward",
    "optimizer",
    "nccl:all_gather",
    "nccl:broadcast",
    "nccl:all_reduce",
    "nccl:reduce_scatter",
    "nccl:barrier",
    "nccl:send",
    "nccl:recv",
    "wait",
)
KERNELS = (
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
    "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn",
    "flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4> >(flash::Flash_fwd_params)",
    "flash::flash_bwd_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8> >(flash::Flash_bwd_params)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
    "void at::native::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float)",
    "void at::native::softmax_warp_forward<float, float, float, 10, false>(float*, int)",
    "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4> >(int)",
)


@dataclass(frozen=True, slots=True)
class Joint:
    """The joint operation of a column; texts and ranks are by place in the stage."""

    kind: str
    groups: list[str]
    peers: list[str]
    size: int
    sequence: int
    bytes: int
    sources: list[int] | None = None
    targets: list[int] | None = None


@dataclass(slots=True)
class StepColumns:
    """The columns of one stage in one step, as they are added."""

    what: list[int] = field(default_factory=list)
    stream: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    """Index into KERNELS, of a kernel; else -1."""
    operator: list[int] = field(default_factory=list)
    """Number of the operator in the step: consecutive columns with one number are one operator."""
    operator_name: list[int] = field(default_factory=list)
    on: list[int] = field(default_factory=list)
    """Of a wait: the column that recorded the event; else -1."""
    joint: list[Joint] = field(default_factory=list)
    """One for each column that is a collective."""
    blocks: list[np.ndarray] = field(default_factory=list)
    """Times, (TIMES, replicas, columns of the block)."""
    operators: int = 0

    def begin(self) -> None:
        """The next column belongs to another operator."""
        self.operators += 1

    def add(
        self, what: int, stream: int, times: np.ndarray, *, operator: str, name: int = -1
    ) -> int:
        """Add a block of columns that are alike but for their names; returns the first's place."""
        first, count = len(self.what), times.shape[2]
        names = [name] * count
        if what == KERNEL:
            names = [(name + 3 * k) % len(KERNELS) for k in range(count)]
        self.what += [what] * count
        self.stream += [stream] * count
        self.name += names
        self.operator += [self.operators] * count
        self.operator_name += [OPERATORS.index(operator)] * count
        self.on += [-1] * count
        self.blocks.append(times)
        return first

    def times(self) -> np.ndarray:
        """All times as whole ns, (TIMES, replicas, columns)."""
        return np.rint(np.concatenate(self.blocks, axis=2)).astype(np.int64)
