"""Recordings built by hand. No public rocpd file was at hand: the tables are those of its schema.

Schema: rocprofiler-sdk `source/share/rocprofiler-sdk-rocpd/rocpd_tables.sql`, version 3.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from tests.formats.nsys.files import Row, write_sqlite

RUN = "_0199a1b2_c3d4_7e5f_8a9b_0c1d2e3f4a5b"


def handle(number: int) -> dict[str, int]:
    return {"handle": number}


def timed(start: int, end: int, correlation: int) -> dict[str, Any]:
    return {
        "start_timestamp": start,
        "end_timestamp": end,
        "correlation_id": {"internal": correlation, "external": 0},
        "thread_id": 7,
    }


def sizes(x: int, y: int = 1, z: int = 1) -> dict[str, int]:
    return {"x": x, "y": y, "z": z}


DISPATCH = {
    **timed(100, 150, 1),
    "dispatch_info": {
        "agent_id": handle(50),
        "queue_id": handle(3),
        "kernel_id": 8,
        "group_segment_size": 64,
        "workgroup_size": sizes(256),
        "grid_size": sizes(1000, 2),
    },
    "stream_id": handle(9),
}
TOOL: dict[str, Any] = {
    "metadata": {"pid": 41, "node": {"hostname": "n1"}},
    "agents": [
        {"id": handle(49), "type": 1, "name": "EPYC"},
        {"id": handle(50), "type": 2, "product_name": "MI300X", "logical_node_type_id": 4},
    ],
    "strings": {
        "buffer_records": [
            {"kind": "NONE", "operations": []},
            {"kind": "HIP_RUNTIME_API", "operations": ["none", "hipLaunchKernel"]},
            {"kind": "MEMORY_COPY", "operations": ["none", "MEMORY_COPY_HOST_TO_DEVICE"]},
            {"kind": "MARKER_CORE_API", "operations": ["roctxRangePushA"]},
        ],
        "marker_api": [{"key": 5, "value": "step 1"}],
    },
    "kernel_symbols": [
        {"kernel_id": 0, "formatted_kernel_name": "0"},
        {"kernel_id": 8, "formatted_kernel_name": "gemm(float*)", "arch_vgpr_count": 24},
    ],
    "buffer_records": {
        "kernel_dispatch": [DISPATCH],
        "hip_api": [{**timed(80, 90, 1), "kind": 1, "operation": 1}],
        "marker_api": [{**timed(70, 95, 5), "kind": 3, "operation": 0}],
        "memory_copy": [
            {
                **timed(20, 30, 2),
                "kind": 2,
                "operation": 1,
                "src_agent_id": handle(49),
                "dst_agent_id": handle(50),
                "bytes": 4096,
            }
        ],
        "scratch_memory": [{"size": 1}, {"size": 2}],
    },
}


def tool() -> dict[str, Any]:
    """A process with one row of each kind, to be changed."""
    return copy.deepcopy(TOOL)


def write_json(path: Path, *tools: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"rocprofiler-sdk-tool": list(tools)}))
    return path


ROCPD: dict[str, list[Row]] = {
    "rocpd_string": [
        {"id": 1, "string": "HIP_RUNTIME_API"},
        {"id": 2, "string": "hipLaunchKernel"},
        {"id": 3, "string": "MEMORY_COPY_HOST_TO_DEVICE"},
        {"id": 4, "string": "MARKER_CORE_API"},
        {"id": 5, "string": "roctxRangePushA"},
    ],
    "rocpd_info_node": [{"id": 1, "hostname": "n1"}],
    "rocpd_info_process": [{"id": 1, "nid": 1, "pid": 41}],
    "rocpd_info_thread": [{"id": 2, "nid": 1, "pid": 1, "tid": 7, "name": "main"}],
    "rocpd_info_agent": [
        {"id": 1, "type": "CPU", "type_index": 0, "name": "EPYC"},
        {"id": 2, "type": "GPU", "type_index": 4, "name": "gfx942", "product_name": "MI300X"},
    ],
    "rocpd_info_kernel_symbol": [
        {"id": 8, "kernel_name": "_Z4gemm", "display_name": "gemm(float*)", "arch_vgpr_count": 24}
    ],
    "rocpd_event": [
        {"id": 10, "category_id": 1, "stack_id": 1},
        {"id": 11, "category_id": 1, "stack_id": 1},
        {"id": 12, "category_id": 3, "stack_id": 2},
        {"id": 13, "category_id": 4, "stack_id": 5},
    ],
    "rocpd_region": [
        {"pid": 1, "tid": 2, "start": 80, "end": 90, "name_id": 2, "event_id": 10},
        {
            "pid": 1,
            "tid": 2,
            "start": 70,
            "end": 95,
            "name_id": 5,
            "event_id": 13,
            "extdata": '{"message": "step 1"}',
        },
    ],
    "rocpd_kernel_dispatch": [
        {
            "pid": 1,
            "tid": 2,
            "agent_id": 2,
            "kernel_id": 8,
            "queue_id": 3,
            "stream_id": 9,
            "start": 100,
            "end": 150,
            "group_segment_size": 64,
            "event_id": 11,
            **{f"workgroup_size_{one}": size for one, size in sizes(256).items()},
            **{f"grid_size_{one}": size for one, size in sizes(1000, 2).items()},
        }
    ],
    "rocpd_memory_copy": [
        {
            "pid": 1,
            "start": 20,
            "end": 30,
            "name_id": 3,
            "size": 4096,
            "event_id": 12,
            "src_agent_id": 1,
            "dst_agent_id": 2,
        }
    ],
}


def write_rocpd(path: Path, tables: dict[str, list[Row]], *, suffix: str = RUN) -> Path:
    return write_sqlite(path, {name + suffix: rows for name, rows in tables.items()})
