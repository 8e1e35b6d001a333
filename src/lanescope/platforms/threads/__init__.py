"""The thread platform: cores and controllers are threads in C, with real clocks."""

from __future__ import annotations

from lanescope.platforms.threads.machine import RunResult, ThreadMachine, parse_cores, run_graph

__all__ = ["RunResult", "ThreadMachine", "parse_cores", "run_graph"]
