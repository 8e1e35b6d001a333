"""What the name of a kernel or of a collective tells."""

from __future__ import annotations

import pytest

from lanescope.formats.streams.kernels import collective_kind, communicates, kind_of_kernel


@pytest.mark.parametrize(
    ("name", "talks"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", True),
        ("ncclKernel_AllGather", True),
        ("void ncclKernel_AllGather", True),
        ("myncclKernel_x", True),
        ("nccl_group", True),
        ("my_rcclSend", True),
        ("RCCL_AllReduce", True),
        ("nccl:all_reduce", False),
        ("mynccl_x", False),
        ("nccl", False),
        ("void vllm::cross_device_reduce_1stage<x>", True),
        ("cross_device", False),
        ("gemm", False),
        ("", False),
    ],
)
def test_a_kernel_communicates_by_its_name(name: str, talks: bool) -> None:
    assert communicates(["gemm", name]).tolist() == [False, talks]
    assert communicates([]).tolist() == []


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("all_reduce", "allreduce AllReduce all_reduce allreduce_coalesced cross_device_reduce"),
        ("all_gather", "AllGather allgatherv _allgather_base all_gather_into_tensor"),
        ("all_gather", "allgather_into_tensor_coalesced"),
        ("reduce_scatter", "ReduceScatter _reduce_scatter_base reduce_scatter_tensor"),
        ("reduce_scatter", "reduce_scatter_tensor_coalesced"),
        ("all_to_all", "all_to_all all-to-all alltoallv alltoall_base AllToAll"),
        ("send_recv", "SendRecv send_recv"),
        ("send", "send Send"),
        ("recv", "recv receive"),
        ("broadcast", "broadcast Broadcast _broadcast"),
        ("reduce", "reduce Reduce"),
        ("gather", "gather"),
        ("scatter", "scatter"),
        ("barrier", "Barrier"),
        ("all_to_all", "ragged-all-to-all"),
        ("broadcast", "collective-broadcast"),
        ("collective_permute", "collective-permute"),
        ("all_reduce_x", "_all_reduce_x_ allReduceX"),
    ],
)
def test_a_kind_has_one_spelling_and_others_stay(kind: str, names: str) -> None:
    assert {collective_kind(name) for name in names.split()} == {kind}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "all_reduce"),
        ("void ncclKernel_SendRecv(x)", "send_recv"),
        ("ncclDevKernel_Generic(x)", ""),
        ("ncclDevKernel_Other_1(x)", "other"),
        ("vllm::cross_device_reduce_2stage<x>", "all_reduce"),
        ("gemm", ""),
        ("ncclDevKernel_", ""),
    ],
)
def test_the_kind_of_a_kernel_is_in_its_name(name: str, kind: str) -> None:
    assert kind_of_kernel(name) == kind
