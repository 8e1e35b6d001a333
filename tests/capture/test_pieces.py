"""Joining piece by piece gives the rows of one join of everything, however small the pieces are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.capture.buffers import head_of, payload_of
from tests.trace.test_store import assert_same

from lanescope.capture import gather as gathering
from lanescope.capture import pieces
from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.carry import carry_over
from lanescope.capture.gather import gather
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.pieces import EVERYTHING, TokenRecords
from lanescope.capture.rebuild import store
from lanescope.capture.stamps import stamp_window
from lanescope.capture.task_pieces import TaskPieces
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.trace import Meta, load, select
from lanescope.trace.flags import Feature
from lanescope.trace.part import part_of

Array = npt.NDArray[Any]
CORES, TASKS, WRAP = 3, 150, 2**32
ONE_PIECE = 1 << 40


def region_head(first_token: int) -> Head:
    config = RegionConfig(
        flags=level_features(4) | Feature.PMU,
        cores=(Core("aic"), Core("aiv"), Core("aiv")),
        clock_hz=1_000_000_000,
        first_token=first_token,
    )
    return head_of(config)


def records_of(kind: str, core: int, first_token: int, rng: np.random.Generator) -> Array:
    """The records of one lane: whole ones, of which some are then lost, repeated or damaged."""
    rows = np.zeros(TASKS, layout(f"ls_{kind}"))
    number = np.arange(TASKS)
    time = 1000 + number * 100 + core
    if "token" in rows.dtype.names:
        rows["token"] = (first_token + number) % WRAP
        rows["task"] = core * TASKS + number
    for field, after in {"start": 10, "end": 60, "dispatch": 0, "finish": 80}.items():
        if field in rows.dtype.names:
            rows[field] = time + after
    if kind == "pmu":
        rows["total_cycles"] = number
        rows["counters"] = rng.integers(0, 99, rows["counters"].shape)
    if "kind" in rows.dtype.names:
        rows["kind"] = rng.integers(0, 4, TASKS)
    rows = rows[np.sort(rng.choice(TASKS, TASKS - 12, replace=False))]
    twice = rng.integers(1, len(rows), 4)
    rows = np.insert(rows, twice, rows[twice - 1])
    wrong = rng.integers(0, len(rows), 6)
    if "token" in rows.dtype.names:
        rows["token"][wrong[:2]] = rng.integers(0, WRAP, 2)
    for field in [name for name in ("start", "dispatch", "end") if name in rows.dtype.names]:
        rows[field][rng.permutation(wrong)[:2]] = 2**63 - 1, 5
    return rows


def capture_of(seed: int, first_token: int) -> CaptureContents:
    head, rng = region_head(first_token), np.random.default_rng(seed)
    lanes = [
        records_of(KINDS[lane["kind"]], int(lane["owner"]), first_token, rng) for lane in head.lanes
    ]
    counters = head.lanes.copy()
    counters["recorded"] = [len(records) for records in lanes]
    return CaptureContents(head, gather([payload_of(lanes, 8)], head), LaneCounts(counters))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes are read some buffers at a time."""
    monkeypatch.setattr(gathering, "CHUNK", 40)
    monkeypatch.setattr(pieces, "CHUNK", 40)


@pytest.mark.parametrize("first_token", [0, WRAP - 40])
@pytest.mark.parametrize("seed", range(4))
def test_small_pieces_give_what_one_piece_gives(seed: int, first_token: int) -> None:
    capture = capture_of(seed, first_token)
    whole = assemble(replace(capture, piece_records=ONE_PIECE))
    assert {flags for flags in (1, 2, 4, 8, 1024) if (whole.tasks["flags"] & flags).any()} == {
        *(1, 2, 4, 8, 1024)
    }
    assert all(entry.closes for entry in whole.meta.ledger)
    for size in (1, 16, 100):
        assert_same(assemble(replace(capture, piece_records=size)), whole)


def test_small_pieces_are_many_and_cover_every_record_once() -> None:
    capture = capture_of(7, WRAP - 40)
    window = stamp_window(capture.head)
    records = TokenRecords(capture.gathered, capture.head, window, piece_records=16)
    assert len(records.pieces) > 50
    for kind in ("core_task", "controller_task", "pmu"):
        parts = [records.read(kind, piece) for piece in records.pieces]
        numbers = np.concatenate([part.number for part in parts])
        assert np.array_equal(np.sort(numbers), np.arange(records.count(kind)))
        assert max(len(part.rows) for part in parts) < 100
        whole = records.read(kind, EVERYTHING)
        assert np.array_equal(
            np.concatenate([part.rows for part in parts])[np.argsort(numbers)], whole.rows
        )


def test_the_base_is_the_earliest_whole_task_in_whichever_piece_it_is() -> None:
    """The earliest record of all, on core 0, has no partner; the earliest task is core 1's."""
    head = region_head(0)
    first = {0: [5, 1000, 2000], 1: [300, 900], 2: [400]}
    lanes = [np.zeros(0, layout(f"ls_{KINDS[kind]}")) for kind in head.lanes["kind"]]
    for number, lane in enumerate(head.lanes):
        if not KINDS[lane["kind"]].endswith("_task"):
            continue
        times = first[int(lane["owner"])]
        rows = np.zeros(len(times), lanes[number].dtype)
        of_core = KINDS[lane["kind"]] == "core_task"
        begin, end = ("start", "end") if of_core else ("dispatch", "finish")
        rows[begin], rows[end] = times, np.array(times) + 10
        rows["token"] = np.arange(len(times))
        lanes[number] = rows[1:] if of_core and lane["owner"] == 0 else rows
    counters = head.lanes.copy()
    counters["recorded"] = [len(records) for records in lanes]
    found = CaptureContents(head, gather([payload_of(lanes, 1)], head), LaneCounts(counters))
    for size in (1, 5, ONE_PIECE):
        assert assemble(replace(found, piece_records=size)).meta.base_cycles == 300


def test_pieces_are_cut_at_the_middle_of_a_buffer_once_enough_records_have_passed() -> None:
    """Buffers of four records of core 0: after eight records a new piece begins."""
    head = region_head(0)
    rows = np.zeros(16, layout("ls_core_task"))
    rows["token"], rows["start"] = np.arange(16), 100 - np.arange(16)
    records = TokenRecords(
        gather([payload_of([rows], 4)], head), head, stamp_window(head), piece_records=8
    )
    inf = np.inf
    keys = [(piece.first, piece.last) for piece in records.pieces]
    assert keys == [((-inf, -inf), (0, 6)), ((0, 6), (0, 14)), ((0, 14), (inf, inf))]
    assert [piece.earliest for piece in records.pieces] == [93, 85, 85]


def test_a_piece_that_is_asked_for_again_is_not_joined_again() -> None:
    capture = capture_of(1, 0)
    window = stamp_window(capture.head)
    records = TokenRecords(capture.gathered, capture.head, window, piece_records=16)
    pieces = TaskPieces(records, capture.head, window=window, lifecycle=True)
    first, second = pieces.pieces[:2]
    rows = pieces.rows(first)
    assert pieces.rows(first) is rows
    assert pieces.rows(second) is not rows


def test_tokens_wrap_again_and_again_from_chunk_to_chunk() -> None:
    head = region_head(0)
    numbers = np.arange(400, dtype=np.int64) << 30
    rows = np.zeros(len(numbers), layout("ls_core_task"))
    rows["token"] = numbers % WRAP
    window = stamp_window(head)
    for size in (1, 3, 100):
        gathered = gather([payload_of([rows], size)], head)
        records = TokenRecords(gathered, head, window, piece_records=50)
        parts = [records.read("core_task", piece).key.token for piece in records.pieces]
        assert len(parts) > 3
        assert np.array_equal(np.concatenate(parts), numbers)


def test_what_is_beyond_the_slowest_lane_of_a_core_goes_on() -> None:
    """Of core 0 five core records came, four of the controller and three samples."""
    head, turns = region_head(0), 7 * WRAP
    came = {"core_task": 5, "controller_task": 4, "pmu": 3}
    lanes = [np.zeros(0, layout(f"ls_{KINDS[kind]}")) for kind in head.lanes["kind"]]
    for number, lane in enumerate(head.lanes):
        if lane["owner"] == 0 and KINDS[lane["kind"]] in came:
            lanes[number] = np.zeros(came[KINDS[lane["kind"]]], lanes[number].dtype)
            lanes[number]["token"] = np.arange(len(lanes[number]))
    first = dict.fromkeys(range(len(lanes)), turns - 1)
    gathered = gather([payload_of(lanes, 2)], head)
    records = TokenRecords(gathered, head, stamp_window(head), first_numbers=first)
    following = np.full(len(lanes), 3, np.uint64)
    carried = carry_over(records, head, following, lifecycle=True)
    kinds = [KINDS[kind] for kind in head.lanes["kind"]]
    counts = {kinds[n]: int(carried.counts[n]) for n in np.flatnonzero(carried.counts).tolist()}
    assert counts == {"core_task": 2, "controller_task": 1}
    assert {kind: records.read(kind, EVERYTHING).key.token.tolist() for kind in came} == {
        kind: [turns, turns + 1, turns + 2] for kind in came
    }
    again = TokenRecords(
        gather([carried.payload], head), head, stamp_window(head), first_numbers=first
    )
    assert again.read("core_task", EVERYTHING).key.token.tolist() == [turns + 3, turns + 4]
    assert max(carried.numbers.tolist()) == turns + 4


def test_no_more_goes_on_than_rings_of_buffers_hold() -> None:
    """A controller that records no more holds up its core's records for one ring."""
    head = region_head(0)
    ring = int(head.lanes["buffer_records"][0]) * int(head.lanes["buffer_count"][0])
    rows = np.zeros(ring + 50, layout("ls_core_task"))
    rows["token"] = np.arange(len(rows))
    gathered = gather([payload_of([rows], 500)], head)
    records = TokenRecords(gathered, head, stamp_window(head))
    carried = carry_over(records, head, np.full(len(head.lanes), 9), lifecycle=True)
    assert carried.counts[0] == ring
    assert records.read("core_task", EVERYTHING).key.token.tolist() == list(range(50))


def carried_of(records: dict[str, list[int]], *, lifecycle: bool) -> tuple[dict[str, int], int]:
    """How many records of core 0 go on, by kind, and how many core records stay."""
    head = region_head(0)
    lanes = [np.zeros(0, layout(f"ls_{KINDS[kind]}")) for kind in head.lanes["kind"]]
    for number, lane in enumerate(head.lanes):
        tokens = records.get(KINDS[lane["kind"]]) if lane["owner"] == 0 else None
        if tokens:
            lanes[number] = np.zeros(len(tokens), lanes[number].dtype)
            lanes[number]["token"] = tokens
    own = TokenRecords(gather([payload_of(lanes, 2)], head), head, stamp_window(head))
    carried = carry_over(own, head, np.full(len(lanes), 3, np.uint64), lifecycle=lifecycle)
    kinds = [KINDS[kind] for kind in head.lanes["kind"]]
    counts = {kinds[n]: int(carried.counts[n]) for n in np.flatnonzero(carried.counts).tolist()}
    return counts, len(own.read("core_task", EVERYTHING).rows)


def test_a_lane_without_another_of_its_core_hands_nothing_on() -> None:
    """Also where its last record is not its newest."""
    assert carried_of({"core_task": [0, 5, 2]}, lifecycle=False) == ({}, 3)


def test_samples_hold_up_a_core_only_where_there_are_any() -> None:
    cores = {"core_task": [0, 1, 2], "controller_task": [0, 1, 2]}
    assert carried_of(cores, lifecycle=True) == ({}, 3)
    with_one = {**cores, "pmu": [0]}
    assert carried_of(with_one, lifecycle=True) == ({"core_task": 2, "controller_task": 2}, 1)


def same(meta: Meta) -> Meta:
    return meta


@pytest.mark.parametrize("seed", range(2))
def test_the_stored_trace_is_the_one_in_memory(tmp_path: Path, seed: int) -> None:
    capture = replace(capture_of(seed, WRAP - 40), piece_records=32)
    stored = store(capture, tmp_path / "a.lanes", finish=same)
    whole = assemble(capture)
    assert_same(load(tmp_path / "a.lanes"), whole)
    assert stored.meta == whole.meta
    assert stored.ran == int(whole.ran().sum())
    assert stored.rows["tasks"] == len(whole.tasks)


@pytest.mark.parametrize(
    "limits",
    [{"since": 3000, "until": 6000}, {"core": "1"}, {"since": 9000, "core": [0, 2]}, {"until": -1}],
)
def test_a_part_is_what_select_takes(tmp_path: Path, limits: dict[str, Any]) -> None:
    capture = replace(capture_of(3, 0), piece_records=32)
    store(capture, tmp_path / "a.lanes", finish=same, part=part_of(**limits))
    assert_same(load(tmp_path / "a.lanes"), select(assemble(capture), **limits))
