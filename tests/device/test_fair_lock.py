"""A fair lock: whoever asks gets the lock before somebody gets it twice."""

from __future__ import annotations

import threading
import time

from lanescope.device.agent.fair_lock import FairLock


def test_a_thread_that_asks_again_at_once_lets_the_other_in() -> None:
    turns, order, stop = FairLock(), list[str](), threading.Event()

    def greedy() -> None:
        while not stop.is_set():
            with turns:
                order.append("greedy")
                time.sleep(0.002)

    thread = threading.Thread(target=greedy)
    thread.start()
    for _ in range(10):
        asked = len(order)
        with turns:
            waited = len(order) - asked
        assert waited <= 2
    stop.set()
    thread.join()
