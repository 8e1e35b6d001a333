"""Bursts of trace engines: whose clock counts, and what cannot be decoded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.analyze.hand import make_trace

from lanescope.capture import bursts
from lanescope.capture.bursts import NO_CLOCKS, with_bursts
from lanescope.chunks import Clocks
from lanescope.device.head import Core
from lanescope.trace import Trace

TRACE = make_trace({"notes": ("first",)})
CORES = [Core("aic", clock_hz=900), Core("aiv"), Core("aic")]


def attached(
    monkeypatch: pytest.MonkeyPatch, streams: dict[int, list[str]], core_hz: dict[str, int]
) -> tuple[Trace, Any]:
    """The trace, and what was attached to it: by core, its parts with the clocks of each."""
    given: list[Any] = []

    def attach(trace: Trace, decoded: Any) -> Trace:
        given.append(decoded)
        return trace

    monkeypatch.setattr(bursts, "core_streams", lambda gathered, head: streams)
    monkeypatch.setattr(bursts, "decode", lambda part, clocks: (part, clocks))
    monkeypatch.setattr(bursts, "attach_parts", attach)
    head = cast(Any, SimpleNamespace(cores=CORES, header={"clock_hz": 50}))
    found = with_bursts(TRACE, cast(Any, None), head, core_hz)
    return found, given[0] if given else None


def test_a_core_has_its_own_clock_or_that_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = {0: ["a", "b"], 1: ["c"], 2: ["d"]}
    found, given = attached(monkeypatch, streams, {"aic": 800, "aiv": 700})
    assert found is TRACE
    assert given == {
        0: [("a", Clocks(900, 50)), ("b", Clocks(900, 50))],
        1: [("c", Clocks(700, 50))],
        2: [("d", Clocks(800, 50))],
    }


def test_where_a_clock_is_not_known_nothing_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given = attached(monkeypatch, {0: ["a"], 1: ["c"]}, {"aic": 800})
    assert (found.meta.notes, given) == (("first", NO_CLOCKS), None)


def test_without_bursts_a_trace_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given = attached(monkeypatch, {}, {})
    assert (found is TRACE, given) == (True, None)
