"""A report says whose trace it is, in words and in JSON, and nothing where nobody knows."""

from __future__ import annotations

import msgspec

from lanescope.analyze.recording.whose import Whose
from lanescope.reports import build_report
from lanescope.trace import Meta, Trace

META = Meta(name="a", tool="a test", origin="imported")
KNOWN = msgspec.structs.replace(
    META,
    rank=3,
    world=8,
    host="node7",
    process=42,
    device=1,
    run="job 5",
    step=10,
    epoch_ns=1_694_128_201_428_006_001,
    epoch_clock="realtime",
)


def test_what_is_known_is_said() -> None:
    assert Whose.of(KNOWN).facts() == [
        ("rank", "3 of 8"),
        ("host", "node7"),
        ("of", "process 42, device 1"),
        ("run", "job 5"),
        ("step", "10"),
        ("began", "2023-09-07 23:10:01.428006001 UTC, by the machine's clock"),
    ]


def test_what_is_not_known_is_left_out() -> None:
    assert {text for _, text in Whose.of(META).facts()} == {""}
    text = build_report(Trace(meta=META)).text()
    assert "began" not in text and "rank" not in text


def test_an_error_is_part_of_the_moment() -> None:
    meta = msgspec.structs.replace(KNOWN, epoch_clock="session", epoch_error_ns=1500)
    began = dict(Whose.of(meta).facts())["began"]
    assert began.endswith("UTC, as its profiler states it, ± 1,500 ns")


def test_a_moment_that_no_calendar_has_is_left_out() -> None:
    for wild in (-1, 1 << 62, (1 << 62) * 3):
        meta = msgspec.structs.replace(KNOWN, epoch_ns=wild * 100)
        assert dict(Whose.of(meta).facts())["began"] == ""


def test_the_json_has_the_same() -> None:
    whose = build_report(Trace(meta=KNOWN)).to_dict()["capture"]["whose"]
    assert whose["rank"] == 3 and whose["epoch_ns"] == 1_694_128_201_428_006_001
