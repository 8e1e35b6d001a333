"""The published comparison of the recording protocols, on a simulated chip: validation/README.md.

The published figures are those of hw-native-sys/simpler, PR #878, in µs.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

import pytest

from lanescope.device.flags import level_features
from lanescope.overhead.simulated import jittered
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.workloads import build_workload

ROUNDS = 12
PS_PER_US = 1_000_000


@dataclass(frozen=True)
class Row:
    scheduler: float
    orchestrator: float

    def over(self, off: Row) -> float:
        return self.scheduler - off.scheduler + self.orchestrator - off.orchestrator


PUBLISHED = {
    "off": Row(1164.37, 815.30),
    "staging": Row(1178.14, 947.06),
    "controller-rotated": Row(1173.80, 927.81),
}


@pytest.fixture(scope="module")
def simulated() -> dict[str, Row]:
    graph, chip = build_workload("paged_attention", {}), load_chip("a2a3")
    found = {}
    for name in PUBLISHED:
        setup = SimSetup(
            chip=chip,
            features=level_features(0 if name == "off" else 4),
            protocol="staging" if name == "off" else name,
        )
        runs = [simulate(jittered(graph, 7, number), setup) for number in range(ROUNDS)]
        found[name] = Row(
            mean(max(run.scheduler_ps) for run in runs) / PS_PER_US,
            mean(run.orchestrator_ps for run in runs) / PS_PER_US,
        )
    return found


def test_the_order_is_the_published_one(simulated: dict[str, Row]) -> None:
    off, rotated, staging = (simulated[name] for name in ("off", "controller-rotated", "staging"))
    assert off.scheduler < rotated.scheduler < staging.scheduler
    assert off.orchestrator < rotated.orchestrator < staging.orchestrator


def test_rotation_cuts_the_overhead_by_about_a_sixth(simulated: dict[str, Row]) -> None:
    for rows in (PUBLISHED, simulated):
        staging, rotated = (rows[p].over(rows["off"]) for p in ("staging", "controller-rotated"))
        assert 1 / 8 < 1 - rotated / staging < 1 / 5


def test_fitted_times_are_met(simulated: dict[str, Row]) -> None:
    """What the chip's costs were fitted to: a change of the model must fit them again."""
    assert simulated["off"].scheduler == pytest.approx(PUBLISHED["off"].scheduler, rel=0.005)
    for name, row in PUBLISHED.items():
        assert simulated[name].orchestrator == pytest.approx(row.orchestrator, rel=0.001)


def test_the_schedulers_own_overhead_is_no_further_off_than_we_say(
    simulated: dict[str, Row],
) -> None:
    """The orchestrator's share is fitted, so only the schedulers' own can be judged: it misses.

    The factors are of these rounds. A cost of recording that is a third lower or higher moves one.
    """
    for protocol, factor in (("staging", 2.98), ("controller-rotated", 3.30)):
        published, found = (
            rows[protocol].scheduler - rows["off"].scheduler for rows in (PUBLISHED, simulated)
        )
        assert found == pytest.approx(factor * published, rel=0.03)
