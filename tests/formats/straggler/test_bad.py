"""Files of the straggler study that are damaged or contradict themselves: one sentence each."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.formats.straggler.files import StudyJob, usual, write_rows, write_sizes

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace

JOB = StudyJob(dp=1, pp=2, batches=1, steps=(1,))
Rows = list[dict[str, Any]]


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(import_paths([path]))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def change(row: int, **values: Any) -> Callable[[Rows], Rows]:
    return lambda rows: [{**one, **values} if at == row else one for at, one in enumerate(rows)]


BAD: dict[str, Callable[[Rows], Rows]] = {
    "row 2, 'step': expected a whole number of 0 or more": change(2, step=None),
    "row 0, 'stage': expected a whole number of 0 or more": change(0, stage=-1),
    "row 1, 'start_ts': expected seconds, found inf": change(1, start_ts=math.inf),
    "row 3, 'duration': expected seconds, found nan": change(3, duration=None),
    "row 1, 'optype': expected a text": change(1, optype=None),
    "expected one rank per pair of 'dp_rank' and 'stage', found several": change(0, rank=9),
    "step 1, rank 0: expected forward-compute 0 once, found it twice": lambda rows: [
        *rows,
        next(row for row in rows if row["optype"] == "forward-compute"),
    ],
    "has the columns of the straggler study, but no row": lambda rows: [],
}


@pytest.mark.parametrize("message", BAD)
def test_damaged_rows_are_named(message: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "trace-X.parquet", BAD[message](JOB.rows(usual)))
    assert problem(path) == f"{path}: {message}"


def test_a_row_that_ends_before_it_starts_is_refused_unless_kept(tmp_path: Path) -> None:
    rows = change(0, duration=-1.0)(JOB.rows(usual))
    path = write_rows(tmp_path / "trace-X.parquet", rows)
    assert "ends 1000000000 ns before it starts; keep such rows" in problem(path)
    kept = list(import_paths([path], keep_damaged=True))
    assert sum(entry.unmatched for trace in kept for entry in trace.meta.ledger) == 1


SIZES = {
    "dp_size: expected a number above 0, found 0": "trial_name: X\ndp_size: 0\n",
    "pp_size is 1, but the rows beside it need 2; is it the file of another job?": "trial_name: X\n"
    "pp_size: 1\n",
    "expected the sizes of a job as YAML, found: Expected `int`, got `str` - at `$.dp_size`": (
        "trial_name: X\ndp_size: two\n"
    ),
    "expected the sizes of a job as YAML, found: Expected `object`, got `array`": "- trial_name:\n",
    # The reason of the reader has at most 120 characters.
    "expected the sizes of a job as YAML, found: while scanning for the next token found character "
    "'|' that cannot start any token in \"<byte string>\", line 1, column 14:": "trial_name: [|\n",
}


@pytest.mark.parametrize("message", SIZES)
def test_wrong_sizes_are_refused(message: str, tmp_path: Path) -> None:
    path = JOB.write(tmp_path, "X", usual)
    sizes = tmp_path / "meta-X.yaml"
    sizes.write_text(SIZES[message])
    assert problem(path) == f"{sizes}: {message}"


def test_sizes_that_nobody_knows_are_passed_over(tmp_path: Path) -> None:
    path = JOB.write(tmp_path, "X", usual)
    with (tmp_path / "meta-X.yaml").open("a") as file:
        file.write("other_size: -1\n")
    assert len(list(import_paths([path]))) == 2


def test_yaml_that_is_none_is_refused(tmp_path: Path) -> None:
    path = JOB.write(tmp_path, "X", usual)
    sizes = tmp_path / "meta-X.yaml"
    for text in (b"trial_name: [", b"\xff\xfe\x00", b"[" * 5000, b"trial_name: " + b"x" * 70_000):
        sizes.write_bytes(text)
        assert problem(path).startswith(f"{sizes}: expected ")


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = JOB.write(tmp_path, "X", usual)
    whole = path.read_bytes()
    for length in (4, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert "is a damaged Parquet file" in problem(path)


def test_sizes_without_rows_are_no_trace(tmp_path: Path) -> None:
    path = write_sizes(tmp_path / "meta-X.yaml", JOB, "X")
    with pytest.raises(InputError, match="has no run to import"):
        import_trace(path)
