"""core_streams.json: the clocks of cores that have chunk streams, and names of their marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lanescope.chunks import Clocks, MarkNames
from lanescope.errors import InputError, UsageError
from lanescope.formats.chip6.clock import hertz
from lanescope.formats.chip6.kinds import LIMITS
from lanescope.formats.json_file import JsonFile

_LONGEST_NAME = 4096


@dataclass(frozen=True, slots=True)
class StreamsAbout:
    """What the file says."""

    file: JsonFile
    core_hz: dict[str, int]
    """Kind of core to its clock; the key "" holds for every kind that is not there."""
    counter_hz: int | None
    names: MarkNames

    @classmethod
    def read(cls, file: JsonFile) -> StreamsAbout:
        """Read the file.

        Raises:
            InputError: a clock or a number cannot be right, or a name is too long.
        """
        told = file.decode("core_mhz", float | dict[str, float])  # type: ignore[arg-type]
        by_kind = told if isinstance(told, dict) else {"": told}
        counter = file.decode("counter_mhz", float) if "counter_mhz" in file else None
        return cls(
            file,
            {kind: _hertz(file, "core_mhz", mhz) for kind, mhz in by_kind.items()},
            None if counter is None else _hertz(file, "counter_mhz", counter),
            MarkNames(*(_names(file, key) for key in LIMITS)),
        )

    def clocks(self, kind: str, counter_hz: int | None) -> Clocks:
        """Return the clocks of a stream of this kind of core.

        Raises:
            InputError: the clock of this kind is not there, or the records count in another way.
        """
        if counter_hz is None:
            problem = "the records beside it have no counter values, so streams have no tasks"
            raise InputError(self.file.path, problem)
        if self.counter_hz not in (None, counter_hz):
            raise InputError(
                self.file.path,
                f"says that stamps count at {self.counter_hz} Hz, but the records beside it count "
                f"at {counter_hz} Hz; streams of another counter cannot be attached",
            )
        hz = self.core_hz.get(kind, self.core_hz.get(""))
        if hz is None:
            what = f"cores of kind {kind}" if kind else "cores whose kind is not known"
            raise InputError(self.file.path, f"'core_mhz' has no clock for {what}; add it")
        try:
            return Clocks(hz, counter_hz)
        except UsageError as error:
            raise InputError(self.file.path, str(error)) from error


def _hertz(file: JsonFile, key: str, mhz: float) -> int:
    try:
        return hertz(repr(mhz))
    except UsageError as error:
        raise InputError(file.path, f"{key!r}: {error}") from error


def _names(file: JsonFile, key: str) -> dict[int, str]:
    found = file.decode(key, dict[str, str]) if key in file else {}
    for number, name in found.items():
        if not (re.fullmatch("[0-9]{1,4}", number) and int(number) < LIMITS[key]):
            problem = f"expected numbers below {LIMITS[key]}, found {number[:40]!r}"
            raise InputError(file.path, f"{key!r}: {problem}")
        if len(name) > _LONGEST_NAME:
            problem = f"the name of {number} has {len(name)} characters, above {_LONGEST_NAME}"
            raise InputError(file.path, f"{key!r}: {problem}")
    return {int(number): name for number, name in found.items()}
