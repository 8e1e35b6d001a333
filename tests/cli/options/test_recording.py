"""Options of commands that record: the recording and the machine that they ask for."""

from __future__ import annotations

import argparse

import pytest

from lanescope.cli.options import recording
from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest


def parsed(*options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    recording.configure_workload(parser)
    recording.configure_buffers(parser)
    return parser.parse_args(["fan", *options])


def test_without_options_a_recording_is_as_in_python() -> None:
    args = parsed()
    made = recording.recording_of(args, level=4, protocol=Recording().protocol)
    assert made == Recording()
    assert made.host_lost_s == 30.0
    assert recording.machine_of(args) == MachineRequest(platform=recording.PLATFORM)


def test_every_option_arrives_in_the_recording_and_the_machine() -> None:
    args = parsed(
        *("--platform", "threads", "--cores", "aic=2", "--schedulers", "3", "--pre-dispatch", "0"),
        *("--pin", "--on-full", "drop", "--host-lost", "250ms", "--buffer-records", "16"),
        *("--buffers", "2"),
    )
    made = recording.recording_of(
        args, level=3, protocol="staging", pmu="memory", core_source="driver"
    )
    assert made == Recording(
        chip_swimlane=3,
        pmu="memory",
        core_swimlane=True,
        core_source="driver",
        protocol="staging",
        on_full="drop",
        buffer_records=16,
        buffers=2,
        host_lost_s=0.25,
    )
    assert recording.machine_of(args) == MachineRequest(
        platform="threads", cores="aic=2", schedulers=3, pre_dispatch=0, pin=True
    )


def test_a_simulated_host_is_never_lost() -> None:
    with pytest.raises(UsageError) as found:
        recording.host_lost_s(parsed("--platform", "a5", "--host-lost", "1s"))
    assert str(found.value) == (
        "--host-lost is for --platform threads and cuda; the host of a5 is simulated and is never "
        "lost"
    )
