"""Runs as the host's log tells them: the spans of one process that carry one invocation number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from lanescope.formats.simpler.host import LATEST_NS
from lanescope.formats.simpler.host_log import HostLog, HostSpan

RUN = "chip.run"
RUNNER = "chip.run.runner_run"
LAUNCH = "chip.run.runner_run.aicpu_launch"
WALL = "chip.run.runner_run.device_wall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One run of a chip, as one process of the host saw it.

    A number is None where the log does not say it, or says two different ones.
    """

    path: Path
    pid: int
    inv: int
    run_id: int | None
    dispatch_id: int | None
    run_epoch: int | None
    slot_id: int | None
    generation: int | None
    spans: tuple[HostSpan, ...]
    """in order of start: first those on the host's clock, then those on the device's"""

    @property
    def identity(self) -> tuple[int, int, int, int] | None:
        """Run, dispatch, slot and generation; None for a run that no dispatch asked for."""
        numbers = (self.run_id, self.dispatch_id, self.slot_id, self.generation)
        if any(number is None for number in numbers) or self.run_id == self.dispatch_id == 0:
            return None
        return numbers  # type: ignore[return-value]

    def only(self, name: str) -> HostSpan | None:
        """The span of this name; None where there is none, or more than one."""
        named = [span for span in self.spans if span.name == name]
        return named[0] if len(named) == 1 else None


def rounds(*logs: HostLog) -> list[Invocation]:
    """Every invocation that has a `chip.run` span, in order of its start.

    A span that several logs hold, as an extract of one log does, counts once.
    """
    spans: dict[tuple[int, int], list[HostSpan]] = {}
    roots: dict[tuple[int, int], Path] = {}
    for log in logs:
        of_this_log: dict[tuple[int, int], list[HostSpan]] = {}
        for span in log.spans:
            key = span.pid, span.inv
            of_this_log.setdefault(key, []).append(span)
            if span.name == RUN:
                roots.setdefault(key, log.path)
        for key, some in of_this_log.items():
            known = spans.setdefault(key, some)
            if known is not some:
                known += (Counter(some) - Counter(known)).elements()
    found = [_invocation(path, key, spans[key]) for key, path in roots.items()]
    return sorted(found, key=lambda one: (one.spans[0].ts_ns, one.pid, one.inv))


def _invocation(path: Path, key: tuple[int, int], spans: list[HostSpan]) -> Invocation:
    spans.sort(key=attrgetter("on_device", "ts_ns", "depth"))
    said = [span.attributes for span in spans if span.name == RUN]
    names = ("run_id", "dispatch_id", "run_epoch", "slot_id", "generation")
    numbers = {name: _agreed([attributes.get(name) for attributes in said]) for name in names}
    return Invocation(path=path, pid=key[0], inv=key[1], **numbers, spans=tuple(spans))


def _agreed(texts: list[str | None]) -> int | None:
    text = texts[0]
    if text is None or texts.count(text) != len(texts):
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        return None
    return int(text) if int(text) < LATEST_NS else None
