"""Exports that are damaged, cut, or not what they seem: one sentence each."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.formats.nsys.files import SMALL, Row, kernel, write_parquet, write_sqlite

from lanescope.errors import InputError
from lanescope.formats import import_trace


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        import_trace(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


def with_kernels(*rows: Row) -> dict[str, list[Row]]:
    return {**SMALL, "CUPTI_ACTIVITY_KIND_KERNEL": list(rows)}


BAD = {
    ": table CUPTI_ACTIVITY_KIND_KERNEL has no column 'end'; it has start; export it again with "
    "a newer version": with_kernels({"start": 1}),
    ": table CUPTI_ACTIVITY_KIND_KERNEL row 1, 'start': a whole number was expected, found "
    "none; export it again": with_kernels(kernel(1, 2, 3), kernel("soon", 2, 3)),
    ": table CUPTI_ACTIVITY_KIND_KERNEL row 0, 'end': a whole number was expected, found "
    "none; export it again": with_kernels(kernel(1, 2.5, 3)),
    ": table CUPTI_ACTIVITY_KIND_KERNEL row 0, 'end': the time is more than 73 years: "
    f"{1 << 62} ns; export it again": with_kernels(kernel(1, 1 << 62, 3)),
    ": a row of the device ('void k1<float>(int)') ends 10 ns before it starts; keep such rows, "
    "flagged, with --keep-damaged": with_kernels(kernel(20, 10, 3)),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_rows_are_refused(sentence: str, tmp_path: Path) -> None:
    assert problem(write_sqlite(tmp_path / "run.sqlite", BAD[sentence])) == sentence


def test_numbers_that_are_no_numbers_are_missing(tmp_path: Path) -> None:
    """Only times are required: a correlation that is a text joins with nothing."""
    odd = kernel(1, 2, "x", deviceId="GPU", gridX=None, demangledName=b"raw")  # type: ignore[arg-type]
    trace = import_trace(write_sqlite(tmp_path / "run.sqlite", with_kernels(odd)))
    assert len(trace.tasks) == 1


def test_a_backward_row_is_kept_when_asked_for(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "run.sqlite", with_kernels(kernel(20, 10, 3)))
    trace = import_trace(path, keep_damaged=True)
    assert [entry.unmatched for entry in trace.meta.ledger if entry.kind == "task"] == [1]


def test_a_report_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "run.nsys-rep"
    path.write_bytes(b"anything")
    assert problem(path) == (
        ": is a report of Nsight Systems itself, which only its own tools read; export it with "
        "'nsys export --type sqlite run.nsys-rep'"
    )


def test_a_database_of_another_tool_is_not_known(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "other.sqlite", {"people": [{"name": "a"}]})
    assert problem(path).startswith(": is not a file lanescope knows")


def test_an_export_without_rows_is_an_empty_trace(tmp_path: Path) -> None:
    tables: dict[str, list[Row]] = {"StringIds": [], "META_DATA_EXPORT": []}
    trace = import_trace(write_sqlite(tmp_path / "run.sqlite", tables))
    assert (len(trace.tasks), len(trace.cores)) == (0, 0)


def test_a_database_cut_anywhere_is_one_sentence_or_whole(tmp_path: Path) -> None:
    whole = write_sqlite(tmp_path / "run.sqlite", SMALL).read_bytes()
    path = tmp_path / "cut.sqlite"
    refused = 0
    for size in range(16, len(whole), 257):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError) as caught:
            import_trace(path)
        assert "\n" not in str(caught.value)
        refused += 1
    assert refused > 10


def test_mutated_databases_are_read_or_refused(tmp_path: Path) -> None:
    whole = write_sqlite(tmp_path / "run.sqlite", SMALL).read_bytes()
    path = tmp_path / "mutated.sqlite"
    rng = random.Random(5)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            import_trace(path)
        except InputError as error:
            assert "\n" not in str(error)


def test_damaged_parquet_names_its_file(tmp_path: Path) -> None:
    folder = write_parquet(tmp_path / "run", SMALL)
    file = folder / "CUPTI_ACTIVITY_KIND_KERNEL.parquet"
    whole = file.read_bytes()
    for size in range(0, len(whole), 97):
        file.write_bytes(whole[:size])
        sentence = problem(folder)
        assert sentence.startswith("/CUPTI_ACTIVITY_KIND_KERNEL.parquet: is a damaged Parquet file")
