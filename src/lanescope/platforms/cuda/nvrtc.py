"""NVRTC, CUDA's compiler as a library, called through ctypes; from the toolkit or from a wheel."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from lanescope.errors import LanescopeError

_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
_PACKAGES = ("nvidia.cu13", "nvidia.cuda_nvrtc")
"""Packages that the wheels nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12 install."""


@dataclass(frozen=True, slots=True)
class Nvrtc:
    """The compiler NVRTC, loaded."""

    library: ctypes.CDLL
    version: str

    @property
    def name(self) -> str:
        """Name and version."""
        return f"NVRTC {self.version}"

    def compile(self, source: Path, options: Sequence[str]) -> bytes:
        """Return the file as machine code."""
        program = c_void_p()
        text = source.read_bytes()
        self._call("nvrtcCreateProgram", byref(program), text, source.name.encode(), 0, None, None)
        try:
            words = (c_char_p * len(options))(*(option.encode() for option in options))
            code = self.library.nvrtcCompileProgram(program, c_int(len(options)), words)
            if code:
                raise LanescopeError(f"{source}: {self.name} refused it: {self._log(program)}")
            return self._cubin(program)
        finally:
            self.library.nvrtcDestroyProgram(byref(program))

    def _cubin(self, program: c_void_p) -> bytes:
        size = c_size_t()
        self._call("nvrtcGetCUBINSize", program, byref(size))
        data = ctypes.create_string_buffer(size.value)
        self._call("nvrtcGetCUBIN", program, data)
        return data.raw

    def _log(self, program: c_void_p) -> str:
        size = c_size_t()
        self._call("nvrtcGetProgramLogSize", program, byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call("nvrtcGetProgramLog", program, text)
        return text.value.decode(errors="replace").strip()

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self.library, name)(*arguments)
        if code:
            raise LanescopeError(f"{self.name} failed in {name} with code {code}")


def find_nvrtc() -> Nvrtc | None:
    """Return the first NVRTC that loads; None where none does."""
    for name in (*_NAMES, *_from_wheels()):
        try:
            library = ctypes.CDLL(name)
            major, minor = c_int(), c_int()
            if library.nvrtcVersion(byref(major), byref(minor)) == 0:
                return Nvrtc(library, f"{major.value}.{minor.value}")
        except (OSError, AttributeError):
            continue
    return None


def _from_wheels() -> list[str]:
    libraries = []
    for package in _PACKAGES:
        try:
            spec = find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            libraries += sorted(map(str, Path(folder, "lib").glob("libnvrtc.so.*")))
    return libraries
