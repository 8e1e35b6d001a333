"""The open connections of a server, with a clock and sockets made by hand."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lanescope.viewer import connections
from lanescope.viewer.connections import Connections


class Clock:
    """Stands where a test puts it."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


class Wire:
    """A connection that remembers whether it was ended."""

    ended = False

    def shutdown(self, how: int) -> None:
        self.ended = True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(connections, "time", made)
    return made


def wires(count: int) -> list[Any]:
    return [cast("Any", Wire()) for _ in range(count)]


def ended_after(held: Connections, clock: Clock, wire: Any, seconds: float) -> tuple[bool, bool]:
    """Whether a connection is ended at this age, and just behind it."""
    clock.now = 100.0 + seconds
    held.end_late()
    before = wire.ended
    clock.now += 0.01
    held.end_late()
    return before, wire.ended


def test_a_request_has_ten_seconds_to_arrive(clock: Clock) -> None:
    held, (first, again) = Connections(), wires(2)
    held.add(first)
    assert ended_after(held, clock, first, 10.0) == (False, True)
    assert len(held) == 0
    clock.now = 95.0
    held.add(again)
    clock.now = 100.0
    held.wait(again)
    assert ended_after(held, clock, again, 10.0) == (False, True)


def test_who_has_shown_the_token_may_be_silent_for_a_minute(clock: Clock) -> None:
    held, (known,) = Connections(), wires(1)
    held.add(known)
    held.answer(known, known=True)
    held.wait(known)
    assert ended_after(held, clock, known, 60.0) == (False, True)


def test_an_answer_has_a_minute_to_be_taken_whoever_asked(clock: Clock) -> None:
    held, (stranger,) = Connections(), wires(1)
    held.add(stranger)
    held.answer(stranger, known=False)
    assert ended_after(held, clock, stranger, 60.0) == (False, True)


def test_who_was_known_once_stays_known(clock: Clock) -> None:
    held, (known,) = Connections(), wires(1)
    held.add(known)
    held.answer(known, known=True)
    held.answer(known, known=False)
    held.wait(known)
    assert ended_after(held, clock, known, 60.0) == (False, True)


def test_of_64_connections_the_stranger_that_came_first_makes_room(clock: Clock) -> None:
    held, every = Connections(), wires(65)
    for number, wire in enumerate(every[:64]):
        clock.now = 100.0 + number / 64
        assert held.add(wire)
    held.answer(every[0], known=True)
    assert not any(wire.ended for wire in every)
    assert held.add(every[64])
    assert [k for k, wire in enumerate(every) if wire.ended] == [1]
    assert len(held) == 64


def test_where_all_are_known_there_is_no_room(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 1)
    held, (known, late) = Connections(), wires(2)
    held.add(known)
    held.answer(known, known=True)
    assert not held.add(late)
    held.remove(known)
    assert held.add(late)
    assert not known.ended


def test_a_connection_that_is_gone_is_nobodys(clock: Clock) -> None:
    held, (gone,) = Connections(), wires(1)
    held.remove(gone)
    held.wait(gone)
    held.answer(gone, known=True)
    assert len(held) == 0
