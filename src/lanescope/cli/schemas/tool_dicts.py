"""Types of JSON objects that are written by hand, of commands that record, recover, probe and list.

Each says which function makes it; tests hold real output against the schemas.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from lanescope.cli.schemas.dicts import TraceNumbers
from lanescope.model.manifest.manifest import ManifestRegion
from lanescope.probe.result import ProbeVerdict


class AgentAddress(TypedDict):
    """Where an agent listens (`cli/agent.py`)."""

    host: str
    port: int
    region: str
    """File of the region."""
    bytes: int
    """Size of the region."""
    token: str | None
    """The token that the agent made; null where one was given to it."""


class CollectedTrace(TraceNumbers):
    """A trace that was collected (`cli/collect.py`)."""

    exit_code: NotRequired[int]
    """Of the program; not there with --connect."""
    timed_out: NotRequired[bool]
    """Whether the program was asked to end because its time was over; not there with --connect."""
    tensors: NotRequired[int]
    """Number of tensors that the program dumped."""
    tensors_folder: NotRequired[str]


class RecoveredTrace(TraceNumbers):
    """A trace that was recovered (`cli/recover.py`)."""

    buffers: int
    """Number of buffers that were found in the spool and in the region."""
    leftover_buffers: int
    """Number of these that only the region had."""
    problems: list[str]
    """What is missing or damaged, one sentence each."""


class ConfigDefault(TypedDict):
    """One default that a file sets (`cli/config.py`)."""

    command: str
    option: str
    value: Any


class KnownValue(TypedDict):
    """One value of a board, without keys that are not known (`BoardSheet.to_dict`)."""

    value: int | float | str
    basis: str
    source: str
    low: NotRequired[float]
    high: NotRequired[float]
    note: NotRequired[str]


class ManifestFile(TypedDict):
    """`Manifest.to_dict`: what a file of `manifest -o` holds."""

    activation_ceiling: int
    """Offset of the first weight; 0 without weights."""
    regions: list[ManifestRegion]
    ddr_capacity_bytes: int | None


class ProbeConfiguration(TypedDict):
    """What a collector should use (`Findings.configuration`); null where it is still unknown."""

    address: str | None
    stream: str | None
    wrap: str | None
    pointer: str | None
    invalidate: bool | None
    form: str | None
    fixp_code: int | None
    exclusive: bool | None


class ProbeFigures(TypedDict):
    """`Findings.to_dict`."""

    verdicts: dict[str, ProbeVerdict]
    """By the name of the question."""
    configuration: ProbeConfiguration
    complete: bool
    problem: str | None
    """Why the probe ended before the last question; null where it did not."""
