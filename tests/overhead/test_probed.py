"""How much room the recordings of probes have."""

from __future__ import annotations

import pytest

from lanescope.overhead.probed import _whole


@pytest.mark.parametrize(
    ("protocol", "buffers"), [("after-finish", 2), ("staging", 1), ("producer-rotated", 1)]
)
def test_a_protocol_that_rotates_after_a_task_has_a_second_buffer(
    protocol: str, buffers: int
) -> None:
    """A full buffer waits for a task of the next one."""
    found = _whole(2, protocol, records=77)
    assert (found.chip_swimlane, found.protocol) == (2, protocol)
    assert (found.buffer_records, found.buffers) == (77, buffers)
