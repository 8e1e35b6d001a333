"""What a simulated agent answers, request by request, on a board that only notes what is asked."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lanescope.device.perfmon import Buffer
from lanescope.probe.device import Step
from lanescope.probe.serve import _Agent, serve


class Board:
    """A core with two pipes, of which one register can be read."""

    clocks = SimpleNamespace(core_hz=1_650, counter_hz=1_000)
    can_invalidate = True
    pipes = ("cube", "scalar")

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.buffers = 0

    def read(self, offset: int) -> int:
        return {0xC4: 7}[offset]

    def write(self, offset: int, value: int) -> None:
        self.done.append(("write", offset, value))

    def counter(self) -> int:
        return 99

    def allocate(self, size: int) -> Buffer:
        """Every second buffer has a physical address."""
        self.buffers += 1
        at = 0x1000 * self.buffers
        return Buffer(at, at + 0x800 if self.buffers % 2 == 0 else None, size)

    def map_for_engine(self, buffer: Buffer) -> int | None:
        return None if buffer.physical is None else buffer.virtual + 1

    def fill(self, part: Buffer, data: bytes) -> None:
        self.done.append(("fill", part.virtual, data))

    def peek(self, part: Buffer) -> bytes:
        return b"\xab" * part.size

    def invalidate(self, buffer: Buffer) -> None:
        self.done.append(("drop", buffer.virtual))

    def run_kernel(self, steps: list[Step]) -> None:
        self.done.append(("kernel", *steps))


def asked(*requests: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The answers to requests that all have the number 4, and what the board did."""
    board = Board()
    agent = _Agent(cast(Any, board))
    answers = [agent.answer(f"4 {one}".split(" ")) for one in requests]
    return [one.removeprefix("4 ") for one in answers], board.done


def test_the_board_and_its_registers_are_read_and_written() -> None:
    answers, done = asked("about", "read 0xc4", "counter", "write 0xc4 0xffffffff", "bye")
    assert answers == ["ok 1650 1000 1 cube scalar", "ok 7", "ok 99", "ok", "ok"]
    assert done == [("write", 0xC4, 0xFFFFFFFF)]


def test_buffers_are_numbered_filled_read_and_dropped() -> None:
    answers, done = asked(
        *("alloc 2048", "alloc 8", "map 0", "map 1", "fill 1 6 ffee", "fill 1 0 01", "drop 1"),
        *("peek 1 7 1", "peek 0 1024 1024"),
    )
    assert answers == [
        *("ok 0 0x1000 none", "ok 1 0x2000 0x2800", "ok none", "ok 0x2001", "ok", "ok", "ok"),
        *("ok ab", f"ok {'ab' * 1024}"),
    ]
    assert done == [("fill", 0x2006, b"\xff\xee"), ("fill", 0x2000, b"\x01"), ("drop", 0x2000)]


def test_a_kernel_has_1_to_64_steps_with_cycles_and_marks() -> None:
    most = "cube:1048575:1023"
    answers, done = asked("kernel scalar:0:0 cube:5:6", f"kernel {' '.join([most] * 64)}")
    assert answers == ["ok", "ok"]
    assert done == [
        ("kernel", Step("scalar", 0, 0), Step("cube", 5, 6)),
        ("kernel", *[Step("cube", 1_048_575, 1_023)] * 64),
    ]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ("read 0xc8", "no register at 0xc8"),
        ("read 0xffffffff", "expected a number below 0xffffffff, found '0xffffffff'"),
        ("write 0xc4 0x100000000", "expected a number below 0x100000000, found '0x100000000'"),
        ("alloc 1048577", "expected a number below 0x100001, found '1048577'"),
        ("map 1", "expected a number below 0x1, found '1'"),
        ("fill 0 1047 ffee", "expected a number below 0x417, found '1047'"),
        ("fill 0 0 f", "expected 0 bytes as 0 digits 0-9a-f, found 'f'"),
        ("peek 0 0 1025", "expected a number below 0x401, found '1025'"),
        ("peek 0 25 1024", "expected a number below 0x19, found '25'"),
        ("kernel", "expected 1 to 64 steps, found 0"),
        (f"kernel {' '.join(['cube:1:1'] * 65)}", "expected 1 to 64 steps, found 65"),
        ("kernel pump:1:1", "expected PIPE:CYCLES:MARK, found 'pump:1:1'"),
        ("kernel cube:1", "expected PIPE:CYCLES:MARK, found 'cube:1'"),
        ("kernel cube:1:1:1", "expected PIPE:CYCLES:MARK, found 'cube:1:1:1'"),
        ("kernel cube:1048576:1", "expected a number below 0x100000, found '1048576'"),
        ("kernel cube:1:1024", "expected a number below 0x400, found '1024'"),
        ("about 1", "no request 'about' with 1 arguments"),
        ("peek 0 0", "no request 'peek' with 2 arguments"),
        ("reboot", "no request 'reboot' with 0 arguments"),
    ],
)
def test_what_cannot_be_done_is_refused(request_: str, why: str) -> None:
    """There is one buffer, of 1048 bytes."""
    answers, done = asked("alloc 1048", request_)
    assert answers == ["ok 0 0x1000 none", f"error {why}"]
    assert done == []


def test_there_are_64_buffers() -> None:
    answers, _ = asked(*["alloc 1048576"] * 65)
    assert answers[62:] == [
        "ok 62 0x3f000 none",
        "ok 63 0x40000 0x40800",
        "error all 64 buffers are taken",
    ]


@pytest.mark.parametrize("line", ["", "x about", "-1 about", "7"])
def test_a_line_without_number_or_word_is_refused(line: str) -> None:
    answer = _Agent(cast(Any, Board())).answer(line.split(" "))
    number = line if line == "7" else "0"
    assert answer == f"{number} error expected 'NUMBER WORD …', found {line!r}"


def test_nothing_is_answered_after_bye_or_a_line_without_end() -> None:
    def said(requests: bytes) -> bytes:
        answers = BytesIO()
        serve(cast(Any, Board()), BytesIO(requests), answers)
        return answers.getvalue()

    hello = b"lanescope-probe-agent 1\n"
    assert said(b"1 counter\n2 bye\n3 counter\n") == hello + b"1 ok 99\n2 ok\n"
    assert said(b"1 counter\n2 counter") == hello + b"1 ok 99\n2 ok 99\n"
    longest = b"1 counter " + b"x" * 4085
    assert said(longest + b"\n2 counter\n").endswith(b"with 1 arguments\n2 ok 99\n")
    assert said(longest + b"xx\n2 counter\n").endswith(b"with 1 arguments\n")
