"""The emulator's log: pieces of lines in any order, with colours, one run or several."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.plena.made import LOG, STAMP, read, totals

from lanescope.errors import LanescopeError
from lanescope.formats import import_paths
from lanescope.reports import build_report
from lanescope.trace import Trace

quiet = settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def test_a_result_is_one_run_with_its_figures(tmp_path: Path) -> None:
    trace = read(LOG, tmp_path, "run.log")
    assert trace.tasks["end_ns"].tolist() == [214000]
    assert trace.tasks["end_cycles"].tolist() == [214000]
    assert trace.meta.schedule is not None and trace.meta.schedule.cycles == 214000
    assert totals(trace) == {
        "mlen": 64, "vlen": 32, "hlen": 16, "blen": 4, "broadcast_amount": 4,
        "HBM size bytes": 1024, "read bytes": 8192, "written bytes": 512,
        "bytes per second": 4.07e7,
    }  # fmt: skip


def test_colours_and_other_lines_change_nothing(tmp_path: Path) -> None:
    other = b"\x1b[2m   Compiling transactional_emulator\x1b[0m\n\xff\xfe not text\n" * 400
    coloured = LOG.replace(" INFO ", " \x1b[32m INFO\x1b[0m \x1b[2m").replace(
        "mlen=", "\x1b[3mmlen\x1b[0m\x1b[2m=\x1b[0m"
    )
    trace = read(other + coloured.encode() + other, tmp_path, "run.log")
    assert totals(trace) == totals(read(LOG, tmp_path, "plain.log"))
    assert trace.tasks["end_ns"].tolist() == [214000]


@pytest.mark.parametrize(
    ("model", "line", "figures"),
    [
        (
            "Memory model: host-stream (host bandwidth=38 MB/s)",
            "Host-stream memory - weight reads: 128 (8192 bytes) | activation reads: 8 (512 bytes)",
            {
                "weight reads": 128, "weight bytes": 8192,
                "activation reads": 8, "activation bytes": 512,
            },
        ),
        (
            "Memory model: layer-swap (DDR3 capacity=512 MB, host bandwidth=38 MB/s)",
            "Layer-swap memory - swaps: 1 | swapped bytes: 8192 | swap time: 215578 ns",
            {"swaps": 1, "swapped bytes": 8192, "swap ns": 215578},
        ),
        (
            "Memory model: capacity-aware [Resident] (DDR capacity=512 MB)",
            "Capacity model [resident] - resident bytes: 4096 | kv swapped bytes: 0 (swaps: 0) | "
            "weight streamed bytes: 7",
            {
                "resident bytes": 4096, "kv swapped bytes": 0, "swaps": 0,
                "weight streamed bytes": 7,
            },
        ),
        (
            "Memory model: other",
            f"{STAMP}packets=3 Matrix-view packet counters bank_stall_cycles=9",
            {},
        ),
    ],
)  # fmt: skip
def test_every_memory_model_adds_its_line(
    model: str, line: str, figures: dict[str, float], tmp_path: Path
) -> None:
    before, result = LOG.rsplit(STAMP, 1)
    trace = read(f"{STAMP}{model}\n{before}{line}\n{STAMP}{result}", tmp_path, "run.log")
    plain = totals(read(LOG, tmp_path, "plain.log"))
    assert totals(trace) == {**plain, **figures}
    assert trace.meta.notes[-1] == f"{model}."
    if not figures:
        assert totals(trace, "Matrix-view") == {"packets": 3, "bank_stall_cycles": 9}


def test_cycles_are_those_of_the_line_and_the_clock_line_is_the_period(tmp_path: Path) -> None:
    text = LOG.replace("214000.000ns", "214000.000ns cycles 85600")
    trace = read("Clock: 2500 ps (0.400 GHz) from CLOCK_PERIOD_PS\n" + text, tmp_path, "run.log")
    assert trace.meta.clock_hz == 400_000_000
    assert trace.meta.schedule is not None and trace.meta.schedule.cycles == 85600
    assert trace.tasks["end_cycles"].tolist() == [85600]


def test_the_scoreboard_s_summary_says_why_instructions_waited(tmp_path: Path) -> None:
    summary = (
        f"{STAMP}Scoreboard timing model summary (total = pipelined cycles) matrix_busy_pct=12.5 "
        "ops=12 structural_stall_picos=3000 data_stall_picos=70000 dma_wait_picos=0\n"
    )
    overlap = f"{STAMP}Experimental overlap: serial latency 300000.000ns cycles 300000\n"
    trace = read(summary + overlap + LOG, tmp_path, "run.log")
    facts = trace.meta.schedule
    assert facts is not None
    assert [(w.name, w.cycles) for w in facts.waits] == [("unit", 3), ("data", 70), ("transfer", 0)]
    assert facts.serial_cycles == 300000
    assert totals(trace)["matrix_busy_pct"] == 12.5


def test_picoseconds_are_written_as_nanoseconds(tmp_path: Path) -> None:
    trace = read(LOG.replace("214000.000ns", "1.999ns"), tmp_path, "run.log")
    assert trace.tasks["end_ns"].tolist() == [1]


def test_without_a_result_there_is_no_task_and_a_note(tmp_path: Path) -> None:
    first = LOG.splitlines(keepends=True)[0]
    for text in (first, LOG.replace("214000.000ns", "nonsense")):
        trace = read(text, tmp_path, "run.log")
        assert len(trace.tasks) == 0
        assert "has no line 'Simulation completed'" in trace.meta.notes[-1]


def test_runs_of_one_log_are_traces_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LOG + LOG.replace("214000", "7"))
    traces: list[Trace] = import_paths([tmp_path / "run.log"])
    assert [trace.meta.name for trace in traces] == ["run-1", "run-2"]
    assert [trace.tasks["end_ns"].tolist() for trace in traces] == [[214000], [7]]


@pytest.mark.parametrize("number", [f"{10**30}", "1e999999999", "1-2", "1e", "1.2.3", "9" * 99])
def test_a_number_that_cannot_be_is_no_result(number: str, tmp_path: Path) -> None:
    trace = read(LOG.replace("214000.000ns", f"{number}ns"), tmp_path, "run.log")
    assert len(trace.tasks) == 0


def test_an_exponent_is_a_number(tmp_path: Path) -> None:
    trace = read(LOG.replace("214000.000ns", "2.14e5ns"), tmp_path, "run.log")
    assert trace.tasks["end_ns"].tolist() == [214000]


@quiet
@given(data=st.data())
def test_changed_bytes_give_a_trace_or_one_sentence(data: st.DataObject, tmp_path: Path) -> None:
    whole = bytearray(LOG.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        trace = read(bytes(whole), tmp_path, "run.log")
    except LanescopeError as error:
        assert "\n" not in str(error)
    else:
        assert build_report(trace).text()
