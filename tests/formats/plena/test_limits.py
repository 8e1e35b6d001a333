"""Numbers of the emulator's files at their limits, and whole profiles at theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.plena.made import STATS, read, totals

from lanescope.errors import InputError, UsageError
from lanescope.formats.plena.importer import period
from lanescope.formats.plena.log import _latency
from lanescope.formats.plena.run import MOST_PS, EmulatedRun


def test_a_period_is_a_whole_number_up_to_a_millisecond() -> None:
    assert (period("1"), period("1000000000")) == (1, 10**9)
    for text in ("0", "1000000001", "-1", "1.5", ""):
        with pytest.raises(UsageError, match=r"expected a period of 1 to 1,000,000,000 ps, found"):
            period(text)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Latency 0.000ns", (0, None)),
        ("Latency 2.5ns", (2500, None)),
        ("Latency 2305843009213693.951ns", (MOST_PS - 1, None)),
        ("Latency 2305843009213693.952ns", (None, None)),
        ("nothing", (None, None)),
    ],
)
def test_a_latency_is_picoseconds_written_as_ns(
    line: str, found: tuple[int | None, int | None]
) -> None:
    assert _latency(line) == found


def test_a_size_is_the_emulators_own_or_else_the_configs(tmp_path: Path) -> None:
    config = {"MLEN": 1, "VLEN": 2, "HLEN": (1 << 32) - 1, "BLEN": 1 << 32}
    trace = read({**STATS, "emu_mlen": 64, "behavior_config": config}, tmp_path, "stats.json")
    assert totals(trace) == {"HBM size bytes": 7, "mlen": 64, "vlen": 2, "hlen": (1 << 32) - 1}
    odd = {"MLEN": 1.5, "VLEN": True, "HLEN": -1, "BLEN": 0}
    trace = read({**STATS, "behavior_config": odd}, tmp_path, "odd.json")
    assert totals(trace) == {"HBM size bytes": 7, "blen": 0}


def test_a_run_label_is_kept_and_a_good_return_code_is_no_news(tmp_path: Path) -> None:
    trace = read({**STATS, "run_label": "nightly"}, tmp_path, "stats.json")
    assert trace.meta.extra["run_label"] == "nightly"
    assert not any("return code" in note for note in trace.meta.notes)


def profile(count: int) -> dict[str, object]:
    stages = {f"s{number}": {} for number in range(count)}
    return {"schema_version": 4, "total_instructions_executed": 1, "stages": stages,
            "total_profiled_picos": 1000}  # fmt: skip


def test_a_profile_has_at_most_65536_parts(tmp_path: Path) -> None:
    assert len(read(profile(1 << 16), tmp_path, "most.json").counters) > 1 << 16
    with pytest.raises(InputError, match="has more than 65,536 stages and pairs"):
        read(profile((1 << 16) + 1), tmp_path, "more.json")


def test_cycles_are_the_files_own_or_else_of_its_time() -> None:
    assert EmulatedRun(period_ps=3).in_cycles(8) == 2
    assert EmulatedRun().schedule() is None
    timed = EmulatedRun(period_ps=3, total_ps=8).schedule()
    stated = EmulatedRun(period_ps=3, total_ps=8, cycles=0).schedule()
    assert timed is not None and stated is not None
    assert (timed.cycles, stated.cycles) == (2, 0)
