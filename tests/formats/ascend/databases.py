"""Small databases made by hand: no real file is at hand.

Tables and columns are those of the profiler's own page,
docs/en/user_guide/profile_data_file_references_db.md of github.com/Ascend/msprof, and of
ascend_pytorch_profiler_{Rank_ID}.db in the vendor's documentation.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

BASE = 1_742_699_319_000_000_000
PID = 1984
STRINGS = (
    *("AI_CORE", "EVENT_WAIT", "MatMulV2", "aclnnMatmul_MatMulV2", "aclnnMatmul"),
    *("launch", "aten::mm", "Enqueue", "Dequeue", "hcom_allReduce__428_3_1", "hcom_allReduce_"),
    *("10.170.22.98%enp67s0f5_60000_0_1708156014257149", "Notify_Wait", "HCCL", "MIX_AIV"),
    *("aic_mac_ratio", "MEMCPY_ASYNC", "aten::mm_backward", "my range", "Memcpy"),
)
NUMBER = {text: 100 + k for k, text in enumerate(STRINGS)}
GROUP = STRINGS[11]


def thread(number: int) -> int:
    return (PID << 32) + number


def tables() -> dict[str, tuple[str, list[tuple[Any, ...]]]]:
    """Name → columns, rows: two streams, a collective, host threads with operators and calls."""
    n = NUMBER
    none = 4294967295
    return {
        "STRING_IDS": ("id, value", [(number, text) for text, number in n.items()]),
        "ENUM_HCCL_DATA_TYPE": ("id, name", [(3, "FP16"), (4, "FP32")]),
        "TASK": (
            "startNs, endNs, deviceId, connectionId, globalTaskId, globalPid, taskType, contextId,"
            "streamId, taskId, modelId",
            [
                (BASE + 100, BASE + 200, 2, 7, 1, PID, n["AI_CORE"], none, 5, 11, none),
                (BASE + 210, BASE + 260, 2, 8, 2, PID, n["MIX_AIV"], none, 5, 12, none),
                (BASE + 150, BASE + 300, 2, none, 3, PID, n["EVENT_WAIT"], none, 6, 13, none),
                (BASE + 310, BASE + 350, 2, 9, 4, PID, n["HCCL"], none, 6, 14, none),
                (BASE + 360, BASE + 390, 2, 9, 5, PID, n["HCCL"], none, 6, 15, none),
                (BASE + 400, BASE + 410, 2, none, 6, PID, n["MEMCPY_ASYNC"], none, 5, 16, none),
            ],
        ),
        "COMPUTE_TASK_INFO": (
            "name, globalTaskId, blockNum, mixBlockNum, taskType, opType, blockDim",
            [
                (n["aclnnMatmul_MatMulV2"], 1, 24, 0, n["AI_CORE"], n["MatMulV2"], 999),
                (n["aclnnMatmul_MatMulV2"], 2, 40, 20, n["MIX_AIV"], n["MatMulV2"], 999),
            ],
        ),
        "COMMUNICATION_TASK_INFO": (
            "name, globalTaskId, taskType, planeId, groupName, size, opId",
            [
                (n["hcom_allReduce__428_3_1"], 4, n["Notify_Wait"], 0, n[GROUP], None, 77),
                (n["hcom_allReduce__428_3_1"], 5, n["Memcpy"], 1, n[GROUP], 4096, 77),
            ],
        ),
        "COMMUNICATION_OP": (
            "opName, startNs, endNs, connectionId, groupName, opId, dataType, count, opType",
            [
                (
                    *(n["hcom_allReduce__428_3_1"], BASE + 305, BASE + 395, 9),
                    *(n[GROUP], 77, 3, 2048, n["hcom_allReduce_"]),
                )
            ],
        ),
        "CANN_API": (
            "startNs, endNs, type, globalTid, connectionId, name",
            [
                (BASE + 20, BASE + 60, 20000, thread(40), 7, n["aclnnMatmul"]),
                (BASE + 30, BASE + 50, 5000, thread(40), 7, n["launch"]),
                (BASE + 70, BASE + 80, 5000, thread(40), 6, n["launch"]),
            ],
        ),
        "PYTORCH_API": (
            "startNs TEXT, endNs TEXT, globalTid, connectionId, name, type",
            [
                (f"{BASE}", f"{BASE + 15}", thread(41), 1, n["aten::mm"], 50001),
                (f"{BASE + 5}", f"{BASE + 8}", thread(41), 2, n["Enqueue"], 50002),
                (f"{BASE + 18}", f"{BASE + 65}", thread(40), 2, n["Dequeue"], 50002),
                (f"{BASE + 500}", f"{BASE + 510}", thread(42), None, n["aten::mm"], 50001),
            ],
        ),
        "CONNECTION_IDS": ("id, connectionId", [(1, 7), (2, 900)]),
        "MSTX_EVENTS": (
            "startNs, endNs, message, globalTid, connectionId",
            [(BASE + 1, BASE + 70, n["my range"], thread(41), none)],
        ),
        "STEP_TIME": ("id, startNs, endNs", [(12, BASE, BASE + 600)]),
        "TASK_PMU_INFO": ("globalTaskId, name, value", [(1, n["aic_mac_ratio"], 0.75)]),
        "MEMCPY_INFO": ("globalTaskId, size, memcpyOperation", [(6, 128, 1)]),
        "NPU_INFO": ("id, name", [(2, "Ascend910B4")]),
        "HOST_INFO": ("hostUid, hostName", [("8a4b", "node7")]),
        "RANK_DEVICE_MAP": ("rankId, deviceId", [(-1, 2)]),
        "OVERLAP_ANALYSIS": ("id, startNs, endNs, type", [(0, BASE, BASE + 10, 0)] * 3),
        "META_DATA": (
            "name, value",
            [("parallel_group_info", f'{{"{GROUP}": {{"global_ranks": [0, 3]}}}}')],
        ),
    }


def database(
    path: Path, changed: dict[str, Any] | None = None, *, without: tuple[str, ...] = ()
) -> Path:
    """Write the tables, some of them changed or left out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        for name, (columns, rows) in (tables() | (changed or {})).items():
            if name in without:
                continue
            connection.execute(f"CREATE TABLE {name} ({columns})")
            for row in rows:
                places = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {name} VALUES ({places})", row)
    connection.close()
    return path
