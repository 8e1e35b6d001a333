"""The drain when things go wrong: a full disk, a wild device, a lane that nobody empties."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.capture.programs import EXAMPLE, built
from tests.device.copies import shadow_of

from lanescope.capture import SessionNote, create_session
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.region import Region, RegionConfig
from lanescope.device.shadow import ShadowCopy
from lanescope.trace import load

CONFIG = RegionConfig(flags=level_features(1), cores=(Core("aic"),), buffer_records=4, buffers=2)

FULL_DISK = """
import resource, sys
from pathlib import Path
from lanescope.cli import main
from tests.capture.runs import graph, recorded
session = recorded(Path(sys.argv[1]), graph(3000), buffer_records=64, buffers=2)
trace = session.reconcile()
import json
print(json.dumps({
    "error": str(session.error),
    "closes": all(entry.closes for entry in trace.meta.ledger),
    "total": sum(e.total for e in trace.meta.ledger if e.kind == "core_task"),
    "delivered": sum(e.delivered for e in trace.meta.ledger if e.kind == "core_task"),
    "reasons": [e.reason for e in trace.meta.ledger if e.dropped],
    "notes": trace.meta.notes,
}))
"""


def test_a_full_disk_keeps_what_was_spooled_and_counts_the_rest(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; the run itself is not held up."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (160_000, 160_000))

    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "a.capture")],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=limit,
        timeout=60,
    )
    found = json.loads(done.stdout)
    assert "could not grow beyond" in found["error"]
    assert found["closes"]
    assert found["total"] == 3000
    assert 0 < found["delivered"] < 3000
    assert all("were written but did not arrive" in reason for reason in found["reasons"])
    assert found["notes"][0].startswith("Capturing stopped early: ")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("published", 3, "its counter ran backwards"),
        ("published", 1, "a published buffer has another one's header"),
    ],
)
def test_a_lane_gone_wild_is_refused_with_the_place(
    tmp_path: Path, field: str, value: int, sentence: str
) -> None:
    session = create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("a"))
    lane = session.region.head.lanes[0]
    at = int(lane["buffers"])
    buffer = session.region.memory[at : at + 64].view(layout("ls_buffer"))[0]
    buffer["sequence"] = 77
    session.region.lanes[field] = value
    session.start()
    session.stop()
    assert session.region.lanes["refused"].tolist() == [1]
    assert session.error is None
    trace = session.reconcile()
    assert [(entry.unknown, entry.closes) for entry in trace.meta.ledger] == [(True, True)]
    assert trace.meta.notes[0].startswith("lane 0 (core 0, kind 0) is damaged, buffer ")
    assert sentence in trace.meta.notes[0]


def test_a_count_beyond_the_buffer_is_never_followed(tmp_path: Path) -> None:
    session = create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("a"))
    at = int(session.region.head.lanes[0]["buffers"])
    session.region.memory[at : at + 64].view(layout("ls_buffer"))[0]["count"] = 2**31
    session.region.lanes["published"] = 1
    session.start()
    session.stop()
    assert session.region.lanes["refused"].tolist() == [1]


@pytest.mark.parametrize("copied", [False, True])
def test_one_lane_gone_wild_leaves_the_others_alone(tmp_path: Path, copied: bool) -> None:
    """Lanes 0 and 2 are wild, each in its way; lane 1 publishes a buffer, and then another."""
    config = replace(CONFIG, cores=(Core("aic"),) * 3)

    def shadow(region: Region) -> ShadowCopy:
        return shadow_of(region.memory)

    session = create_session(
        tmp_path / "a.capture", config, note=SessionNote("a"), transport=shadow if copied else None
    )
    region = session.region
    region.lanes["published"][0] = 1 << 60
    region.lanes["published"][2] = 1  # its buffer has the header of another one
    at = int(region.head.lanes["buffers"][2])
    region.memory[at : at + 64].view(layout("ls_buffer"))[0]["lane"] = 1
    for sequence in range(2):
        at = int(region.head.lanes["buffers"][1]) + sequence * int(
            region.head.lanes["buffer_stride"][1]
        )
        header = region.memory[at : at + 64].view(layout("ls_buffer"))[0]
        header["sequence"], header["lane"], header["count"] = sequence, 1, 4
        header["first"] = 4 * sequence
        region.lanes["opened"][1] = region.lanes["published"][1] = sequence + 1
        region.lanes["recorded"][1] = 4 * sequence + 4
        assert session.tick() == 1
    session.stop()
    assert region.lanes["released"].tolist() == [0, 2, 0]
    assert region.lanes["refused"].tolist() == [1, 0, 1]
    ledger = session.reconcile().meta.ledger
    assert [(entry.total, entry.unknown) for entry in ledger] == [(0, True), (8, False), (0, True)]


@pytest.mark.parametrize("copied", [False, True])
def test_the_fullest_ring_decides_how_often_to_come(tmp_path: Path, copied: bool) -> None:
    """Of 4 buffers lane 0 has 1 to be taken, lane 1 has 3; in the next round there are none."""
    config = replace(CONFIG, cores=(Core("aic"),) * 2, buffers=4)

    def shadow(region: Region) -> ShadowCopy:
        return shadow_of(region.memory)

    session = create_session(
        tmp_path / "a.capture", config, note=SessionNote("a"), transport=shadow if copied else None
    )
    region = session.region
    for lane, published in enumerate((1, 3)):
        for sequence in range(published):
            at = int(region.head.lanes["buffers"][lane]) + sequence * int(
                region.head.lanes["buffer_stride"][lane]
            )
            header = region.memory[at : at + 64].view(layout("ls_buffer"))[0]
            header["sequence"], header["lane"], header["count"] = sequence, lane, 4
        region.lanes["opened"][lane] = region.lanes["published"][lane] = published
    (thread,) = session._threads
    assert (session.tick(), thread.drain.fullest) == (4, 75)
    assert (session.tick(), thread.drain.fullest) == (0, 0)
    session.stop()


def test_a_quiet_region_drains_nothing_and_says_so(tmp_path: Path) -> None:
    session = create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("quiet"))
    with session:
        session.region.mark_stopped()
    trace = session.reconcile()
    assert len(trace.tasks) == 0
    assert [entry.total for entry in trace.meta.ledger] == [0]
    assert np.array_equal(trace.cores["core"], [0])


def test_a_full_disk_is_said_and_exits_with_1(tmp_path: Path) -> None:
    program = built(EXAMPLE, tmp_path / "own_runtime")
    script = (
        "import sys; from lanescope.cli import main; "
        "from lanescope.capture.spool import SpoolWriter; append = SpoolWriter._write_all\n"
        "def small(spool, parts):\n"
        "    if spool.bytes > 60_000: raise OSError(28, 'No space left on device')\n"
        "    append(spool, parts)\n"
        "SpoolWriter._write_all = small\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "collect", "-o", str(tmp_path), "--", str(program), "50000"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "LOST: " in done.stdout
    assert "capturing stopped early: " in done.stderr
    assert "No space left on device" in done.stderr
    assert not (tmp_path / "own_runtime.capture").exists()
    assert all(entry.closes for entry in load(tmp_path / "own_runtime.lanes").meta.ledger)


def test_a_session_that_was_stopped_takes_nothing_more(tmp_path: Path) -> None:
    session = create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("a"))
    with session:
        pass
    session.region.lanes["published"] = 1
    assert session.tick() == 0
    assert session.region.lanes["released"].tolist() == [0]
