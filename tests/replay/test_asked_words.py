"""What is asked of a what-if, in words: the name of every change, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace

from lanescope.errors import UsageError
from lanescope.replay.asked import AskedChanges, _nodes, together

REPLICA: Any = SimpleNamespace(
    trace=make_trace(functions=[{"func": 4, "name": "QK"}, {"func": 7, "name": "PV"}]),
    nodes=SimpleNamespace(ids=np.array([10, 11, 12])),
)


def names(**asked: Any) -> list[str]:
    return [one.name for one in AskedChanges(**asked).changes(REPLICA)]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"scale": {"QK": 0.5}}, "QK x0.5"),
        ({"scale": {"7": 0.0}}, "7 x0"),
        ({"cores": {"aic": 48}}, "aic=48"),
        ({"schedulers": 2}, "2 schedulers"),
        ({"schedulers": 0}, "0 schedulers"),
        ({"pre_dispatch": 0}, "pre-dispatch 0"),
        ({"dispatch_cost": 0.0}, "dispatch cost 0 ns"),
        ({"submit_scale": 1.5}, "submits x1.5"),
        ({"without_preemption": True}, "without preemption"),
        ({"buffers": (4, None)}, "4 buffers"),
        ({"buffers": (4, 256)}, "4 buffers of 256 records"),
        ({"drop_edge": ["implied"]}, "without implied edges"),
        ({"drop_edge": ["10:12"]}, "without 10:12"),
    ],
)
def test_every_change_has_a_name(asked: dict[str, Any], name: str) -> None:
    assert names(**asked) == [name]


def test_changes_are_made_in_one_order_and_nothing_asked_is_no_change() -> None:
    assert names(drop_edge=["implied"], schedulers=2, scale={"PV": 2.0}) == [
        "PV x2", "2 schedulers", "without implied edges",
    ]  # fmt: skip
    assert names() == []
    assert together([]).name == "unchanged"
    assert together([]).apply(REPLICA) is REPLICA


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"scale": {"QK": -0.1}}, "expected --scale of 0 or more, found -0.1"),
        ({"submit_scale": float("inf")}, "expected --submit-scale of 0 or more, found inf"),
        ({"dispatch_cost": float("nan")}, "expected --dispatch-cost of 0 or more, found nan"),
        ({"drop_edge": ["10-12"]}, "expected --drop-edge A:B or implied, found '10-12'"),
        ({"scale": {"XX": 1.0}}, "expected a function of the trace (QK, PV), found 'XX'"),
        ({"drop_edge": ["10:99"]}, "expected a function of the trace (QK, PV), found '99'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        names(**asked)
    assert str(caught.value) == sentence


def test_a_task_is_named_by_its_id() -> None:
    assert _nodes(REPLICA, "12").tolist() == [2]
