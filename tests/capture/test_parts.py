"""What one part of a capture leaves for the next one, from counters and buffers made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.capture.buffers import buffer_of, head_of

from lanescope.capture.assemble import CaptureContents
from lanescope.capture.gather import Gatherer
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.parts import (
    PartState,
    RemovedPart,
    load_state,
    part_contents,
    part_notes,
    part_path,
    within_quota,
)
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.trace import Meta, Trace, save
from lanescope.trace.flags import Feature
from lanescope.trace.meta import LedgerEntry

CONFIG = RegionConfig(flags=level_features(1), cores=(Core("aic"),) * 2, clock_hz=1_000_000_000)


def state(head: Head, **counters: int) -> PartState:
    """The state after one part, in which lane 0 came so far."""
    before = replace(PartState.at_start(head), stored=1, strays=3)
    for name, value in counters.items():
        before.lanes[name][0] = value
    before.numbers[:] = [8, 6]
    return before


def contents(head: Head, counters: LaneCounts) -> CaptureContents:
    """Lane 0: two records that an earlier part handed on, and a buffer of five."""
    gatherer = Gatherer(head)
    record = layout("ls_core_task")
    gatherer.add(buffer_of(np.zeros(2, record), lane=0, sequence=4))
    gatherer.carried = 1
    new = buffer_of(np.zeros(5, record), lane=0, sequence=5, first=20, dropped=11)
    gatherer.add(new)
    return CaptureContents(head, gatherer.gather(), counters)


def lane_0(part: CaptureContents, *names: str) -> list[int]:
    assert part.counts.lanes is not None
    return [int(part.counts.lanes[name][0]) for name in names]


NAMES = ("recorded", "dropped", "mismatched", "source_made", "wait_start")


def test_a_part_counts_from_the_end_of_the_one_before_to_its_own_last_buffer() -> None:
    """The device has recorded 40 and dropped 30, but 25 and 11 were handed over so far."""
    head = head_of(CONFIG)
    head.header["strays"] = 8
    before = state(head, recorded=20, dropped=4, mismatched=1, source_made=6)
    lanes = head.lanes.copy()
    for name, value in zip(NAMES, (40, 30, 12, 9, 77), strict=True):
        lanes[name][0] = value
    part = part_contents(contents(head, LaneCounts(lanes)), before, ends=False)
    assert lane_0(part.contents, *NAMES) == [5 + 2, 7, 7, 3, 0]
    assert part.lanes is not None
    assert [int(part.lanes[name][0]) for name in NAMES] == [25, 11, 12, 9, 0]
    assert (part.strays, int(part.contents.head.header["strays"])) == (8, 5)
    headers = part.contents.gathered.buffers
    assert headers["first"].tolist() == [0, 2]
    assert headers["dropped"].tolist() == [0, 7]
    assert part.contents.first_numbers == {0: 8, 1: 6}


def test_the_last_part_has_the_counters_of_the_device() -> None:
    head = head_of(CONFIG)
    before = state(head, recorded=20, dropped=4)
    lanes = head.lanes.copy()
    lanes["recorded"][0], lanes["dropped"][0], lanes["wait_start"][0] = 40, 30, 77
    part = part_contents(contents(head, LaneCounts(lanes)), before, ends=True)
    assert lane_0(part.contents, "recorded", "dropped", "wait_start") == [22, 26, 77]
    assert int(part.contents.head.header["strays"]) == 0


def test_without_counters_a_part_has_none() -> None:
    head = head_of(CONFIG)
    part = part_contents(contents(head, LaneCounts(None)), state(head), ends=True)
    assert part.lanes is None
    assert part.contents.counts.lanes is None


def test_before_the_first_part_nothing_is_counted_and_numbers_are_those_before_the_first() -> None:
    """The first tensor has number 0, the first dispatch that of the region."""
    flags = level_features(1) | Feature.DUMP_TENSOR
    config = replace(CONFIG, flags=flags, first_token=7, buffers=dict.fromkeys(KINDS, 2))
    head = head_of(config)
    start = PartState.at_start(head)
    kinds = [KINDS[kind] for kind in head.lanes["kind"]]
    assert dict(zip(kinds, start.numbers.tolist(), strict=True)) == {"core_task": 6, "tensor": -1}
    assert (start.stored, start.strays, len(start.payload)) == (0, 0, 0)
    assert not start.next.any()
    assert not start.lanes["recorded"].any()


def test_a_state_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    head = head_of(CONFIG)
    removed = (RemovedPart("a.0001.lanes", 5, 7),)
    saved = replace(state(head, recorded=9), removed=removed, payload=np.arange(3, dtype=np.uint8))
    assert load_state(tmp_path) is None
    saved.save(tmp_path)
    loaded = load_state(tmp_path)
    assert loaded is not None
    assert (loaded.stored, loaded.strays, loaded.removed) == (1, 3, removed)
    assert loaded.payload.tolist() == [0, 1, 2]
    assert np.array_equal(loaded.lanes, saved.lanes)
    assert loaded.numbers.tolist() == [8, 6]
    assert [path.name for path in tmp_path.iterdir()] == ["parts.npz"]


@pytest.mark.parametrize(
    ("removed", "note"),
    [
        ((), None),
        (("a",), "a was deleted to stay within the quota: 2,000 records, 1,000 bytes."),
        (("a", "b"), "a to b were deleted to stay within the quota: 4,000 records, 2,000 bytes."),
    ],
)
def test_a_part_says_which_it_is_and_which_were_deleted(
    removed: tuple[str, ...], note: str | None
) -> None:
    gone = tuple(RemovedPart(name, 1000, 2000) for name in removed)
    notes = part_notes(replace(state(head_of(CONFIG)), removed=gone))
    first = "Part 2 of a recording that was cut into parts."
    assert notes == ((first,) if note is None else (first, note))


def test_the_oldest_parts_are_deleted_until_one_more_of_the_largest_fits(tmp_path: Path) -> None:
    """Three parts, of which the last is the largest: room for it again costs the first two."""
    target = tmp_path / "run.lanes"
    ledger = (LedgerEntry("core 0", "core_task", total=9, delivered=8, dropped=1),)
    sizes = []
    for number in (1, 2, 3):
        path = part_path(target, "-7", number)
        assert path.name == f"run-7.{number:04d}.lanes"
        save(Trace(meta=Meta(name="run", tool="t", origin="measured", ledger=ledger)), path)
        (path / "more").write_bytes(bytes(1000 if number == 3 else 0))
        sizes.append(sum(file.stat().st_size for file in path.iterdir()))
    own = replace(state(head_of(CONFIG)), stored=3)
    options = {"state": own, "directory": tmp_path, "target": target, "suffix": "-7"}

    def left(quota: int) -> list[str]:
        nonlocal own
        own = within_quota(**{**options, "state": own}, quota=quota)  # type: ignore[arg-type]
        found = {path.name[6:10] for path in tmp_path.glob("run-7.*.lanes")}
        return sorted(found - {"0000", "0004"})

    for number in (0, 4):  # of an earlier recording, and so no part of this one
        other = part_path(target, "-7", number)
        other.mkdir()
        (other / "more").write_bytes(bytes(1 << 20))
    everything = sum(sizes) + sizes[2]
    assert left(0) == left(everything) == ["0001", "0002", "0003"]
    assert left(everything - 1) == ["0002", "0003"]
    assert own.removed == (RemovedPart("run-7.0001.lanes", sizes[0], 9),)
    known = load_state(tmp_path)
    assert known is not None
    assert known.removed == own.removed
    assert left(2 * sizes[2]) == ["0003"]
    assert left(1) == []
    assert len(list(tmp_path.glob("run-7.*.lanes"))) == 2
