"""One question per file: plain functions from a Trace to a small frozen result."""

from lanescope.analyze.capture import Capture, CoreTally, Tally, capture
from lanescope.analyze.controllers import Controller, PhaseBudget, controllers
from lanescope.analyze.counters import CounterMean, Counters, counters
from lanescope.analyze.functions import FunctionCost, Functions, Mean, Spread, functions
from lanescope.analyze.instances import Instance, Slowest, slowest_instances
from lanescope.analyze.losses import Losses, RecordAccount, losses
from lanescope.analyze.makespan import KindUse, Makespan, Span, makespan
from lanescope.analyze.pipes import Inside, PipeShare, PipeUse, inside
from lanescope.analyze.queues import QueueDepth, queues

__all__ = [
    "Capture",
    "Controller",
    "CoreTally",
    "CounterMean",
    "Counters",
    "FunctionCost",
    "Functions",
    "Inside",
    "Instance",
    "KindUse",
    "Losses",
    "Makespan",
    "Mean",
    "PhaseBudget",
    "PipeShare",
    "PipeUse",
    "QueueDepth",
    "RecordAccount",
    "Slowest",
    "Span",
    "Spread",
    "Tally",
    "capture",
    "controllers",
    "counters",
    "functions",
    "inside",
    "losses",
    "makespan",
    "queues",
    "slowest_instances",
]
