"""`run --dump-tensors` and `tensors`, as a user calls them."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lanescope
from lanescope.cli import main
from lanescope.cli.options.dump import size_bytes
from lanescope.trace.flags import Feature

Output = pytest.CaptureFixture[str]

SMALL = ("--set", "rows=1", "--set", "columns=2", "--set", "tile=16", "--set", "depth=16")


def run(folder: Path, *more: str) -> int:
    return main(["run", "matmul_add", *SMALL, "--quiet", "-o", str(folder), *more])


def test_everything_is_dumped_beside_the_trace(tmp_path: Path, capsys: Output) -> None:
    assert run(tmp_path, "--dump-tensors") == 0
    _, said, *_ = capsys.readouterr().out.splitlines()
    assert said == (
        f"{tmp_path}/matmul_add.tensors  12 tensors (8 before dispatch and 4 after completion), "
        "10,240 bytes"
    )
    trace = lanescope.load(tmp_path / "matmul_add.lanes")
    assert trace.meta.flags & Feature.DUMP_TENSOR
    found = lanescope.read_tensors(tmp_path)
    a, b = (one.array().astype(np.float32) for one in found[:2])
    [result] = (one for one in found if (one.task, one.stage) == (1, "after_completion"))
    [d] = (one for one in found if (one.task, one.tensor) == (1, "D"))
    assert np.array_equal(result.array(), a @ b + d.array())


def test_without_the_option_nothing_is_dumped(tmp_path: Path) -> None:
    assert run(tmp_path) == 0
    assert not (tmp_path / "matmul_add.tensors").exists()
    assert not lanescope.load(tmp_path / "matmul_add.lanes").meta.flags & Feature.DUMP_TENSOR


def test_two_runs_dump_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run(tmp_path / name, "--dump-tensors") == 0
    for name in ("tensors.json", "tensors.bin"):
        first, second = (tmp_path / one / "matmul_add.tensors" / name for one in "ab")
        assert first.read_bytes() == second.read_bytes()


def test_a_selection_and_limits(tmp_path: Path, capsys: Output) -> None:
    limits = ("--dump-limit", "999", "--dump-total", "2K")
    assert run(tmp_path, "--dump-tensors=add,outputs", *limits) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[1]
        .endswith(
            "  2 tensors (0 before dispatch and 2 after completion), 1,992 bytes; "
            "TRUNCATED to 999 bytes: 2"
        )
    )
    assert run(tmp_path, "--dump-tensors=add,outputs", "--dump-total", "2047", "--force") == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[1]
        .endswith(
            "  1 tensors (0 before dispatch and 1 after completion), 1,024 bytes; "
            "DROPPED (limit 2,047 bytes): 1"
        )
    )


def test_level_0_dumps_without_a_trace(tmp_path: Path, capsys: Output) -> None:
    assert run(tmp_path, "--dump-tensors", "--chip-swimlane=0", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tensors"]["count"], found["tensors"]["dropped"]) == (12, 0)
    assert found["tensors_folder"] == str(tmp_path / "matmul_add.tensors")
    assert [path.name for path in tmp_path.iterdir()] == ["matmul_add.tensors"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["run", "vector", "--dump-tensors=scale,ad"],
            "expected a function or a task of vector, found 'ad'; its functions are scale, add, "
            "its tasks 0 to 191 (like 17 or 10-20), arg1 is an argument, and inputs or outputs "
            "chooses one of both",
        ),
        (
            ["run", "vector", "--dump-tensors", "--platform", "threads"],
            "only simulated chips dump tensors; threads run tasks without their arrays, so leave "
            "out --dump-tensors or choose another --platform",
        ),
        (
            ["run", "chain", "--dump-tensors"],
            "chain works on no arrays, so there is nothing to dump; the built-in workloads that do "
            "are matmul_add, vector",
        ),
        (
            ["run", "vector", "--dump-limit", "5"],
            "--dump-limit and --dump-total need --dump-tensors",
        ),
    ],
)
def test_what_cannot_be_dumped_is_one_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: Output,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"lanescope: {sentence}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_keeps_the_trace(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    command = [sys.executable, "-m", "lanescope", "run", "vector", "--set", "tiles=4", "--quiet"]
    command += ["--buffer-records", "8", "--buffers", "2", "--dump-tensors", "-o", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=limit, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"lanescope: the tensors in {tmp_path}/vector.tensors could not all be written "
        "(File too large); free some space, select fewer or lower --dump-total\n"
    )
    assert "3 tensors (3 before dispatch and 0 after" in done.stdout
    assert "DROPPED (no space): 17" in done.stdout
    trace = lanescope.load(tmp_path / "vector.lanes")
    assert trace.ran().all()
    assert trace.meta.notes[-1].startswith("The tensor dump is not whole: the tensors in ")
    assert len(lanescope.read_tensors(tmp_path)[2].array()) == 65536


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("17", 17), ("2K", 2048), ("2KiB", 2048), ("3 mib", 3 << 20), ("1G", 1 << 30)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "1.5M", "5Q", "1e3", "٣"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"^expected a size like 4096, 64K or 1M"):
        size_bytes(text)


# ---- tensors ---------------------------------------------------------------------------------


@pytest.fixture
def dump(tmp_path: Path, capsys: Output) -> str:
    assert run(tmp_path, "--dump-tensors=0-1", "--dump-limit", "512") == 0
    capsys.readouterr()
    return str(tmp_path / "matmul_add.tensors")


def test_tensors_are_listed(dump: str, capsys: Output) -> None:
    assert main(["tensors", dump]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "index  task  function  stage   role    arg  tensor  dtype    shape",
        "0      0     matmul    before  input   0    A       float16  [16, 16]  512 bytes",
        "1      0     matmul    before  input   1    B       float16  [16, 16]  512 bytes, "
        "strides [32, 1] from 0",
        "2      0     matmul    after   output  2    C       float32  [16, 16]  512 bytes, "
        "strides [32, 1] from 0, truncated",
        "3      1     add       before  inout   0    C       float32  [16, 16]  512 bytes, "
        "strides [32, 1] from 0, truncated",
        "4      1     add       before  input   1    D       float32  [16, 16]  512 bytes, "
        "strides [32, 1] from 0, truncated",
        "5      1     add       after   inout   2    C       float32  [16, 16]  512 bytes, "
        "strides [32, 1] from 0, truncated",
        "6 tensors, 3,072 bytes; TRUNCATED: 4",
    ]
    assert main(["tensors", dump, "--task", "0x1"]) == 0
    assert capsys.readouterr().out.endswith("3 tensors, 1,536 bytes; TRUNCATED: 3\n")


def test_tensors_as_json(dump: str, capsys: Output) -> None:
    assert main(["tensors", dump, "--index", "1", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    assert (found["tensor"], found["strides"], found["truncated"]) == ("B", [32, 1], False)
    assert found["bin_path"] == f"{dump}/tensors.bin"


def test_a_tensor_is_exported(dump: str, tmp_path: Path, capsys: Output) -> None:
    target = tmp_path / "b.npy"
    assert main(["tensors", dump, "--index", "1", "--export", str(target)]) == 0
    assert capsys.readouterr().out == f"{target}: float16 [16, 16]\n"
    assert np.array_equal(np.load(target), lanescope.read_tensors(dump)[1].array())
    again = ["--export", str(target), "--force"]
    assert main(["tensors", dump, "--index", "2", *again, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exported_shape"] == [128]
    assert main(["tensors", dump, "--index", "2", *again]) == 0
    assert capsys.readouterr().out == (
        f"{target}: float32 [128], the first of 256 elements in a row: TRUNCATED\n"
    )
    assert np.array_equal(np.load(target), lanescope.read_tensors(dump)[2].elements())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--index", "6"], "there is no tensor 6; DUMP has 6, from 0"),
        (["--index", "-1"], "there is no tensor -1; DUMP has 6, from 0"),
        (["--task", "7"], "DUMP has nothing of task 7"),
        (["--export", "a.npy"], "--export needs --index, which says what to export"),
    ],
)
def test_a_wrong_question_is_one_sentence(
    options: list[str], sentence: str, dump: str, capsys: Output
) -> None:
    assert main(["tensors", dump, *options]) == 2
    assert capsys.readouterr().err == f"lanescope: {sentence.replace('DUMP', dump)}\n"


def test_no_dump_is_one_sentence(tmp_path: Path, capsys: Output) -> None:
    assert main(["tensors", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"lanescope: {tmp_path}: there is no tensor dump; expected a folder with tensors.json or "
        "args_dump.json\n"
    )


# ---- a graph of one's own --------------------------------------------------------------------

OWN = """\
import numpy as np
from lanescope import GraphBuilder
from lanescope.workloads import Tensor

def double(x, y):
    y[...] = 2 * x

def graph(*, broken=0):
    builder = GraphBuilder("")
    x = Tensor("x", (3, 4), data=np.arange(12, dtype=np.float32).reshape(3, 4))
    y = Tensor("y", (3, 2), data=np.zeros((3, 2), np.float32))
    reads = [x] if broken else [x[:, 1::2]]
    builder.task("double", spin_ns=500, reads=reads, writes=[y], compute=double)
    return builder
"""


def test_a_users_graph_computes(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "own.py").write_text(OWN)
    command = ["run", str(tmp_path / "own.py"), "--dump-tensors", "-o", str(tmp_path / "out")]
    assert main(command) == 0
    before, after = lanescope.read_tensors(tmp_path / "out")
    assert before.array().tolist() == [[1, 3], [5, 7], [9, 11]]
    assert after.array().tolist() == [[2, 6], [10, 14], [18, 22]]


def test_a_users_function_that_fails_is_one_sentence(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "own.py").write_text(OWN)
    command = ["run", str(tmp_path / "own.py"), "--dump-tensors", "-o", str(tmp_path / "out")]
    assert main([*command, "--set", "broken=1"]) == 1
    assert capsys.readouterr().err == (
        "lanescope: computing task 0 (double) of own raised ValueError: could not broadcast input "
        "array from shape (3,4) into shape (3,2)\n"
    )
    assert list((tmp_path / "out").iterdir()) == []
