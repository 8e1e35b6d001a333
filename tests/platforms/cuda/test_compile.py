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
from lanescope.platforms.cuda import nvrtc, repeated
from lanescope.platforms.cuda import run as running
from lanescope.platforms.cuda.compile import (
    Nvcc,
    cache_directory,
    find_compiler,
    kernel_code,
    source_directory,
)
from lanescope.platforms.cuda.nvrtc import Nvrtc, find_nvrtc

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
    compiler = find_nvrtc()
    if compiler is None:
        pytest.skip("NVRTC is not installed; `make .venv/installed-triton` installs it")
    source = source_directory() / "megakernel.cu" if name == "megakernel" else ROOT / name
    options = ["-std=c++17", "-arch=sm_90", f"-I{include_directory()}", f"-I{source.parent}"]
    options += ["-DCTA=1", "-DLOOP=1"]
    assert compiler.compile(source, options)[:4] == b"\x7fELF"


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
    taken = find_nvrtc()
    assert taken is not None
    assert (taken.library, taken.version, taken.name) == (found, "11.8", "NVRTC 11.8")
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
        (["--schedulers", "0"], "the GPU has 132 SMs, so 1 to 66 can schedule, not 0"),
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


# ---- what is asked of the compilers ----------------------------------------------------------


class FakeNvrtc:
    """NVRTC as a library: answers with these codes, and notes what it was given."""

    def __init__(self, **codes: int) -> None:
        self._codes = codes
        self.calls: list[str] = []
        self.given: list[object] = []

    def __getattr__(self, name: str) -> Any:
        def called(*arguments: Any) -> int:
            self.calls.append(name)
            if name == "nvrtcCreateProgram":
                self.given += [arguments[1], arguments[2], arguments[3:]]
            elif name == "nvrtcCompileProgram":
                self.given += [arguments[1].value, [bytes(word) for word in arguments[2]]]
            elif name in ("nvrtcGetCUBINSize", "nvrtcGetProgramLogSize"):
                arguments[1]._obj.value = 6 if "CUBIN" in name else 20
            elif name == "nvrtcGetCUBIN":
                arguments[1].raw = b"\x7fELF\0\1"
            elif name == "nvrtcGetProgramLog":
                arguments[1].value = b" kernel.cu(3): \xff \n"
            return self._codes.get(name, 0)

        return called


def compiled(library: FakeNvrtc, folder: Path) -> bytes:
    source = folder / "kernel.cu"
    source.write_bytes(b"code\0")
    loaded: Any = library
    return Nvrtc(loaded, "12.4").compile(source, ["-one", "-two"])


def test_nvrtc_is_given_the_source_and_the_options(tmp_path: Path) -> None:
    library = FakeNvrtc()
    assert compiled(library, tmp_path) == b"\x7fELF\0\1"
    assert library.given == [b"code\0", b"kernel.cu", (0, None, None), 2, [b"-one", b"-two"]]
    assert library.calls == [
        *("nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN"),
        "nvrtcDestroyProgram",
    ]


def test_what_nvrtc_says_about_wrong_code_is_said(tmp_path: Path) -> None:
    library = FakeNvrtc(nvrtcCompileProgram=6)
    with pytest.raises(LanescopeError) as raised:
        compiled(library, tmp_path)
    assert str(raised.value) == (
        f"{tmp_path / 'kernel.cu'}: NVRTC 12.4 refused it: kernel.cu(3): \ufffd"
    )
    assert library.calls[-1] == "nvrtcDestroyProgram"


@pytest.mark.parametrize("name", ["nvrtcCreateProgram", "nvrtcGetCUBIN", "nvrtcGetCUBINSize"])
def test_a_call_of_nvrtc_that_fails_is_named(name: str, tmp_path: Path) -> None:
    library = FakeNvrtc(**{name: 3})
    with pytest.raises(LanescopeError) as raised:
        compiled(library, tmp_path)
    assert str(raised.value) == f"NVRTC 12.4 failed in {name} with code 3"
    assert ("nvrtcDestroyProgram" in library.calls) is (name != "nvrtcCreateProgram")


def test_wheels_are_looked_into_after_the_usual_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("libnvrtc.so.12", "libnvrtc.so.11", "libnvrtc-builtins.so.12"):
        (tmp_path / "lib" / name).write_text("")

    class Spec:
        submodule_search_locations = (str(tmp_path),)

    def find(package: str) -> object:
        if package == "nvidia.cu13":
            raise ModuleNotFoundError(package)
        return Spec if package == "nvidia.cuda_nvrtc" else None

    monkeypatch.setattr(nvrtc, "find_spec", find)
    assert nvrtc._from_wheels() == [
        str(tmp_path / "lib" / name) for name in ("libnvrtc.so.11", "libnvrtc.so.12")
    ]
    monkeypatch.setattr(nvrtc, "find_spec", lambda package: None)
    assert nvrtc._from_wheels() == []
    Spec.submodule_search_locations = None  # type: ignore[assignment]
    monkeypatch.setattr(nvrtc, "find_spec", find)
    assert nvrtc._from_wheels() == []


def test_an_nvrtc_that_does_not_tell_its_version_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: FakeNvrtc(nvrtcVersion=1))
    monkeypatch.setattr(nvrtc, "_from_wheels", list)
    assert find_nvrtc() is None


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ("Cuda compilation tools, release 12.4, V12.4.131", "nvcc 12.4"),
        ("something else", "nvcc of unknown version"),
    ],
)
def test_nvcc_is_taken_where_nvrtc_is_not_there(
    told: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo '{told}'\n")
    nvcc.chmod(0o755)
    monkeypatch.setattr(compiling, "find_nvrtc", lambda: None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = find_compiler()
    assert isinstance(found, Nvcc)
    assert (found.path, found.name) == (str(nvcc), version)


def test_nvcc_is_given_the_options_and_its_file_is_the_code(tmp_path: Path) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text('#!/bin/sh\necho "$1 $2 $3 $4 $5" > "$6"\n')
    nvcc.chmod(0o755)
    source = tmp_path / "kernel.cu"
    found = Nvcc(str(nvcc), "13.0").compile(source, ["-one", "-two"])
    assert found.decode() == f"-one -two -cubin {source} -o\n"


def test_the_kernel_is_compiled_for_the_gpu_with_both_folders_of_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = Counting()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiling, "find_compiler", lambda: compiler)
    kernel_code("sm_90")
    assert list(compiler.options[0]) == [
        *("-std=c++17", "-arch=sm_90"),
        *(f"-I{include_directory()}", f"-I{source_directory()}"),
    ]


def test_kernels_are_kept_below_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "lanescope" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "lanescope" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_directory() == tmp_path / ".cache" / "lanescope" / "kernels"


def test_a_kept_kernel_is_another_one_when_a_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tmp_path / "include", tmp_path / "device"
    for folder in folders:
        (folder / "more").mkdir(parents=True)
        (folder / "more" / "a.h").write_text("one")
    monkeypatch.setattr(compiling, "include_directory", lambda: folders[0])
    monkeypatch.setattr(compiling, "source_directory", lambda: folders[1])
    keys = [compiling._key("nvcc", "sm_90"), compiling._key("nvcc", "sm_90")]
    assert keys[0] == keys[1] and len(keys[0]) == 32
    for folder in folders:
        (folder / "more" / "a.h").write_text("two")
        keys.append(compiling._key("nvcc", "sm_90"))
    (folders[1] / "more" / "a.h").rename(folders[1] / "more" / "b.h")
    keys += [compiling._key("nvcc", "sm_90"), compiling._key("nvcc", "sm_80")]
    keys.append(compiling._key("nvcc", "sm_90", None))
    assert len(set(keys)) == 6
