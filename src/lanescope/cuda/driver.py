"""The CUDA driver through ctypes: the few calls that recording needs, each with its error checked.

The driver comes with the GPU, so nothing has to be installed for it.
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
    """The GPU of the current context."""

    name: str
    multiprocessors: int
    """Number of its SMs."""


@cache
def _library() -> ctypes.CDLL:
    """Load and start the driver; where that fails, the error says why in one sentence."""
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
    """Call a function of the driver.

    Raises:
        UsageError: there is no driver, or no GPU that it can use.
        LanescopeError: the driver refused the call.
    """
    library = _library()
    code = getattr(library, name)(*arguments)
    if code:
        raise LanescopeError(f"the GPU's driver refused {name}: {_error_text(library, code)}")


def use_context() -> Gpu:
    """Return the GPU of this thread's current context.

    A thread without a context gets the primary one of the first GPU.
    """
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
    """Let the GPU write into host memory; return the address of this memory on the GPU."""
    mapped = c_uint64()
    call("cuMemHostRegister_v2", c_void_p(address), c_size_t(size), c_uint(_PORTABLE | _MAPPED))
    try:
        call("cuMemHostGetDevicePointer_v2", byref(mapped), c_void_p(address), 0)
    except LanescopeError:
        unmap_host(address)
        raise
    return mapped.value


def unmap_host(address: int) -> None:
    """Undo `map_host`; `address` is the host's."""
    call("cuMemHostUnregister", c_void_p(address))


def allocate(size: int) -> int:
    """Return the address of new device memory; its contents are not set."""
    address = c_uint64()
    call("cuMemAlloc_v2", byref(address), c_size_t(size))
    return address.value


def write_device(address: int, data: bytes) -> None:
    """Copy bytes to device memory."""
    call("cuMemcpyHtoD_v2", c_uint64(address), data, c_size_t(len(data)))


def read_device(address: int, size: int) -> bytes:
    """Return `size` bytes of device memory."""
    data = ctypes.create_string_buffer(size)
    call("cuMemcpyDtoH_v2", data, c_uint64(address), c_size_t(size))
    return data.raw


def free(address: int) -> None:
    """Free device memory."""
    call("cuMemFree_v2", c_uint64(address))


def synchronize() -> None:
    """Wait until everything that was started in this context has ended."""
    call("cuCtxSynchronize")


class Stream:
    """A stream that waits for no other stream, and no other stream for it."""

    def __init__(self) -> None:
        self._stream = c_void_p()
        call("cuStreamCreate", byref(self._stream), _NON_BLOCKING)

    def launch(self, function: c_void_p, *arguments: c_uint64) -> None:
        """Launch a kernel with one thread."""
        pointers = (c_void_p * len(arguments))(*[ctypes.addressof(each) for each in arguments])
        ones = [c_uint(1)] * 6
        call("cuLaunchKernel", function, *ones, c_uint(0), self._stream, pointers, None)

    def close(self) -> None:
        """Wait until what was launched has ended, and remove the stream."""
        call("cuStreamSynchronize", self._stream)
        call("cuStreamDestroy_v2", self._stream)


def load_function(image: bytes, name: str) -> tuple[c_void_p, c_void_p]:
    """Load a cubin or PTX; return the module, and the kernel `name` in it."""
    module, function = c_void_p(), c_void_p()
    call("cuModuleLoadData", byref(module), image)
    try:
        call("cuModuleGetFunction", byref(function), module, name.encode())
    except LanescopeError:
        unload(module)
        raise
    return module, function


def unload(module: c_void_p) -> None:
    """Remove a loaded module."""
    call("cuModuleUnload", module)
