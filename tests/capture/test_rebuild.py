"""Traces rebuilt from what is left: spool or region alone, both, or damaged ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.capture.runs import graph, recorded
from tests.trace.test_store import assert_same

import lanescope
from lanescope.analyze.recording.losses import losses
from lanescope.capture import Recovery, recover
from lanescope.capture.spool import SpoolReader
from lanescope.cli import main
from lanescope.device.layouts import layout
from lanescope.device.region import open_region
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace import Meta, Trace


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A finished capture with many small buffers."""
    session = recorded(tmp_path / "a.capture", graph(300), buffer_records=16, buffers=4)
    del session
    return tmp_path / "a.capture"


def tasks_of(trace: Trace) -> list[int]:
    return sorted(trace.tasks["task"][trace.ran()].tolist())


def whole(trace: Trace) -> bool:
    return all(entry.closes and not entry.dropped for entry in trace.meta.ledger)


def test_a_finished_capture_is_recovered_whole(capture: Path) -> None:
    found = recover(capture)
    assert tasks_of(found.trace) == list(range(300))
    assert found.problems == ()
    assert found.trace.meta.notes == ("Recovered; nothing is missing.",)
    assert (found.trace.meta.name, found.trace.meta.chip) == ("random_dag", "threads")
    assert whole(found.trace)


def test_the_spool_alone_is_enough(capture: Path) -> None:
    (capture / "region").unlink()
    found = recover(capture)
    assert tasks_of(found.trace) == list(range(300))
    assert whole(found.trace)


def test_a_spool_without_its_end_says_what_is_not_known(capture: Path) -> None:
    (capture / "region").unlink()
    spool = capture / "spool"
    last = list(SpoolReader(spool).frames())[-1].offset
    spool.write_bytes(spool.read_bytes()[:last])
    found = recover(capture)
    assert whole(found.trace)
    assert found.problems == (
        "The region is gone or out of reach, so what came after the end of the spool is not known",
    )
    reason = "the region's counters could not be read, so there may be more"
    assert {(entry.unknown, entry.reason) for entry in found.trace.meta.ledger} == {(True, reason)}


def test_a_region_whose_head_is_gone_at_the_end_leaves_the_account_open(capture: Path) -> None:
    """The spool ends with the head as the collector found it, which is no head any more."""
    spool = capture / "spool"
    last = list(SpoolReader(spool).frames())[-1].offset
    spool.write_bytes(spool.read_bytes()[:last])
    with (capture / "region").open("r+b") as region:
        region.write(b"\xff" * 64)
    found = recover(capture)
    assert all(entry.unknown for entry in found.trace.meta.ledger)
    assert not losses(found.trace).nothing_lost
    assert "Nothing lost" not in str(lanescope.report(found.trace))


@pytest.mark.parametrize(
    ("field", "value"), [("published", 1 << 60), ("opened", 1 << 60), ("recorded", 1 << 60)]
)
def test_wild_counters_of_a_lane_are_unknown_in_this_lane_only(
    capture: Path, field: str, value: int
) -> None:
    open_region(capture / "region").lanes[field][1] = value
    found = recover(capture)
    unknown = [place for place, entry in enumerate(found.trace.meta.ledger) if entry.unknown]
    assert unknown == [1]
    assert all(entry.closes for entry in found.trace.meta.ledger)
    assert tasks_of(found.trace) == list(range(300))
    assert found.problems == (
        "core 1: the counters of its lane contradict each other, so what is left in its buffers "
        "was not read",
    )


def test_buffers_not_yet_spooled_come_from_the_region(tmp_path: Path) -> None:
    recorded(tmp_path / "a.capture", graph(300), buffer_records=1024)
    capture = tmp_path / "a.capture"
    (capture / "spool").unlink()
    found = recover(capture)
    assert found.leftover_buffers == found.buffers == len(open_region(capture / "region").lanes)
    assert tasks_of(found.trace) == list(range(300))


def test_a_recovery_as_a_dict_leaves_the_trace_out() -> None:
    trace = Trace(meta=Meta(name="a", tool="test", origin="measured"))
    assert Recovery(trace, 5, 2, ("The region is gone",)).to_dict() == {
        "buffers": 5,
        "leftover_buffers": 2,
        "problems": ["The region is gone"],
    }


def test_an_open_buffer_counts_what_was_recorded(tmp_path: Path) -> None:
    """The lanes are put back to the moment before they were flushed: published nothing."""
    recorded(tmp_path / "a.capture", graph(300), buffer_records=1024)
    capture = tmp_path / "a.capture"
    (capture / "spool").unlink()
    region = open_region(capture / "region")
    region.lanes["published"] = 0
    header = region.memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0]
    header["state"] = 1
    for lane in region.head.lanes:
        start = int(lane["buffers"])
        region.memory[start : start + 64].view(layout("ls_buffer"))[0]["count"] = 0
    found = recover(capture)
    assert tasks_of(found.trace) == list(range(300))
    assert found.problems == (
        "The recorded program did not stop by itself; its last tasks may be cut off",
    )


def test_a_buffer_both_spooled_and_in_the_region_is_counted_once(capture: Path) -> None:
    region = open_region(capture / "region")
    region.lanes["released"] -= np.minimum(region.lanes["released"], 2)
    found = recover(capture)
    assert tasks_of(found.trace) == list(range(300))
    assert whole(found.trace)


def test_a_damaged_frame_is_refused_by_place_and_its_records_are_counted(capture: Path) -> None:
    spool = capture / "spool"
    frames = [frame for frame in SpoolReader(spool).frames() if frame.kind == 2]
    victim = frames[0]
    data = bytearray(spool.read_bytes())
    data[victim.offset + 32 + 5] ^= 1
    spool.write_bytes(data)
    found = recover(capture)
    assert len(found.problems) == 1
    assert found.problems[0].startswith(f"{spool}: bytes {victim.offset} to ")
    assert "checksum of frame" in found.problems[0]
    lost = [entry for entry in found.trace.meta.ledger if entry.dropped]
    assert lost
    assert all("were written but did not arrive" in entry.reason for entry in lost)
    assert all(entry.closes for entry in found.trace.meta.ledger)


@pytest.mark.parametrize("seed", range(30))
def test_garbage_in_the_region_never_crashes(capture: Path, seed: int) -> None:
    """Every result is a trace or one clear sentence."""
    rng = np.random.default_rng(seed)
    (capture / "spool").unlink()
    data = np.fromfile(capture / "region", np.uint8)
    at = rng.integers(0, len(data) if seed % 2 else 12000, 40)
    data[at] = rng.integers(0, 256, 40)
    if seed % 3 == 0:
        data = data[: int(rng.integers(0, len(data)))]
    data.tofile(capture / "region")
    try:
        found = recover(capture)
    except LanescopeError as error:
        assert "\n" not in str(error)
    else:
        assert len(found.trace.tasks) >= 300


def test_nothing_to_recover_is_said_in_a_sentence(capture: Path, tmp_path: Path) -> None:
    (capture / "spool").unlink()
    (capture / "region").unlink()
    with pytest.raises(LanescopeError, match="neither the region nor the spool can be read"):
        recover(capture)
    with pytest.raises(UsageError, match="expected the directory of a capture"):
        recover(tmp_path / "nowhere")


def test_recovering_changes_nothing(capture: Path, tmp_path: Path) -> None:
    shutil.copytree(capture, tmp_path / "copy")
    recover(capture)
    for name in ("spool", "region", "session.json"):
        assert (capture / name).read_bytes() == (tmp_path / "copy" / name).read_bytes()


@pytest.mark.parametrize(
    "limits", [{"since": "50us"}, {"core": "1"}, {"since": 0, "until": 90_000}]
)
def test_a_part_of_a_capture_is_what_select_takes_of_it(
    capture: Path, limits: dict[str, Any]
) -> None:
    whole = lanescope.recover(capture).trace
    part = lanescope.recover(capture, **limits).trace
    assert len(part.tasks) < len(whole.tasks) or "core" not in limits
    assert_same(part, lanescope.select(whole, **limits))


def test_the_command_stores_a_part_and_refuses_an_empty_one(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["recover", str(capture), "-o", str(tmp_path / "part.lanes"), "--core", "1"]) == 0
    part = lanescope.load(tmp_path / "part.lanes")
    assert set(part.tasks["core"].tolist()) == {1}
    assert part.meta.notes[-1] == "Only a part of the capture: cores 1."
    assert [e.total for e in part.meta.ledger] == [
        e.total for e in recover(capture).trace.meta.ledger
    ]
    assert (
        main(["recover", str(capture), "-o", str(tmp_path / "none.lanes"), "--since", "999s"]) == 2
    )
    assert "random_dag has nothing in this part (time " in capsys.readouterr().err
    assert not (tmp_path / "none.lanes").exists()


def test_a_choice_of_cores_that_leaves_nothing_but_phases_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One task runs on one of three cores."""
    recorded(tmp_path / "a.capture", graph(1))
    whole = recover(tmp_path / "a.capture").trace
    idle = min({0, 1, 2} - set(whole.tasks["core"].tolist()))
    assert len(lanescope.select(whole, core=idle).phases) > 0
    target = tmp_path / "none.lanes"
    words = ["recover", str(tmp_path / "a.capture"), "-o", str(target), "--core", str(idle)]
    assert main(words) == 2
    assert f"random_dag has nothing in this part (cores {idle})" in capsys.readouterr().err
    assert not target.exists()
