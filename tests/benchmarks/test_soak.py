"""The soak: the account closes and memory is flat, for a moment here, for long in `make stress`.

SOAK_MINUTES says how long; 30 where it is not set.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.soak import RollingSpool, Soak, run_soak
from benchmarks.stream import compile_producer

from benchmarks import soak as soaking
from lanescope.errors import LanescopeError


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    folder = tmp_path_factory.mktemp("soak")
    return Soak(compile_producer(folder), folder, seconds=1.0, rate=2e6, look_s=0.2)


@pytest.mark.parametrize("on_full", ["drop", "block"])
def test_the_account_of_a_moment_closes(
    short: Soak, on_full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soaking, "SPOOL_BYTES", 1 << 20)
    result = run_soak(replace(short, on_full=on_full))
    assert result.recorded == result.arrived
    assert result.offered == result.recorded + result.dropped > 0
    assert on_full == "drop" or result.dropped == 0
    assert result.pieces > 0 and result.checked > 0
    assert result.problems() == []


def test_an_account_that_does_not_close_is_found(
    short: Soak, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = RollingSpool._count

    def counts_twice(spool: RollingSpool, payload: object) -> None:
        count(spool, payload)
        spool.arrived[0] += 1

    monkeypatch.setattr(RollingSpool, "_count", counts_twice)
    with pytest.raises(LanescopeError, match="arrived"):
        run_soak(replace(short, seconds=0.5))


def test_memory_that_grows_is_found(short: Soak, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[bytes] = []
    count = RollingSpool._count

    def keeps(spool: RollingSpool, payload: object) -> None:
        count(spool, payload)
        kept.append(os.urandom(1 << 20))

    monkeypatch.setattr(RollingSpool, "_count", keeps)
    [problem] = run_soak(replace(short, seconds=1.5)).problems()
    assert problem.startswith("the collector grew by ")


@pytest.mark.stress
def test_long_recording_at_20_million_records_a_second(short: Soak, tmp_path: Path) -> None:
    minutes = float(os.environ.get("SOAK_MINUTES", "30"))
    result = run_soak(Soak(short.program, tmp_path, 60 * minutes, 20e6), say=True)
    print(result)
    assert result.problems() == []
    assert result.offered == result.recorded + result.dropped
