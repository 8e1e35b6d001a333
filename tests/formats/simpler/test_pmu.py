"""pmu.csv: its columns, its ids, and values that no counter has."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.formats.simpler.pmu import is_pmu, read_pmu
from lanescope.trace import MISSING

HEAD = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,busy,event_type"
MOST = 1 << 53


def row(
    core: int | str = 0,
    task: str = "0x7",
    total: int | str = 5,
    busy: int | str = 1,
    event: int = 2,
) -> str:
    return f"-1,{core},{task},3,1,{total},{busy},{event}"


def pmu(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "pmu.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_pmu(path)
    assert caught.value.path == str(path)
    return caught.value.problem


def test_rows_are_columns_and_chosen_ones_keep_them(tmp_path: Path) -> None:
    lines = (f"{row(5, '0x0000000100000007', 9, 4, 4)},8", f"{row(6, '0xFFFFFFFFFFFFFFFF')},0")
    whole = read_pmu(pmu(tmp_path, *lines, head=f"{HEAD},run_epoch"))
    assert whole.events == [2, 4]
    for found, place in ((whole, [0, 1]), (whole.rows(slice(1, 2)), [1])):  # type: ignore[arg-type]
        assert found.core.tolist() == [[5, 6][k] for k in place]
        assert found.task.tolist() == [[(1 << 32) + 7, MISSING][k] for k in place]
        assert found.func.tolist() == [3] * len(place)
        assert found.core_type.tolist() == [1] * len(place)
        assert found.controller.tolist() == [-1] * len(place)
        assert {name: column.tolist() for name, column in found.counters.items()} == {
            "pmu_total_cycles": [[9, 5][k] for k in place],
            "busy": [[4, 1][k] for k in place],
        }
        assert found.epoch is not None and found.epoch.tolist() == [[8, 0][k] for k in place]
    alone = read_pmu(pmu(tmp_path, row()))
    assert (alone.epoch, alone.rows(slice(0, 1)).epoch) == (None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("core", "good"), [(0, True), ((1 << 20) - 1, True), (1 << 20, False)])
def test_a_core_is_below_a_million(tmp_path: Path, core: int, good: bool) -> None:
    path = pmu(tmp_path, row(1), row(core))
    if good:
        assert read_pmu(path).core.tolist() == [1, core]
    else:
        assert problem(path) == "line 3: core_id is 1048576, expected 0 to 1048575"
    assert problem(pmu(tmp_path, row(-1))) == "line 2: core_id is -1, expected 0 to 1048575"


@pytest.mark.parametrize("name", ["pmu_total_cycles", "busy"])
def test_a_value_is_one_that_a_double_holds_exactly(tmp_path: Path, name: str) -> None:
    key = {"pmu_total_cycles": "total", "busy": "busy"}[name]
    for good in (0, MOST):
        assert read_pmu(pmu(tmp_path, row(**{key: good}))).counters[name].tolist() == [good]  # type: ignore[arg-type]
    for bad in (-1, MOST + 1):
        found = problem(pmu(tmp_path, row(), row(**{key: bad})))  # type: ignore[arg-type]
        assert found == f"line 3: {name} is {bad}, expected 0 to 2^53"


@pytest.mark.parametrize("task", ["7", "0x", "0xg", "0x1" + "0" * 16, "", "0x7 ", "0xc" + "0" * 15])
def test_a_task_id_is_one_that_a_runtime_writes(tmp_path: Path, task: str) -> None:
    expected = f"line 3: expected a task id like 0x0000000100000000, found {task!r}"
    assert problem(pmu(tmp_path, row(), row(task=task))) == expected


@pytest.mark.parametrize(("task", "number"), [("0x" + "0" * 30 + "a", 10), ("0xF", 15)])
def test_a_task_id_may_have_zeros_before_it(tmp_path: Path, task: str, number: int) -> None:
    assert read_pmu(pmu(tmp_path, row(task=task))).task.tolist() == [number]


def test_a_run_is_a_number_from_0_on(tmp_path: Path) -> None:
    head = f"{HEAD},run_epoch"
    bad = pmu(tmp_path, f"{row()},0", f"{row()},-2", f"{row()},-3", head=head)
    assert problem(bad) == "line 3: run_epoch is -2, expected a number from 0 on"


@pytest.mark.parametrize(
    ("head", "line", "expected"),
    [
        (HEAD, row(total=""), "column 'pmu_total_cycles' has an empty cell"),
        (HEAD + ",run_epoch", row() + ",", "column 'run_epoch' has an empty cell"),
        (HEAD + ",x", row() + ",1", None),
        (HEAD.replace("core_id", "core"), row(), None),
        (HEAD + ",run_epoch,x", row() + ",1,1", None),
        (HEAD.replace("busy", "func_id"), row(), "line 1: a column name occurs twice"),
        (HEAD, row(core="one"), "is not a PMU table (In CSV column #1: "),
    ],
)
def test_another_table_is_refused(
    tmp_path: Path, head: str, line: str, expected: str | None
) -> None:
    columns = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,<counters>"
    whole = f"line 1: expected the columns {columns},event_type[,run_epoch], found {head[:120]}"
    assert problem(pmu(tmp_path, line, head=head)).startswith(expected or whole)


def test_a_first_line_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pmu.csv"
    path.write_bytes(b"thread_id,core_id,\xff\n")
    assert problem(path).startswith("line 1: 'utf-8' codec can't decode byte 0xff in position 18")
    assert is_pmu(path.read_bytes()) and not is_pmu(b"thread_id;core_id,")
