"""The CUDA driver through ctypes: the few calls that recording needs, each checked.

The driver comes with the GPU; nothing has to be installed for it.
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache

from lanescope.errors import LanescopeError, UsageError

_LIBRARY = "libcuda.so.1"
_MULTIPROCESSORS = 16  # CUdevice_attribute
_PORTABLE, _MAPPED = 1, 2  # cuMemHostRegister
_NON_BLOCKING = 1  # cuStreamCreate


@dataclass(frozen=True, slots=True)
class Gpu:
    """The device of the current context."""

    name: str
    multiprocessors: int


@cache
def _library() -> ctypes.CDLL:
    """The driver, started; where that fails, one sentence says why."""
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        raise UsageError(
            f"recording on a GPU needs NVIDIA's driver ({_LIBRARY}), which this machine does not "
            "have; run it where the GPU is, or use --platform threads or a simulated chip"
        ) from None
    code = library.cuInit(0)
    if code:
        raise UsageError(
            f"NVIDIA's driver found no GPU that it can use ({_error_text(library, code)}); "
            "nvidia-smi shows which there are"
        )
    return library


def _error_text(library: ctypes.CDLL, code: int) -> str:
    text = c_char_p()
    library.cuGetErrorString(code, byref(text))
    return (text.value or b"unknown error").decode()


def call(name: str, *arguments: object) -> None:
    """Call the driver; an error is a LanescopeError that names the call."""
    library = _library()
    code = getattr(library, name)(*arguments)
    if code:
        raise LanescopeError(f"the GPU's driver refused {name}: {_error_text(library, code)}")


def use_context() -> Gpu:
    """The thread's current context, or the first GPU's usual one where there is none yet."""
    context, device = c_void_p(), c_int()
    call("cuCtxGetCurrent", byref(context))
    if not context.value:
        call("cuDeviceGet", byref(device), 0)
        call("cuDevicePrimaryCtxRetain", byref(context), device)
        call("cuCtxSetCurrent", context)
    call("cuCtxGetDevice", byref(device))
    name, count = ctypes.create_string_buffer(128), c_int()
    call("cuDeviceGetName", name, 128, device)
    call("cuDeviceGetAttribute", byref(count), _MULTIPROCESSORS, device)
    return Gpu(name.value.decode(errors="replace"), count.value)


def map_host(address: int, size: int) -> int:
    """Lets the GPU write into host memory; returns the address that it uses."""
    mapped = c_uint64()
    call("cuMemHostRegister_v2", c_void_p(address), c_size_t(size), c_uint(_PORTABLE | _MAPPED))
    call("cuMemHostGetDevicePointer_v2", byref(mapped), c_void_p(address), 0)
    return mapped.value


def unmap_host(address: int) -> None:
    call("cuMemHostUnregister", c_void_p(address))


def allocate(size: int) -> int:
    """Device memory; what is in it is not known."""
    address = c_uint64()
    call("cuMemAlloc_v2", byref(address), c_size_t(size))
    return address.value


def write_device(address: int, data: bytes) -> None:
    call("cuMemcpyHtoD_v2", c_uint64(address), data, c_size_t(len(data)))


def read_device(address: int, size: int) -> bytes:
    data = ctypes.create_string_buffer(size)
    call("cuMemcpyDtoH_v2", data, c_uint64(address), c_size_t(size))
    return data.raw


def free(address: int) -> None:
    call("cuMemFree_v2", c_uint64(address))


def synchronize() -> None:
    """Wait for everything that was started in this context."""
    call("cuCtxSynchronize")


class Stream:
    """A stream of its own, which waits for no other and no other for it."""

    def __init__(self) -> None:
        self._stream = c_void_p()
        call("cuStreamCreate", byref(self._stream), _NON_BLOCKING)

    def launch(self, function: c_void_p, *arguments: c_uint64) -> None:
        """One thread of a kernel."""
        pointers = (c_void_p * len(arguments))(*[ctypes.addressof(each) for each in arguments])
        ones = [c_uint(1)] * 6
        call("cuLaunchKernel", function, *ones, c_uint(0), self._stream, pointers, None)

    def close(self) -> None:
        """Wait for what was launched."""
        call("cuStreamSynchronize", self._stream)
        call("cuStreamDestroy_v2", self._stream)


def load_function(image: bytes, name: str) -> tuple[c_void_p, c_void_p]:
    """A kernel from a cubin or PTX: the module, and the function in it."""
    module, function = c_void_p(), c_void_p()
    call("cuModuleLoadData", byref(module), image)
    call("cuModuleGetFunction", byref(function), module, name.encode())
    return module, function


def unload(module: c_void_p) -> None:
    call("cuModuleUnload", module)
