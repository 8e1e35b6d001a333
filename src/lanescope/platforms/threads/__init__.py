"""The thread platform: worker and scheduler threads in C, with real clocks."""

from __future__ import annotations

from lanescope.platforms.threads.machine import Machine, RunResult, parse_cores, run_graph

__all__ = ["Machine", "RunResult", "parse_cores", "run_graph"]
