"""A trace and a capture whose every name attacks: the terminal, the file system, a spreadsheet."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.capture.runs import graph, recorded

import lanescope
from lanescope.capture.directory import SessionNote
from lanescope.cli import main
from lanescope.trace import Trace, save

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
ATTACK = "../../x\0\x1b]0;owned\x07\x9b2J\r\u202e<script>"


def attacked(value: Any) -> Any:
    """The value with the attack in front of every text in it."""
    if isinstance(value, str):
        return ATTACK + value
    if isinstance(value, dict):
        return {key: attacked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [attacked(one) for one in value]
    return value


def attacking(trace: Trace) -> Trace:
    """The trace with the attack in all words and in all that it says of itself."""
    known = {"aic", "aiv", "core", "scheduler", "orchestrator"}
    words = tuple(word if word in known else ATTACK + word for word in trace.words)
    told = msgspec.to_builtins(trace.meta)
    kept = {"schema_version": told["schema_version"], "recording": told["recording"]}
    meta = msgspec.convert(attacked(told) | kept, type(trace.meta))
    return replace(trace, words=words, meta=meta)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trace = lanescope.import_trace(EXAMPLE)
    path = tmp_path_factory.mktemp("hostile") / "hostile.lanes"
    save(attacking(trace), path)
    return path


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, of which every character must be harmless."""
    printed = capsys.readouterr()
    text = printed.out + printed.err
    assert {c for c in text if not c.isprintable()} <= {"\n"}, text
    return text


@pytest.mark.parametrize(
    "command",
    [
        "report {}",
        "report {} --graph",
        "check {}",
        "verify {}",
        "diff {} {}",
        "what-if {}",
        "export {} --to chrome -o out.json",
        "export {} --to csv -o tables",
        "export {} --to simpler -o run",
        "view {} --html page.html",
        "ranks {}",
        "tensors {}",
        "fleet index {} -o fleet",
    ],
)
def test_no_command_prints_a_control_character(
    command: str,
    hostile: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    main(command.replace("{}", str(hostile)).split())
    assert shown(capsys)


def test_an_export_without_a_name_stays_in_this_folder(
    hostile: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = tmp_path / "a" / "b" / "c"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    for format_name in ("chrome", "perfetto", "csv", "simpler", "kanata"):
        assert main(["export", str(hostile), "--to", format_name]) == 0, shown(capsys)
    assert len(list(here.iterdir())) == 5
    assert [
        path for path in tmp_path.rglob("*") if path.is_file() and here not in path.parents
    ] == []
    shown(capsys)


@pytest.mark.parametrize("name", [ATTACK, "../escaped", "/escaped/x", "a\0b", "x" * 5000, ""])
def test_a_capture_names_no_place_to_write_to(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = tmp_path / "inside"
    capture = inside / "run.capture"
    inside.mkdir()
    recorded(capture, graph(tasks=3))
    note = SessionNote(name, "\x1b[31mchip")
    (capture / "session.json").write_bytes(msgspec.json.encode(note))
    assert main(["recover", str(capture)]) == 0, shown(capsys)
    shown(capsys)
    assert list(tmp_path.iterdir()) == [inside]
    made, other = sorted(inside.iterdir(), key=lambda path: path.suffix == ".capture")
    assert made.suffix == ".lanes"
    assert other == capture


def test_checksums_name_files_of_the_trace_only(
    hostile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "copy.lanes"
    shutil.copytree(hostile, path)
    (tmp_path / "secret").write_text("x")
    stated = msgspec.json.decode((path / "checksums.json").read_bytes())
    one = stated["files"]["meta.json"]
    stated["files"] |= {"../secret": one, "a\0\x1b[2J": one}
    (path / "checksums.json").write_bytes(msgspec.json.encode(stated))
    assert main(["verify", str(path)]) == 1
    assert shown(capsys) == (
        f"{path}: ../secret is not in the trace's own folder\n"
        f"{path}: a��[2J is not in the trace's own folder\n"
    )
