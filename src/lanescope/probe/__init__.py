"""Bring-up of a trace engine whose behaviour is unknown: experiments, and what they show."""

from lanescope.probe.device import BringUp, ProbeStopped, Step
from lanescope.probe.result import CANNOT_TELL, Findings, ProbeVerdict
from lanescope.probe.run import probe_engine

__all__ = [
    "CANNOT_TELL",
    "BringUp",
    "Findings",
    "ProbeStopped",
    "ProbeVerdict",
    "Step",
    "probe_engine",
]
