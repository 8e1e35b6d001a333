"""libascendcl and libascend_hal through ctypes: the calls that a transport needs, each checked.

Functions, arguments and numbers are those of the public headers acl_rt.h and ascend_hal.h. Nothing
here was tried on hardware.
"""

from __future__ import annotations

import ctypes
import threading
from ctypes import byref, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from lanescope.device.ascend.codes import ALREADY_INITIALISED, code_sentence
from lanescope.errors import TransportError, UsageError

ACL, HAL = "libascendcl.so", "libascend_hal.so"
_HUGE_FIRST = 0  # aclrtMemMallocPolicy
_TO_DEVICE, _TO_HOST = 1, 2  # aclrtMemcpyKind
_DEVICE_MAPPED_TO_HOST = 2  # DEV_SVM_MAP_HOST

_ACL_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "aclInit": (c_void_p,),
    "aclrtSetDevice": (c_int32,),
    "aclrtGetDevice": (c_void_p,),
    "aclrtGetCurrentContext": (c_void_p,),
    "aclrtSetCurrentContext": (c_void_p,),
    "aclrtMalloc": (c_void_p, c_size_t, c_int),
    "aclrtFree": (c_void_p,),
    "aclrtMemset": (c_void_p, c_size_t, c_int32, c_size_t),
    "aclrtMemcpy": (c_void_p, c_size_t, c_void_p, c_size_t, c_int),
}
_HAL_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "halHostRegister": (c_void_p, c_uint64, c_uint32, c_uint32, c_void_p),
    "halHostUnregister": (c_void_p, c_uint32),
}


class AscendDevice:
    """One device: a context that every calling thread gets, memory, copies and mappings."""

    def __init__(self, device: int, *, acl: str, hal: str, name: str) -> None:
        """Load the libraries, and take the device for this process.

        Raises:
            UsageError: this machine has no libascendcl.
            TransportError: the device cannot be had.
        """
        self._name = name
        self._hal_name = hal
        self._hal: ctypes.CDLL | None = None
        self._device = device
        self._threads = threading.local()
        self._context: int | None = None
        try:
            self._acl = _loaded(acl, _ACL_ARGUMENTS)
        except (OSError, AttributeError) as error:
            raise UsageError(
                f"{name}: needs the vendor's {acl}, which cannot be loaded ({error}); install CANN "
                "and source its set_env.sh, or take another transport"
            ) from None
        self._call("aclInit", None, allowed=ALREADY_INITIALISED)
        self._take()

    def _take(self) -> None:
        """Use the context that this thread has; only where there is none, set the device.

        It is never reset, nor is acl finalised: whoever else uses the device in this process would
        lose it. The process's end does both.
        """
        context, device = c_void_p(), c_int32(-1)
        if self._acl.aclrtGetCurrentContext(byref(context)) or not context.value:
            self._call("aclrtSetDevice", self._device)
            self._call("aclrtGetCurrentContext", byref(context))
        self._call("aclrtGetDevice", byref(device))
        if device.value != self._device:
            raise UsageError(
                f"{self._name}: this thread uses device {device.value} already; make the session "
                "in a thread of its own, or for that device"
            )
        self._context = context.value
        self._threads.is_set = True

    def use_context(self) -> None:
        """Give the calling thread the context; a thread that has none is refused by every call."""
        if not getattr(self._threads, "is_set", False):
            self._call("aclrtSetCurrentContext", self._context)
            self._threads.is_set = True

    def allocate(self, size: int) -> int:
        """Return the address of so many bytes of device memory."""
        self.use_context()
        pointer = c_void_p()
        self._call("aclrtMalloc", byref(pointer), size, _HUGE_FIRST)
        return int(pointer.value or 0)

    def clear(self, pointer: int, size: int) -> None:
        """Set device memory to 0."""
        self.use_context()
        self._call("aclrtMemset", pointer, size, 0, size)

    def copy_out(self, target: int, pointer: int, size: int) -> None:
        """Copy from the device to an address of the host."""
        self.use_context()
        self._call("aclrtMemcpy", target, size, pointer, size, _TO_HOST)

    def copy_in(self, pointer: int, source: int, size: int) -> None:
        """Copy from an address of the host to the device."""
        self.use_context()
        self._call("aclrtMemcpy", pointer, size, source, size, _TO_DEVICE)

    def map(self, pointer: int, size: int, driver_device: int) -> int:
        """Return the host's address of device memory.

        Raises:
            TransportError: the driver cannot map it, or there is no such driver.
        """
        self.use_context()
        try:
            self._hal = self._hal or _loaded(self._hal_name, _HAL_ARGUMENTS)
        except (OSError, AttributeError) as error:
            raise TransportError(f"{self._hal_name} cannot map memory ({error})") from None
        host = c_void_p()
        how = (_DEVICE_MAPPED_TO_HOST, driver_device)
        self._call("halHostRegister", pointer, size, *how, byref(host))
        return int(host.value or 0)

    def unmap(self, pointer: int, driver_device: int) -> None:
        """Give a mapping back; the driver knows it by the device's address, not by the host's."""
        self.use_context()
        self._call("halHostUnregister", pointer, driver_device)

    def free(self, pointer: int) -> None:
        """Give device memory back; its mapping was given back before."""
        self.use_context()
        self._call("aclrtFree", pointer)

    def _call(self, function: str, *arguments: object, allowed: int = 0) -> None:
        library = self._hal if function.startswith("hal") else self._acl
        code = int(getattr(library, function)(*arguments))
        if code not in (0, allowed):
            raise TransportError(f"{self._name}: {code_sentence(function, code)}")


def _loaded(name: str, functions: dict[str, tuple[Any, ...]]) -> ctypes.CDLL:
    library = ctypes.CDLL(name)
    for function, arguments in functions.items():
        entry = getattr(library, function)
        entry.argtypes, entry.restype = arguments, c_int
    return library
