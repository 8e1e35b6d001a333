"""Threads of the AICPU that start up and shut down: stamps in pairs, 0 for what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile, open_object
from lanescope.formats.simpler.lifecycle import PHASES, read_lifecycle
from lanescope.formats.simpler.records import ControllerFacts
from lanescope.trace import MISSING


def file(folder: Path, *threads: dict[str, Any]) -> JsonFile:
    path = folder / "records.json"
    path.write_text(json.dumps({"aicpu_lifecycle_records": threads}))
    return open_object(path)


def phases(folder: Path, *threads: dict[str, Any]) -> list[list[tuple[str, int, int]]]:
    lists, _ = read_lifecycle(file(folder, *threads))
    return [
        [
            (one.kind_names[kind], start, end)
            for kind, start, end in zip(
                one.kinds.tolist(), one.start.tolist(), one.end.tolist(), strict=True
            )
        ]
        for one in lists
    ]


def test_a_phase_is_two_stamps_of_which_one_may_be_absent(tmp_path: Path) -> None:
    stamps = {"handshake_start": 5, "handshake_complete": 9, "exit_wait_end": 7, "config_start": 3}
    thread = {f"{name}_cycles": value for name, value in stamps.items()}
    assert phases(tmp_path, thread, {}) == [
        [("handshake", 5, 9), ("config", 3, MISSING), ("exit_wait", MISSING, 7)],
        [],
    ]
    assert len(PHASES) == 7


def test_a_phase_may_be_one_stamp(tmp_path: Path) -> None:
    one = {"register_release_cycles": 4}
    both = {**one, "register_release_end_cycles": 6}
    assert phases(tmp_path, one, both) == [
        [("register_release", 4, 4)],
        [("register_release", MISSING, 6)],
    ]
    assert phases(tmp_path, {"handshake_cycles": 4}) == [[]]


def test_a_thread_has_its_own_number_or_else_its_place(tmp_path: Path) -> None:
    threads = ({}, {"worker_id": 7}, {"aicpu_thread_id": 3, "worker_id": 9})
    lists, facts = read_lifecycle(file(tmp_path, *threads))
    assert [one.controller for one in lists] == [0, 7, 3]
    assert facts == tuple(
        ControllerFacts("lifecycle", k, f"AICPU {k} lifecycle", "aicpu") for k in (0, 7, 3)
    )
    _, facts = read_lifecycle(file(tmp_path, {"worker_id": (1 << 20) - 1}))
    assert facts[0].controller == (1 << 20) - 1


@pytest.mark.parametrize("number", [-1, 1 << 20, "x", 1.5, True, None])
def test_a_number_that_no_thread_has_is_refused(tmp_path: Path, number: object) -> None:
    with pytest.raises(InputError) as caught:
        read_lifecycle(file(tmp_path, {}, {"aicpu_thread_id": number}))
    assert caught.value.problem == (
        f"aicpu_lifecycle_records row 1: {number!r} is no number of a thread"
    )


def test_two_rows_of_one_thread_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_lifecycle(file(tmp_path, {"worker_id": 7}, {}, {"worker_id": 7}))
    assert caught.value.problem == "aicpu_lifecycle_records: rows 0 and 2 are both of thread 7"


@pytest.mark.parametrize("value", [-1, 1 << 63, True, 1.0, "7", None])
def test_a_stamp_is_a_counter_value(tmp_path: Path, value: object) -> None:
    most = (1 << 63) - 1
    assert phases(tmp_path, {"exit_wait_end_cycles": most}) == [[("exit_wait", MISSING, most)]]
    with pytest.raises(InputError) as caught:
        phases(tmp_path, {"exit_wait_end_cycles": value})
    assert caught.value.problem == (
        "aicpu_lifecycle_records row 0, 'exit_wait_end_cycles': expected a counter value, found "
        f"{value!r}"
    )


def test_a_file_without_them_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert read_lifecycle(open_object(tmp_path / "a.json")) == ([], ())
