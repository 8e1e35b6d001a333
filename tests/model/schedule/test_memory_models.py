"""Random programs on boards and memory models: one answer, and no figure that cannot be.

The headline agrees with the statistics, the schedule with a plain one, and more bandwidth or
capacity never costs time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.model.schedule import reference
from tests.model.schedule.programs import ALL, PLENA, programs

from lanescope.errors import UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.parse import parse
from lanescope.model.manifest import Manifest, ManifestRegion
from lanescope.model.memory import MemoryModel
from lanescope.model.memory.options import plain_memory
from lanescope.model.memory.program import run_memory
from lanescope.model.memory.timing import Service
from lanescope.model.memory.walk import transfers_of
from lanescope.model.schedule.figures import predict_serial, scheduled, with_memory
from lanescope.model.schedule.overlap import Transfers
from lanescope.model.schedule.prediction import Prediction

NAMES = [name for name in ALL if name != "S_LD_INT"]
"""All whose addresses the program computes."""
HOST_MODELS = ("layer-swap", "host-stream", "kv-swap", "weight-stream")
PS = 10**12


class Machine(NamedTuple):
    board: str
    memory_rate: int
    link_rate: int
    capacity: int
    transfers: Transfers


MACHINES = st.builds(
    Machine,
    st.sampled_from(["nexys_video", "custom_a7", "v80"]),
    st.integers(10**6, 10**12),
    st.integers(10**5, 10**11),
    st.integers(64, 1 << 18),
    st.builds(Transfers, st.integers(1, 3), st.integers(1, 2)),
)


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """Regions of layers one after the other, weights and KV; no activations."""
    regions, offset = [], 0
    for layer in range(draw(st.integers(1, 4))):
        for kind in draw(st.lists(st.sampled_from(["weight", "kv"]), min_size=1, max_size=3)):
            size = 64 * draw(st.integers(1, 64))
            regions.append(ManifestRegion(layer, offset, size, kind))
            offset += size
    return Manifest(tuple(regions))


def predicted(
    text: str, machine: Machine, *, model: str, manifest: Manifest, source: str = "emulator"
) -> Prediction:
    core = core_setup(load_board(machine.board), None, {"MLEN": 8, "BLEN": 2, "HLEN": 4})
    found = predict_serial(parse(text, PLENA), load_cost_source(source), core)
    asked = MemoryModel(
        model,
        Service(machine.memory_rate),
        manifest=manifest,
        capacity_bytes=machine.capacity,
        link=machine.link_rate,
    )
    assert core.clock_hz is not None
    try:
        run = run_memory(transfers_of(found.program, found.table), asked, clock_hz=core.clock_hz)
    except UsageError:
        assume(False)  # weights that kv-swap cannot hold
        raise
    return scheduled(with_memory(found, run), machine.transfers)


def check_bounds(found: Prediction) -> None:
    """What holds for every prediction, whatever charges its transfers."""
    done = found.overlapped
    assert done is not None
    assert found.serial == int(found.line_costs.cycles.sum())
    assert found.serial >= done.cycles >= done.critical_path
    assert all(done.cycles >= cycles for cycles in found.busy.values())
    bound = found.bound_by()
    assert 0 <= bound.share <= 1
    roofline = found.roofline()
    if roofline is not None:
        assert roofline.reached_flop_per_s <= roofline.attainable_flop_per_s * (1 + 1e-9)
        assert found.traffic.traffic_bytes * PS <= (
            found.elapsed_ps * roofline.bandwidth_bytes_per_s * (1 + 1e-6) + PS
        )


@pytest.mark.parametrize("model", HOST_MODELS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=programs(NAMES), machine=MACHINES, manifest=manifests())
def test_the_headline_agrees_with_the_statistics(
    model: str, text: str, machine: Machine, manifest: Manifest
) -> None:
    found = predicted(text, machine, model=model, manifest=manifest)
    check_bounds(found)
    memory, done, clock_hz = found.memory, found.overlapped, found.core.clock_hz
    assert memory is not None and memory.charged is not None
    assert done is not None and clock_hz is not None
    counts, cycles = memory.statistics, memory.charged.cycles
    assert counts.accesses == len(cycles)
    # One answer: busy cycles of the unit are the memory's time, each transfer rounded up.
    assert found.busy["memory"] == int(cycles.sum())
    assert 0 <= found.busy["memory"] * PS - counts.total_ps * clock_hz < PS * (len(cycles) + 1)
    assert counts.read_bytes + counts.written_bytes == found.traffic.traffic_bytes
    assert int(memory.charged.read_bytes.sum()) == counts.read_bytes
    figures = memory.to_dict(found.elapsed_ps + 1)["statistics"]
    assert figures["memory_utilisation"] <= 1
    assert figures["host"]["link_utilisation"] <= 1
    assert (done.cycles, done.critical_path) == reference.schedule(
        found.program, found.table, machine.transfers, cycles.tolist()
    )
    assert int(done.row_critical.sum()) == done.critical_path


def last_values(found: Prediction) -> dict[str, float]:
    """The last value of every counter in the trace."""
    trace = found.trace()
    counters = trace.counters
    names = [trace.words[code] for code in counters["name"].tolist()]
    return dict(zip(names, counters["value"].tolist(), strict=True))


@pytest.mark.parametrize("model", HOST_MODELS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=programs(NAMES), machine=MACHINES, manifest=manifests())
def test_the_trace_is_the_same_answer(
    model: str, text: str, machine: Machine, manifest: Manifest
) -> None:
    found = predicted(text, machine, model=model, manifest=manifest)
    assert found.overlapped is not None
    tasks = found.trace().tasks
    length = tasks["end_cycles"] - tasks["start_cycles"]
    units = found.program.isa.file.units
    for number, unit in enumerate(units):
        assert int(length[tasks["core"] == number].sum()) == found.busy[unit]
    assert int(tasks["end_cycles"].max(initial=0)) == found.overlapped.cycles
    assert found.memory is not None and found.memory.statistics.host is not None
    counts, host = found.memory.statistics, found.memory.statistics.host
    link = host.swapped_bytes + host.streamed_bytes + host.written_back_bytes
    moved = {
        "read bytes": counts.read_bytes,
        "written bytes": counts.written_bytes,
        "link bytes": link,
    }
    assert last_values(found) == {name: value for name, value in moved.items() if value}


@pytest.mark.parametrize("model", HOST_MODELS)
@pytest.mark.parametrize("more", ["memory_rate", "link_rate", "capacity"])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=programs(NAMES), machine=MACHINES, manifest=manifests())
def test_more_of_anything_never_costs_time(
    model: str, more: str, text: str, machine: Machine, manifest: Manifest
) -> None:
    better = machine._replace(**{more: getattr(machine, more) * 2})
    before = predicted(text, machine, model=model, manifest=manifest)
    after = predicted(text, better, model=model, manifest=manifest)
    allowed = more_memory_cycles(before, after) if model == "weight-stream" else 0
    assert after.best <= before.best + allowed
    assert after.serial <= before.serial + allowed


def more_memory_cycles(before: Prediction, after: Prediction) -> int:
    """Cycles that the memory is busier with weights that it holds and that passed it by before."""
    assert before.memory is not None and after.memory is not None and after.core.clock_hz
    counts = after.memory.statistics
    more_ps = counts.memory_ps - before.memory.statistics.memory_ps
    return counts.accesses + more_ps * after.core.clock_hz // PS if more_ps > 0 else 0


def test_weights_that_pass_by_a_busy_memory_take_none_of_its_time() -> None:
    """64 rows of 64 bytes and of scales at 1 MB/s; 64 bytes of them may come over the link."""
    regions = tuple(ManifestRegion(0, offset, 64, "weight") for offset in (0, 64))
    few, more = (
        predicted(
            "H_PREFETCH_M gp0, gp0, a0, 0, 0",
            Machine("nexys_video", 10**6, 10**5, capacity, Transfers()),
            model="weight-stream",
            manifest=Manifest(regions),
        )
        for capacity in (64, 128)
    )
    assert few.serial < more.serial
    assert more.serial - few.serial == more_memory_cycles(few, more) - 1


@pytest.mark.parametrize("source", ["peer", "peer-charged", "emulator"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=programs(ALL), machine=MACHINES)
def test_no_cost_source_gives_an_impossible_figure(
    source: str, text: str, machine: Machine
) -> None:
    assume(source != "peer-charged" or machine.board != "v80")
    core = core_setup(load_board(machine.board), None, {"MLEN": 8, "BLEN": 2, "HLEN": 4})
    sums = predict_serial(parse(text, PLENA), load_cost_source(source), core)
    found = scheduled(with_memory(sums, plain_memory(sums)), machine.transfers)
    check_bounds(found)
    assert found.memory is not None
    counts = found.memory.statistics
    assert counts.read_bytes + counts.written_bytes == found.traffic.traffic_bytes
    assert (found.roofline() is None) == (source != "emulator" or not counts.accesses)


def test_a_link_that_takes_most_of_the_time_is_the_bound() -> None:
    prefetch = "C_SET_ADDR_REG a0, gp0, gp0\nH_PREFETCH_V gp0, gp0, a0, 0, 0\n"
    text = prefetch * 8 + "M_MM 0, gp0, gp1"
    machine = Machine("nexys_video", 10**9, 38_000_000, 512 << 20, Transfers())
    weights = Manifest((ManifestRegion(0, 0, 4096, "weight"),))
    found = predicted(text, machine, model="host-stream", manifest=weights)
    assert found.bound_by().name == "link"
    other = replace(found, memory=None)
    assert other.bound_by().name == "memory"
