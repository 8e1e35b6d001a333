"""Options of commands that record: the recording and the machine that they ask for."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from tests.analyze.hand import make_trace

from lanescope.cli.options import recording
from lanescope.cli.options.writing import Chosen
from lanescope.errors import OutputError, UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.trace import load


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


def test_settings_of_a_workload_are_read_without_the_spaces_around_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lanescope.workloads.build_workload", lambda *words: words)
    found: object = recording.graph_of(parsed("--set", " a = b=c ", "--set", "d="))
    assert found == ("fan", {"a": "b=c", "d": ""})
    with pytest.raises(UsageError) as refused:
        recording.graph_of(parsed("--set", "tasks"))
    assert str(refused.value) == "expected --set NAME=VALUE, found 'tasks'"


def test_a_machine_that_cannot_be_is_refused_before_its_workload_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lanescope.workloads.build_workload", lambda *_: pytest.fail("made"))
    with pytest.raises(UsageError, match="7"):
        recording.graph_of(parsed("--pre-dispatch", "7"))


def test_a_trace_that_cannot_be_stored_names_its_capture_where_there_is_one(
    tmp_path: Path,
) -> None:
    for directory, more in (
        (
            tmp_path,
            f"; what was recorded is in {tmp_path}, 'lanescope recover' makes a trace of it",
        ),
        (tmp_path / "none", ""),
    ):
        with pytest.raises(OutputError) as found, recording.keeping(directory):
            raise OutputError("the disk is full")
        assert str(found.value) == f"the disk is full{more}"
    with pytest.raises(UsageError, match=r"^no$"), recording.keeping(tmp_path):
        raise UsageError("no")


def test_a_capture_lies_beside_its_trace_and_goes_as_a_whole(tmp_path: Path) -> None:
    directory = recording.capture_path(tmp_path / "a.lanes")
    assert directory == tmp_path / "a.capture"
    directory.mkdir()
    (directory / "spool").touch()
    recording.remove_capture(directory)
    assert list(tmp_path.iterdir()) == []


def test_a_trace_is_saved_where_it_was_chosen(tmp_path: Path) -> None:
    chosen = Chosen(tmp_path / "a.lanes")
    args = argparse.Namespace(force=False)
    recording.save_or_keep(make_trace({"name": "x"}), chosen, args, directory=tmp_path)
    assert load(tmp_path / "a.lanes").meta.name == "x"
    with pytest.raises(OutputError, match=f"; what was recorded is in {tmp_path}, "):
        recording.save_or_keep(make_trace(), chosen, args, directory=tmp_path)
