"""Two sides of one run or several, named after their files, and parts of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.compare.diff import Diff
from lanescope.errors import UsageError
from lanescope.facade import comparing
from lanescope.facade.comparing import diff
from lanescope.trace import Trace, save


def lasting(ns: int, name: str = "x") -> Trace:
    return make_trace(
        meta={"name": name},
        cores=[{"core": 0, "kind": "aic"}],
        functions=[{"func": 0, "name": "A"}],
        tasks=[task(0, None, None, 0, ns, None, task=1, func=0)],
    )


def test_a_side_is_called_as_its_file_and_a_trace_in_memory_as_it_is(tmp_path: Path) -> None:
    save(lasting(100), tmp_path / "before.lanes")
    found = diff(tmp_path / "before.lanes", lasting(200, "after"))
    assert (found.base, found.new) == (("before.lanes",), ("after",))


def test_a_side_may_have_several_runs() -> None:
    found = diff([lasting(100, "a"), lasting(100, "b")], lasting(200, "c"))
    assert (found.base, found.new) == (("a", "b"), ("c",))
    found = diff((lasting(100, "a"),), [lasting(200, "b"), lasting(200, "c")])
    assert (found.base, found.new) == (("a",), ("b", "c"))


def test_only_one_run_on_each_side_may_be_a_prediction_and_its_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def pair(base: Trace, new: Trace) -> tuple[Trace, Trace]:
        asked.append((base.meta.name, new.meta.name))
        return base, new

    monkeypatch.setattr(comparing, "prediction_pair", pair)
    monkeypatch.setattr(comparing, "program_diff", lambda *_: None)
    found = diff(lasting(1, "a"), lasting(1, "b"))
    assert (found.base, found.new, found.rows) == (("a",), ("b",), ())
    with pytest.raises(UsageError, match="compared whole, line by line"):
        diff(lasting(1, "a"), lasting(1, "b"), since=0)
    diff(lasting(1, "a"), lasting(1, "b"), since=None)
    asked.clear()
    diff([lasting(1, "a"), lasting(1, "b")], lasting(1, "c"))
    diff(lasting(1, "a"), [lasting(1, "b"), lasting(1, "c")])
    diff([lasting(1, "a"), lasting(1, "b")], [lasting(1, "c"), lasting(1, "d")])
    assert asked == []


@pytest.mark.parametrize("several", [False, True])
def test_a_part_of_every_trace_is_compared(several: bool) -> None:
    trace = make_trace(
        cores=[{"core": 0, "kind": "aic"}],
        tasks=[task(0, None, None, at, at + 10, None, task=at) for at in (0, 100, 200)],
    )
    other = [trace, trace] if several else trace
    rows = {row.name: row for row in diff(trace, other, until="50").rows}
    assert (rows["makespan"].base_ns, rows["makespan"].new_ns) == (10, 10)


def test_what_chooses_a_part_of_a_prediction_is_refused_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparing, "prediction_pair", lambda base, new: (base, new))
    monkeypatch.setattr(comparing, "program_diff", lambda *pair: pair)
    one, other = lasting(1, "a"), lasting(1, "b")
    for part in ({"since": None, "core": "0"}, {"rank": "0", "until": None}):
        with pytest.raises(UsageError) as found:
            diff(one, other, **part)
        assert str(found.value) == (
            "a predicted program and its run are compared whole, line by line; leave out the "
            "options that choose a part"
        )
    assert diff(one, other, core=None, run=None) == Diff(
        ("a",),
        ("b",),
        comparing.comparing.RATE,
        (),
        (one, other),  # type: ignore[arg-type]
    )
