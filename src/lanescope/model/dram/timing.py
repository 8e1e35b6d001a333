"""A memory timed bank by bank, for the memory models: pieces become bursts on channels."""

from __future__ import annotations

from lanescope.model.dram.controller import ChannelController, Counts
from lanescope.model.dram.device import Device
from lanescope.model.memory.access import PS_PER_S, Pieces, rows_of


class BankTiming:
    """Times accesses by banks: all bursts are asked for at once, the last one ends the access.

    Neighbouring bursts go to different channels, then bank groups; then through a row, then to
    the next bank.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.name = f"{device.name}, bank by bank"
        self._controllers = [ChannelController(device) for _ in range(device.channels)]
        self._columns = device.row_bytes // device.burst_bytes
        self._end_ps = 0

    def fresh(self) -> BankTiming:
        """The same memory before its first access."""
        return BankTiming(self.device)

    def read_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """Picoseconds until the last burst's data has arrived."""
        return self._serve(pieces, at_ps, reads=True)

    def write_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """Picoseconds until the last burst's data is in the device."""
        return self._serve(pieces, at_ps, reads=False)

    def stream_ps(self, size_bytes: int) -> int:
        """Picoseconds of so many adjacent bytes at the peak, less what refresh takes."""
        device = self.device
        return -(
            -size_bytes
            * PS_PER_S
            * device.refi
            // (device.peak_bytes_per_s * (device.refi - device.rfc))
        )

    def counts(self) -> Counts:
        """Row hits, misses, conflicts and refreshes of all channels."""
        each = [controller.counts for controller in self._controllers]
        return Counts(
            sum(c.hits for c in each),
            sum(c.misses for c in each),
            sum(c.conflicts for c in each),
            sum(c.refreshes for c in each),
        )

    def _serve(self, pieces: Pieces, at_ps: int | None, *, reads: bool) -> int:
        begin_ps = self._end_ps if at_ps is None else max(at_ps, self._end_ps)
        clock = -(-begin_ps // self.device.clock_ps)
        end = clock
        for burst in _bursts(pieces, self.device.burst_bytes):
            channel, bank, row = self._place(burst)
            controller = self._controllers[channel]
            serve = controller.read if reads else controller.write
            end = max(end, serve(bank, row, clock))
        self._end_ps = end * self.device.clock_ps
        return self._end_ps - (begin_ps if at_ps is None else at_ps)

    def _place(self, burst: int) -> tuple[int, int, int]:
        """Channel, bank and row of a burst."""
        rest, channel = divmod(burst, self.device.channels)
        rest, group = divmod(rest, self.device.bank_groups)
        row, place = divmod(rest // self._columns, self.device.banks_per_group)
        return channel, group * self.device.banks_per_group + place, row


def _bursts(pieces: Pieces, burst_bytes: int) -> list[int]:
    """Numbers of the bursts that the pieces need; two pieces in one burst need it twice."""
    return [
        burst
        for address, size in rows_of(pieces).tolist()
        for burst in range(address // burst_bytes, (address + size - 1) // burst_bytes + 1)
    ]
