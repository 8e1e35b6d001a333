"""The transport to an Ascend NPU: mapped where its driver can, copied otherwise.

It follows what is published about CANN (aclrtMalloc, halHostRegister, aclrtMemcpy) and how the
simpler runtime (github.com/hw-native-sys/simpler) reaches the memory of a2a3 and a5. It has run
against a stand-in for these libraries only, hence its name.
"""

from __future__ import annotations

import ctypes

import numpy as np

from lanescope.device.ascend.library import ACL, HAL, AscendDevice
from lanescope.device.head import Array
from lanescope.device.layouts import layout
from lanescope.device.shadow import ShadowCopy
from lanescope.device.transport import require_aligned
from lanescope.errors import TransportError, UsageError

_PAGE = 4096
"""The driver maps whole pages, in bytes."""
_TAIL = 32
"""Bytes behind what is used that belong to the allocation, on A2 and A3 (CANN, aclrtMalloc)."""


class UntestedAscend(ShadowCopy):
    """A transport to memory of an Ascend NPU. NOBODY HAS TRIED IT ON HARDWARE.

    It allocates device memory, hands its address to your runtime (`session.pointer`), and maps it
    for the host where the driver can (a2a3). Elsewhere (a5) it copies. `how` says which, and why.
    It has run against a stand-in for the vendor's libraries only. If you try it, tell us.

    Args:
        device: The device as acl counts, after ASCEND_RT_VISIBLE_DEVICES.
        driver_device: The device as the driver counts; the same number without it.
        acl: Name or path of the vendor's runtime library.
        hal: Name or path of the vendor's driver library.

    Raises:
        UsageError: This machine does not have the runtime library.
        TransportError: The device cannot be had; the message has the code and what to do.
    """

    def __init__(
        self, device: int = 0, *, driver_device: int | None = None, acl: str = ACL, hal: str = HAL
    ) -> None:
        name = f"Ascend device {device} (untested on hardware)"
        super().__init__(self._copy_out, self._copy_in, size=0, name=name)
        self.how = "not placed yet"
        """How the host reaches the memory: mapped or copied, and why."""
        self._driver_device = device if driver_device is None else driver_device
        self._mapped = False
        self._device = AscendDevice(device, acl=acl, hal=hal, name=name)

    def place(self, first_bytes: Array, region_bytes: int) -> None:
        """Allocate device memory, clear it, copy the first bytes of a region there, and map it."""
        whole = (region_bytes + _TAIL + _PAGE - 1) // _PAGE * _PAGE
        self.pointer = self._device.allocate(whole)
        require_aligned(self.pointer, f"the memory of {self.name}")
        self.size = whole
        self.copies = True
        super().place(first_bytes, region_bytes)
        if self.pointer % _PAGE:
            self._reached(f"copied, because the memory does not begin at a page of {_PAGE} bytes")
            return
        try:
            address = self._device.map(self.pointer, whole, self._driver_device)
        except TransportError as error:
            self._reached(f"copied, because {error}")
            return
        self._mapped = True
        memory = (ctypes.c_uint8 * region_bytes).from_address(address)
        self.image = np.ctypeslib.as_array(memory)
        self.copies = False
        self._reached("mapped")

    def _reached(self, how: str) -> None:
        self.how = how
        self.note = f"Recorded through {self.name}; its memory was {how}."

    def clear(self, region_bytes: int) -> None:
        """Set the device's memory to 0, also behind the region."""
        self._device.clear(self.pointer, self.size)

    def open(self) -> None:
        """Copy the head of the region that `place` has made.

        Raises:
            UsageError: there is none; the memory of other programs cannot be opened.
        """
        if not self.pointer:
            raise UsageError(
                f"{self.name}: expected a region to make (region=…), found none; the memory of "
                "another program cannot be opened"
            )
        super().open()

    def read(self, *ranges: tuple[int, int]) -> None:
        """Copy ranges of bytes from the device; mapped memory needs none."""
        if self.copies:
            super().read(*ranges)

    def write(self, *words: int) -> None:
        """Copy words of the host to the device, one by one; mapped memory needs none."""
        if self.copies:
            super().write(*words)

    def close(self) -> None:
        """Give back the mapping, and then the memory.

        Raises:
            TransportError: the driver does not take the mapping back; then the memory stays, too.
        """
        pointer, self.pointer = self.pointer, 0
        self.image = np.zeros(layout("ls_header").itemsize, np.uint8)
        if self._mapped:
            self._mapped = False
            self._device.unmap(pointer, self._driver_device)
        if pointer:
            self._device.free(pointer)

    def _copy_out(self, offset: int, target: memoryview) -> None:
        view = np.frombuffer(target, np.uint8)
        self._device.copy_out(int(view.ctypes.data), self.pointer + offset, len(view))

    def _copy_in(self, offset: int, data: memoryview) -> None:
        view = np.frombuffer(data, np.uint8)
        self._device.copy_in(self.pointer + offset, int(view.ctypes.data), len(view))
