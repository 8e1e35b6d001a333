"""A stand-in for NVIDIA's driver: device memory is host memory, and one kernel tells the time.

It notes every call. Its clock runs 5 s behind the host's, and once that was set, at another rate.
"""

from __future__ import annotations

import ctypes
import threading
import time
from typing import Any

import numpy as np

BEHIND_NS = 5_000_000_000


class StandIn:
    """The functions of the driver that lanescope calls."""

    def __init__(self, *, context: bool = True) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.fails: dict[str, int] = {}
        self.memory: dict[int, Any] = {}
        self.rate = 1.0
        self._context = 77 if context else None
        self._began = time.time_ns()
        self._threads: list[threading.Thread] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)

        def called(*arguments: Any) -> int:
            plain = [getattr(one, "value", one) for one in arguments]
            self.calls.append((name, tuple(plain)))
            own = getattr(type(self), f"_{name.removesuffix('_v2')}", None)
            if own is not None and name not in self.fails:
                own(self, *arguments)
            return self.fails.get(name, 0)

        return called

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def given(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of every call of a function; results are left out."""
        return [
            tuple(one for one in arguments if isinstance(one, int | bytes))
            for called, arguments in self.calls
            if called == name
        ]

    def now_ns(self) -> int:
        """The device's clock."""
        return int((time.time_ns() - self._began) * self.rate) + self._began - BEHIND_NS

    def _cuGetErrorString(self, code: int, text: Any) -> None:
        text._obj.value = f"error {code}".encode()

    def _cuCtxGetCurrent(self, context: Any) -> None:
        context._obj.value = self._context

    def _cuCtxSetCurrent(self, context: Any) -> None:
        self._context = context.value

    def _cuDevicePrimaryCtxRetain(self, context: Any, device: Any) -> None:
        context._obj.value = 78

    def _cuDeviceGetName(self, name: Any, size: int, device: Any) -> None:
        name.value = b"Stand-in"

    def _cuDeviceGetAttribute(self, value: Any, which: int, device: Any) -> None:
        value._obj.value = 100 + which

    def _cuMemHostGetDevicePointer(self, mapped: Any, address: Any, flags: int) -> None:
        mapped._obj.value = address.value

    def _cuMemAlloc(self, address: Any, size: Any) -> None:
        block = ctypes.create_string_buffer(size.value)
        address._obj.value = ctypes.addressof(block)
        self.memory[ctypes.addressof(block)] = block

    def _cuMemcpyHtoD(self, address: Any, data: bytes, size: Any) -> None:
        ctypes.memmove(address.value, data, size.value)

    def _cuMemcpyDtoH(self, data: Any, address: Any, size: Any) -> None:
        ctypes.memmove(data, address.value, size.value)

    def _cuMemFree(self, address: Any) -> None:
        del self.memory[address.value]

    def _cuFuncGetAttribute(self, value: Any, which: int, function: Any) -> None:
        value._obj.value = 1000 + which

    def _cuOccupancyMaxActiveBlocksPerMultiprocessor(
        self, blocks: Any, function: Any, threads: Any, dynamic: Any
    ) -> None:
        blocks._obj.value = 2048 // threads.value

    def _cuLaunchKernel(self, function: Any, *arguments: Any) -> None:
        *_, pointers, _ = arguments
        mailbox, rounds = (
            ctypes.c_uint64.from_address(pointers[index]).value for index in range(2)
        )
        answers = threading.Thread(target=self._ping, args=(mailbox, rounds), daemon=True)
        self._threads.append(answers)
        answers.start()

    def _ping(self, mailbox: int, rounds: int) -> None:
        words = np.ctypeslib.as_array((ctypes.c_uint64 * 3).from_address(mailbox))
        for number in range(1, rounds + 1):
            while int(words[0]) < number:
                time.sleep(0)
            words[1] = self.now_ns()
            words[2] = number

    def _cuStreamSynchronize(self, stream: Any) -> None:
        for thread in self._threads:
            thread.join()
        self._threads.clear()
