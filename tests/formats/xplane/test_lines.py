"""What the lines of a plane are, by their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.simpler.runs import rows
from tests.formats.xplane.spaces import Plane, space
from tests.formats.xplane.test_read import UTC, imported

from lanescope.formats.xplane.lines import (
    ANNOTATION,
    ASYNC,
    LEFT_OUT,
    STEP,
    WORK,
    _role,
)


@pytest.mark.parametrize(
    ("name", "beside_streams", "alone"),
    [
        ("Stream #3(Kernel)", (WORK, "stream"), (WORK, "stream")),
        ("Steps", (STEP, ""), (STEP, "")),
        ("Sparse Core Steps", (STEP, ""), (STEP, "")),
        ("XLA Modules", (ANNOTATION, ""), (ANNOTATION, "")),
        ("Sparse Core Modules", (ANNOTATION, ""), (ANNOTATION, "")),
        ("XLA TraceMe", (ANNOTATION, ""), (ANNOTATION, "")),
        ("XLA Ops", (ANNOTATION, ""), (WORK, "engine")),
        ("Sparse Core Ops", (ANNOTATION, ""), (WORK, "engine")),
        ("Async XLA Ops", (LEFT_OUT, ""), (ASYNC, "engine")),
        ("Host Offload Ops", (LEFT_OUT, ""), (ASYNC, "engine")),
        ("Framework Ops", (LEFT_OUT, ""), (LEFT_OUT, "")),
        ("_counters_", (LEFT_OUT, ""), (LEFT_OUT, "")),
        ("My Stream #3", (WORK, "track"), (WORK, "track")),
    ],
)
def test_the_role_of_a_devices_line_is_told_by_its_name(
    name: str, beside_streams: tuple[int, str], alone: tuple[int, str]
) -> None:
    assert (_role(name, True), _role(name, False)) == (beside_streams, alone)


@pytest.mark.parametrize(
    ("plane", "device"),
    [
        ("/device:TPU:3", 3),
        ("#Chip2 core", 2),
        ("/device:GPU:2147483647", (1 << 31) - 1),
        ("/device:GPU:2147483648", None),
        ("/device:GPU:4294967297", None),
        (f"/device:GPU:{'1' * 5000}", None),
        ("/device:CUSTOM", None),
    ],
)
def test_the_number_of_a_device_is_in_the_name_of_its_plane(
    tmp_path: Path, plane: str, device: int | None
) -> None:
    trace = imported(tmp_path, space(Plane(plane).line("XLA Ops", ("a", 0, 1_000))))
    assert rows(trace, "cores", "name", "device") == [
        (f"{plane.removeprefix('/device:')} XLA Ops", device)
    ]
    assert trace.meta.device == device


def test_lines_of_one_number_and_name_are_one_lane(tmp_path: Path) -> None:
    plane = Plane("/device:TPU:0")
    for name, number in (("a", 5), ("a", 6), ("b", 5), ("a", 5)):
        plane.line(name, ("x", 0, 1_000), line_id=number)
    trace = imported(tmp_path, space(plane))
    assert rows(trace, "cores", "name", "lane", "queue") == [
        ("TPU:0 a", "track", 5),
        ("TPU:0 a", "track", 6),
        ("TPU:0 b", "track", 5),
    ]
    assert trace.tasks["core"].tolist() == [0, 0, 1, 2]


def test_annotations_lie_on_the_first_lane_of_their_device_or_on_one_of_their_own(
    tmp_path: Path,
) -> None:
    plane = Plane("/device:TPU:0").line("XLA Modules", ("m", 0, 1_000), line_id=2)
    plane.line("XLA TraceMe", ("t", 0, 1_000), line_id=3)
    with_work = Plane("/device:TPU:1").line("XLA Modules", ("n", 0, 1_000))
    with_work.line("XLA Ops", ("a", 0, 500), line_id=8).line("b", ("b", 0, 500))
    trace = imported(tmp_path, space(plane, with_work))
    assert rows(trace, "cores", "name", "lane", "queue") == [
        ("TPU:0 XLA Modules", "engine", 2),
        ("TPU:1 XLA Ops", "engine", 8),
        ("TPU:1 b", "track", 1),
    ]
    assert rows(trace, "marks", "name", "core") == [("m", 0), ("t", 0), ("n", 1)]


def test_threads_without_a_name_are_called_by_their_number(tmp_path: Path) -> None:
    plane = Plane("/host:CPU").line("", ("a", 0, 1_000), line_id=7)
    plane.line("", ("a", 5_000, 1_000), line_id=7).line("main", ("a", 0, 1_000), line_id=7)
    other = Plane("Host CPUs").line("", ("a", 0, 1_000), line_id=7)
    trace = imported(tmp_path, space(plane, other, Plane("Syscalls").line("s", ("b", 0, 1_000))))
    assert rows(trace, "controllers", "name") == [
        *(("/host:CPU 7",), ("main",), ("Host CPUs 7",), ("s",)),
    ]
    assert trace.phases["controller"].tolist() == [0, 0, 1, 2, 3]


def test_steps_of_the_host_count_before_those_of_the_first_device(tmp_path: Path) -> None:
    def device(number: int, name: str) -> Plane:
        plane = Plane(f"/device:TPU:{number}").line("Steps", (name, 0, 5_000))
        return plane.line("XLA Ops", ("a", 0, 1_000))

    bare = Plane("/device:TPU:0").line("XLA Ops", ("a", 0, 1_000))
    trace = imported(tmp_path, space(bare, device(1, "4"), device(2, "5")))
    assert rows(trace, "steps", "step", "name", "controller") == [(4, "4", None)]
    train = Plane("/host:CPU").line("main", ("train", 0, 5_000, {"step_num": 0}))
    trace = imported(tmp_path, space(device(1, "4"), train))
    assert rows(trace, "steps", "step", "name", "controller") == [(0, "train", 0)]
    trace = imported(tmp_path, space(device(1, "1" * 17), device(2, "2")))
    assert rows(trace, "steps", "step") == [(int("1" * 17),)]
    trace = imported(tmp_path, space(device(1, "1" * 18)))
    assert rows(trace, "steps", "step") == [(None,)]


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("cuLaunchKernel", "call"),
        ("cudaMemcpy", "call"),
        ("hipLaunch", "call"),
        ("hsaQueue", "call"),
        ("custom", "function"),
        ("cuEventSynchronize", "wait"),
        ("BlockHostUntilDone", "wait"),
        ("BlockUntilReady", "wait"),
        ("Await", "wait"),
        ("my Wait", "wait"),
        ("myWait", "function"),
        ("$file.py:1 Wait", "function"),
    ],
)
def test_the_name_of_a_row_of_the_host_says_what_it_is(
    tmp_path: Path, name: str, category: str
) -> None:
    trace = imported(tmp_path, space(Plane("/host:CPU").line("main", (name, 0, 1_000))))
    assert rows(trace, "phases", "category") == [(category,)]


@pytest.mark.parametrize(
    ("at", "start", "epoch"),
    [
        (10**18 + 1, 0, 10**18 + 1),
        (10**18, UTC, None),
        (10**18 - 1, UTC, UTC + 10**18 - 1),
        (4 * 10**17, 10**18, None),
        (0, 10**18, None),
        (0, 10**18 + 1, 10**18 + 1),
    ],
)
def test_times_are_utc_or_count_from_a_start_that_is(
    tmp_path: Path, at: int, start: int, epoch: int | None
) -> None:
    about = Plane("Task Environment", profile_start_time=start) if start else Plane("x")
    plane = Plane("/device:TPU:0").line("XLA Ops", ("a", 0, 1_000), at=at)
    assert imported(tmp_path, space(plane, about)).meta.epoch_ns == epoch


def test_planes_tell_about_themselves(tmp_path: Path) -> None:
    chip: dict[str, int | float | str] = {"device_type_string": "T" * 4097, "clock": 2.5, "mem": 7}
    plane = Plane("/device:TPU:0", **chip).line("XLA Ops", ("a", 0, 1_000))
    meta = imported(tmp_path, space(plane, Plane("Odd", note="x"))).meta
    assert meta.chip == "T" * 4096
    about = {"device_type_string": "T" * 4096, "clock": 2.5, "mem": 7}
    assert meta.extra == {"planes": {"/device:TPU:0": about, "Odd": {"note": "x"}}}
    assert meta.notes == ()
    two = imported(tmp_path, space(plane, Plane("/device:TPU:1", device_type_string="V"))).meta
    assert two.chip == ""
