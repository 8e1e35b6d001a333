"""Compiles the megakernel for this machine's GPU, and keeps the machine code for the next time."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Protocol

from lanescope.device.include import include_directory
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.cuda.nvrtc import find_nvrtc

SOURCE = "megakernel.cu"


class Compiler(Protocol):
    """Makes machine code of a CUDA source file."""

    @property
    def name(self) -> str:
        """Name and version, because another version makes other code."""

    def compile(self, source: Path, options: Sequence[str]) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Nvcc:
    """The compiler nvcc of an installed CUDA toolkit."""

    path: str
    version: str

    @property
    def name(self) -> str:
        """Name and version."""
        return f"nvcc {self.version}"

    def compile(self, source: Path, options: Sequence[str]) -> bytes:
        """Return the file as machine code."""
        with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
            target = Path(folder, "kernel.cubin")
            command = [self.path, *options, "-cubin", str(source), "-o", str(target)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LanescopeError(f"{source}: {self.name} refused it: {done.stderr.strip()}")
            return target.read_bytes()


def find_compiler() -> Compiler:
    """Return NVRTC where it can be loaded, and else nvcc."""
    nvrtc = find_nvrtc()
    if nvrtc is not None:
        return nvrtc
    path = shutil.which("nvcc")
    if path is None:
        raise UsageError(
            "the GPU's kernel has to be compiled, but neither NVRTC nor nvcc was found; install "
            "lanescope[cuda], or a CUDA toolkit with nvcc on the PATH"
        )
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    release = re.search(r"release ([\d.]+)", done.stdout)
    return Nvcc(path, release[1] if release else "of unknown version")


def source_directory() -> Path:
    """Return the folder of the kernel's source."""
    return Path(str(resources.files("lanescope.platforms.cuda").joinpath("device")))


def kernel_code(arch: str, *, slice_records: int | None = None) -> bytes:
    """Return the machine code for a GPU such as `sm_90`.

    `slice_records` is the number of records in a buffer of slices; None: no slices are recorded.
    """
    compiler = find_compiler()
    include, source = include_directory(), source_directory()
    options = ["-std=c++17", f"-arch={arch}", f"-I{include}", f"-I{source}"]
    if slice_records is not None:
        options.append(f"-DLS_SLICE_RECORDS={slice_records}u")
    kept = cache_directory() / f"{_key(compiler.name, arch, slice_records)}.cubin"
    if kept.is_file():
        return kept.read_bytes()
    code = compiler.compile(source / SOURCE, options)
    _keep(kept, code)
    return code


def cache_directory() -> Path:
    """Return the folder of this user that keeps machine code."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "lanescope" / "kernels"


def _key(*parts: object) -> str:
    """Return a name that changes with every byte of the sources and with every option."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode())
    for folder in (include_directory(), source_directory()):
        for path in sorted(folder.rglob("*.*")):
            if path.is_file():
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _keep(path: Path, code: bytes) -> None:
    """Write machine code to the cache; a cache that cannot be written is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(file, "wb") as out:
            out.write(code)
        Path(name).replace(path)
    except OSError:
        return
