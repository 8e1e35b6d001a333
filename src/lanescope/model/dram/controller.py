"""Serves bursts on one channel: open rows stay open, bursts go in order, refresh comes first.

A row may be opened for a later burst while an earlier one moves its data. Not modelled: the one
command per clock of the command bus, reordering of bursts, power-down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lanescope.model.dram.channel import Channel
from lanescope.model.dram.device import Device


@dataclass
class Counts:
    """How many bursts met which state of their bank."""

    hits: int = 0
    """The right row was open."""
    misses: int = 0
    """No row was open."""
    conflicts: int = 0
    """Another row was open."""
    refreshes: int = 0


@dataclass
class ChannelController:
    """Serves the bursts of one channel and refreshes it every `refi` clocks of the device."""

    device: Device
    channel: Channel = field(init=False)
    counts: Counts = field(default_factory=Counts)
    _due: int = 0

    def __post_init__(self) -> None:
        self.channel = Channel(self.device)
        self._due = self.device.refi

    def read(self, bank: int, row: int, clock: int) -> int:
        """Serve a read burst that is asked for at `clock`; the clock after its data."""
        ready = self._open(bank, row, clock)
        return self.channel.issue_read(bank, max(ready, self.channel.earliest_read(bank)))

    def write(self, bank: int, row: int, clock: int) -> int:
        """Serve a write burst that is asked for at `clock`; the clock after its data."""
        ready = self._open(bank, row, clock)
        return self.channel.issue_write(bank, max(ready, self.channel.earliest_write(bank)))

    def _open(self, bank: int, row: int, clock: int) -> int:
        """Open the row if it is not; the clock from which on it may be used."""
        self._refresh_until(max(clock, self.channel.read, self.channel.write))
        clock = max(clock, self.channel.refresh + self.device.rfc)
        open_row = self.channel.banks[bank].row
        if open_row == row:
            self.counts.hits += 1
            return clock
        if open_row is None:
            self.counts.misses += 1
        else:
            self.counts.conflicts += 1
            closing = max(clock, self.channel.earliest_precharge(bank))
            self.channel.precharge(bank, closing)
        opening = max(clock, self.channel.earliest_activate(bank))
        self.channel.activate(bank, row, opening)
        return opening

    def _refresh_until(self, clock: int) -> None:
        """Give every refresh that is due by the clock; of an idle time only the last two."""
        interval = self.device.refi
        idle = max(0, (clock - self._due) // interval - 1)
        self.counts.refreshes += idle
        self._due += idle * interval
        while self._due <= clock:
            for bank, state in enumerate(self.channel.banks):
                if state.row is not None:
                    closing = max(self._due, self.channel.earliest_precharge(bank))
                    self.channel.precharge(bank, closing)
            self.channel.issue_refresh(max(self._due, self.channel.earliest_refresh()))
            self.counts.refreshes += 1
            self._due += interval
