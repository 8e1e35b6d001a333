"""CallConfig: booleans become levels, and C reads the same from bytes and from the environment."""

from __future__ import annotations

import os
import subprocess
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from tests.capture.programs import built

from lanescope import CallConfig, InputError, UsageError
from lanescope.device.layouts import constant, layout
from lanescope.trace.flags import Feature, level_flags

FULL = CallConfig(
    chip_swimlane=3,
    core_swimlane=True,
    pmu=True,
    pmu_group=4,
    pmu_events=(0x15, 0x16, 0, 0x32),
    dump_tensors=True,
    dump_select="add,17,20-30,arg1,outputs",
    dump_limit=4096,
    dump_total=1 << 33,
    on_full="drop",
    buffer_records=64,
    buffers=3,
    capture="/tmp/ä b/run.capture",
    tensors="/tmp/run.tensors",
    deps="deps.json",
)
SOURCE = r"""
#include <lanescope/call_environment.h>
#include <stdio.h>
int main(int count, char **arguments)
{
    static ls_call_config call;
    if (count > 1) {
        FILE *file = fopen(arguments[1], "rb");
        if (!file || fread(&call, 1, sizeof call, file) != sizeof call)
            return 3;
    } else {
        call = ls_call_from_environment();
    }
    fwrite(&call, 1, sizeof call, stdout);
    return ls_call_check(&call);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("call")
    (folder / "call.c").write_text(SOURCE)
    return built(folder / "call.c", folder / "call")


def from_environment(program: Path, variables: dict[str, str]) -> tuple[int, bytes]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LANESCOPE_")}
    done = subprocess.run([program], env={**kept, **variables}, capture_output=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("given", "level"), [(True, 4), (False, 0), (0, 0), (2, 2), ("3", 3), (4, 4)]
)
def test_booleans_become_the_highest_level_and_0(given: object, level: int) -> None:
    call = CallConfig(chip_swimlane=given)  # type: ignore[arg-type]
    assert type(call.chip_swimlane) is int
    assert call.chip_swimlane == level
    assert call.flags == level_flags(level)


def test_flags_have_what_they_imply() -> None:
    assert CallConfig(chip_swimlane=0, pmu=True).flags == (
        Feature.PMU | Feature.CHIP_SWIMLANE_CORE_TIMING
    )
    assert CallConfig(chip_swimlane=0, dump_tensors=True).flags == Feature.DUMP_TENSOR


@pytest.mark.parametrize("call", [FULL, CallConfig(), CallConfig(chip_swimlane=1, capture="x")])
def test_c_reads_the_same_from_the_environment(program: Path, call: CallConfig) -> None:
    code, data = from_environment(program, dict(call.environment()))
    expected = call.to_bytes() if call.capture else CallConfig(chip_swimlane=0).to_bytes()
    assert (code, data) == (0, expected)  # without a directory nothing is recorded


def numbers(data: bytes) -> np.void:
    return np.frombuffer(data, layout("ls_call_config"))[0]


def test_what_the_environment_leaves_out_has_its_default(program: Path) -> None:
    code, data = from_environment(program, {"LANESCOPE_CAPTURE": "x", "LANESCOPE_FLAGS": "3"})
    assert (code, data) == (0, CallConfig(chip_swimlane=2, capture="x").to_bytes())


def test_a_word_that_is_not_drop_blocks(program: Path) -> None:
    for word, code in {"drop": 1, "block": 0, "drops": 0, "": 0}.items():
        _, data = from_environment(program, {"LANESCOPE_ON_FULL": word})
        assert numbers(data)["on_full"] == code


def test_events_beyond_the_last_counter_are_left_out(program: Path) -> None:
    """Events end where no comma follows a number."""
    for text, events in {
        "": [],
        "5": [5],
        "5,0x10": [5, 16],
        "5,6;7": [5, 6],
        "1,2,3,4,5,6,7,8,9,10,11": list(range(1, 11)),
    }.items():
        _, data = from_environment(program, {"LANESCOPE_PMU_EVENTS": text})
        found = numbers(data)
        assert found["pmu_count"] == len(events)
        assert found["pmu_events"].tolist() == events + [0] * (10 - len(events))


@pytest.mark.parametrize(
    ("name", "field", "room"),
    [
        ("LANESCOPE_CAPTURE", "capture", "LS_CALL_PATH"),
        ("LANESCOPE_TENSORS", "tensors", "LS_CALL_PATH"),
        ("LANESCOPE_DEPS", "deps", "LS_CALL_PATH"),
        ("LANESCOPE_DUMP_SELECT", "dump_select", "LS_CALL_SELECT"),
    ],
)
def test_every_text_is_taken_whole_or_nothing_is_recorded(
    program: Path, name: str, field: str, room: str
) -> None:
    asked = {"LANESCOPE_CAPTURE": "x", "LANESCOPE_FLAGS": "3"}
    longest = "y" * (constant(room) - 1)
    _, data = from_environment(program, asked | {name: longest})
    assert (numbers(data)["flags"], numbers(data)[field]) == (3, longest.encode())
    _, data = from_environment(program, asked | {name: longest + "y"})
    assert numbers(data)["flags"] == 0


@pytest.mark.parametrize("name", ["core_swimlane", "pmu", "dump_tensors", ""])
def test_a_feature_alone_is_alone_in_the_bytes(name: str) -> None:
    asked = CallConfig(**{name: True} if name else {})  # type: ignore[arg-type]
    again = CallConfig.from_bytes(asked.to_bytes())
    assert again == asked
    assert [again.core_swimlane, again.pmu, again.dump_tensors].count(True) == bool(name)


def test_bytes_are_the_object_again(program: Path, tmp_path: Path) -> None:
    assert CallConfig.from_bytes(FULL.to_bytes()) == FULL
    (tmp_path / "call").write_bytes(FULL.to_bytes())
    assert subprocess.run([program, tmp_path / "call"], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("magic", 1, 1),
        ("version", 2, 2),
        ("bytes", 8, 2),
        ("flags", 1 << 40, 3),
        ("level", 4, 3),
        ("level", 2, 3),
        ("on_full", 2, 4),
        ("buffer_records", (1 << 20) + 1, 4),
        ("buffer_records", 1 << 20, 0),
        ("buffer_count", 4097, 4),
        ("buffer_count", 4096, 0),
        ("pmu_count", 11, 4),
        ("pmu_count", 10, 0),
        ("dump_select", b"x" * 512, 5),
        ("dump_select", b"x" * 511, 0),
        ("capture", b"x" * 4096, 5),
        ("tensors", b"x" * 4096, 5),
        ("deps", b"x" * 4096, 5),
    ],
)
def test_c_refuses_what_it_cannot_use_and_no_more(
    program: Path, tmp_path: Path, field: str, value: object, problem: int
) -> None:
    packed = np.frombuffer(FULL.to_bytes(), layout("ls_call_config")).copy()
    packed[field] = value
    (tmp_path / "call").write_bytes(packed.tobytes())
    done = subprocess.run([program, tmp_path / "call"], capture_output=True)
    assert done.returncode == problem


def test_a_path_that_does_not_fit_records_nothing(program: Path) -> None:
    long = {**FULL.environment(), "LANESCOPE_CAPTURE": "x" * constant("LS_CALL_PATH")}
    _, data = from_environment(program, long)
    assert np.frombuffer(data, layout("ls_call_config"))["flags"] == 0


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"chip_swimlane": 5}, "expected a chip-swimlane level, found 5"),
        ({"on_full": "wait"}, "expected on-full block or drop, found 'wait'"),
        ({"buffers": 5000}, "expected buffers from 0 to 4096, found 5000"),
        ({"buffer_records": -1}, "expected buffer_records from 0 to 1048576, found -1"),
        ({"pmu_events": (1,) * 11}, "a core has 10 counters at most, found 11 events"),
        ({"deps": "x" * 5000}, "expected deps of less than 4096 bytes, found 'xxx"),
        ({"dump_select": "a\0b"}, "expected dump_select of less than 512 bytes"),
    ],
)
def test_what_no_runtime_could_do_is_refused(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        CallConfig(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "bytes, found 0"),
        (b"x" * len(CallConfig().to_bytes()), "are not LLCONFIG"),
        (CallConfig().to_bytes()[:8] + b"\x09" + CallConfig().to_bytes()[9:], "of version 9"),
    ],
)
def test_other_bytes_are_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        CallConfig.from_bytes(data)


DEFAULTS = {
    "chip_swimlane": 4,
    "core_swimlane": False,
    "pmu": False,
    "pmu_group": 0,
    "pmu_events": (),
    "dump_tensors": False,
    "dump_select": "",
    "dump_limit": 1 << 20,
    "dump_total": 1 << 30,
    "on_full": "block",
    "buffer_records": 0,
    "buffers": 0,
    "capture": "",
    "tensors": "",
    "deps": "",
}


def test_who_says_nothing_asks_for_the_highest_level_alone() -> None:
    assert asdict(CallConfig()) == DEFAULTS


def test_every_field_has_its_place_in_the_bytes() -> None:
    found = numbers(FULL.to_bytes())
    assert {name: found[name].tolist() for name in found.dtype.names or ()} == {
        "magic": int.from_bytes(b"LLCONFIG", "little"),
        "version": 1,
        "bytes": 12904,
        "flags": 0b1101111,
        "level": 3,
        "on_full": 1,
        "buffer_records": 64,
        "buffer_count": 3,
        "pmu_group": 4,
        "pmu_count": 4,
        "pmu_events": [0x15, 0x16, 0, 0x32, 0, 0, 0, 0, 0, 0],
        "tensor_bytes": 4096,
        "total_bytes": 1 << 33,
        "dump_select": b"add,17,20-30,arg1,outputs",
        "capture": "/tmp/ä b/run.capture".encode(),
        "tensors": b"/tmp/run.tensors",
        "deps": b"deps.json",
    }
    assert len(FULL.to_bytes()) == 12904


ALWAYS = {
    "LANESCOPE_FLAGS": "23",
    "LANESCOPE_ON_FULL": "block",
    "LANESCOPE_DUMP_LIMIT": "1048576",
    "LANESCOPE_DUMP_TOTAL": "1073741824",
}


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ({}, {}),
        (
            {"dump_limit": 0, "dump_total": 0},
            {"LANESCOPE_DUMP_LIMIT": "0", "LANESCOPE_DUMP_TOTAL": "0"},
        ),
        ({"pmu_events": (0,)}, {"LANESCOPE_PMU_EVENTS": "0"}),
        ({"pmu_events": (21, 0, 3)}, {"LANESCOPE_PMU_EVENTS": "21,0,3"}),
        ({"pmu_group": 2, "pmu": True}, {"LANESCOPE_PMU_GROUP": "2", "LANESCOPE_FLAGS": "87"}),
        (
            {"buffers": 1, "buffer_records": 7},
            {"LANESCOPE_BUFFERS": "1", "LANESCOPE_BUFFER_RECORDS": "7"},
        ),
        (
            {"capture": "c", "tensors": "t", "deps": "d", "dump_select": "s"},
            {
                "LANESCOPE_CAPTURE": "c",
                "LANESCOPE_TENSORS": "t",
                "LANESCOPE_DEPS": "d",
                "LANESCOPE_DUMP_SELECT": "s",
            },
        ),
        (
            {"chip_swimlane": 0, "on_full": "drop"},
            {"LANESCOPE_FLAGS": "0", "LANESCOPE_ON_FULL": "drop"},
        ),
    ],
)
def test_the_environment_has_what_was_asked_for(
    asked: dict[str, object], more: dict[str, str]
) -> None:
    assert CallConfig(**asked).environment() == ALWAYS | more  # type: ignore[arg-type]


def test_the_variables_are_all_that_the_environment_can_have() -> None:
    assert CallConfig.variables() == frozenset(FULL.environment())
    assert len(CallConfig.variables()) == 12


@pytest.mark.parametrize(
    "most",
    [
        {"buffers": 4096},
        {"buffers": 0},
        {"buffer_records": 1 << 20},
        {"pmu_events": (1,) * 10},
        {"dump_select": "x" * 511},
        {"capture": "x" * 4095},
        {"tensors": "x" * 4095},
        {"deps": "é" * 2047},
    ],
)
def test_what_is_just_allowed_comes_back(most: dict[str, object]) -> None:
    asked = CallConfig(**most)  # type: ignore[arg-type]
    assert asdict(CallConfig.from_bytes(asked.to_bytes())) == DEFAULTS | most


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"buffers": 4097}, "expected buffers from 0 to 4096, found 4097"),
        ({"buffers": -1}, "expected buffers from 0 to 4096, found -1"),
        (
            {"buffer_records": (1 << 20) + 1},
            "expected buffer_records from 0 to 1048576, found 1048577",
        ),
        ({"pmu_events": (1,) * 11}, "a core has 10 counters at most, found 11 events"),
        (
            {"dump_select": "x" * 512},
            f"expected dump_select of less than 512 bytes, found {'x' * 40!r}…",
        ),
        ({"capture": "y" * 4096}, f"expected capture of less than 4096 bytes, found {'y' * 40!r}…"),
        ({"tensors": "é" * 2048}, f"expected tensors of less than 4096 bytes, found {'é' * 40!r}…"),
        ({"deps": "a\0b"}, "expected deps of less than 4096 bytes, found 'a\\x00b'…"),
        ({"on_full": ""}, "expected on-full block or drop, found ''"),
    ],
)
def test_what_is_just_too_much_is_refused(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as found:
        CallConfig(**more)  # type: ignore[arg-type]
    assert str(found.value) == sentence


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("magic", 1, "the first 8 bytes are not LLCONFIG"),
        ("version", 2, "it is of version 2, this lanescope knows version 1"),
        ("version", 0, "it is of version 0, this lanescope knows version 1"),
        ("on_full", 2, "2 is neither block nor drop"),
        ("on_full", 3, "3 is neither block nor drop"),
    ],
)
def test_bytes_of_something_else_say_what_they_are(field: str, value: int, sentence: str) -> None:
    packed = np.frombuffer(FULL.to_bytes(), layout("ls_call_config")).copy()
    packed[field] = value
    with pytest.raises(InputError) as found:
        CallConfig.from_bytes(packed.tobytes())
    assert (found.value.path, found.value.problem) == ("CallConfig", sentence)


@pytest.mark.parametrize("size", [0, 12903, 12905])
def test_bytes_of_another_length_are_refused(size: int) -> None:
    with pytest.raises(InputError) as found:
        CallConfig.from_bytes((FULL.to_bytes() + b"\0")[:size])
    assert found.value.problem == f"expected 12904 bytes, found {size}"


@pytest.mark.parametrize(("count", "events"), [(0, ()), (2, (5, 6)), (10, (5, 6, *range(8)))])
def test_as_many_events_are_read_as_are_counted(count: int, events: tuple[int, ...]) -> None:
    packed = np.frombuffer(FULL.to_bytes(), layout("ls_call_config")).copy()
    packed["pmu_events"], packed["pmu_count"] = [5, 6, *range(8)], count
    assert CallConfig.from_bytes(packed.tobytes()).pmu_events == events
    packed["pmu_count"] = 99
    assert CallConfig.from_bytes(packed.tobytes()).pmu_events == (5, 6, *range(8))
