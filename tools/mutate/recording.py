"""A pytest plugin: coverage has the name of the test that ran a line, a file how long each took."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

_seconds: dict[str, float] = {}
_failed: list[str] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Lines that run from here on are of this test."""
    current = coverage.Coverage.current()
    assert current is not None
    _forget_answers()
    current.switch_context(item.nodeid)
    os.environ["MUTATE_TEST"] = item.nodeid  # for the programs that it starts
    result = yield
    current.switch_context("")
    del os.environ["MUTATE_TEST"]
    return result


def _forget_answers() -> None:
    """Empty the caches of functions: else only the first test that asks would run their lines."""
    for name, module in list(sys.modules.items()):
        if name.startswith("lanescope."):
            for one in list(vars(module).values()):
                if hasattr(one, "cache_clear"):
                    one.cache_clear()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Adds up setup, call and teardown; only tests that passed are kept."""
    if report.passed:
        _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration
    else:
        _seconds[report.nodeid] = float("nan")
    if report.failed:
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Writes the seconds of the tests that passed, and which ones failed."""
    passed = {name: seconds for name, seconds in _seconds.items() if seconds == seconds}
    told = {"seconds": passed, "failed": _failed}
    Path(os.environ["MUTATE_SECONDS"]).write_text(json.dumps(told))
