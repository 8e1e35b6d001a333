"""A simulated core for bring-up: what its surroundings allow, and the kernels that it runs."""

from __future__ import annotations

import pytest

from lanescope.chunks import Clocks
from lanescope.device import perfmon
from lanescope.platforms.sim.bringup import SimulatedCore, Surroundings, _one_after_the_other
from lanescope.platforms.sim.chip import load_chip
from lanescope.probe import Step
from lanescope.workloads.pipes import PipeKernel, PipeOp

CHIP = load_chip("a5")
STEPS = (Step("scalar", 10, 5), Step("cube", 20, 7), Step("scalar", 30, 9))


def core(**surroundings: bool | int) -> SimulatedCore:
    return SimulatedCore(CHIP, surroundings=Surroundings(**surroundings))  # type: ignore[arg-type]


def test_every_step_of_a_kernel_waits_for_the_one_before() -> None:
    assert _one_after_the_other(STEPS) == PipeKernel(
        "steps",
        (
            PipeOp("scalar", cycles=10, sets=(0,), mark=5),
            PipeOp("cube", cycles=20, waits=(0,), sets=(1,), mark=7),
            PipeOp("scalar", cycles=30, waits=(1,), mark=9),
        ),
    )
    assert _one_after_the_other(STEPS[:1]).ops == (PipeOp("scalar", cycles=10, mark=5),)


@pytest.mark.parametrize(
    ("kind", "pipes"),
    [("aic", ("scalar", "cube", "mte1", "mte2", "mte3", "fixp")), ("aiv", ("scalar", "vector"))],
)
def test_a_core_has_the_pipes_of_its_kind(kind: str, pipes: tuple[str, ...]) -> None:
    found = SimulatedCore(CHIP, kind=kind)
    assert set(pipes) <= set(found.pipes)
    assert ("vector" in found.pipes, "cube" in found.pipes) == (kind == "aiv", kind == "aic")
    assert found.clocks == Clocks(CHIP.kind_hz(kind), CHIP.clock.counter_hz)


def test_time_goes_on_by_a_kernel_and_five_microseconds_around_it() -> None:
    found = core()
    begin = found.counter()
    found.run_kernel(STEPS)
    kernel_ns = 60 * 1e9 / CHIP.kind_hz("aic")
    ticks = (10_000 + kernel_ns) * CHIP.clock.counter_hz / 1e9
    assert begin == 1_234_567 * CHIP.clock.counter_hz // 10**9
    assert found.counter() - begin == pytest.approx(ticks, abs=1)


def test_memory_is_told_and_mapped_as_the_surroundings_say() -> None:
    usual = core()
    buffer = usual.allocate(64)
    assert buffer.physical is not None and buffer.virtual != buffer.physical
    assert usual.map_for_engine(buffer) is not None
    usual.fill(buffer, bytes(range(64)))
    assert usual.peek(buffer) == bytes(range(64))
    assert core(same_addresses=True).allocate(64) == buffer._replace(virtual=buffer.physical)
    secret = core(tells_physical=False, can_map=False)
    assert secret.allocate(64) == buffer._replace(physical=None)
    assert secret.map_for_engine(buffer) is None


def test_a_core_without_an_invalidate_refuses_one() -> None:
    kept = core(can_invalidate=False)
    buffer = kept.allocate(64)
    assert not kept.can_invalidate
    with pytest.raises(ValueError, match=r"^this core was made without an invalidate$"):
        kept.invalidate(buffer)
    core().invalidate(buffer)


@pytest.mark.parametrize(("period", "taken"), [(0, []), (1, [1, 2, 3, 4]), (2, [2, 4]), (3, [3])])
def test_somebody_else_sets_the_base_before_every_nth_kernel(period: int, taken: list[int]) -> None:
    found = core(owner_period=period)
    foreign = []
    for number in range(1, 5):
        found.write(perfmon.BASE_L, 0x40)
        found.write(perfmon.BASE_H, 0)
        found.run_kernel(STEPS[:1])
        if (found.read(perfmon.BASE_H) << 32 | found.read(perfmon.BASE_L)) != 0x40:
            foreign.append(number)
    assert foreign == taken
