"""What was recorded on threads goes through every exporter, and back where there is a way back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lanescope
from lanescope.cli import main
from lanescope.trace.flags import EXPORT_VERSIONS


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("platform", ["threads", "a2a3"])
def test_the_exported_records_come_back_as_they_were(
    platform: str, level: int, tmp_path: Path
) -> None:
    trace = lanescope.run(
        "paged_attention",
        platform=platform,
        chip_swimlane=level,
        settings={"batches": 8, "groups": 4},
    )
    lanescope.save(trace, tmp_path / "a.lanes")
    folder = tmp_path / "a.simpler"
    assert main(["export", str(tmp_path / "a.lanes"), "--to", "simpler", "-o", str(folder)]) == 0
    written = json.loads((folder / "chip_swimlane_records.json").read_text())
    assert (written["chip_swimlane_level"], written["version"]) == (level, EXPORT_VERSIONS[level])
    assert ("aicpu_orchestrator_phases" in written) == (level == 4)
    assert main(["import", str(folder), "-o", str(tmp_path / "b.lanes")]) == 0
    back = lanescope.load(tmp_path / "b.lanes")
    for name in ("task", "core", "token", "func"):
        assert np.array_equal(back.tasks[name], trace.tasks[name])
    # A simulated orchestrator begins at cycle 0, which a reader takes for no stamp.
    later = int(platform == "a2a3" and level == 4)
    for name in ("start_cycles", "end_cycles", *(("dispatch_cycles",) if level > 1 else ())):
        assert np.array_equal(back.tasks[name], trace.tasks[name] + later)
    assert len(back.phases) == len(trace.phases)


@pytest.mark.parametrize("target", ["perfetto", "chrome", "csv"])
def test_a_run_that_waited_is_exported(target: str, tmp_path: Path) -> None:
    trace = lanescope.run(
        "fan",
        platform="threads",
        settings={"width": 200, "spin_ns": 0},
        buffers=1,
        buffer_records=1,
    )
    assert len(trace.stalls)
    lanescope.save(trace, tmp_path / "a.lanes")
    out = tmp_path / f"a.{target}"
    assert main(["export", str(tmp_path / "a.lanes"), "--to", target, "-o", str(out)]) == 0
    assert out.exists()
