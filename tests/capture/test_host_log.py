"""What the host notes beside a recording: the lines, and the rows they become."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.capture.test_launches import opened
from tests.capture.test_slices import head

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.gather import gather
from lanescope.capture.host_log import (
    LOG,
    BothClocks,
    HandleUsed,
    HostEvents,
    HostLogWriter,
    RangeBegun,
    read_host_log,
)
from lanescope.capture.host_rows import host_rows
from lanescope.capture.ledger import LaneCounts
from lanescope.device.head import Head
from lanescope.trace import MISSING, Trace


def written(folder: Path) -> HostEvents:
    problems: list[str] = []
    events = read_host_log(folder, problems)
    assert events is not None and problems == []
    return events


def test_a_log_that_is_there_is_neither_followed_nor_written(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / LOG).symlink_to(elsewhere)
    with pytest.raises(FileExistsError):
        HostLogWriter(tmp_path)
    assert elsewhere.read_text() == "mine"


def test_events_are_read_as_they_were_noted(tmp_path: Path) -> None:
    log = HostLogWriter(tmp_path)
    step = log.begin("step")
    assert [log.call("forward"), log.call()] == [1, 2]
    log.end(step)
    log.both_clocks(10, 20, 3)
    log.close()
    log.end(log.begin("too late"))
    events = written(tmp_path)
    assert events.threads == {0: "MainThread"}
    assert [(one.call, one.name, one.thread) for one in events.calls] == [
        (1, "forward", 0),
        (2, "", 0),
    ]
    [begun] = events.ranges
    assert begun.name == "step" and events.ends.keys() == {begun.range}
    assert begun.ns <= events.calls[0].ns <= events.calls[1].ns <= events.ends[begun.range]
    assert events.moments == [BothClocks(10, 20, 3)]


def test_a_full_disk_ends_the_log_and_not_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = HostLogWriter(tmp_path)
    log.call("forward")

    def full(file: int, line: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert log.call("backward") == 2
    assert log.call("later") == 3
    log.close()
    assert [call.name for call in written(tmp_path).calls] == ["forward"]
    assert log.problem == (
        "What the host did is known in part only: host.jsonl could not be written "
        "(No space left on device)."
    )


def test_a_line_that_fits_in_part_ends_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, write = HostLogWriter(tmp_path), os.write
    log.call("forward")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, line: write(file, line[:10]))
        log.call("backward")
    problems: list[str] = []
    events = read_host_log(tmp_path, problems)
    assert events is not None and [call.name for call in events.calls] == ["forward"]
    assert problems == [f"{tmp_path / LOG}: 1 line is no event and was left out"]
    assert log.problem.endswith("(no space left).")


def test_every_thread_has_a_number(tmp_path: Path) -> None:
    log = HostLogWriter(tmp_path)
    for name in ("loader", "saver"):
        thread = threading.Thread(target=lambda: log.end(log.begin("work")), name=name)
        thread.start()
        thread.join()
    log.call()
    log.close()
    events = written(tmp_path)
    assert events.threads == {0: "loader", 1: "saver", 2: "MainThread"}
    assert [one.thread for one in events.ranges] == [0, 1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_notes_nothing(tmp_path: Path) -> None:
    log = HostLogWriter(tmp_path)
    log.call()
    child = os.fork()
    if not child:
        log.call("of the child")
        os._exit(0)
    os.waitpid(child, 0)
    log.close()
    assert [one.name for one in written(tmp_path).calls] == [""]


def test_without_a_log_there_is_nothing(tmp_path: Path) -> None:
    assert read_host_log(tmp_path, []) is None


def test_lines_that_are_no_events_are_left_out_and_counted(tmp_path: Path) -> None:
    log = HostLogWriter(tmp_path)
    log.call("kept")
    log.close()
    path = tmp_path / LOG
    wrong = b'{"type":"call"}\n\xff\n{"type":"end","range":-1,"ns":1}\n[[[\n{"type":"moment","devi'
    path.write_bytes(path.read_bytes() + wrong)
    problems: list[str] = []
    events = read_host_log(tmp_path, problems)
    assert events is not None and [one.name for one in events.calls] == ["kept"]
    assert problems == [f"{path}: 5 lines are no events and were left out"]


def clocked(folder: Path) -> Head:
    """The region was made at 10 µs of the device's clock, 1,000,000 µs of the host's."""
    own = head(folder)
    own.header["clock_cycles"], own.header["clock_unix_ns"] = 10_000, 10**9
    return own


def decoded(own: Head, events: HostEvents) -> Trace:
    gathered = gather([opened(20, 1, 7)], own)
    return assemble(CaptureContents(own, gathered, LaneCounts(None), host=events))


def host_ns(us: float) -> int:
    """A moment of the host, in µs after the region was made."""
    return 10**9 + round(1000 * us)


def test_ranges_and_uses_are_phases_of_their_thread(tmp_path: Path) -> None:
    events = HostEvents(
        threads={0: "MainThread"},
        calls=[HandleUsed(1, 0, host_ns(6), "forward")],
        ranges=[
            RangeBegun(1, 0, host_ns(5), "step"),
            RangeBegun(2, 0, host_ns(5.5), "inner"),
            RangeBegun(3, 7, host_ns(8), "load"),
        ],
        ends={1: host_ns(15), 2: host_ns(9), 3: host_ns(9)},
    )
    trace = decoded(clocked(tmp_path), events)
    phases = trace.phases
    assert trace.text("phases", "kind") == ["step", "inner", "launch", "load"]
    assert trace.text("phases", "category") == ["annotation", "annotation", "call", "annotation"]
    assert phases["controller"].tolist() == [0, 0, 0, 1]
    assert phases["start_ns"].tolist() == [0, 500, 1000, 3000]
    assert phases["end_ns"].tolist() == [10_000, 4000, 1000, 4000]
    assert phases["depth"].tolist() == [0, 1, 2, 0]
    assert phases["launch"].tolist() == [MISSING, MISSING, 1, MISSING]
    assert set(trace.text("phases", "lane")) == {"host"}
    assert trace.text("controllers", "name") == ["MainThread", "thread 7"]
    assert trace.text("controllers", "kind") == ["host thread"] * 2
    assert trace.text("launches", "name") == ["forward"]
    assert trace.launches["start_ns"].tolist() == [5000]


def test_two_moments_tell_how_fast_the_clocks_run(tmp_path: Path) -> None:
    """The device's clock counts twice as fast."""
    moment = BothClocks(device_ns=30_000, unix_ns=host_ns(10), error_ns=1)
    events = HostEvents(ranges=[RangeBegun(1, 0, host_ns(4), "a")], moments=[moment])
    events.ends[1] = host_ns(8)
    found = host_rows(events, clocked(tmp_path))
    assert found is not None
    assert (found.begun.tolist(), found.ended.tolist()) == ([18_000], [26_000])
    for useless in (BothClocks(9000, host_ns(10), 1), BothClocks(30_000, 5, 1)):
        events.moments[:] = [useless]
        (tmp_path / str(useless.device_ns)).mkdir()
        found = host_rows(events, clocked(tmp_path / str(useless.device_ns)))
        assert found is not None and found.begun.tolist() == [14_000]


def test_a_range_that_is_still_open_lasts_to_the_last_moment(tmp_path: Path) -> None:
    events = HostEvents(
        calls=[HandleUsed(1, 0, host_ns(9))], ranges=[RangeBegun(1, 0, host_ns(5), "step")]
    )
    trace = decoded(clocked(tmp_path), events)
    assert trace.phases["end_ns"].tolist() == [4000, 4000]
    assert "1 range was open when the host's log ends." in trace.meta.notes


def test_moments_far_outside_the_run_have_no_time_and_move_no_other(tmp_path: Path) -> None:
    events = HostEvents(calls=[HandleUsed(1, 0, 1 << 61), HandleUsed(2, 0, 0)])
    trace = decoded(clocked(tmp_path), events)
    assert trace.meta.base_cycles == 20_000
    assert np.all(trace.phases["start_ns"] == MISSING)
