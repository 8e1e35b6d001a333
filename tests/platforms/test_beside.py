"""Work in a second thread, and an interrupt meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from lanescope.platforms import beside
from lanescope.platforms.beside import run_beside


def test_what_the_work_returns_or_raises_comes_back() -> None:
    def fail() -> None:
        raise KeyError("gone")

    cancelled: list[int] = []
    assert run_beside(lambda: 7, lambda: cancelled.append(1)) == 7
    with pytest.raises(KeyError, match="gone"):
        run_beside(fail, lambda: cancelled.append(1))
    assert cancelled == []


def test_the_work_has_a_thread_of_its_own() -> None:
    names: list[str] = []
    run_beside(lambda: names.append(threading.current_thread().name), lambda: None)
    assert names == ["lanescope run_0"]


def test_an_interrupt_cancels_and_waits_for_the_work_to_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = threading.Event()
    waits: list[Sequence[Future[Any]]] = []
    real = beside.wait

    def interrupted_twice(running: Sequence[Future[Any]]) -> None:
        waits.append(running)
        if len(waits) <= 2:
            raise KeyboardInterrupt
        told.set()
        real(running)

    cancelled: list[int] = []
    monkeypatch.setattr(beside, "wait", interrupted_twice)
    assert run_beside(lambda: told.wait(20), lambda: cancelled.append(1)) is True
    assert (cancelled, len(waits)) == ([1, 1], 3)
