"""The memory that a report needs, and what a machine has."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lanescope.reports.memory import free_bytes, report_bytes

MEMINFO = "MemTotal:       1000 kB\nMemFree: 100 kB\nMemAvailable:    500 kB\nBuffers: 1 kB\n"


@pytest.mark.parametrize(
    ("rows", "needed"),
    [
        ({}, 0),
        ({"tasks": 2, "phases": 3}, 2100),
        ({"edges": 1, "marks": 10, "counters": 100}, 12_650),
        ({"scopes": 4}, 600),
    ],
)
def test_every_row_needs_some_bytes_and_the_program_200_mib(
    rows: dict[str, int], needed: int
) -> None:
    assert report_bytes(rows) == 200 * 1024 * 1024 + needed


def test_four_fifths_of_what_is_free_now_may_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: MEMINFO)
    assert free_bytes() == 500 * 1024 * 4 // 5


def missing(path: Path, encoding: str) -> str:
    raise FileNotFoundError(path)


def test_where_linux_does_not_tell_it_is_four_fifths_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}
    monkeypatch.setattr(Path, "read_text", missing)
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert free_bytes() == 4096 * 1000 * 4 // 5
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: "MemTotal: 1 kB\n")
    assert free_bytes() == 4096 * 1000 * 4 // 5


def test_on_windows_it_is_4_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", missing)
    monkeypatch.setattr(sys, "platform", "win32")
    assert free_bytes() == 4 << 30
