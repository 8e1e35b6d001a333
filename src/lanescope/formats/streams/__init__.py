"""What profilers of streams have in common: lanes of devices, launches, waits, collectives.

An importer fills a `StreamRecording`; `stream_trace` makes the trace of it.
"""

from lanescope.formats.streams.build import stream_trace
from lanescope.formats.streams.recording import (
    AnnotationRows,
    CollectiveRows,
    DeviceLane,
    DeviceRows,
    HostRows,
    HostThread,
    SeriesRows,
    StepRows,
    StreamRecording,
    WaitRows,
)

__all__ = [
    "AnnotationRows",
    "CollectiveRows",
    "DeviceLane",
    "DeviceRows",
    "HostRows",
    "HostThread",
    "SeriesRows",
    "StepRows",
    "StreamRecording",
    "WaitRows",
    "stream_trace",
]
