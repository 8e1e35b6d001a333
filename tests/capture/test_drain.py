"""The drain when things go wrong: a full disk, a wild device, a lane that nobody empties."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lanescope.capture import SessionNote, create_session
from lanescope.capture.drain import DamagedRegion
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig

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
def test_a_device_gone_wild_stops_the_drain_with_the_place(
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
    assert isinstance(session.error, DamagedRegion)
    assert sentence in str(session.error)
    assert "lane 0 (core 0" in str(session.error)


def test_a_count_beyond_the_buffer_is_never_followed(tmp_path: Path) -> None:
    session = create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("a"))
    at = int(session.region.head.lanes[0]["buffers"])
    session.region.memory[at : at + 64].view(layout("ls_buffer"))[0]["count"] = 2**31
    session.region.lanes["published"] = 1
    session.start()
    session.stop()
    assert isinstance(session.error, DamagedRegion)


def test_a_quiet_region_drains_nothing_and_says_so(tmp_path: Path) -> None:
    session = create_session(tmp_path / "a.capture", CONFIG, note=SessionNote("quiet"))
    with session:
        session.region.mark_stopped()
    trace = session.reconcile()
    assert len(trace.tasks) == 0
    assert [entry.total for entry in trace.meta.ledger] == [0]
    assert np.array_equal(trace.cores["core"], [0])
