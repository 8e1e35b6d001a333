"""What the categories of Kineto's rows mean: `cat` decides, never the process or a stream number.

Names: kineto `libkineto/src/ActivityType.cpp`; those of 2021: `trace.py` of torch-tb-profiler.
"""

from __future__ import annotations

DEVICE = {
    "kernel": "compute",
    "concurrent_kernel": "compute",
    "gpu_memcpy": "copy",
    "memcpy": "copy",
    "gpu_memset": "fill",
    "memset": "fill",
}
"""Category of a row of a device's stream → its work; a kernel may turn out to communicate."""

HOST = {
    "cpu_op": "operator",
    "operator": "operator",
    "cuda_runtime": "call",
    "cuda_driver": "call",
    "runtime": "call",
    "driver": "call",
    "xpu_runtime": "call",
    "xpu_driver": "call",
    "mtia_runtime": "call",
    "glow_runtime": "call",
    "privateuse1_runtime": "call",
    "privateuse1_driver": "call",
    "user_annotation": "annotation",
    "python_function": "function",
    "python": "function",
    "overhead": "overhead",
}
"""Category of a row of a host thread → the category of a phase."""

ANNOTATION = "gpu_user_annotation"
"""A range that the user named, as it lies on a stream."""
SYNC = "cuda_sync"
"""A wait: of a stream for an event, or of the host for a stream, an event or the device."""
NOT_WORK = frozenset({"trace"})
"""The span of the recording itself."""
