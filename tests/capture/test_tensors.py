"""Tensors of a dump, from the records of a lane made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.capture.buffers import head_of, payload_of

from lanescope.capture.assemble import CaptureContents
from lanescope.capture.directory import DumpAsked, SessionNote
from lanescope.capture.gather import gather
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.tensors import dump_recorded, is_sound, unfinished
from lanescope.device.head import Array, Core
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.dump.read import read_tensors
from lanescope.trace.flags import Feature

CONFIG = RegionConfig(
    flags=Feature.DUMP_TENSOR,
    cores=(Core("aic"),),
    clock_hz=1_000_000_000,
    buffers=dict.fromkeys(KINDS, 2),
    functions={4: "add"},
)
WORDS = 15


def facts(values: int, **changes: object) -> Array:
    """Facts of a tensor of so many int64."""
    own = np.zeros(1, layout("ls_tensor_facts"))
    own["task"], own["func"], own["dtype"], own["argument"] = 17, 4, 4, 2
    own["dimensions"], own["bytes"], own["kept"] = 1, 8 * values, 8 * values
    own["shape"][0, 0], own["strides"][0, 0] = values, 1
    for name, value in changes.items():
        own[name] = value
    return own


def tensor(number: int, values: Array, **changes: object) -> Array:
    """The records of one tensor: its facts, then its values, 15 to a record."""
    own = facts(len(values), **changes)
    kept = values[: int(own["kept"][0]) // 8]
    records = np.zeros(1 + -(-len(kept) // WORDS), layout("ls_tensor"))
    records["number"], records["part"] = number, np.arange(len(records))
    room = np.zeros((len(records) - 1) * WORDS, np.uint64)
    room[: len(kept)] = kept
    records["words"] = np.concatenate([own.view(np.uint64), room]).reshape(-1, WORDS)
    return records


def capture(*parts: Array, made: int, size: int | None = None) -> CaptureContents:
    """A capture with one lane of tensors, which the program says it made so many of."""
    head = head_of(CONFIG)
    lane = int(np.flatnonzero(head.lanes["kind"] == KINDS.index("tensor"))[0])
    head.lanes["source_made"][lane] = made
    records = np.concatenate([np.empty(0, layout("ls_tensor")), *parts])
    lanes = [np.zeros(0, layout(f"ls_{KINDS[kind]}")) for kind in head.lanes["kind"]]
    lanes[lane] = records
    note = SessionNote("run", dump=DumpAsked("add"))
    gathered = gather([payload_of(lanes, size)], head)
    return CaptureContents(head, gathered, LaneCounts(head.lanes), note=note)


def test_a_tensor_over_many_records_is_its_values_and_facts(tmp_path: Path) -> None:
    values = np.arange(40, dtype=np.uint64)
    strided = {"dimensions": 2, "shape": [2, 20, 0, 0, 0, 0], "strides": [1, 2, 0, 0, 0, 0]}
    first = tensor(0, values)
    second = tensor(1, values + 100, stage=1, role=2, start_offset=0, **strided)
    totals = dump_recorded(capture(first, second, made=2, size=3), tmp_path / "d")
    assert totals is not None
    assert (totals.count, totals.dropped, totals.truncated) == (2, 0, 0)
    one, two = read_tensors(tmp_path / "d")
    assert one.array().tolist() == list(range(40))
    assert (one.task, one.functions, one.arg_index) == (17, ("add",), 2)
    assert (one.role, one.stage, one.dtype) == ("input", "before_dispatch", "int64")
    assert (one.shape, one.is_contiguous, one.truncated) == ((40,), True, False)
    assert (two.role, two.stage, two.shape) == ("inout", "after_completion", (2, 20))
    assert (two.is_contiguous, two.elements().tolist()) == (False, list(range(100, 140)))


def test_a_tensor_that_was_cut_keeps_its_first_values(tmp_path: Path) -> None:
    """The program kept 20 of 40 values; another tensor lost a record in its middle."""
    values = np.arange(40, dtype=np.uint64)
    cut = tensor(0, values, kept=160)
    torn = np.delete(tensor(1, values), 2)
    assert dump_recorded(capture(cut, torn, tensor(2, values), made=3), tmp_path / "d") is not None
    tensors = read_tensors(tmp_path / "d")
    kept = [one.elements().tolist() for one in tensors]
    assert kept == [list(range(20)), list(range(WORDS)), list(range(40))]
    assert [one.truncated for one in tensors] == [True, True, False]


@pytest.mark.parametrize(
    ("numbers", "made", "dropped"),
    [([0, 1], 2, 0), ([2, 3], 4, 2), ([0, 5], 6, 4), ([0], 3, 2), ([], 3, 3), ([0, 1], 1, 0)],
)
def test_tensors_that_have_no_records_are_counted(
    tmp_path: Path, numbers: list[int], made: int, dropped: int
) -> None:
    parts = [tensor(number, np.arange(3, dtype=np.uint64)) for number in numbers]
    totals = dump_recorded(capture(*parts, made=made), tmp_path / "d")
    assert totals is not None
    assert (totals.count, totals.dropped) == (len(numbers), dropped)


def test_a_tensor_with_facts_that_cannot_be_right_is_dropped_and_the_next_is_read(
    tmp_path: Path,
) -> None:
    values = np.arange(20, dtype=np.uint64)
    parts = tensor(0, values, dtype=99), tensor(1, values)
    totals = dump_recorded(capture(*parts, made=2), tmp_path / "d")
    assert totals is not None
    assert (totals.count, totals.dropped) == (1, 1)
    [one] = read_tensors(tmp_path / "d")
    assert one.elements().tolist() == list(range(20))


@pytest.mark.parametrize(
    ("changes", "sound"),
    [
        ({}, True),
        ({"dimensions": 6, "shape": [4, 1, 1, 1, 1, 1]}, True),
        ({"dimensions": 7}, False),
        ({"role": 2, "stage": 1}, True),
        ({"role": 3}, False),
        ({"stage": 2}, False),
        ({"dtype": 12, "bytes": 8, "kept": 8}, True),
        ({"dtype": 13}, False),
        ({"bytes": 31}, False),
        ({"kept": 33}, False),
        ({"kept": 0}, True),
    ],
)
def test_facts_that_contradict_themselves_are_not_believed(
    changes: dict[str, object], sound: bool
) -> None:
    assert is_sound(facts(4, **changes)[0]) == sound


def test_a_tensor_that_the_last_buffer_cuts_goes_on_with_the_number_before_it() -> None:
    values = np.arange(3 * WORDS, dtype=np.uint64)
    whole, cut = tensor(6, values), tensor(7, values)[:-1]

    def rest(*parts: Array) -> tuple[int, int | None]:
        own = capture(*parts, made=9, size=2)
        records, number = unfinished(own.gathered, len(own.head.lanes) - 1)
        return len(records), number

    assert rest() == (0, None)
    assert rest(whole) == (0, 6)
    assert rest(whole, cut) == (3, 6)
    assert rest(cut) == (3, 6)
    assert rest(whole[1:]) == (0, None)
