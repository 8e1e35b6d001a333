"""kill -9 with every kind of record on: whatever was published is in what `recover` makes."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest
from tests.capture.programs import built
from tests.capture.test_all_records import EVERYTHING, EXAMPLE
from tests.capture.test_crash import Victims, recover_when_gone

import lanescope
from lanescope.capture.rebuild import read_idle
from lanescope.capture.tensors import dump_recorded
from lanescope.device.kinds import KINDS
from lanescope.device.region import open_region
from lanescope.trace import Trace, load

RECORDED = set(KINDS) - {"slice"}
"""All kinds of record but that of GPU kernels."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "all_records")


def require_all(trace: Trace, tensors: list[lanescope.dump.read.DumpedTensor]) -> None:
    """The tables have the records that their accounts count, each with the values of its task."""
    totals = dict.fromkeys(RECORDED, 0)
    for entry in trace.meta.ledger:
        assert entry.closes, entry
        # A burst that was not full was still in the engine, and with it the rest of a stamp.
        held = {"engine chunk": 7, "chunk": 3}.get(entry.kind, 0)
        assert not entry.unknown and entry.dropped <= held, entry
        if entry.kind in totals:
            totals[entry.kind] += entry.total
    assert all(totals[kind] for kind in RECORDED - {"host_phase"}), totals
    pred, succ = trace.edges["pred"], trace.edges["succ"]
    assert np.array_equal(pred, np.arange(totals["edge"])) and np.array_equal(succ, pred + 2)
    samples = trace.counters["name"] == trace.words.index("task_numbers")
    assert int(samples.sum()) == totals["pmu"]
    assert np.array_equal(trace.counters["task"][samples], trace.counters["value"][samples])
    host = trace.phases["lane"] == trace.words.index("host") if "host" in trace.words else [False]
    assert int(np.count_nonzero(host)) == totals["host_phase"]
    phases = totals["scheduler_phase"] + totals["orchestrator_phase"] + totals["host_phase"]
    assert len(trace.phases) == phases
    whole = [one for one in tensors if not one.truncated]
    assert len(tensors) - len(whole) <= 1  # the last one may be cut off
    assert all(one.array()[0] == one.task for one in whole)
    assert 2 * len(whole) <= totals["tensor"] <= 2 * len(whole) + 1


def crash(program: Path, folder: Path, seed: int) -> None:
    """Kill the collector, then the program, or the program alone, at random moments."""
    rng = random.Random(seed)
    options = (*EVERYTHING, "--dump-total=1GiB", "--buffer-records=128")
    victims = Victims(program, folder, options)
    try:
        victims.wait_until_it_runs()
        time.sleep(rng.uniform(0, 0.3))
        if not seed % 2:
            victims.kill_program()
            assert victims.collector.wait(60) == 1
            trace = load(folder / "sh.lanes")
            require_all(trace, lanescope.read_tensors(folder / "sh.tensors"))
            assert not (folder / "sh.capture").exists()
            return
        victims.kill_collector()
        time.sleep(rng.uniform(0, 0.05))
        victims.kill_program()
        found = recover_when_gone(victims.capture)
        lanes = open_region(victims.capture / "region").lanes
        assert found.buffers >= int(lanes["published"].sum())
        assert {KINDS[kind] for kind in lanes["kind"].tolist()} == RECORDED
        arrived = [entry.total for entry in found.trace.meta.ledger if entry.kind in KINDS]
        assert arrived == (lanes["recorded"] + lanes["dropped"]).tolist()
        dump_recorded(read_idle(victims.capture).contents, folder / "found.tensors")
        require_all(found.trace, lanescope.read_tensors(folder / "found.tensors"))
    finally:
        victims.kill_collector()
        victims.kill_program()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_killed_every_kind_of_record_is_found(
    program: Path, tmp_path: Path, seed: int
) -> None:
    crash(program, tmp_path, seed)


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(100, 150))
def test_fifty_kills_with_every_kind_of_record_on(program: Path, tmp_path: Path, seed: int) -> None:
    crash(program, tmp_path, seed)
