"""What recording costs: a workload run with and without it, in turns, and the figures compared."""

from lanescope.overhead.comparison import BenchResult, compare
from lanescope.overhead.core_sources import compare_sources, read_sources, render_sources
from lanescope.overhead.plan import Configuration, configurations, rounds_of
from lanescope.overhead.report import BenchReport, FitReport, SourceReport
from lanescope.overhead.run import bench, bench_core_sources, bench_fit
from lanescope.overhead.sample import RunSample, measure_threads
from lanescope.overhead.simulated import jittered, measure_simulated
from lanescope.overhead.table import render_table

__all__ = [
    "BenchReport",
    "BenchResult",
    "Configuration",
    "FitReport",
    "RunSample",
    "SourceReport",
    "bench",
    "bench_core_sources",
    "bench_fit",
    "compare",
    "compare_sources",
    "configurations",
    "jittered",
    "measure_simulated",
    "measure_threads",
    "read_sources",
    "render_sources",
    "render_table",
    "rounds_of",
]
