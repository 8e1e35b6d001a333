"""What all commands have in common, and import, report and export as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lanescope import __version__
from lanescope.cli import COMMANDS, main
from lanescope.formats.registry import EXPORTERS, IMPORTERS
from lanescope.trace import load

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "small_run"

Output = pytest.CaptureFixture[str]


def run(*args: object) -> int:
    return main([str(arg) for arg in args])


@pytest.fixture
def trace(tmp_path: Path, capsys: Output) -> Path:
    assert run("import", EXAMPLE, "-o", tmp_path) == 0
    capsys.readouterr()
    return tmp_path / "small_run.lanes"


def test_version(capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        run("--version")
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"lanescope {__version__}\n"


def test_no_command_shows_the_commands(capsys: Output) -> None:
    assert run() == 2
    assert "read a run's files and store them" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        run(command, "--help")
    assert stop.value.code == 0
    assert f"example:\n  lanescope {command} " in capsys.readouterr().out


@pytest.mark.parametrize("command", ["import", "export"])
def test_help_answers_without_loading_numpy(command: str) -> None:
    code = (
        "import sys\n"
        "from lanescope.cli import main\n"
        f"try: main(['{command}', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'rich', 'msgspec'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_help_lists_the_formats_of_the_registry(capsys: Output) -> None:
    for command, entries in (("import", IMPORTERS), ("export", EXPORTERS)):
        with pytest.raises(SystemExit):
            run(command, "--help")
        listing = capsys.readouterr().out.partition("\nformats:\n")[2].partition("\n\n")[0]
        listed = [line.split()[0] for line in listing.splitlines() if line[2] != " "]
        assert listed == [one.name for one in entries]


def test_a_command_before_its_name_is_usage(capsys: Output) -> None:
    for words in (["--json", "report"], ["nothing"]):
        with pytest.raises(SystemExit) as stop:
            run(*words)
        assert stop.value.code == 2
    assert "there is no command 'nothing'" in capsys.readouterr().err


def test_import_stores_a_trace_named_after_the_run(tmp_path: Path, capsys: Output) -> None:
    assert run("import", EXAMPLE, "-o", tmp_path) == 0
    assert capsys.readouterr().out == (
        f"{tmp_path}/small_run.lanes  level 4: 122 tasks, 12 cores, 430 phases, 127 edge rows\n"
    )
    assert load(tmp_path / "small_run.lanes").meta.name == "small_run"


def test_import_to_a_name(tmp_path: Path) -> None:
    assert run("import", EXAMPLE, "-o", tmp_path / "mine.lanes") == 0
    assert len(load(tmp_path / "mine.lanes").cores) == 12


def test_import_as_json(tmp_path: Path, capsys: Output) -> None:
    assert run("import", EXAMPLE, "-o", tmp_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (result,) = told["traces"]
    assert result["trace"] == str(tmp_path / "small_run.lanes")
    assert (result["tasks"], result["dropped"], result["unmatched"]) == (122, 0, 0)


def test_one_bad_run_does_not_stop_the_others(tmp_path: Path, capsys: Output) -> None:
    for rank, text in enumerate(["{", None]):
        folder = tmp_path / "runs" / f"rank{rank}"
        folder.mkdir(parents=True)
        good = (EXAMPLE / "chip_swimlane_records.json").read_text()
        (folder / "chip_swimlane_records.json").write_text(text or good)
    assert run("import", tmp_path / "runs", "-o", tmp_path / "out") == 1
    captured = capsys.readouterr()
    assert "rank1.lanes  level 4: 122 tasks" in captured.out
    assert "rank0/chip_swimlane_records.json: is not valid JSON" in captured.err
    assert captured.err.count("\n") == 1
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["rank1.lanes"]


def test_several_runs_cannot_share_one_name(tmp_path: Path, capsys: Output) -> None:
    for rank in range(2):
        folder = tmp_path / "runs" / f"rank{rank}"
        folder.mkdir(parents=True)
        (folder / "r.json").write_bytes((EXAMPLE / "chip_swimlane_records.json").read_bytes())
    assert run("import", tmp_path / "runs", "-o", tmp_path / "one.lanes") == 2
    assert "names one trace, but there are several runs" in capsys.readouterr().err


def test_report_prints_text_where_there_is_no_terminal(trace: Path, capsys: Output) -> None:
    assert run("report", trace) == 0
    out = capsys.readouterr().out
    assert "small_run" in out
    assert "SOFTMAX" in out
    assert "\x1b" not in out


def test_report_takes_a_runs_own_files(capsys: Output) -> None:
    assert run("report", EXAMPLE) == 0
    assert "SOFTMAX" in capsys.readouterr().out


def test_report_as_json_is_exact(trace: Path, capsys: Output) -> None:
    assert run("report", trace, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    tasks = load(trace).tasks
    assert report["makespan"]["makespan"]["length_ns"] == int(
        tasks["finish_ns"].max() - tasks["dispatch_ns"][tasks["dispatch_ns"] >= 0].min()
    )


def test_report_lists_the_graph_only_when_asked_to(trace: Path, capsys: Output) -> None:
    assert run("report", trace, "--full") == 0
    plain = capsys.readouterr().out
    assert run("report", trace, "--graph") == 0
    listed = capsys.readouterr().out
    assert "Task graph" not in plain
    assert "  fan-out   mean 0.99, largest 1, in all 127\n" in listed
    begin, end = listed.index("Task graph\n"), listed.index("Functions: time on the core")
    assert listed[:begin] + listed[end:] == plain
    assert run("report", trace, "--json", "--graph") == 0
    figures = json.loads(capsys.readouterr().out)
    assert list(figures)[-1] == "graph" and figures["graph"]["depth"] == 10


def test_report_of_a_part(trace: Path, capsys: Output) -> None:
    assert run("report", trace, "--function", "QK", "--core", "0-3", "--until", "50us") == 0
    out = capsys.readouterr().out
    assert "Only a part of the capture: time … to 50000 ns; cores 0,1,2,3; functions QK." in out
    assert "SOFTMAX" not in out


def test_a_wrong_time_or_core_is_a_usage_error(trace: Path, capsys: Output) -> None:
    for option, value in (("--since", "soon"), ("--core", "x"), ("--core", "0-99999999")):
        with pytest.raises(SystemExit) as stop:
            run("report", trace, option, value)
        assert stop.value.code == 2
    assert "expected a time like 1.5ms or 200us, found 'soon'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("perfetto", "small_run.perfetto-trace"),
        ("chrome", "small_run.trace.json"),
        ("simpler", "small_run"),
        ("csv", "small_run-csv"),
    ],
)
def test_export_writes_a_file_named_after_the_trace(
    trace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
    form: str,
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", trace, "--to", form) == 0
    assert (tmp_path / name).exists()
    assert capsys.readouterr().out.startswith(f"{name}: ")


def test_export_as_json(trace: Path, tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "x.gz"
    assert run("export", trace, "--to", "perfetto", "-o", out, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["bytes"] == out.stat().st_size
    assert out.read_bytes()[:2] == b"\x1f\x8b"


def test_an_unwritable_output_is_one_sentence(trace: Path, tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "file").write_text("")
    assert run("export", trace, "--to", "chrome", "-o", tmp_path / "file" / "x.json") == 2
    err = capsys.readouterr().err
    assert err.startswith("lanescope: ") and err.count("\n") == 1


def test_a_missing_trace_is_one_sentence(tmp_path: Path, capsys: Output) -> None:
    assert run("report", tmp_path / "none.lanes") == 1
    err = capsys.readouterr().err
    assert err == (
        f"lanescope: {tmp_path}/none.lanes: no such trace; "
        "a stored trace is a directory NAME.lanes\n"
    )


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m lanescope report {EXAMPLE} | head -c 1"
    done = subprocess.run(command, shell=True, check=False, capture_output=True, text=True)
    assert done.stderr == ""


def test_a_terminal_gets_rich_tables(trace: Path) -> None:
    """Through a pseudo-terminal, as a person would see it."""
    import os
    import pty

    parent, child = pty.openpty()
    command = [sys.executable, "-m", "lanescope", "report", str(trace)]
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=child, stderr=child, env=env) as process:
        os.close(child)
        seen = b""
        while True:
            try:
                block = os.read(parent, 4096)
            except OSError:
                break
            if not block:
                break
            seen += block
    os.close(parent)
    assert process.returncode == 0
    assert b"\x1b[" in seen and b"SOFTMAX" in seen
