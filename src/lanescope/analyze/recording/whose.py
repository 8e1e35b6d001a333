"""Whose trace it is: rank, host, process, device, run, step, and the UTC at which it began."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.meta import Meta

_CLOCKS = {
    "realtime": "by the machine's clock",
    "session": "as its profiler states it",
}
_LAST_SECOND = 253402300799
"""End of the year 9999, the last that a calendar takes."""


@dataclass(frozen=True, slots=True)
class Whose(Result):
    """Fields of `meta.json` of the same names; None and empty text where it does not tell."""

    rank: int | None
    world: int | None
    host: str
    process: int | None
    device: int | None
    run: str
    step: int | None
    epoch_ns: int | None
    epoch_clock: str
    epoch_error_ns: int | None

    @classmethod
    def of(cls, meta: Meta) -> Whose:
        """What a trace says about itself."""
        return cls(**{name: getattr(meta, name) for name in cls.__dataclass_fields__})

    def facts(self) -> list[tuple[str, str]]:
        """Labelled facts for a page; those that are not known are empty."""
        rank = "" if self.rank is None else str(self.rank)
        if rank and self.world is not None:
            rank += f" of {self.world}"
        place = [f"process {self.process}"] if self.process is not None else []
        place += [f"device {self.device}"] if self.device is not None else []
        return [
            ("rank", rank),
            ("host", clean(self.host)),
            ("of", ", ".join(place)),
            ("run", clean(self.run)),
            ("step", "" if self.step is None else str(self.step)),
            ("began", self._began()),
        ]

    def _began(self) -> str:
        if self.epoch_ns is None or not 0 <= self.epoch_ns // 10**9 <= _LAST_SECOND:
            return ""
        seconds, rest = divmod(self.epoch_ns, 10**9)
        moment = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
        known = _CLOCKS.get(self.epoch_clock, clean(self.epoch_clock))
        if self.epoch_error_ns is not None:
            known += f", ± {self.epoch_error_ns:,} ns"
        return f"{moment}.{rest:09} UTC" + (f", {known}" if known else "")
