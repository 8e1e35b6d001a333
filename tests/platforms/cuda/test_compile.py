"""The kernel compiles, is kept, and where it cannot be compiled one sentence says so."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lanescope.cli import main
from lanescope.cuda import driver
from lanescope.cuda import kernel as cuda_kernel
from lanescope.device.include import include_directory
from lanescope.errors import LanescopeError, UsageError
from lanescope.native import library
from lanescope.platforms.cuda import compile as compiling
from lanescope.platforms.cuda import repeated
from lanescope.platforms.cuda import run as running
from lanescope.platforms.cuda.compile import Nvcc, find_compiler, kernel_code, source_directory
from lanescope.platforms.cuda.nvrtc import find_nvrtc

GPU = cuda_kernel.Properties("Test GPU", 132, 9, 0, 233_472, 232_448, True)


class Counting:
    """A compiler that only counts."""

    name = "counting 1.0"

    def __init__(self) -> None:
        self.options: list[Sequence[str]] = []

    def compile(self, source: Path, options: Sequence[str]) -> bytes:
        assert source.is_file()
        self.options.append(options)
        return f"code {len(self.options)}".encode()


def test_nvcc_compiles_the_kernel_without_a_word(tmp_path: Path) -> None:
    """To PTX: the machine code of a GPU takes twice as long."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    source, target = source_directory() / "megakernel.cu", tmp_path / "kernel.ptx"
    words = ["-std=c++17", "-arch=compute_90", "-Werror=all-warnings", "-ptx"]
    done = subprocess.run(
        [nvcc, *words, f"-I{include_directory()}", str(source), "-o", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ".entry megakernel" in target.read_text()


ROOT = Path(__file__).parents[3]
FILES = (
    *("benchmarks/cuda_record.cu", "tests/cuda/kernels.cu"),
    *(f"examples/cuda/{name}.cu" for name in ("gemm", "pipeline", "server", "persistent")),
)


@pytest.mark.parametrize("name", ["megakernel", *FILES])
def test_nvrtc_compiles_what_runs_on_a_gpu(name: str) -> None:
    """It has no system headers and fewer words of its compiler than nvcc."""
    nvrtc = find_nvrtc()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed; `make .venv/installed-triton` installs it")
    source = source_directory() / "megakernel.cu" if name == "megakernel" else ROOT / name
    options = ["-std=c++17", "-arch=sm_90", f"-I{include_directory()}", f"-I{source.parent}"]
    options += ["-DCTA=1", "-DLOOP=1"]
    assert nvrtc.compile(source, options)[:4] == b"\x7fELF"


def test_what_nvcc_says_about_wrong_code_is_said(tmp_path: Path) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'kernel.cu(3): error' >&2\nexit 2\n")
    nvcc.chmod(0o755)
    with pytest.raises(LanescopeError, match=r"nvcc 13\.0 refused it: kernel\.cu\(3\): error"):
        Nvcc(str(nvcc), "13.0").compile(tmp_path / "kernel.cu", [])


def test_a_kernel_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = Counting()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiling, "find_compiler", lambda: compiler)
    assert kernel_code("sm_90") == kernel_code("sm_90") == b"code 1"
    assert kernel_code("sm_80") == b"code 2"
    assert kernel_code("sm_90", slice_records=8) == b"code 3"
    assert "-DLS_SLICE_RECORDS=8u" in compiler.options[2]
    compiler.name = "counting 1.1"
    assert kernel_code("sm_90") == b"code 4"
    assert len(list((tmp_path / "lanescope" / "kernels").iterdir())) == 4


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lanescope").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiling, "find_compiler", Counting)
    assert kernel_code("sm_90") == b"code 1"


def test_without_a_compiler_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiling, "find_nvrtc", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError) as found:
        find_compiler()
    assert str(found.value) == (
        "the GPU's kernel has to be compiled, but neither NVRTC nor nvcc was found; install "
        "lanescope[cuda], or a CUDA toolkit with nvcc on the PATH"
    )


def test_nvrtc_that_does_not_load_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert find_nvrtc() is None


def test_the_first_nvrtc_that_loads_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here 13 is not there, and what is called 12 is something else."""

    class Loaded:
        def nvrtcVersion(self, major: Any, minor: Any) -> int:
            major._obj.value, minor._obj.value = 11, 8
            return 0

    found = Loaded()
    there = {"libnvrtc.so.12": object(), "libnvrtc.so": found}
    asked: list[str] = []

    def load(name: str) -> object:
        asked.append(name)
        if name not in there:
            raise OSError(name)
        return there[name]

    monkeypatch.setattr(ctypes, "CDLL", load)
    nvrtc = find_nvrtc()
    assert nvrtc is not None
    assert (nvrtc.library, nvrtc.version, nvrtc.name) == (found, "11.8", "NVRTC 11.8")
    assert asked == ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]


def without_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)


def test_without_a_gpu_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_driver(monkeypatch)
    for command in ("run", "bench"):
        assert main([command, "vector", "--platform", "cuda"]) == 2
        assert capsys.readouterr().err == (
            "lanescope: recording on a GPU needs NVIDIA's driver (libcuda.so.1), which this "
            "machine does not have; run it where the GPU is, or use --platform threads or a "
            "simulated chip\n"
        )


def test_the_list_of_platforms_says_what_was_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "find_gpu", lambda: GPU)
    monkeypatch.setattr(running, "find_compiler", Counting)
    assert main(["platforms", "cuda"]) == 0
    assert capsys.readouterr().out == (
        "cuda: real: Test GPU, 132 SMs of compute capability 9.0, kernels compiled by "
        "counting 1.0\n"
    )
    monkeypatch.undo()
    without_driver(monkeypatch)
    assert main(["platforms"]) == 0
    assert "cuda      not here: recording on a GPU needs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--protocol", "staging"], "the workers of a GPU rotate their own buffers"),
        (
            ["--dump-tensors"],
            "only simulated chips dump tensors; on cuda their values are compared and not",
        ),
        (["--pmu"], "the cuda platform has no performance counters to record"),
        (["--pin"], "--pin is for --platform threads; CTAs stay on their SM anyway"),
        (["--cores", "aic=3"], "the cores of a GPU are of kind sm, not aic"),
        (["--schedulers", "0"], "the GPU has 132 SMs, so 1 to 131 can schedule, not 0"),
    ],
)
def test_what_a_gpu_has_not_is_refused(
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(running, "find_gpu", lambda: GPU)
    assert main(["run", "vector", "--platform", "cuda", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["vector", "--protocols", "staging"], "the workers of a GPU rotate their own buffers"),
        (["vector", "--pin"], "--pin is for --platform threads; CTAs stay on their SM anyway"),
        (["vector", "--cores", "aic=3"], "the cores of a GPU are of kind sm, not aic"),
        (["--fit"], "bench --fit runs its probes on threads and on simulated chips; choose"),
        (["vector", "--core-source", "perfmon"], "--core-source needs a simulated chip with"),
    ],
)
def test_what_a_bench_on_a_gpu_has_not_is_refused(
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(repeated, "find_gpu", lambda: GPU)
    assert main(["bench", *words, "--platform", "cuda"]) == 2
    assert sentence in capsys.readouterr().err
