"""Sessions: everything recorded arrives joined and accounted for, whatever the set-up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.capture.runs import MACHINE, graph, recorded
from tests.device.copies import shadow_of

from lanescope.capture import SessionNote, create_session
from lanescope.device.head import PROTOCOLS
from lanescope.device.region import Region
from lanescope.device.shadow import ShadowCopy
from lanescope.errors import OutputError, TransportError
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.recorded import region_config
from lanescope.trace import MISSING, Trace
from lanescope.trace.flags import level_flags

LEAST_BUFFERS = {"after-finish": 2}


def shadow(region: Region) -> ShadowCopy:
    return shadow_of(region.memory)


def require_whole(trace: Trace, tasks: int) -> None:
    """Every task once, with times in order, and a ledger that closes with nothing lost."""
    assert np.array_equal(np.sort(trace.tasks["task"]), np.arange(tasks))
    assert not trace.tasks["flags"].any()
    assert (trace.tasks["start_cycles"] > 0).all()
    assert (trace.tasks["start_ns"] <= trace.tasks["end_ns"]).all()
    for entry in trace.meta.ledger:
        assert (entry.dropped, entry.unmatched, entry.closes) == (0, 0, True)
        assert entry.total == entry.delivered
    if trace.meta.level >= 2:
        order = ("dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns")
        times = np.array([trace.tasks[name] for name in order])
        assert (np.diff(times, axis=0) >= 0).all()
        assert times.min() >= 0


def require_edges_held(trace: Trace) -> None:
    """At level 1 a start stamp may run ahead of the load that it follows, by some tens of ns."""
    early = 0 if trace.meta.level > 1 else int(trace.meta.clock_hz or 0) // 1_000_000
    ends = dict(zip(trace.tasks["task"].tolist(), trace.tasks["end_cycles"].tolist(), strict=True))
    starts = dict(
        zip(trace.tasks["task"].tolist(), trace.tasks["start_cycles"].tolist(), strict=True)
    )
    pairs = zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True)
    assert all(ends[pred] <= starts[succ] + early for pred, succ in pairs)


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_task_arrives_at_every_level(tmp_path: Path, protocol: str, level: int) -> None:
    work = graph(300)
    session = recorded(
        tmp_path / "a.capture", work, protocol=protocol, chip_swimlane=level, buffer_records=7
    )
    trace = session.reconcile()
    require_whole(trace, 300)
    require_edges_held(trace)
    assert trace.meta.level == level
    assert trace.meta.flags == level_flags(level)
    assert np.array_equal(trace.tasks["func"], work.func[trace.tasks["task"]])
    lanes = set(trace.text("phases", "lane"))
    assert lanes == {3: {"scheduler"}, 4: {"scheduler", "orchestrator"}}.get(level, set())
    if level == 4:
        submits = trace.phases["submit"][trace.phases["lane"] == trace.code("orchestrator")]
        assert np.array_equal(submits, np.arange(300))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("records", "buffers"), [(1, 1), (1, 2), (3, 1), (1000, 8)])
def test_a_shadow_copy_brings_the_same_as_shared_memory(
    tmp_path: Path, protocol: str, records: int, buffers: int
) -> None:
    session = recorded(
        tmp_path / "a.capture",
        graph(120),
        transport=shadow,
        protocol=protocol,
        buffer_records=records,
        buffers=max(buffers, LEAST_BUFFERS.get(protocol, 1)),
    )
    require_whole(session.reconcile(), 120)


@pytest.mark.parametrize("first", [0, 2**32 - 3, 2**32 - 1, 2**31])
def test_tokens_may_wrap(tmp_path: Path, first: int) -> None:
    session = recorded(tmp_path / "a.capture", graph(90), first_token=first, buffer_records=3)
    trace = session.reconcile()
    require_whole(trace, 90)
    for core in range(3):
        tokens = trace.tasks["token"][trace.tasks["core"] == core]
        assert np.array_equal(tokens, first + np.arange(len(tokens)))


def test_waiting_for_buffers_is_in_the_trace(tmp_path: Path) -> None:
    session = recorded(tmp_path / "a.capture", graph(400), buffer_records=1, buffers=1)
    trace = session.reconcile()
    require_whole(trace, 400)
    assert len(trace.stalls) > 0
    assert set(trace.text("stalls", "cause")) == {"no free buffer"}
    assert (trace.stalls["end_ns"] >= trace.stalls["start_ns"]).all()
    assert not trace.stalls["records"].any()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_dropped_is_counted_to_the_record(tmp_path: Path, protocol: str) -> None:
    session = recorded(
        tmp_path / "a.capture",
        graph(500),
        protocol=protocol,
        on_full="drop",
        buffer_records=1,
        buffers=LEAST_BUFFERS.get(protocol, 1),
    )
    trace = session.reconcile()
    for entry in trace.meta.ledger:
        assert entry.closes
        if entry.kind.endswith("_task"):
            assert entry.reason == (
                "" if not entry.dropped else f"{entry.dropped} found no free buffer"
            )
    core = [entry for entry in trace.meta.ledger if entry.kind == "core_task"]
    assert sum(entry.total for entry in core) == 500
    dropped = sum(entry.dropped for entry in trace.meta.ledger)
    assert dropped == int(trace.stalls["records"].sum())
    assert dropped > 0


def test_rows_with_one_record_only_are_kept_flagged_and_without_foreign_times(
    tmp_path: Path,
) -> None:
    session = recorded(
        tmp_path / "a.capture", graph(500), on_full="drop", buffer_records=2, buffers=1
    )
    trace = session.reconcile()
    alone = (trace.tasks["flags"] & 1) != 0
    assert (trace.tasks["start_ns"][alone] == MISSING).all()
    assert (trace.tasks["end_ns"][alone] == MISSING).all()
    silent = trace.tasks["core"] < 0
    assert set(np.array(trace.text("tasks", "kind"))[silent]) <= {"node"}
    assert len(np.unique(trace.tasks["task"])) == 500


def test_a_capture_not_yet_recovered_is_never_overwritten(tmp_path: Path) -> None:
    recorded(tmp_path / "a.capture", graph(20))
    before = sorted((path.name, path.read_bytes()) for path in (tmp_path / "a.capture").glob("s*"))
    with pytest.raises(OutputError, match="holds a capture that was not finished"):
        recorded(tmp_path / "a.capture", graph(20))
    after = sorted((path.name, path.read_bytes()) for path in (tmp_path / "a.capture").glob("s*"))
    assert after == before


def test_a_set_up_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="could not be had"):
        recorded(tmp_path / "a.capture", graph(20), buffer_records=1 << 20, buffers=4096)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("earlier", [None, OutputError("the disk is full")])
def test_the_first_failure_is_the_sessions_also_where_the_device_is_gone_at_the_end(
    earlier: OutputError | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = region_config(graph(3), MACHINE, Recording())
    session = create_session(tmp_path / "a.capture", config, note=SessionNote("a", "threads"))
    gone = TransportError("the device is gone")
    leave = session._heart.stop

    def stop() -> None:
        leave()
        raise gone

    monkeypatch.setattr(session._heart, "stop", stop)
    session.start()
    session.error = earlier
    session.stop()
    assert session.error is (earlier or gone)
    assert not session.records


@pytest.mark.parametrize("earlier", [None, OutputError("the disk is full")])
def test_the_first_failure_is_the_sessions_also_where_the_last_counters_cannot_be_had(
    earlier: OutputError | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = region_config(graph(3), MACHINE, Recording())
    session = create_session(tmp_path / "a.capture", config, note=SessionNote("a", "threads"))
    gone = TransportError("the device does not answer")

    def fail() -> bytes:
        raise gone

    monkeypatch.setattr(session, "_spool_rest", fail)
    session.start()
    session.error = earlier
    session.stop()
    assert session.error is (earlier or gone)


def test_a_session_that_was_stopped_gives_its_room_for_buffers_back(tmp_path: Path) -> None:
    config = region_config(graph(3), MACHINE, Recording())
    session = create_session(tmp_path / "a.capture", config, note=SessionNote("a", "threads"))
    session.start()
    [drain] = [thread.drain for thread in session._threads]
    assert drain._out.nbytes > 0
    session.stop()
    assert drain._out.nbytes == 0


@pytest.mark.parametrize("earlier", [None, OutputError("the disk is full")])
def test_the_first_failure_is_the_sessions_also_where_memory_is_not_given_back(
    earlier: OutputError | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = region_config(graph(3), MACHINE, Recording())
    session = create_session(tmp_path / "a.capture", config, note=SessionNote("a", "threads"))
    gone = TransportError("the memory is not ours any more")

    def close() -> None:
        raise gone

    monkeypatch.setattr(session._reach, "close", close)
    session.start()
    session.error = earlier
    session.stop()
    assert session.error is (earlier or gone)
