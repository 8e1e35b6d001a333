"""The event kernel: order, waiting, determinism, and what a process may not do."""

from __future__ import annotations

import pytest

from lanescope.platforms.sim.kernel import Kernel, Signal, Steps


def test_time_passes_as_processes_ask() -> None:
    kernel, seen = Kernel(), []

    def process(name: str, delay: int) -> Steps:
        for _ in range(2):
            yield delay
            seen.append((kernel.now_ps, name))

    kernel.start("a", process("a", 3))
    kernel.start("b", process("b", 2))
    kernel.run()
    assert seen == [(2, "b"), (3, "a"), (4, "b"), (6, "a")]
    assert kernel.stuck() == []


def test_ties_go_by_priority_and_then_by_the_order_of_scheduling() -> None:
    kernel, seen = Kernel(), []
    kernel.call_after(5, seen.append, "second", priority=1)
    kernel.call_after(5, seen.append, "third", priority=1)
    kernel.call_after(5, seen.append, "first", priority=0)
    kernel.run()
    assert seen == ["first", "second", "third"]


def test_a_signal_wakes_those_who_wait_now_and_nobody_later() -> None:
    kernel, seen = Kernel(), []
    signal = Signal(kernel)

    def waiter(name: str) -> Steps:
        value = yield signal
        seen.append((name, value, kernel.now_ps))

    kernel.start("a", waiter("a"))
    kernel.start("b", waiter("b"))
    kernel.call_after(7, lambda _: signal.fire("news"))
    kernel.run()
    signal.fire("lost")
    kernel.start("c", waiter("c"))
    kernel.run()
    assert seen == [("a", "news", 7), ("b", "news", 7)]
    assert kernel.stuck() == ["c"]


def test_a_negative_delay_is_refused() -> None:
    kernel = Kernel()

    def process() -> Steps:
        yield -1

    kernel.start("a", process())
    with pytest.raises(ValueError, match="a delay must not be negative, found -1 ps"):
        kernel.run()


def test_what_a_process_raises_stops_the_run() -> None:
    kernel = Kernel()

    def process() -> Steps:
        yield 1
        raise RuntimeError("broken")

    kernel.start("a", process())
    kernel.call_after(2, lambda _: pytest.fail("the run went on"))
    with pytest.raises(RuntimeError, match="broken"):
        kernel.run()
