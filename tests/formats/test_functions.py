"""import_trace, import_paths and export: what a notebook calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.chunks.test_decoder import GOLDEN
from tests.formats.simpler.runs import records, write

from lanescope.errors import InputError, UsageError
from lanescope.formats import DrawnExport, FilesExport, export, import_paths, import_trace
from lanescope.trace import SCHEMA, Trace

RUN = records(1, aicore_tasks=[[0, 7, 1, 10, 20]])
CHART = {"traceEvents": [{"ph": "X", "ts": 1, "dur": 2, "name": "a"}]}


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    return import_trace(write(tmp_path / "run", records=RUN))


def test_one_run_is_one_trace(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN, chart=CHART)
    assert import_trace(folder).meta.name == "run"
    assert import_trace(str(folder)).meta.name == "run"
    assert import_trace([folder / "records.json"]).meta.name == "run"


def test_several_runs_are_named(tmp_path: Path) -> None:
    for rank in range(6):
        write(tmp_path / f"rank{rank}", records=RUN)
    with pytest.raises(UsageError) as caught:
        import_trace(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} holds 6 runs (rank0, rank1, rank2, rank3, …); name one of them"
    )
    assert len(import_paths([tmp_path])) == 6


def test_no_run_is_an_input_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", package={"name": "x"})
    with pytest.raises(InputError, match="has no run to import; see 'lanescope import --help'"):
        import_trace(folder)


def test_a_format_can_be_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", records=RUN, chart=CHART)
    assert import_trace(folder, format="chrome").meta.sources[0].format == "chrome"
    assert import_trace(folder, format="simpler").meta.sources[0].format == "records"
    with pytest.raises(UsageError, match=r"^no importer for format 'kronos'; there are auto, "):
        import_trace(folder, format="kronos")


def test_options_say_what_a_file_does_not(tmp_path: Path) -> None:
    raw = tmp_path / "core.bin"
    raw.write_bytes(GOLDEN)
    clocks = {"core_mhz": 1000, "counter_mhz": 1000}
    trace = import_trace(raw, format="chip6", options={**clocks, "core": 3, "kind": "aiv"})
    assert (trace.text("cores", "name"), trace.meta.clock_hz) == (["aiv 3"], 10**9)
    with pytest.raises(UsageError, match=r"expected a clock like 1650 or 1850.5, found '-1'"):
        import_trace(raw, format="chip6", options={"core_mhz": -1})
    with pytest.raises(UsageError, match="options belong to one format: name it with format="):
        import_trace(raw, options=clocks)
    with pytest.raises(UsageError, match="--format chip6 takes one file per trace, found 2"):
        import_trace([raw, raw], format="chip6", options=clocks)


def test_an_export_says_what_it_wrote(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "run.kanata"
    written = export(trace, path, to="kanata")
    assert written == DrawnExport(
        output=str(path),
        format="kanata",
        slices=1,
        lanes=1,
        arrows=0,
        arrows_not_drawn=0,
        bytes=path.stat().st_size,
    )
    assert list(written.to_dict()) == [
        *("output", "format", "slices", "lanes", "arrows", "arrows_not_drawn", "bytes")
    ]
    folder = tmp_path / "tables"
    names = (*(f"{name}.csv" for name in SCHEMA), "meta.json")
    assert export(trace, str(folder), to="csv") == FilesExport(
        output=str(folder), format="csv", files=names
    )


def test_one_table_of_a_trace(trace: Trace, tmp_path: Path) -> None:
    written = export(trace, tmp_path / "t", to="csv", table="cores")
    assert written.to_dict() == {
        "output": str(tmp_path / "t"),
        "format": "csv",
        "files": ["cores.csv"],
    }
    with pytest.raises(UsageError, match="format chrome has no option 'table'; it has none"):
        export(trace, tmp_path / "t.json", to="chrome", table="cores")


def test_an_unknown_format_to_write(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^no exporter for format 'excel'; there are perfetto, "):
        export(trace, tmp_path / "t", to="excel")
