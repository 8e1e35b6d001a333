"""Packers write the same bytes as numpy, and a lane has its own place for what a kernel does."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout, now_place, packer


def numbered(name: str) -> tuple[list[int], bytes]:
    """Numbers for all elements of a struct, in order, and its bytes with these numbers."""
    record = np.zeros(1, layout(name))
    numbers: list[int] = []
    for field in layout(name).names or ():
        part = record[field].reshape(-1)
        part[:] = np.arange(len(part)) + len(numbers) + 1
        record[field] = part.reshape(record[field].shape)
        numbers += part.tolist()
    return numbers, record.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_is_packed_as_the_header_has_it(kind: str) -> None:
    numbers, data = numbered(f"ls_{kind}")
    assert packer(f"ls_{kind}").pack(*numbers) == data
    assert len(data) == layout(f"ls_{kind}").itemsize


def test_gaps_and_what_is_behind_the_last_field_are_zeros() -> None:
    """A lane has gaps between its lines, and an array of 4 words."""
    numbers, data = numbered("ls_lane")
    assert packer("ls_lane").pack(*numbers) == data
    assert (len(numbers), len(data)) == (27, 256)


def test_structs_follow_each_other() -> None:
    first, second = numbered("ls_slice_clock"), numbered("ls_slice")
    own = packer("ls_slice_clock", "ls_slice", "ls_slice")
    assert own.pack(*first[0], *second[0], *second[0]) == first[1] + second[1] * 2
    assert own is packer("ls_slice_clock", "ls_slice", "ls_slice")


def test_what_a_kernel_does_stands_in_the_line_of_the_segment() -> None:
    assert now_place() == 128
