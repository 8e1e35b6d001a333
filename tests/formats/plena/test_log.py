"""The emulator's log: pieces of lines in any order, with colours, one run or several."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.plena.made import LOG, STAMP, read, totals

from lanescope.errors import InputError, LanescopeError
from lanescope.formats import import_paths
from lanescope.formats.plena import log
from lanescope.formats.plena.log import _take, read_log
from lanescope.formats.plena.run import EmulatedRun
from lanescope.reports import build_report
from lanescope.trace import Trace
from lanescope.trace.meta import WaitFacts

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


def runs(folder: Path, text: str, period_ps: int = 1000) -> list[EmulatedRun]:
    (folder / "run.log").write_text(text)
    return read_log(folder / "run.log", period_ps)


def taken(*lines: str, period_ps: int = 1000) -> EmulatedRun:
    run = EmulatedRun(period_ps)
    for one in lines:
        _take(one, run)
    return run


COUNTED = "Matrix-view packet counters"


@pytest.mark.parametrize(("spaces", "seen"), [(1021, [("Matrix-view", "q", 7.0)]), (1022, [])])
def test_so_much_of_a_line_before_what_is_known_is_looked_at(
    tmp_path: Path, spaces: int, seen: list[tuple[str, str, float]]
) -> None:
    [run] = runs(tmp_path, "\nq=7" + " " * spaces + COUNTED + "\n")
    assert run.totals == seen


@pytest.mark.parametrize(("size", "seen"), [(4096, [("Matrix-view", "q", 7.0)]), (4097, [])])
def test_so_much_of_a_line_behind_what_is_known_is_looked_at(
    tmp_path: Path, size: int, seen: list[tuple[str, str, float]]
) -> None:
    [run] = runs(tmp_path, COUNTED + " " * (size - len(COUNTED) - 3) + "q=7 r=8\n")
    assert run.totals == seen


def test_a_line_with_two_pieces_that_are_known_counts_once(tmp_path: Path) -> None:
    text = f"a=1 {COUNTED} b=2 {COUNTED}\n{COUNTED} c=3"
    [run] = runs(tmp_path, text)
    assert [(name, value) for _, name, value in run.totals] == [("a", 1), ("b", 2), ("c", 3)]


def test_a_log_has_at_most_so_many_lines_of_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_MOST_LINES", 2)
    [run] = runs(tmp_path, f"{COUNTED} a=1\nother\n" * 2)
    assert len(run.totals) == 2
    with pytest.raises(InputError) as caught:
        runs(tmp_path, f"{COUNTED} a=1\n" * 3)
    assert caught.value.problem == "has more than 2 lines of results"


def test_a_run_begins_with_its_topology_and_the_first_may_lack_it(tmp_path: Path) -> None:
    found = runs(tmp_path, f"{COUNTED} a=1\nTopology mlen=2\n{COUNTED} b=3\nTopology mlen=4\n")
    assert [[(name, value) for _, name, value in run.totals] for run in found] == [
        [("a", 1), ("mlen", 2), ("b", 3)],
        [("mlen", 4)],
    ]
    [nothing] = runs(tmp_path, "nothing of it", period_ps=7)
    assert (nothing.period_ps, nothing.totals) == (7, [])
    assert nothing.notes == [
        "The log has no line 'Simulation completed': the run did not end, or it was logged at a "
        "level above INFO."
    ]


def test_a_result_without_a_number_keeps_the_one_before() -> None:
    run = taken("Simulation completed. Latency 5.5ns cycles=4", "Simulation completed. Soon")
    assert (run.total_ps, run.cycles) == (5500, None)
    assert taken("Simulation completed. LATENCY 5.5 ns, cycles 4").cycles == 4


@pytest.mark.parametrize(
    ("line", "cycles"),
    [
        ("Experimental overlap: serial latency 30.5ns cycles 7", 7),
        ("Experimental overlap: serial latency 30.5ns", 15),
        ("Experimental overlap: serial latency 1e40ns cycles 7", 7),
        ("Experimental overlap: on", None),
    ],
)
def test_the_serial_length_is_the_lines_cycles_or_else_its_time(
    line: str, cycles: int | None
) -> None:
    assert taken(line, period_ps=2000).serial_cycles == cycles


def test_why_instructions_waited_is_in_cycles_and_other_fields_are_figures() -> None:
    run = taken(
        "Scoreboard timing model summary data_stall_picos=7999 structural_stall_picos=12.5 "
        "dma_wait_picos=2000 ops=3",
        period_ps=2000,
    )
    assert run.waits == [
        WaitFacts("data", "what it reads was not ready", 3),
        WaitFacts("unit", "its unit was busy", 0),
        WaitFacts("transfer", "a transfer was under way", 1),
    ]
    assert run.totals == [("", "ops", 3.0)]


@pytest.mark.parametrize(
    ("line", "site"), [(COUNTED, "Matrix-view"), ("L-stream packet counters", "L-stream")]
)
def test_packets_are_counted_by_where_they_went(line: str, site: str) -> None:
    run = taken(f"packets=3 {line} stalls=-1.5 x1=2 1x=3 y=1{'0' * 18}")
    assert run.totals == [(site, "packets", 3.0), (site, "stalls", -1.5), (site, "x1", 2.0)]


def test_the_clock_line_is_the_period_unless_it_says_0() -> None:
    assert taken("Clock: 2500 ps (0.4 GHz)").period_ps == 2500
    assert taken("Clock: 0 ps", period_ps=7).period_ps == 7
    assert taken("Clock: fast", period_ps=7).period_ps == 7


def test_what_the_start_of_a_run_says_is_kept() -> None:
    run = taken("HBM size: 1024 bytes (0.00 GiB)", "Memory model: host-stream (a=38 MB/s)  ")
    assert run.totals == [("", "HBM size bytes", 1024.0)]
    assert run.extra == {"memory_model": "host-stream"}
    assert run.notes == ["Memory model: host-stream (a=38 MB/s)."]


def test_figures_of_a_memory_model_have_their_bytes_beside_them() -> None:
    run = taken(
        "Capacity model [part-resident] - weight reads: 128 (8192 bytes) | swaps: 2 (kv: 3) | "
        "swap time: 1.5e3 ns | Utilization: 4 bytes/sec | odd: 5 (about six)"
    )
    assert run.extra == {"regime": "part-resident"}
    assert run.totals == [
        ("", "weight reads", 128.0),
        ("", "weight bytes", 8192.0),
        ("", "swaps", 2.0),
        ("", "kv", 3.0),
        ("", "swap ns", 1500.0),
        ("", "bytes per second", 4.0),
        ("", "odd", 5.0),
    ]
    assert taken("HBM Statistics: Bytes read: 5").totals == []
