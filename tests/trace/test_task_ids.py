"""Task ids: both forms, there and back, and what is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.trace import MISSING
from lanescope.trace.task_ids import TaskIds, id_of, id_text, impossible, signed, unsigned

LABELS = [
    (TaskIds.RING, 0, "r0t0"),
    (TaskIds.RING, (1 << 32) + 5, "r1t5"),
    (TaskIds.RING, (255 << 32) + (1 << 32) - 1, "r255t4294967295"),
    (TaskIds.SPACE, 7, "t7"),
    (TaskIds.SPACE, 1 << 62 | 3 << 32 | 1, "g3t1"),
    (TaskIds.SPACE, 1 << 62 | 0xFFFFF << 32, "g1048575t0"),
    (TaskIds.SPACE, -1, "p0"),
    (TaskIds.SPACE, -6, "p5"),
    (TaskIds.PLAIN, (1 << 32) + 5, "4294967301"),
]


@pytest.mark.parametrize(("form", "task", "label"), LABELS)
def test_labels_are_what_the_runtime_prints_and_lead_back(
    form: TaskIds, task: int, label: str
) -> None:
    assert id_text(form, task) == label
    assert id_of(form, label) == task
    assert not impossible(form, np.array([task])).any()


def test_no_id_has_no_label() -> None:
    assert id_text(TaskIds.RING, MISSING) == ""
    assert id_of(TaskIds.RING, "t5") is None
    assert id_of(TaskIds.PLAIN, str((1 << 63) - 1)) == (1 << 63) - 1
    assert id_of(TaskIds.PLAIN, str(1 << 63)) is None
    assert id_of(TaskIds.PLAIN, "r0t5") is None
    assert id_of(TaskIds.SPACE, "x") is None


@given(st.one_of(st.integers(0, (1 << 63) - 1), st.integers(1 << 63, (3 << 62) - 1)))
def test_an_id_of_64_bits_comes_back(written: int) -> None:
    held = signed(written)
    assert held != MISSING and -(1 << 63) < held < 1 << 63
    assert unsigned(held) == written


def test_what_is_no_id() -> None:
    assert signed((1 << 64) - 1) == MISSING
    for written in (-1, 3 << 62, (1 << 64) - 2, 1 << 64):
        with pytest.raises(ValueError, match="is no task id"):
            signed(written)


def test_bits_that_no_part_uses() -> None:
    ids = np.array([1 << 40, (1 << 40) - 1, -1, MISSING])
    assert impossible(TaskIds.RING, ids).tolist() == [True, False, True, False]
    ids = np.array([1 << 32, 1 << 61, 1 << 62, 1 << 62 | 1 << 52, -(1 << 32), -(1 << 32) - 1])
    assert impossible(TaskIds.SPACE, ids).tolist() == [True, True, False, True, False, True]
