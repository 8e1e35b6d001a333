"""Names of functions, marks and pipes in a region, registered while it is recorded into."""

from __future__ import annotations

from lanescope.device.layouts import layout
from lanescope.device.region import Region
from lanescope.errors import UsageError

NAME_ROOM = 256
"""Functions, marks and pipes that can have names in one recording."""


class Names:
    """Numbers of one sort begin at `base`, a multiple of 65536."""

    def __init__(self, region: Region) -> None:
        self._region = region
        self._names: dict[int, str] = dict(region.head.functions)

    def number(self, name: str, base: int) -> int:
        """The name's number, counted from `base`; the same name gives the same number."""
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
