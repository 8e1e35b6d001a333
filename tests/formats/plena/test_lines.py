"""Lines per instruction: a lane per unit, exact times, cut files, and what is damaged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.plena.made import SCOREBOARD, line, read, totals

from lanescope.errors import InputError, UsageError
from lanescope.formats import import_trace
from lanescope.formats.plena.lines import _last_line
from lanescope.trace import MISSING, Trace
from lanescope.trace.schema import TaskFlag

quiet = settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def op(pc: int, name: str, ns: int, **more: int) -> str:
    return json.dumps({"pc": pc, "op": name, "dt_ps": 1000 * ns, **more}) + "\n"


OPS = op(0, "H_PREFETCH_M", 119, hbm_rd=8192, hbm_issue_rd=8192) + op(1, "M_MM", 64)
SUMS = {
    "aggregate": True, "start_ps": 0, "end_ps": 183000, "total_dt_ps": 183000,
    "total_hbm_rd": 8192, "total_hbm_wr": 0,
    "ops": [{"op": "M_MM", "count": 1}, {"op": "S_ADDI_INT", "count": 3, "dt_ps": 0}],
}  # fmt: skip


def opcodes(trace: Trace) -> list[str]:
    names = trace.text("functions", "name")
    return [names[func] for func in trace.tasks["func"].tolist()]


def test_the_scoreboard_has_a_lane_per_unit(tmp_path: Path) -> None:
    trace = read(SCOREBOARD, tmp_path, "board.jsonl")
    assert trace.text("cores", "name") == ["matrix", "scalar", "dma"]
    assert opcodes(trace) == ["M_MM", "S_ADDI_INT", "S_ADDI_INT", "H_PREFETCH_M"]
    tasks = trace.tasks
    assert tasks["task"].tolist() == [2, 1, 3, 0]
    assert tasks["pc"].tolist() == [2, 1, 1, 0]
    assert tasks["start_cycles"].tolist() == [119, 1, 120, 0]
    assert tasks["end_cycles"].tolist() == [183, 2, 121, 119]
    assert tasks["start_ns"].tolist() == tasks["start_cycles"].tolist()
    assert all(entry.closes for entry in trace.meta.ledger)
    assert trace.meta.schedule is not None and trace.meta.schedule.cycles == 183


def test_another_period_is_told_by_an_option(tmp_path: Path) -> None:
    text = line(0, "M_MM", "matrix", 0, 10) + line(1, "M_MM", "matrix", 10, 15)
    assert "rounded down" not in " ".join(read(text, tmp_path, "a.jsonl").meta.notes)
    slow = read(text, tmp_path, "a.jsonl", period_ps=2500)
    assert slow.tasks["end_cycles"].tolist() == [4, 6]
    assert slow.tasks["end_ns"].tolist() == [10, 15]
    odd = read(text, tmp_path, "a.jsonl", period_ps=3000)
    assert "not whole cycles of 3,000 ps" in odd.meta.notes[-1]
    with pytest.raises(UsageError, match="expected a period of 1 to"):
        read(text, tmp_path, "a.jsonl", period_ps=0)


def test_instructions_of_a_serial_run_follow_each_other(tmp_path: Path) -> None:
    trace = read(OPS + json.dumps(SUMS) + "\n", tmp_path, "ops.jsonl")
    assert trace.text("cores", "name") == ["all units"]
    assert trace.tasks["start_ns"].tolist() == [0, 119]
    assert trace.tasks["end_ns"].tolist() == [119, 183]
    assert totals(trace)["read bytes"] == 8192
    rows = trace.counters
    assert rows["task"].tolist()[:2] == [0, 0]
    assert rows["value"].tolist()[:2] == [8192, 8192]
    assert trace.meta.schedule is not None
    assert trace.meta.schedule.unlisted == {"S_ADDI_INT": 3}
    assert "cost nothing are not listed: S_ADDI_INT 3." in " ".join(trace.meta.notes)


def test_sums_that_do_not_fit_are_told(tmp_path: Path) -> None:
    wrong = {**SUMS, "total_dt_ps": 5}
    trace = read(OPS + json.dumps(wrong), tmp_path, "ops.jsonl")
    assert trace.meta.notes[-1] == (
        "The line of sums has 5 ps, the instructions before it 183,000 ps."
    )
    without = read(OPS, tmp_path, "ops.jsonl")
    assert "has no line of sums at its end" in without.meta.notes[-1]


@pytest.mark.parametrize("content", [SCOREBOARD, OPS])
def test_a_file_may_be_cut_anywhere(content: str, tmp_path: Path) -> None:
    whole = content.encode()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    for size in range(ends[0], len(whole)):
        trace = read(whole[:size], tmp_path, "cut.jsonl")
        complete = sum(end - 1 <= size for end in ends)
        assert len(trace.tasks) == complete
        assert ("is cut off" in " ".join(trace.meta.notes)) == (
            size not in ends and size + 1 not in ends
        )


def test_a_file_without_a_whole_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no whole line: it was cut off"):
        read(SCOREBOARD[:90], tmp_path, "cut.jsonl")


def test_keys_in_any_order_and_packed_files_are_read(tmp_path: Path) -> None:
    lines = [json.loads(one) for one in SCOREBOARD.splitlines()]
    text = "".join(json.dumps(dict(reversed(one.items()))) + "\n" for one in lines)
    packed = read(gzip.compress(text.encode()), tmp_path, "board.jsonl.gz")
    assert opcodes(packed) == opcodes(read(SCOREBOARD, tmp_path, "board.jsonl"))


@pytest.mark.parametrize("name", ["one.jsonl", "one.txt", "one"])
def test_one_line_is_enough_whatever_the_file_is_called(name: str, tmp_path: Path) -> None:
    trace = read(line(3, "M_MM", "matrix", 0, 9), tmp_path, name)
    assert opcodes(trace) == ["M_MM"]


def test_an_instruction_that_ends_before_it_starts_has_no_times(tmp_path: Path) -> None:
    text = SCOREBOARD + line(5, "V_ADD_VV", "vector", 9, 4)
    trace = read(text, tmp_path, "board.jsonl")
    bad = trace.tasks["flags"] == TaskFlag.BACKWARDS
    assert trace.tasks["pc"][bad].tolist() == [5]
    assert trace.tasks["start_ns"][bad].tolist() == [MISSING]
    assert all(entry.closes for entry in trace.meta.ledger)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"pc": -1}, "row 4, 'pc': the number is too small"),
        ({"pc": 1 << 31}, "expected a pc of at most 2,147,483,647, found 2,147,483,648"),
        ({"pc": "x"}, "row 4, 'pc': a whole number was expected"),
        ({"op": 3}, "row 4, 'op': a string was expected"),
        ({"unit": 4}, "'unit': a string of at most 256 characters was expected"),
        ({"issue_ps": -5}, "row 4, 'issue_ps': the number is too small"),
        ({"finish_ps": 1 << 62}, "expected times below 2,305,843,009,213,693,952 ps"),
        ({"finish_ps": 1 << 64}, "row 4, 'finish_ps': the number does not fit in 64 bits"),
        ({"finish_ps": None}, "row 4, 'finish_ps': a whole number was expected"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(
    change: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    good = json.loads(line(9, "M_MM", "matrix", 1, 2))
    with pytest.raises(InputError) as caught:
        read(SCOREBOARD + json.dumps({**good, **change}) + "\n", tmp_path, "bad.jsonl")
    assert problem in str(caught.value)


def test_a_missing_key_and_a_damaged_line_are_named_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'unit': the row has no such column.*\(line 5, byte"):
        read(SCOREBOARD + '{"pc":1,"op":"A","issue_ps":1,"finish_ps":2}\n', tmp_path, "a.jsonl")
    with pytest.raises(InputError, match=r"\(line 3, byte"):
        read(SCOREBOARD.replace('"pc": 2', '"pc" 2'), tmp_path, "a.jsonl")


@quiet
@given(data=st.data())
def test_a_changed_byte_gives_a_trace_or_one_sentence(data: st.DataObject, tmp_path: Path) -> None:
    whole = bytearray((SCOREBOARD + OPS).encode() if data.draw(st.booleans()) else OPS.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "changed.jsonl"
    path.write_bytes(bytes(whole))
    try:
        trace = import_trace(path)
    except (InputError, UsageError) as error:
        assert "\n" not in str(error)
    else:
        assert all(entry.closes for entry in trace.meta.ledger)


def test_a_line_of_sums_alone_is_the_run(tmp_path: Path) -> None:
    trace = read(json.dumps(SUMS) + "\n", tmp_path, "ops.jsonl")
    assert totals(trace)["read bytes"] == 8192
    assert trace.meta.schedule is not None and trace.meta.schedule.cycles == 183
    assert trace.meta.schedule.unlisted == {}
    assert trace.meta.notes[-1] == "The file has the line of sums only."


def test_a_line_of_sums_without_a_time_tells_no_length_and_nothing_that_cost_nothing(
    tmp_path: Path,
) -> None:
    unknown = {name: value for name, value in SUMS.items() if name != "total_dt_ps"}
    trace = read(json.dumps(unknown) + "\n", tmp_path, "ops.jsonl")
    assert totals(trace) == {"read bytes": 8192, "written bytes": 0}
    assert (len(trace.tasks), trace.meta.schedule) == (0, None)
    assert trace.meta.notes[-1] == "The file has the line of sums only."
    assert "cost nothing" not in " ".join(trace.meta.notes)


def test_a_run_of_no_time_had_only_instructions_that_cost_nothing(tmp_path: Path) -> None:
    trace = read(json.dumps({**SUMS, "total_dt_ps": 0}) + "\n", tmp_path, "ops.jsonl")
    schedule = trace.meta.schedule
    assert schedule is not None
    assert (schedule.cycles, schedule.unlisted) == (0, {"M_MM": 1, "S_ADDI_INT": 3})
    assert trace.tasks["end_ns"].tolist() == [0]
    assert trace.meta.notes[-2] == (
        "Instructions that cost nothing are not listed: M_MM 1, S_ADDI_INT 3."
    )


@pytest.mark.parametrize("size", [1, 4094, 4095, 4096, 4097, 65536, 70000])
def test_the_last_line_may_be_of_any_length(size: int) -> None:
    for before in (b"", b"first\n"):
        data = np.frombuffer(before + b"x" * size + b"\n", np.uint8)
        assert _last_line(data, len(data)) == b"x" * size + b"\n"
        assert _last_line(data, len(data) - 1) == b"x" * size


def test_blank_lines_behind_the_last_one_are_of_it() -> None:
    data = np.frombuffer(b"a\nb\n \n\n", np.uint8)
    assert _last_line(data, len(data)) == b"b\n \n\n"


def test_a_pc_has_31_bits(tmp_path: Path) -> None:
    most = (1 << 31) - 1
    trace = read(line(most, "M_MM", "matrix", 0, 9), tmp_path, "a.jsonl")
    assert trace.tasks["pc"].tolist() == [most]


def test_units_have_their_order_and_others_follow(tmp_path: Path) -> None:
    units = ("other", "dma", "", "scalar", "vector", "matrix")
    text = "".join(line(k, "M_MM", unit, 0, 9) for k, unit in enumerate(units))
    trace = read(text, tmp_path, "a.jsonl")
    assert trace.text("cores", "name") == [
        *("matrix", "vector", "scalar", "dma"),
        *("other", "(no name)"),
    ]
    assert trace.tasks["task"].tolist() == [5, 4, 3, 1, 0, 2]
    assert trace.tasks["token"].tolist() == [0] * 6


def test_only_transfers_may_end_later(tmp_path: Path) -> None:
    note = "A transfer's line ends when it is committed; its data may come later."
    assert note in read(line(0, "M_MM", "dma", 0, 9), tmp_path, "a.jsonl").meta.notes
    assert note not in read(line(0, "M_MM", "matrix", 0, 9), tmp_path, "b.jsonl").meta.notes


def test_a_run_is_as_long_as_from_its_first_start_to_its_last_end(tmp_path: Path) -> None:
    text = line(0, "M_MM", "matrix", 5, 9) + line(1, "M_MM", "vector", 3, 7)
    schedule = read(text, tmp_path, "a.jsonl").meta.schedule
    assert schedule is not None and schedule.cycles == 6


def sums(**more: Any) -> str:
    return json.dumps({"aggregate": True, **more}) + "\n"


def test_a_serial_run_begins_where_its_sums_say(tmp_path: Path) -> None:
    trace = read(OPS + sums(start_ps=5000, total_dt_ps=183000), tmp_path, "a.jsonl")
    assert trace.tasks["start_ns"].tolist() == [5, 124]
    assert trace.tasks["end_ns"].tolist() == [124, 188]
    assert trace.meta.schedule is not None and trace.meta.schedule.cycles == 183
    assert trace.meta.schedule.unlisted == {}


def test_all_bytes_of_the_sums_are_kept(tmp_path: Path) -> None:
    text = OPS + sums(total_hbm_rd=1, total_hbm_wr=2, total_hbm_issue_rd=3, total_hbm_issue_wr=4)
    assert totals(read(text, tmp_path, "a.jsonl")) == {
        "read bytes": 1,
        "written bytes": 2,
        "asked to read bytes": 3,
        "asked to write bytes": 4,
    }


def test_eight_opcodes_that_cost_nothing_are_named(tmp_path: Path) -> None:
    def told(count: int) -> str:
        ops = [{"op": f"A{k} {{ rd: 1 }}", "count": 1000 + k} for k in range(count)]
        ops += [{"op": "A0", "count": 1}, {"op": "M_MM", "count": 1}]
        return read(OPS + sums(ops=ops), tmp_path, "a.jsonl").meta.notes[-1]

    some = ", ".join(f"A{k} {1000 + k + (k == 0):,}" for k in range(8))
    assert told(8) == f"Instructions that cost nothing are not listed: {some}."
    assert told(9) == f"Instructions that cost nothing are not listed: {some}, …."


@pytest.mark.parametrize(("total", "good"), [((1 << 61) - 1, True), (1 << 61, False)])
def test_a_run_is_shorter_than_27_days(tmp_path: Path, total: int, good: bool) -> None:
    single = json.dumps({"pc": 0, "op": "A", "dt_ps": total}) + "\n"
    late = line(0, "A", "dma", 0, 1).replace("1000", str(total))
    for text in (single, late):
        if good:
            assert len(read(text, tmp_path, "a.jsonl").tasks) == 1
            continue
        with pytest.raises(InputError) as caught:
            read(text, tmp_path, "a.jsonl")
        assert caught.value.problem == (
            "expected times below 2,305,843,009,213,693,952 ps, found 2,305,843,009,213,693,952"
        )


def test_a_damaged_line_of_sums_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3: Expected `int"):
        read(OPS + sums(start_ps=-1), tmp_path, "a.jsonl")


def test_instructions_that_moved_nothing_have_no_bytes(tmp_path: Path) -> None:
    text = op(0, "A", 1, hbm_wr=0) + op(1, "B", 1, hbm_wr=3, hbm_rd=1) + op(2, "C", 1, hbm_wr=1)
    trace = read(text, tmp_path, "a.jsonl")
    counters = trace.counters
    assert list(
        zip(
            trace.text("counters", "name"),
            counters["value"].tolist(),
            counters["task"].tolist(),
            counters["core"].tolist(),
            counters["token"].tolist(),
            strict=True,
        )
    ) == [
        ("read bytes", 1, 1, 0, 1),
        ("written bytes", 3, 1, 0, 1),
        ("written bytes", 1, 2, 0, 2),
    ]


def test_backward_instructions_are_accounted_on_their_lane(tmp_path: Path) -> None:
    text = SCOREBOARD + line(5, "V_ADD_VV", "scalar", 9, 4) + line(6, "V_ADD_VV", "vector", 9, 9)
    ledger = read(text, tmp_path, "a.jsonl").meta.ledger
    assert [(one.lane, one.total, one.delivered, one.unmatched, one.reason) for one in ledger] == [
        ("matrix", 1, 1, 0, ""),
        ("vector", 1, 1, 0, ""),
        ("scalar", 3, 2, 1, "it finishes before it is issued"),
        ("dma", 1, 1, 0, ""),
    ]


@pytest.mark.parametrize(
    ("issue", "finish", "told"), [(0, 2, False), (1, 2, True), (0, 3, True), (2, 4, False)]
)
def test_times_between_cycles_are_told(tmp_path: Path, issue: int, finish: int, told: bool) -> None:
    trace = read(line(0, "A", "matrix", issue, finish), tmp_path, "a.jsonl", period_ps=2000)
    note = (
        "Times are not whole cycles of 2,000 ps and are rounded down; where the run had another "
        "CLOCK_PERIOD_PS, --format plena --period-ps says so."
    )
    assert (note in trace.meta.notes) is told
