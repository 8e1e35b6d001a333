"""Broken files through the command line: one sentence, nothing written, nothing destroyed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from benchmarks.make_run import make_run
from tests.formats.simpler.bad_files import (
    BAD_CHROME,
    BAD_COMPANIONS,
    BAD_RECORDS,
    BAD_TODAY,
    with_text,
)
from tests.formats.simpler.runs import (
    DEPS,
    GOOD,
    HOST,
    PMU,
    RECORDS,
    SCOPES,
    hosted_today,
    lines,
)

from lanescope.cli import main


class Bench:
    """A run's folder, and an output folder with an older trace of the same name."""

    def __init__(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.run = place / "run"
        self.out = place / "out"
        self.run.mkdir()
        (self.out / "run.lanes").mkdir(parents=True)
        (self.out / "run.lanes" / "meta.json").write_text("an older trace")
        self._capsys = capsys

    def put(self, name: str, content: Any) -> Path:
        path = self.run / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def refused(self, path: Path, *, named: Path | None = None, code: int = 1) -> str:
        """Import `path`; the one line on stderr, which names the file, is returned."""
        before = self._tree()
        assert main(["import", str(path), "-o", str(self.out), "--force"]) == code
        printed = self._capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert printed.err.startswith("lanescope: ")
        assert str(named or path) in printed.err
        assert len(printed.err) < 1000
        assert self._tree() == before
        return printed.err.removeprefix("lanescope: ").removeprefix(f"{named or path}: ").strip()

    def _tree(self) -> dict[str, bytes]:
        files = sorted(p for p in self.out.rglob("*") if p.is_file())
        folders = {str(p): b"" for p in self.out.rglob("*") if p.is_dir()}
        return {str(p): p.read_bytes() for p in files} | folders


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def test_the_good_run_imports(bench: Bench) -> None:
    for name, content in (
        (RECORDS, GOOD),
        ("deps.json", DEPS),
        ("pmu.csv", PMU),
        ("scope_stats.jsonl", lines(*SCOPES)),
        ("host_phase_records.jsonl", lines(HOST)),
    ):
        bench.put(name, content)
    assert main(["import", str(bench.run), "-o", str(bench.out), "--force"]) == 0
    assert (bench.out / "run.lanes" / "tasks.parquet").is_file()


@pytest.mark.parametrize("case", BAD_RECORDS)
def test_a_bad_records_file_is_refused(bench: Bench, case: str) -> None:
    bench.refused(bench.put(RECORDS, BAD_RECORDS[case]))


@pytest.mark.parametrize("case", BAD_TODAY)
def test_a_bad_records_file_of_today_is_refused(bench: Bench, case: str) -> None:
    content, sentence = BAD_TODAY[case]
    assert sentence in bench.refused(bench.put(RECORDS, content))


@pytest.mark.parametrize("case", BAD_COMPANIONS)
def test_a_bad_companion_is_named_not_the_records_file(bench: Bench, case: str) -> None:
    name, content = BAD_COMPANIONS[case]
    bench.put(RECORDS, GOOD)
    bench.refused(bench.run, named=bench.put(name, content))


@pytest.mark.parametrize("case", BAD_COMPANIONS)
def test_a_bad_companion_alone_is_refused_too(bench: Bench, case: str) -> None:
    name, content = BAD_COMPANIONS[case]
    path = bench.put(name, content)
    bench.refused(path)


@pytest.mark.parametrize("case", BAD_CHROME)
def test_a_bad_chrome_trace_is_refused(bench: Bench, case: str) -> None:
    bench.refused(bench.put("trace.json", BAD_CHROME[case]))


@pytest.mark.parametrize("generation", ["G8", "G10"])
def test_records_cut_at_every_4_kib(bench: Bench, generation: str) -> None:
    source = make_run(300, bench.run, generation=generation)
    whole = (source / RECORDS).read_bytes()
    assert len(whole) > 100_000
    for length in range(4096, len(whole) - 2, 4096):
        bench.refused(bench.run, named=bench.put(RECORDS, whole[:length]))


def test_graph_cut_at_every_4_kib(bench: Bench) -> None:
    source = make_run(300, bench.run)
    whole = (source / "deps.json").read_bytes()
    assert len(whole) > 100_000
    for length in range(4096, len(whole) - 2, 4096):
        bench.refused(bench.run, named=bench.put("deps.json", whole[:length]))


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        (RECORDS, json.dumps(GOOD).encode()),
        ("deps.json", json.dumps(DEPS).encode()),
        (RECORDS, json.dumps(hosted_today()).encode()),
    ],
    ids=["records", "deps", "today"],
)
def test_a_file_cut_at_every_byte(bench: Bench, name: str, whole: bytes) -> None:
    for length in range(len(whole)):
        bench.refused(bench.put(name, whole[:length]))


def test_messages_show_where_and_what(bench: Bench) -> None:
    text = json.dumps(
        {**GOOD, "aicore_tasks": [[0, 7, 1, 100, 200], [0, 8, 2, 1.5, 300]]}, indent=1
    )
    message = bench.refused(bench.put(RECORDS, text))
    byte = text.index("1.5")
    line = text[:byte].count("\n") + 1
    assert message.startswith(
        "aicore_tasks row 1, 'start_cycles': a whole number was expected, found '1.5,"
    )
    assert message.endswith(f"(line {line}, byte {byte})")


def test_control_characters_of_a_file_do_not_reach_the_terminal(bench: Bench) -> None:
    bad = with_text("aicore_tasks", '[["\x1b[31m"]]'.replace("\x1b", "\x7f"))
    message = bench.refused(bench.put(RECORDS, bad))
    assert "\x7f" not in message and "\x1b" not in message


def test_a_folder_with_nothing_in_it(bench: Bench) -> None:
    assert bench.refused(bench.run).startswith("has no file to import; lanescope reads runs")


def test_a_folder_with_nothing_known_in_it(bench: Bench) -> None:
    bench.put("package.json", {"name": "x"})
    assert bench.refused(bench.run) == "has no run to import; see 'lanescope import --help'"


def test_names_alone_are_no_run(bench: Bench) -> None:
    path = bench.put("name_map_x.json", {"callable_id_to_name": {"0": "QK"}})
    assert bench.refused(path) == "has no run to import; see 'lanescope import --help'"


def test_paths_that_cannot_be_read(bench: Bench) -> None:
    assert bench.refused(bench.run / "absent") == "no such file or directory"
    file = bench.put("a.json", {})
    assert bench.refused(file / "below") == "cannot be read (Not a directory)"
    pipe = bench.run / "pipe"
    os.mkfifo(pipe)
    assert bench.refused(pipe).startswith("is no regular file")


def test_a_path_longer_than_any_file_system_takes(bench: Bench) -> None:
    path = Path("/" + "x" * 300)
    assert bench.refused(path) == "cannot be read (File name too long)"


def test_output_below_a_file(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.put(RECORDS, GOOD)
    blocked = bench.put("file", "x") / "out"
    assert main(["import", str(bench.run), "-o", str(blocked)]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert f"expected a folder {blocked.parent} to write into, found a file" in printed.err
    assert sorted(p.name for p in bench.run.iterdir()) == [RECORDS, "file"]


def test_output_that_is_no_trace_is_left_alone(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.put(RECORDS, GOOD)
    (bench.out / "run.lanes" / "meta.json").rename(bench.out / "run.lanes" / "thesis.txt")
    assert main(["import", str(bench.run), "-o", str(bench.out)]) == 1
    assert capsys.readouterr().err == (
        f"lanescope: {bench.out / 'run.lanes'} exists and is no lanescope trace, so it was left "
        "alone; choose another place with -o\n"
    )
    assert (bench.out / "run.lanes" / "thesis.txt").read_text() == "an older trace"


def test_a_bad_run_among_good_ones_is_named_and_the_rest_imported(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank in ("rank0", "rank1", "rank2"):
        (bench.run / rank).mkdir()
        (bench.run / rank / RECORDS).write_text(json.dumps(GOOD))
    bad = bench.run / "rank1" / RECORDS
    bad.write_text("{")
    assert main(["import", str(bench.run), "-o", str(bench.out)]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"lanescope: {bad}: ") and printed.err.count("\n") == 1
    assert sorted(p.name for p in bench.out.iterdir()) == [
        "rank0.lanes",
        "rank2.lanes",
        "run.lanes",
    ]


def test_unknown_options_are_usage_errors(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["import", str(bench.run), "--no-such-option"])
    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err
