"""One channel of a memory: when each command is allowed next, gate by gate.

`earliest_…` says the first clock at which a command is legal; giving it earlier is refused.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from lanescope.model.dram.device import Device

NEVER = -(10**9)
"""A clock so long ago that no gate reaches from it."""


class IllegalCommand(Exception):
    """A command that the device forbids at this clock or in this state."""


@dataclass
class Bank:
    """One bank: its open row, and the clock of its last command of each kind."""

    row: int | None = None
    act: int = NEVER
    pre: int = NEVER
    read: int = NEVER
    write: int = NEVER


@dataclass
class BankGroup:
    """The clock of the last commands in one bank group, within which longer gates hold."""

    act: int = NEVER
    read: int = NEVER
    write: int = NEVER


@dataclass
class Channel:
    """The state of one channel; clocks count from 0."""

    device: Device
    banks: list[Bank] = field(default_factory=list)
    groups: list[BankGroup] = field(default_factory=list)
    acts: deque[int] = field(default_factory=lambda: deque([NEVER] * 4, maxlen=4))
    read: int = NEVER
    write: int = NEVER
    refresh: int = NEVER

    def __post_init__(self) -> None:
        device = self.device
        self.banks = [Bank() for _ in range(device.bank_groups * device.banks_per_group)]
        self.groups = [BankGroup() for _ in range(device.bank_groups)]

    def group_of(self, bank: int) -> BankGroup:
        """The group of a bank."""
        return self.groups[bank // self.device.banks_per_group]

    def earliest_activate(self, bank: int) -> int:
        """First clock at which a row of the bank may be opened."""
        d, b, g = self.device, self.banks[bank], self.group_of(bank)
        if b.row is not None:
            raise IllegalCommand(f"activate: bank {bank} has row {b.row} open")
        return max(
            b.pre + d.rp,
            b.act + d.ras + d.rp,
            g.act + d.rrd_l,
            self.acts[-1] + d.rrd_s,
            self.acts[0] + d.faw,
            self.refresh + d.rfc,
            0,
        )

    def earliest_precharge(self, bank: int) -> int:
        """First clock at which the bank's row may be closed."""
        d, b = self.device, self.banks[bank]
        return max(b.act + d.ras, b.read + d.rtp, b.write + d.cwl + d.burst_clocks + d.wr, 0)

    def earliest_read(self, bank: int) -> int:
        """First clock at which the open row of the bank may be read."""
        d, b, g = self.device, self._open(bank, "read"), self.group_of(bank)
        after_write = d.cwl + d.burst_clocks
        return max(
            b.act + d.rcd,
            self.read + max(d.ccd_s, d.burst_clocks),
            g.read + max(d.ccd_l, d.burst_clocks),
            self.write + after_write + d.wtr_s,
            g.write + after_write + d.wtr_l,
        )

    def earliest_write(self, bank: int) -> int:
        """First clock at which the open row of the bank may be written."""
        d, b, g = self.device, self._open(bank, "write"), self.group_of(bank)
        return max(
            b.act + d.rcd,
            self.write + max(d.ccd_s, d.burst_clocks),
            g.write + max(d.ccd_l, d.burst_clocks),
            self.read + d.read_to_write,
        )

    def earliest_refresh(self) -> int:
        """First clock at which the channel may be refreshed."""
        d = self.device
        if any(bank.row is not None for bank in self.banks):
            raise IllegalCommand("refresh: a row is open")
        return max(self.refresh + d.rfc, *(bank.pre + d.rp for bank in self.banks), 0)

    def activate(self, bank: int, row: int, clock: int) -> None:
        """Open a row of the bank."""
        _legal("activate", clock, self.earliest_activate(bank))
        self.banks[bank].row = row
        self.banks[bank].act = self.group_of(bank).act = clock
        self.acts.append(clock)

    def precharge(self, bank: int, clock: int) -> None:
        """Close the row of the bank."""
        _legal("precharge", clock, self.earliest_precharge(bank))
        self.banks[bank].row = None
        self.banks[bank].pre = clock

    def issue_read(self, bank: int, clock: int) -> int:
        """Read a burst from the open row; the clock after the last of its data."""
        _legal("read", clock, self.earliest_read(bank))
        self.banks[bank].read = self.group_of(bank).read = self.read = clock
        return clock + self.device.cl + self.device.burst_clocks

    def issue_write(self, bank: int, clock: int) -> int:
        """Write a burst to the open row; the clock after the last of its data."""
        _legal("write", clock, self.earliest_write(bank))
        self.banks[bank].write = self.group_of(bank).write = self.write = clock
        return clock + self.device.cwl + self.device.burst_clocks

    def issue_refresh(self, clock: int) -> None:
        """Refresh all banks."""
        _legal("refresh", clock, self.earliest_refresh())
        self.refresh = clock

    def _open(self, bank: int, command: str) -> Bank:
        if self.banks[bank].row is None:
            raise IllegalCommand(f"{command}: bank {bank} has no open row")
        return self.banks[bank]


def _legal(command: str, clock: int, earliest: int) -> None:
    if clock < earliest:
        raise IllegalCommand(f"{command} at clock {clock}: not before {earliest}")
