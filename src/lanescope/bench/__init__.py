"""What recording costs: a workload run with and without it, in turns, and the figures compared."""

from lanescope.bench.comparison import BenchResult, compare
from lanescope.bench.core_sources import compare_sources, read_sources, render_sources
from lanescope.bench.plan import Configuration, configurations, rounds_of
from lanescope.bench.report import BenchReport, FitReport, SourceReport
from lanescope.bench.run import bench, bench_core_sources, bench_fit
from lanescope.bench.sample import RunSample, measure_threads
from lanescope.bench.simulated import jittered, measure_simulated
from lanescope.bench.table import render_table

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
