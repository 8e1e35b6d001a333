"""What types of task and names of operations mean."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.formats.ascend.names import (
    COMMUNICATION,
    COMPUTE,
    COPY,
    FILL,
    WAIT,
    Operation,
    launches,
    operation_key,
    operation_type,
    sequences,
    wait_kinds,
    work_column,
    work_of,
)
from lanescope.formats.streams.recording import WAIT_KINDS
from lanescope.trace import MISSING


@pytest.mark.parametrize(
    ("task_type", "name", "work"),
    [
        ("HCCL", "x", COMMUNICATION),
        ("Communication", "x", COMMUNICATION),
        ("hcom", "x", COMMUNICATION),
        ("", "hcom_allReduce__1_2", COMMUNICATION),
        ("AI_CORE", "HcclAllReduce", COMMUNICATION),
        ("", "my hcom_x", COMPUTE),
        ("SDMA", "Notify_Wait", WAIT),
        ("SDMA", "Notify Wait", WAIT),
        ("SDMA", "NotifyWait", WAIT),
        ("EVENT_WAIT", "MEMCPY", WAIT),
        ("", "EVENT_WAIT", WAIT),
        ("", "My_WAIT", COMPUTE),
        ("MEMCPY_ASYNC", "x", COPY),
        ("SDMA_SQE", "x", COPY),
        ("PCIE_DMA_SQE", "x", COPY),
        ("", "MEMCPY ASYNC", COPY),
        ("MEMSET", "x", FILL),
        ("AI_CORE", "MEMSET", FILL),
        *((kind, "X", COMPUTE) for kind in ("AI_CORE", "MIX_AIC", "AIC", "AICORE")),
        *((kind, "X", COMPUTE) for kind in ("KERNEL_AICORE", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV")),
        *((kind, "X", COMPUTE) for kind in ("AI_VECTOR_CORE", "MIX_AIV", "AIV", "AIVEC")),
        *((kind, "X", COMPUTE) for kind in ("KERNEL_AIVEC", "AI_CPU", "MIX_X", "DSA_SQE", "aic")),
        ("AIX", "X", -1),
        ("", "Add", COMPUTE),
        ("", "EVENT_RECORD 2", -1),
        ("", "", -1),
        ("PLACE_HOLDER", "", -1),
    ],
)
def test_the_type_of_a_task_and_then_its_name_say_what_it_does(
    task_type: str, name: str, work: int
) -> None:
    assert work_of(task_type, name) == work


def test_work_of_rows_is_that_of_their_codes() -> None:
    types, names = ["AI_CORE", "HCCL", "EVENT_WAIT"], ["Add", "EVENT_RECORD"]
    found = work_column(types, names, np.array([2, 1, 0, -1, -1, 0]), np.array([1, 0, 1, 1, 0, 0]))
    assert found.tolist() == [WAIT, COMMUNICATION, COMPUTE, -1, COMPUTE, COMPUTE]
    assert work_column([], [], np.empty(0, np.int64), np.empty(0, np.int64)).tolist() == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("aclrtSynchronizeStream", "host waits stream"),
        ("AscendCL@aclrtSynchronizeStreamWithTimeout", "host waits stream"),
        ("StreamSynchronize", "host waits stream"),
        ("DeviceSynchronize", "host waits device"),
        ("SynchronizeDevice", "host waits device"),
        ("EventSynchronize", "host waits event"),
        ("SynchronizeEvent", "host waits event"),
        ("Synchronize", None),
        ("launch", None),
    ],
)
def test_a_call_that_synchronises_waits(name: str, kind: str | None) -> None:
    want = -1 if kind is None else WAIT_KINDS.index(kind)
    assert wait_kinds(["x", name]).tolist() == [-1, want]


def test_a_connection_is_a_launch_unless_it_stands_for_none() -> None:
    given = np.array([0, 7, 0xFFFFFFFE, 0xFFFFFFFF, 1 << 32, -1, MISSING])
    want = [0, 7, 0xFFFFFFFE, MISSING, 1 << 32, MISSING, MISSING]
    assert launches(given).tolist() == want


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("hcom_allReduce__445_7_1@62345", Operation("all_reduce", "62345", 7)),
        ("hcom_allReduce__445_7_1", Operation("all_reduce", "445", 7)),
        ("hcom_allGather_445_7", Operation("all_gather")),
        ("hcom_batchPut__445_7_1", Operation("batch_put", "445", 7)),
        ("allGather__445_0", Operation("all_gather", "445", 0)),
        ("HCOM_broadcast__445_7_1@", Operation("broadcast", "445", 7)),
        ("hcom_send@x@y", Operation("send")),
        ("HcclAllReduce", Operation("all_reduce")),
        ("alltoAllV", Operation("all_to_all")),
    ],
)
def test_the_name_of_an_operation_tells_kind_group_and_number(name: str, told: Operation) -> None:
    assert Operation.of(name) == told


@pytest.mark.parametrize(
    ("name", "key", "kind"),
    [
        ("hcom_allReduce__445_7_1@62", "hcom_allReduce__445_7_1", "hcom_allReduce_"),
        ("hcom_send_1", "hcom_send_1", "hcom_send_1"),
        ("hcom send@1", "hcom send", "hcom send"),
    ],
)
def test_the_key_and_the_type_of_an_operation_are_parts_of_its_name(
    name: str, key: str, kind: str
) -> None:
    assert (operation_key(name), operation_type(name)) == (key, kind)


def test_numbers_of_a_group_that_repeats_one_are_not_known() -> None:
    groups, numbers = ["a", "b", "a", "b", "b", "c"], [1, 1, 2, 2, 1, 2]
    assert sequences(groups, numbers).tolist() == [1, MISSING, 2, MISSING, MISSING, 2]
    assert sequences([], []).tolist() == []
