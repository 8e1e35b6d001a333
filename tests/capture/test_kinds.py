"""What the capture knows per kind of record, it knows of every kind."""

from __future__ import annotations

from lanescope.capture import flight_lanes, waiting_buffers
from lanescope.device import head
from lanescope.device.kinds import KINDS, RECORD_KINDS


def test_it_is_said_of_every_kind_whether_its_records_tell_the_time() -> None:
    assert set(waiting_buffers._ENDS) == set(KINDS)


def test_it_is_said_of_every_kind_whether_a_flight_shows_its_lanes() -> None:
    assert {*flight_lanes._RECORDS, "slice"} == set(KINDS)


def test_the_owners_of_every_kind_are_counted_in_the_header() -> None:
    assert {kind.owner for kind in RECORD_KINDS} == set(head._OWNER_COUNTS)
