"""Reading dumps, our own and the other tool's, also hostile ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanescope.dump.read import read_dump, read_tensors, read_totals
from lanescope.dump.write import DumpFile, DumpRequest
from lanescope.errors import InputError, LanescopeError, UsageError

REAL = (
    Path(__file__).parents[2]
    / "../shared/data/chip-swimlane/a2a3sim-tmr-dfx_args_dump/dump3/TestArgsDump_default"
)
KNOWN = (
    "bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, "
    "bfloat16"
)


def dump(folder: Path, count: int = 2) -> Path:
    with DumpFile(DumpRequest(folder=folder), "run") as file:
        for task in range(count):
            file.add(
                np.arange(6, dtype=np.float32).reshape(2, 3) + task,
                task=task,
                functions=("f",),
                tensor="x",
                arg_index=0,
                role="input",
                stage="before_dispatch",
                strides=(3, 1),
                start_offset=0,
                is_contiguous=True,
            )
    return folder


def change(folder: Path, row: dict[str, Any] | None = None, **head: Any) -> Path:
    """The same dump with other words in its manifest; None takes one out."""
    path = folder / "tensors.json"
    manifest = json.loads(path.read_text())
    manifest["tensors"][1] |= row or {}
    manifest = {key: value for key, value in (manifest | head).items() if value is not None}
    path.write_text(json.dumps(manifest))
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as refused:
        read_tensors(folder)
    return refused.value.problem


# ---- our own ---------------------------------------------------------------------------------


def test_a_dump_is_found_by_its_folder_its_file_and_the_folder_around(tmp_path: Path) -> None:
    folder = dump(tmp_path / "run.tensors")
    for path in (folder, folder / "tensors.json", tmp_path, str(tmp_path)):
        assert [one.array()[0, 0] for one in read_tensors(path)] == [0, 1]
    dump(tmp_path / "more.tensors")
    with pytest.raises(UsageError, match=r"holds 2 tensor dumps \(more.tensors, run.tensors\); "):
        read_tensors(tmp_path)


def test_no_dump_is_one_sentence(tmp_path: Path) -> None:
    sentence = "there is no tensor dump; expected a folder with tensors.json or args_dump.json"
    assert refusal(tmp_path) == sentence
    assert refusal(tmp_path / "none") == sentence
    (tmp_path / "tensors.json").write_text("{}")
    assert refusal(tmp_path) == "is no tensor dump's manifest"


def test_without_its_values_a_dump_can_be_listed(tmp_path: Path) -> None:
    (dump(tmp_path) / "tensors.bin").unlink()
    one, _ = read_tensors(tmp_path)
    assert (one.shape, one.functions) == ((2, 3), ("f",))
    with pytest.raises(InputError, match=r"tensors.bin: no such file; it belongs beside the "):
        one.array()


def test_values_that_go_away_are_noticed(tmp_path: Path) -> None:
    _, one = read_tensors(dump(tmp_path))
    (tmp_path / "tensors.bin").write_bytes(b"\0" * 30)
    with pytest.raises(InputError, match=r"tensor 1 \(task 0x1\) should have 6 elements in the "):
        one.array()


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"bin_offset": 25}, "tensor 1 has bytes 25 to 49 of tensors.bin, which has only 48"),
        ({"dtype": "float31"}, f"tensor 1 has the dtype 'float31', expected one of {KNOWN}"),
        (
            {"numel": 7},
            "tensor 1 has the shape [2, 3], the strides [3, 1] and 7 elements, which do not fit "
            "together",
        ),
        (
            {"strides": [1]},
            "tensor 1 has the shape [2, 3], the strides [1] and 6 elements, which do not fit "
            "together",
        ),
        ({"bin_size": 20}, "tensor 1 has 20 bytes, but 6 elements of float32 take 24"),
        ({"truncated": True}, "tensor 1 has 24 bytes, but 6 elements of float32 take 24"),
        (
            {"shape": [-2, -3]},
            "'tensors' is not what it should be: Expected `int` >= 0 - at `$[1].shape[0]`",
        ),
        (
            {"role": "judge"},
            "'tensors' is not what it should be: Invalid enum value 'judge' - at `$[1].role`",
        ),
        (
            {"shape": [1] * 33, "strides": [1] * 33},
            "'tensors' is not what it should be: Expected `array` of length <= 32 - at "
            "`$[1].shape`",
        ),
    ],
)
def test_a_record_that_cannot_be_right_is_refused(
    row: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    assert refusal(change(dump(tmp_path), row)) == sentence


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        ({"version": 2}, "has the version 2, expected 1"),
        ({"version": None}, "has the version None, expected 1"),
        ({"tensors": None}, "has no 'tensors'"),
        ({"bin_file": None}, "has no 'bin_file'"),
        ({"format": {"a": 1}}, "is no tensor dump's manifest"),
    ],
)
def test_a_head_that_cannot_be_right_is_refused(
    head: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    assert refusal(change(dump(tmp_path), **head)) == sentence


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/b", "", "..", ".", "a\0b", "a\n", "é" * 130]
)
def test_values_lie_beside_the_manifest_and_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"1" * 48)
    sentence = f"bin_file is {name!r}, expected the name of a file beside this one"
    assert refusal(change(dump(tmp_path / "d"), bin_file=name)) == sentence


NUMBERS = st.integers(-5, 70) | st.integers(-(2**70), 2**70)
WORDS = st.sampled_from(["float32", "int8", "bool", "bfloat16", "FLOAT32", "x", ""])
ANYTHING = st.one_of(
    NUMBERS, WORDS, st.none(), st.booleans(), st.floats(), st.lists(NUMBERS, max_size=4)
)
FIELDS = st.sampled_from(
    ["task", "dtype", "shape", "strides", "start_offset", "numel", "kind", "bin_offset",
     "bin_size", "truncated", "functions", "stage"]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(FIELDS, ANYTHING, max_size=4))
def test_a_mutated_manifest_is_read_or_refused_and_never_more(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    try:
        found = read_tensors(change(dump(tmp_path), row))
        for one in found:
            assert one.array().nbytes <= 200
    except LanescopeError:
        pass


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 900), st.binary(max_size=3))
def test_a_damaged_manifest_is_read_or_refused_and_never_more(
    tmp_path: Path, at: int, put: bytes
) -> None:
    path = dump(tmp_path) / "tensors.json"
    text = path.read_bytes()
    path.write_bytes(text[:at] + put + text[at + len(put) + 1 :])
    try:
        for one in read_tensors(path):
            one.elements()
    except LanescopeError:
        pass


def test_of_two_dumps_in_a_folder_our_own_comes_first(tmp_path: Path) -> None:
    args_dump(dump(tmp_path), b"\0" * 16)
    assert [one.task for one in read_tensors(tmp_path)] == [0, 1]
    (tmp_path / "tensors.json").rename(tmp_path / "other.json")
    assert [one.task for one in read_tensors(tmp_path)] == [0x100000002]


def test_several_dumps_are_named_in_order_and_four_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [dump(tmp_path / f"{name}.tensors") / "tensors.json" for name in "edcba"]
    monkeypatch.setattr(Path, "glob", lambda path, pattern: iter(every))
    with pytest.raises(UsageError) as found:
        read_tensors(tmp_path)
    assert str(found.value) == (
        f"{tmp_path} holds 5 tensor dumps (a.tensors, b.tensors, c.tensors, d.tensors); name one "
        "of them"
    )


@pytest.mark.parametrize("dtype", ["x" * 40, "x" * 41])
def test_a_dtype_without_end_is_cut(dtype: str, tmp_path: Path) -> None:
    assert refusal(change(dump(tmp_path), {"dtype": dtype})) == (
        f"tensor 1 has the dtype {'x' * 40!r}, expected one of {KNOWN}"
    )


def test_a_tensor_without_elements_has_a_shape(tmp_path: Path) -> None:
    row = {"shape": [0, 3], "numel": 0, "bin_size": 0}
    _, one = read_tensors(change(dump(tmp_path), row))
    assert (one.array().shape, one.elements().tolist(), one.array().dtype) == ((0, 3), [], "<f4")


def test_values_may_end_where_their_file_ends(tmp_path: Path) -> None:
    assert read_tensors(change(dump(tmp_path), {"bin_offset": 24}))[1].bin_offset == 24
    row = {"bin_offset": 44, "bin_size": 5, "truncated": True}
    assert refusal(change(dump(tmp_path), row)) == (
        "tensor 1 has bytes 44 to 49 of tensors.bin, which has only 48"
    )


@pytest.mark.parametrize("key", ["truncated", "kind", "tensor"])
def test_what_a_record_leaves_out_has_its_default(key: str, tmp_path: Path) -> None:
    path = dump(tmp_path) / "tensors.json"
    manifest = json.loads(path.read_text())
    for row in manifest["tensors"]:
        del row[key]
    path.write_text(json.dumps(manifest))
    _, one = read_tensors(tmp_path)
    tensor = "" if key == "tensor" else "x"
    assert (one.truncated, one.kind, one.tensor, one.overwritten, one.value) == (
        *(False, "tensor", tensor),
        *(False, None),
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("it is gone"), "it is gone"),
    ],
)
def test_a_disk_that_cannot_be_read_says_why(
    error: OSError, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise error

    one, _ = read_tensors(dump(tmp_path))
    monkeypatch.setattr(np, "fromfile", fails)
    with pytest.raises(InputError) as found:
        one.array()
    assert found.value.problem == f"cannot be read ({reason})"


def test_totals_are_read_without_the_tensors(tmp_path: Path) -> None:
    totals = read_totals(dump(tmp_path))
    assert (totals.run, totals.count, totals.bin_bytes, totals.before) == ("run", 2, 48, 2)
    with pytest.raises(InputError, match=r"none/tensors.json: cannot be read \(.*No such file"):
        read_totals(tmp_path / "none")
    (tmp_path / "tensors.json").write_text("{}")
    with pytest.raises(InputError, match=r"cannot be read \(Object missing required field"):
        read_totals(tmp_path)


# ---- the other tool's ------------------------------------------------------------------------


def args_dump(folder: Path, values: bytes = b"", **changes: Any) -> Path:
    arg = {
        "task_id": "0x0000000100000002",
        "func_id": [1, 2],
        "arg_index": 3,
        "role": "inout",
        "stage": "after_completion",
        "kind": "tensor",
        "dtype": "FLOAT32",
        "is_contiguous": False,
        "shape": [2, 2],
        "strides": [4, 1],
        "start_offset": 8,
        "numel": 4,
        "bin_offset": 2,
        "bin_size": 16,
        "truncated": False,
        "overwritten": False,
    }
    manifest = {
        "run_dir": "args_dump",
        "bin_format": {"type": "logical_contiguous", "byte_order": "little_endian"},
        "total_args": 1,
        "dropped_records": 3,
        "dropped_overwrite": 4,
        "bin_file": "args.bin",
        "args": [arg | changes],
    }
    place = folder / "args_dump"
    place.mkdir()
    (place / "args_dump.json").write_text(json.dumps(manifest))
    (place / "args.bin").write_bytes(b"??" + values)
    return folder


def test_the_other_spelling_reads_the_same(tmp_path: Path) -> None:
    values = np.array([[1, 2], [3, 4]], np.float32)
    found = read_dump(args_dump(tmp_path, values.tobytes()))
    [one] = found.tensors
    assert np.array_equal(one.array(), values)
    assert (one.task, one.functions, one.arg_index) == (0x100000002, ("1", "2"), 3)
    assert (one.role, one.stage, one.dtype) == ("inout", "after_completion", "float32")
    assert (one.shape, one.strides, one.start_offset) == ((2, 2), (4, 1), 8)
    assert found.dropped == 7


def test_bfloat16_reads_as_the_float32_it_is(tmp_path: Path) -> None:
    values = np.array([1.5, -2, 0.0078125, np.inf], np.float32)
    halves = (values.view("<u4") >> 16).astype("<u2")
    [one] = read_tensors(args_dump(tmp_path, halves.tobytes(), dtype="BFLOAT16", bin_size=8))
    assert one.array().dtype == np.float32
    assert np.array_equal(one.array().ravel(), values)


def test_a_scalar_has_its_value_in_the_manifest(tmp_path: Path) -> None:
    shape = {"kind": "scalar", "shape": [], "strides": [], "numel": 1, "bin_size": 0}
    args_dump(tmp_path, dtype="UINT32", value=3, bin_offset=0, **shape)
    [one] = read_tensors(tmp_path)
    assert (one.array().item(), one.array().dtype, one.elements().shape) == (3, np.uint32, (1,))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"overwritten": True}, "was overwritten by the device before it was saved"),
        ({"bin_size": 0}, "has no values: only its shape was dumped"),
        (
            {"truncated": True, "bin_size": 9},
            "is truncated to its first 2 of 4 elements; .elements() has those",
        ),
        (
            {"kind": "scalar", "dtype": "UINT8", "value": -1},
            "has the value -1, which is no uint8",
        ),
        (
            {"kind": "scalar", "dtype": "UINT8", "value": None},
            "has the value None, which is no uint8",
        ),
    ],
)
def test_values_that_are_not_there_are_refused(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    [one] = read_tensors(args_dump(tmp_path, b"\0" * 16, **changes))
    problem = re.escape(f"tensor 0 (task 0x100000002) {sentence}")
    with pytest.raises(InputError, match=f"args.bin: {problem}$"):
        one.array()


def test_a_scalar_may_say_any_size(tmp_path: Path) -> None:
    shape = {"kind": "scalar", "shape": [], "strides": [], "numel": 1, "bin_size": 3}
    [one] = read_tensors(args_dump(tmp_path, b"???", dtype="BFLOAT16", value=1.5, **shape))
    assert (one.array().item(), one.array().dtype) == (1.5, np.float32)
    assert one.elements().tolist() == [1.5]


def test_what_an_argument_leaves_out_has_its_default(tmp_path: Path) -> None:
    path = args_dump(tmp_path, b"\0" * 16) / "args_dump" / "args_dump.json"
    path.write_text(path.read_text().replace(', "overwritten": false', ""))
    [one] = read_tensors(tmp_path)
    assert (one.overwritten, one.value, one.array().tolist()) == (False, None, [[0, 0], [0, 0]])


@pytest.mark.parametrize("task", [0, 1, (1 << 64) - 1])
def test_a_task_id_has_64_bits(task: int, tmp_path: Path) -> None:
    [one] = read_tensors(args_dump(tmp_path, b"\0" * 16, task_id=hex(task)))
    assert one.task == task


@pytest.mark.parametrize("name", ["z" * 40, "z" * 41])
def test_a_task_id_without_end_is_cut(name: str, tmp_path: Path) -> None:
    args_dump(tmp_path, task_id=name)
    assert refusal(tmp_path) == (f"args row 0: {'z' * 40!r} is no task id like 0x0000000100000000")


@pytest.mark.parametrize("name", ["seven", "-0x1", "0x1" + "0" * 16])
def test_a_task_id_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    args_dump(tmp_path, task_id=name)
    assert refusal(tmp_path) == f"args row 0: {name!r} is no task id like 0x0000000100000000"


@pytest.mark.skipif(not REAL.is_dir(), reason="needs ../shared/data")
def test_a_real_dump_lists_like_its_own_viewer() -> None:
    """That run's args.bin was not kept: values of scalars only."""
    lines = (REAL / "report_dump_viewer.txt").read_text().splitlines()
    rows = [line.split() for line in lines if re.match(r"\s+\d+\s+0x", line)]
    found = read_tensors(REAL)
    assert [
        [
            str(one.index),
            f"0x{one.task:016x}",
            one.stage.partition("_")[0],
            one.role,
            str(one.arg_index),
            one.dtype.upper(),
            str(list(one.shape)),
            str(one.bin_size),
        ]
        for one in found
    ] == rows
    assert [one.array().item() for one in found if one.kind == "scalar"] == [1, 3, 2, 3, 3, 3]
