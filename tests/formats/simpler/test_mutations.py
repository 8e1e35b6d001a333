"""Files damaged at random: a trace whose ledger closes, or a LanescopeError; nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.make_run import make_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.simpler.runs import (
    DEPS,
    EVENT,
    GOOD,
    HOST,
    IDENTITY,
    PMU,
    RECORDS,
    SCOPES,
    host_log,
    hosted_today,
    lines,
    open_entries,
    phase_us,
    task_us,
    today,
)

from lanescope.errors import LanescopeError
from lanescope.formats import import_paths
from lanescope.trace import load, save

DATA = Path(__file__).parents[3] / "../shared/data/chip-swimlane"
EXAMPLES = 400

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[\[\]{},:]|true|false|null|\w+')
ODD = [
    *(b"0", b"-1", b"1.5", b"1e400", b"1e18", b"-0.0005", b"NaN", b"null", b"true"),
    *(b"2147483648", b"4294967296", b"9223372036854775807", b"9223372036854775808"),
    *(b"-9223372036854775807", b"-9223372036854775808", b"9" * 30, b"1e300"),
    *(b"[]", b"{}", b'""', b'"x"', b'"-0x1"', b'"\\ud800"', b'"\xff"', b"[" * 2000, b"0x8" * 9),
]

Mutation = Callable[[bytes], bytes]


def at(share: float, size: int) -> int:
    return min(int(share * size), size - 1)


def flip(share: float, bit: int) -> Mutation:
    def change(data: bytes) -> bytes:
        k = at(share, len(data))
        return data[:k] + bytes([data[k] ^ 1 << bit]) + data[k + 1 :]

    return change


def cut(share: float, size: int) -> Mutation:
    def change(data: bytes) -> bytes:
        k = at(share, len(data))
        return data[:k] + data[k + size :]

    return change


def insert(share: float, more: bytes) -> Mutation:
    def change(data: bytes) -> bytes:
        k = at(share, len(data))
        return data[:k] + more + data[k:]

    return change


def repeat(share: float, size: int) -> Mutation:
    def change(data: bytes) -> bytes:
        k = at(share, len(data))
        return data[: k + size] + data[k:]

    return change


def replace_token(share: float, new: bytes) -> Mutation:
    return on_token(share, lambda token: new)


def on_token(share: float, edit: Mutation) -> Mutation:
    def change(data: bytes) -> bytes:
        found = list(TOKEN.finditer(data))
        if not found:
            return data
        token = found[at(share, len(found))]
        return data[: token.start()] + edit(token.group()) + data[token.end() :]

    return change


share = st.floats(0, 1)
mutation = st.one_of(
    st.builds(flip, share, st.integers(0, 7)),
    st.builds(cut, share, st.sampled_from([1, 2, 7, 60, 1 << 20])),
    st.builds(insert, share, st.binary(min_size=1, max_size=4)),
    st.builds(repeat, share, st.integers(1, 80)),
    st.builds(replace_token, share, st.sampled_from(ODD)),
    st.builds(replace_token, share, st.sampled_from(ODD)),
    st.builds(on_token, share, st.just(lambda token: b"")),
    st.builds(on_token, share, st.just(lambda token: token + b"," + token)),
)
mutations = st.lists(mutation, min_size=1, max_size=4)

thorough = settings(
    deadline=None,
    max_examples=EXAMPLES,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def survives(path: Path, *, among: Path, keep_damaged: bool) -> None:
    """Import the folder around a damaged file."""
    try:
        traces = import_paths([among], keep_damaged=keep_damaged)
    except LanescopeError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000
        return
    for trace in traces:
        assert open_entries(trace) == []


def damage(data: bytes, changes: list[Mutation]) -> bytes:
    for change in changes:
        data = change(data) if data else data
    return data


ORCHESTRATED = {
    **{key: value for key, value in GOOD.items() if key != "aicpu_orchestrator_phases"},
    "metadata": {
        **GOOD["metadata"],
        "core_to_thread": [0, 1, -1],
        "host_capture": {"status": "complete", "expected_records": 1, "recorded_records": 1},
        "clock_anchors": {
            "samples": [
                {"position": p, "host_before_ns": h, "host_after_ns": h + 9, "device_cycles": c}
                for p, h, c in (
                    ("pre_host_orchestration", 1000, 40),
                    ("post_device_execution", 9000, 440),
                )
            ]
        },
    },
    "host_orchestrator_phases": [
        [{"submit_idx": 0, "task_id": 7, "start_host_ns": 1100, "end_host_ns": 1200}]
    ],
    "host_device_uploads": [
        {"phase": "arena_h2d", "start_host_ns": 1300, "end_host_ns": 1400, "detail": 64}
    ],
}
MICROS = {
    "version": 2,
    "core_to_thread": [0, 1],
    "tasks": [
        task_us(0, 0, 1.5, 2.25, dispatch_time_us=0.0, finish_time_us=3.0, fanout=[1]),
        task_us(1, 1, 4, 5.001, dispatch_time_us=3.5, finish_time_us=6.0, fanout=[]),
    ],
    "aicpu_scheduler_phases": [[phase_us("scan", 0.1, 0.2, loop_iter=1, tasks_processed=1)]],
    "aicpu_orchestrator": {
        "start_time_us": 0.125,
        "end_time_us": 4.25,
        "submit_count": 2,
        "phase_us": {"sync": 0.1},
    },
    "aicpu_orchestrator_phases": [phase_us("orch_sync", 0.25, 0.5, task_id=1)],
}
ARGUMENTS = {
    "bin_format": {"type": "logical_contiguous"},
    "args": [{"task_id": "0x7", "func_id": [0], "role": "input", "dtype": "INT8", "numel": 9}],
}
EVENTS = [
    {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "core"}},
    {"ph": "M", "pid": 1, "name": "process_sort_index", "args": {"sort_index": 3}},
    {**EVENT, "cat": "k", "args": {}},
    {"ph": "B", "pid": 1, "tid": "x", "ts": 3.25, "name": "b"},
    {"ph": "E", "pid": 1, "tid": "x", "ts": 7},
    {"ph": "b", "cat": "q", "id": "0x1", "pid": 1, "tid": 2, "ts": 3, "name": "b"},
    {"ph": "e", "cat": "q", "id": "0x1", "pid": 1, "tid": 2, "ts": 7},
    {"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 2, "name": "f"},
    {"ph": "f", "bp": "e", "id": 1, "pid": 1, "tid": "x", "ts": 4, "name": "f"},
    {"ph": "C", "pid": 1, "ts": 4, "name": "c", "args": {"v": 1.5, "w": 2}},
]
TARGETS: dict[str, tuple[str, bytes]] = {
    "records": (RECORDS, json.dumps(GOOD).encode()),
    "host orchestrator": (RECORDS, json.dumps(ORCHESTRATED).encode()),
    "microseconds": (RECORDS, json.dumps(MICROS).encode()),
    "deps": ("deps.json", json.dumps(DEPS).encode()),
    "names": ("name_map_x.json", b'{"callable_id_to_name": {"0": "QK", "1": "\\u00b5"}}'),
    "pmu": ("pmu.csv", PMU.encode()),
    "scopes": ("scope_stats.jsonl", lines(*SCOPES).encode()),
    "host phases": ("host_phase_records.jsonl", lines(HOST).encode()),
    "arguments": ("args_dump.json", json.dumps(ARGUMENTS).encode()),
    "today": (RECORDS, json.dumps(today()).encode()),
    "hosted today": (RECORDS, json.dumps(hosted_today()).encode()),
    "host log": ("host.41.log", host_log().encode()),
    "identity": ("dispatch_identity.json", json.dumps(IDENTITY).encode()),
    "chrome": ("trace.json", json.dumps({"traceEvents": EVENTS}).encode()),
    "chrome array": ("trace.json", json.dumps(EVENTS).encode()),
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_damaged_file_gives_a_trace_or_an_error(tmp_path: Path, target: str) -> None:
    name, whole = TARGETS[target]
    path = tmp_path / name
    if "chrome" not in target:
        beside = hosted_today() if target in ("host log", "identity") else GOOD
        (tmp_path / RECORDS).write_text(json.dumps(beside))

    @thorough
    @given(mutations, st.booleans())
    def check(changes: list[Mutation], keep_damaged: bool) -> None:
        path.write_bytes(damage(whole, changes))
        survives(path, among=tmp_path, keep_damaged=keep_damaged)
        survives(path, among=path, keep_damaged=keep_damaged)

    path.write_bytes(whole)
    assert import_paths([tmp_path])
    check()


def test_damaged_files_of_ranks(tmp_path: Path) -> None:
    files: dict[str, bytes] = {"host.41.log": host_log().encode()}
    for rank in (0, 1):
        folder = f"rank{rank}/d0"
        identity = {**IDENTITY, "chip_rank": rank, "group_index": rank, "host_pid": 41 + rank}
        files[f"{folder}/{RECORDS}"] = json.dumps(hosted_today()).encode()
        files[f"{folder}/dispatch_identity.json"] = json.dumps(identity).encode()
        files[f"{folder}/host_clock_alignment.{41 + rank}.log"] = host_log(41 + rank).encode()
    for name, whole in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(whole)
    assert len(import_paths([tmp_path])[0].runs) == 2

    @settings(thorough, max_examples=EXAMPLES // 4)
    @given(st.sampled_from(list(files)), mutations, st.booleans())
    def check(name: str, changes: list[Mutation], keep_damaged: bool) -> None:
        (tmp_path / name).write_bytes(damage(files[name], changes))
        survives(tmp_path / name, among=tmp_path, keep_damaged=keep_damaged)
        (tmp_path / name).write_bytes(files[name])

    check()


@pytest.mark.parametrize(
    ("name", "generation"), [(RECORDS, "G8"), (RECORDS, "G10"), ("deps.json", "G8")]
)
def test_a_damaged_generated_run(tmp_path: Path, name: str, generation: str) -> None:
    path = make_run(12, tmp_path / "run", generation=generation) / name
    whole = path.read_bytes()

    @thorough
    @given(mutations, st.booleans())
    def check(changes: list[Mutation], keep_damaged: bool) -> None:
        path.write_bytes(damage(whole, changes))
        survives(path, among=path.parent, keep_damaged=keep_damaged)

    check()


def real_files() -> list[Path]:
    """One small file of each name and generation."""
    found: dict[tuple[str, str], Path] = {}
    for path in sorted(DATA.rglob("*")):
        if path.suffix in (".json", ".jsonl", ".csv") and path.stat().st_size < 16_000:
            generation = path.relative_to(DATA).parts[1] if "history" in path.parts else ""
            found.setdefault((re.sub(r"\d{8}_\d{6}|_Test.*", "", path.stem), generation), path)
    return list(found.values())


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_damaged_real_files(tmp_path: Path) -> None:
    files = {path: path.read_bytes() for path in real_files()}
    assert len(files) > 10

    @settings(thorough, max_examples=2 * EXAMPLES)
    @given(st.sampled_from(list(files)), mutations, st.booleans())
    def check(source: Path, changes: list[Mutation], keep_damaged: bool) -> None:
        path = tmp_path / source.name
        path.write_bytes(damage(files[source], changes))
        survives(path, among=path, keep_damaged=keep_damaged)

    check()


def test_what_imports_can_be_stored_and_loaded(tmp_path: Path) -> None:
    names = ("records", "deps", "scopes", "host phases", "chrome", "today", "hosted today")
    whole = {name: TARGETS[name] for name in names}

    @thorough
    @given(st.sampled_from(list(whole)), st.floats(0, 1), st.sampled_from(ODD))
    def check(target: str, share: float, odd: bytes) -> None:
        name, data = whole[target]
        path = tmp_path / name
        path.write_bytes(replace_token(share, odd)(data))
        try:
            traces = import_paths([path], keep_damaged=True)
        except LanescopeError:
            traces = []
        for trace in traces:
            assert load(save(trace, tmp_path / "out.lanes")).meta == trace.meta
        path.unlink()

    check()
