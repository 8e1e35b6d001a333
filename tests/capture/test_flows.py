"""Flows by hand: what lanes send and receive becomes edges between their tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.test_slices import MARK, START, buffer, clock_block, decoded, head

from lanescope.cli import main
from lanescope.trace import Trace, save

SEND, RECEIVE = 0x7FFE | MARK, 0x7FFF | MARK
NO_TASK = 0xFFFFFFFF
LATER = clock_block(close_cycles=START + 2_000_064, close_ns=1_010_032)
"""Closed 32 ns after the other lane's block, so that the clock's step is 32 ns."""


def edges(trace: Trace) -> list[tuple[int, int]]:
    found = zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True)
    assert {trace.word(code) for code in trace.edges["kind"].tolist()} <= {"flow"}
    return sorted(found)


def two_lanes(
    tmp_path: Path, first: list[tuple[int, int, int, int]], *second: tuple[int, ...]
) -> Trace:
    return decoded(
        head(tmp_path),
        buffer(*first, clock=clock_block()),
        buffer(*second, clock=LATER, lane=1),  # type: ignore[arg-type]
    )


def test_a_receive_depends_on_the_send_of_its_number(tmp_path: Path) -> None:
    sender = [(400, 300, 1, 0), (410, 77, 1, SEND), (900, 400, 2, 0), (910, 78, 2, SEND)]
    receiver = [(700, 77, 5, RECEIVE), (800, 100, 5, 0), (1700, 78, 6, RECEIVE), (1800, 100, 6, 0)]
    trace = two_lanes(tmp_path, sender, *receiver)
    assert edges(trace) == [(1, 5), (2, 6)]
    assert trace.tasks["task"].tolist() == [1, 2, 5, 6]
    assert len(trace.marks) == 0


def test_a_number_may_come_again(tmp_path: Path) -> None:
    sender = [(100, 3, 1, SEND), (900, 3, 2, SEND)]
    trace = two_lanes(
        tmp_path, sender, (500, 3, 5, RECEIVE), (600, 3, 6, RECEIVE), (1500, 3, 7, RECEIVE)
    )
    assert edges(trace) == [(1, 5), (1, 6), (2, 7)]


@pytest.mark.parametrize(
    ("sender", "receiver"),
    [
        ((900, 3, 1, SEND), (500, 3, 5, RECEIVE)),  # it was not sent yet
        ((100, 4, 1, SEND), (500, 3, 5, RECEIVE)),  # another number
        ((100, 3, NO_TASK, SEND), (500, 3, 5, RECEIVE)),  # no task had begun
        ((100, 3, 5, SEND), (500, 3, 5, RECEIVE)),  # the same task
    ],
)
def test_without_a_partner_there_is_no_edge(
    tmp_path: Path, sender: tuple[int, int, int, int], receiver: tuple[int, int, int, int]
) -> None:
    assert edges(two_lanes(tmp_path, [sender], receiver)) == []


def test_a_receive_that_looks_too_early_by_the_clocks_error_is_paired(tmp_path: Path) -> None:
    trace = two_lanes(tmp_path, [(1000, 3, 1, SEND)], (900, 3, 5, RECEIVE))
    assert trace.meta.recording is not None and trace.meta.recording.clock_error_ns == 64
    assert edges(trace) == [(1, 5)]


def test_an_edge_is_an_arrow_in_the_export(tmp_path: Path) -> None:
    sender = [(400, 300, 1, 0), (410, 77, 1, SEND)]
    trace = two_lanes(tmp_path, sender, (700, 77, 5, RECEIVE), (800, 100, 5, 0))
    save(trace, tmp_path / "flow.lanes")
    command = ["export", str(tmp_path / "flow.lanes"), "--to", "chrome", "-o"]
    assert main([*command, str(tmp_path / "flow.json")]) == 0
    text = (tmp_path / "flow.json").read_text()
    assert text.count('"ph":"s"') == 1
    assert text.count('"ph":"f"') == 1
