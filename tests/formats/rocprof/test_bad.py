"""Recordings that are damaged, cut, or not what they seem: one sentence each."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.formats.rocprof.files import ROCPD, tool, write_json, write_rocpd

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        import_trace(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


def with_dispatch(**changes: Any) -> dict[str, Any]:
    changed = tool()
    changed["buffer_records"]["kernel_dispatch"][0] |= changes
    return changed


def test_a_time_that_is_no_number(tmp_path: Path) -> None:
    path = write_json(tmp_path / "run.json", with_dispatch(start_timestamp="soon"))
    assert problem(path).startswith(
        ": kernel_dispatch row 0, 'start_timestamp': a whole number was expected, found '\"soon\""
    )


def test_a_dispatch_that_ends_before_it_starts(tmp_path: Path) -> None:
    path = write_json(tmp_path / "run.json", with_dispatch(end_timestamp=99))
    assert problem(path).startswith(": a row of the device ('gemm(float*)') ends 1 ns before it")
    assert len(import_trace(path, keep_damaged=True).tasks) == 2


@pytest.mark.parametrize("value", [None, [], "text", {}, -1, 1e300])
def test_numbers_that_are_no_numbers_are_missing(tmp_path: Path, value: Any) -> None:
    odd = with_dispatch(dispatch_info=value, stream_id=value, correlation_id=value)
    odd["agents"], odd["strings"] = value, {"buffer_records": value}
    odd["metadata"] = {"pid": value, "node": value}
    trace = import_trace(write_json(tmp_path / "run.json", odd))
    assert len(trace.tasks) == 2


def test_something_else_than_records(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"rocprofiler-sdk-tool": {"a": 1}}')
    assert problem(path).startswith(": rocprofiler-sdk-tool is not what it should be")
    path.write_text('{"rocprofiler-sdk-tool": [{"buffer_records": {"kernel_dispatch": 5}}]}')
    assert problem(path).startswith(": kernel_dispatch: an array was expected, found '5'")


def test_json_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = write_json(tmp_path / "run.json", tool()).read_bytes()
    path = tmp_path / "cut.json"
    for size in range(1, len(whole), 41):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            import_trace(path)


def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    rng = random.Random(7)
    files = {
        "json": write_json(tmp_path / "run.json", tool()).read_bytes(),
        "db": write_rocpd(tmp_path / "run.db", ROCPD).read_bytes(),
    }
    for _ in range(120):
        for ending, whole in files.items():
            data = bytearray(whole)
            for _ in range(rng.randint(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            path = tmp_path / f"mutated.{ending}"
            path.write_bytes(data)
            try:
                import_paths([path])
            except InputError as error:
                assert "\n" not in str(error)


def test_a_database_cut_anywhere_is_one_sentence(tmp_path: Path) -> None:
    whole = write_rocpd(tmp_path / "run.db", ROCPD).read_bytes()
    path = tmp_path / "cut.db"
    for size in range(16, len(whole), 4000):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError) as caught:
            import_trace(path)
        assert "\n" not in str(caught.value)


def test_a_database_whose_dispatches_lack_their_end(tmp_path: Path) -> None:
    tables = {"rocpd_kernel_dispatch": [{"start": 1}]}
    path = write_rocpd(tmp_path / "run.db", tables, suffix="")
    assert problem(path).startswith(": table rocpd_kernel_dispatch has no column 'end'")
