"""Names of functions, marks and pipes, written into a region while kernels record."""

from __future__ import annotations

from lanescope.device.layouts import layout
from lanescope.device.region import Region
from lanescope.errors import UsageError

NAME_ROOM = 256
"""How many functions, marks and pipes together can have names in one recording."""


class Names:
    """The names of a region. Functions, marks and pipes have 65536 numbers each, from a base on."""

    def __init__(self, region: Region) -> None:
        self._region = region
        self._names: dict[int, str] = dict(region.head.functions)

    def number(self, name: str, base: int) -> int:
        """Return the number of a name, counted from `base`; a name keeps its number.

        Raises:
            UsageError: the region has no room for another name.
        """
        for number, known in self._names.items():
            if known == name and number >> 16 == base >> 16:
                return number - base
        number = base + sum(key >> 16 == base >> 16 for key in self._names)
        if len(self._names) >= NAME_ROOM:
            raise UsageError(f"there is room for {NAME_ROOM} names of functions, marks and pipes")
        self._write(len(self._names), number, name)
        self._names[number] = name
        return number - base

    def _write(self, index: int, number: int, name: str) -> None:
        entry = layout("ls_name_entry")
        at = int(self._region.head.header["names"]) + index * entry.itemsize
        text = name.encode()[:59].decode(errors="ignore").encode()
        self._region.memory[at : at + entry.itemsize].view(entry)[0] = (number, text)
