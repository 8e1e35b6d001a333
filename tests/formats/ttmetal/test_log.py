"""Device logs, made by hand: no real one is at hand.

Columns and values follow the page "Device Program Profiler" of docs.tenstorrent.com, and the lines
that the profiler's own tests in github.com/tenstorrent/tt-metal write.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.simpler.runs import rows

from lanescope.errors import InputError, UsageError
from lanescope.formats import import_paths, import_trace
from lanescope.trace import LedgerEntry, Trace

NEW = (
    "PCIe slot,core_x,core_y,RISC processor type,timer_id,time[cycles since reset],data,"
    "run host ID,trace id,trace id counter,zone name,type,source line,source file,meta data"
)
OLD = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
    "stat value, run host ID,  zone name, type, source line, source file"
)
FIRST = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 800, Max Compute Cores: 64"
FULL = "a RISC has room for 125 zones in a run; what came after them is not known"


def moment(
    time: int, name: str, type_: str, *, core: str = "0,1,2", risc: str = "BRISC", run: int = 7
) -> str:
    return f'{core},{risc},5,{time},0,{run},,,{name},{type_},12,k.cpp,{{"a":1;"b":2}}'


def zone(start: int, end: int, name: str, **more: object) -> list[str]:
    begin = moment(start, name, "ZONE_START", **more)  # type: ignore[arg-type]
    return [begin, moment(end, name, "ZONE_END", **more)]  # type: ignore[arg-type]


def log(folder: Path, *lines: str, first: str = FIRST, head: str = NEW) -> Path:
    path = folder / "profile_log_device.csv"
    path.write_text("\n".join([first, head, *lines]) + "\n")
    return path


def program(core: str, start: int, run: int) -> list[str]:
    """Two RISCs of one core: the first has a zone of the user's in its kernel."""
    return [
        *zone(start, start + 800, "BRISC-FW", core=core, run=run),
        *zone(start + 80, start + 720, "BRISC-KERNEL", core=core, run=run),
        *zone(start + 160, start + 400, "my loop", core=core, run=run),
        *zone(start + 40, start + 760, "TRISC_0-KERNEL", core=core, risc="TRISC_0", run=run),
    ]


def whole(folder: Path) -> Trace:
    lines = [*program("0,1,2", 10000, 7), *program("0,1,3", 10008, 7), *program("0,1,2", 20000, 8)]
    return import_trace(log(folder, *lines))


def test_cores_are_lanes_and_a_program_is_a_task_with_a_block_per_core(tmp_path: Path) -> None:
    trace = whole(tmp_path)
    assert rows(trace, "cores", "name", "kind", "lane", "device") == [
        ("core 1,2", "tensix", "core", 0),
        ("core 1,3", "tensix", "core", 0),
    ]
    columns = ("task", "core", "token", "block", "blocks", "start_ns", "end_ns", "start_cycles")
    # 800 MHz: a cycle is 1.25 ns, and 0 ns is the first moment of the chip, cycle 10000.
    assert rows(trace, "tasks", *columns, "id") == [
        (0, 0, 0, 0, 2, 50, 950, 10040, 7),
        (1, 0, 1, 0, 1, 12550, 13450, 20040, 8),
        (0, 1, 0, 1, 2, 60, 960, 10048, 7),
    ]
    assert rows(trace, "functions", "name") == [("run 7",), ("run 8",)]
    meta = trace.meta
    assert (meta.chip, meta.clock_hz, meta.base_cycles) == ("wormhole_b0", 800_000_000, 10000)
    assert meta.device == 0
    assert meta.notes == ()


def test_zones_are_marks_on_the_risc_that_has_them(tmp_path: Path) -> None:
    columns = ("core", "pipe", "name", "task", "token", "start_ns", "end_ns", "end_cycles")
    assert rows(whole(tmp_path), "marks", *columns)[:5] == [
        (0, "BRISC", "BRISC-FW", 0, 0, 0, 1000, 10800),
        (0, "BRISC", "BRISC-KERNEL", 0, 0, 100, 900, 10720),
        (0, "BRISC", "my loop", 0, 0, 200, 500, 10400),
        (0, "BRISC", "BRISC-FW", 1, 1, 12500, 13500, 20800),
        (0, "BRISC", "BRISC-KERNEL", 1, 1, 12600, 13400, 20720),
    ]


def test_half_a_nanosecond_is_rounded_to_the_even_one(tmp_path: Path) -> None:
    # 2 and 6 cycles of 800 MHz are 2.5 and 7.5 ns.
    trace = import_trace(log(tmp_path, *zone(0, 2, "BRISC-KERNEL"), *zone(6, 8, "x")))
    assert rows(trace, "marks", "start_ns", "end_ns") == [(0, 2), (8, 10)]


def test_older_names_and_blanks_are_read_alike(tmp_path: Path) -> None:
    lines = [
        "0, 1, 2, BRISC, 5, 100, 0, 7, BRISC-KERNEL, begin, 12, k.cpp",
        "0, 1, 2, BRISC, 5, 180, 0, 7, BRISC-KERNEL, end, 12, k.cpp",
    ]
    trace = import_trace(
        log(tmp_path, *lines, head=OLD, first="ARCH: grayskull, CHIP_FREQ[MHz]: 800")
    )
    assert rows(trace, "tasks", "start_ns", "end_ns", "id") == [(0, 100, 7)]
    assert rows(trace, "marks", "pipe", "name") == [("BRISC", "BRISC-KERNEL")]


def test_a_moment_is_a_mark_without_length(tmp_path: Path) -> None:
    lines = [*zone(0, 80, "BRISC-KERNEL"), moment(16, "mine", "TS_DATA")]
    trace = import_trace(log(tmp_path, *lines))
    assert rows(trace, "marks", "name", "start_ns", "end_ns")[1] == ("mine", 20, 20)


def test_zones_of_one_name_nest(tmp_path: Path) -> None:
    lines = [*zone(0, 80, "BRISC-KERNEL"), *zone(8, 72, "again"), *zone(16, 24, "again")]
    trace = import_trace(log(tmp_path, *lines))
    assert rows(trace, "marks", "name", "start_ns", "end_ns")[1:] == [
        ("again", 10, 90),
        ("again", 20, 30),
    ]


def test_the_same_run_launched_again_is_another_task(tmp_path: Path) -> None:
    lines = [*zone(0, 80, "BRISC-KERNEL"), *zone(800, 880, "BRISC-KERNEL")]
    trace = import_trace(log(tmp_path, *lines))
    assert rows(trace, "tasks", "task", "token", "start_ns") == [(0, 0, 0), (1, 1, 1000)]


def test_replays_of_a_recorded_program_are_tasks_of_their_own(tmp_path: Path) -> None:
    lines = [*zone(0, 80, "BRISC-KERNEL"), *zone(800, 880, "BRISC-KERNEL")]
    lines[2:] = [line.replace(",7,,,", ",7,3,1,") for line in lines[2:]]
    trace = import_trace(log(tmp_path, *lines))
    assert rows(trace, "tasks", "task", "id") == [(0, 7), (1, 7)]


def test_chips_are_not_in_step_so_each_is_a_trace_of_its_own(tmp_path: Path) -> None:
    lines = [
        *zone(1000, 1080, "BRISC-KERNEL", core="0,1,2"),
        *zone(500000, 500080, "ERISC-KERNEL", core="1,9,0", risc="ERISC"),
    ]
    path = log(tmp_path, *lines)
    first, second = import_paths([path])
    assert (first.meta.base_cycles, second.meta.base_cycles) == (1000, 500000)
    assert rows(first, "cores", "name", "kind", "device") == [("core 1,2", "tensix", 0)]
    assert rows(second, "cores", "name", "kind", "device") == [("core 9,0", "ethernet", 1)]
    assert rows(second, "tasks", "start_ns", "end_ns") == [(0, 100)]
    assert second.meta.name.endswith("-chip1")
    assert second.meta.notes == (
        "Chip 1 of the file's chips 0, 1; each is a trace of its own, because counters of chips "
        "are not in step.",
    )
    one = import_trace(path, format="tt-metal", options={"chip": 1})
    assert one.meta.name == second.meta.name


def test_a_core_with_zones_without_an_end_has_lost_an_unknown_number(tmp_path: Path) -> None:
    lines = [*program("0,1,2", 0, 7), *program("0,1,3", 0, 7), moment(200, "cut", "ZONE_START")]
    trace = import_trace(log(tmp_path, *lines))
    assert trace.meta.ledger == (
        LedgerEntry("all cores", "task", 2, 2),
        LedgerEntry("whole cores", "mark", 4, 4),
        LedgerEntry("core 1,2", "mark", 5, 4, unmatched=1, reason=FULL, unknown=True),
    )


def test_a_risc_whose_room_is_full_may_have_lost_more(tmp_path: Path) -> None:
    lines = zone(0, 8000, "BRISC-KERNEL")
    for k in range(124):
        lines += zone(10 + 8 * k, 14 + 8 * k, "loop")
    trace = import_trace(log(tmp_path, *lines))
    [_, entry] = trace.meta.ledger
    assert (entry.total, entry.delivered, entry.unknown) == (125, 125, True)


def test_a_report_beside_the_log_names_its_operations(tmp_path: Path) -> None:
    head = (
        "OP CODE,GLOBAL CALL COUNT,DEVICE ID,DEVICE FW START CYCLE,DEVICE FW END CYCLE,"
        "DEVICE FW DURATION [ns]"
    )
    (tmp_path / "ops_perf_results.csv").write_text(f"{head}\nMatmul,7,0,1,2,1\n")
    trace = whole(tmp_path)
    assert rows(trace, "functions", "name") == [("Matmul",), ("run 8",)]


def test_a_log_without_rows_has_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no run to import"):
        import_trace(log(tmp_path))


def test_a_chip_that_the_file_does_not_have_is_refused(tmp_path: Path) -> None:
    path = log(tmp_path, *program("0,1,2", 10000, 7))
    with pytest.raises(UsageError) as refused:
        import_trace(path, format="tt-metal", options={"chip": 4})
    assert str(refused.value) == f"--chip 4: {path} has the chips 0"


@pytest.mark.parametrize(
    ("head", "line", "message"),
    [
        (
            NEW.replace("zone name", "zone"),
            moment(1, "a", "ZONE_START"),
            "has no column 'zone name', which a device log has",
        ),
        (
            NEW,
            moment(1, "a", "ZONE_START").replace(",5,1,", ",5,soon,"),
            "line 3, 'time[cycles since reset]': a whole number was expected, found 'soon'",
        ),
        (
            NEW,
            moment(1, "a", "ZONE_START", risc=""),
            "line 3, 'RISC processor type': a word was expected, found none",
        ),
        (
            NEW,
            "0,1,2,BRISC",
            "is not the CSV file that it should be: line 3 has 4 cells instead of 15; it may be "
            "cut off there",
        ),
    ],
)
def test_a_damaged_log_is_refused_in_one_sentence(
    tmp_path: Path, head: str, line: str, message: str
) -> None:
    path = log(tmp_path, line, head=head)
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == f"{path}: {message}"


def test_any_truncation_or_mutation_gives_a_trace_or_one_sentence(tmp_path: Path) -> None:
    path = log(tmp_path, *program("0,1,2", 10000, 7), *program("0,1,3", 10008, 7))
    content = path.read_bytes()
    damaged = [content[:size] for size in range(40, len(content), 7)]
    damaged += [content[:k] + b"," + content[k + 1 :] for k in range(0, len(content), 11)]
    for bytes_ in damaged:
        path.write_bytes(bytes_)
        try:
            import_trace(path)
        except InputError as error:
            assert "\n" not in str(error)
