"""Every gate of a channel: illegal one clock early, legal on time. Clocks are added up by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lanescope.model.dram.channel import Channel, IllegalCommand
from lanescope.model.dram.device import load_preset

Command = Callable[[Channel, int], object]
Setup = Callable[[Channel], None]


def activate(bank: int, row: int = 1) -> Command:
    return lambda channel, clock: channel.activate(bank, row, clock)


def precharge(bank: int) -> Command:
    return lambda channel, clock: channel.precharge(bank, clock)


def read(bank: int) -> Command:
    return lambda channel, clock: channel.issue_read(bank, clock)


def write(bank: int) -> Command:
    return lambda channel, clock: channel.issue_write(bank, clock)


def refresh(channel: Channel, clock: int) -> None:
    channel.issue_refresh(clock)


def done(*commands: tuple[Command, int]) -> Setup:
    def setup(channel: Channel) -> None:
        for command, clock in commands:
            command(channel, clock)

    return setup


# DDR3-1600 x16 of DRAMsim3: CL 11, CWL 8, RCD 11, RP 11, RAS 28, RFC 208, RRD 5, WTR 6, FAW 32,
# WR 12, RTP 6, CCD 4, burst 8 = 4 clocks.
DDR3 = {
    "rcd: read 11 after activate": (done((activate(0), 0)), read(0), 11),
    "rcd: write 11 after activate": (done((activate(0), 0)), write(0), 11),
    "ras: precharge 28 after activate": (done((activate(0), 0)), precharge(0), 28),
    "rp: activate 11 after precharge": (
        done((activate(0), 0), (precharge(0), 40)),
        activate(0),
        51,
    ),
    "rc: activate 28 + 11 after activate": (
        done((activate(0), 0), (precharge(0), 28)),
        activate(0),
        39,
    ),
    "rrd: activate of another bank after 5": (done((activate(0), 0)), activate(1), 5),
    "faw: fifth activate 32 after the first": (
        done((activate(0), 0), (activate(1), 5), (activate(2), 10), (activate(3), 15)),
        activate(4),
        32,
    ),
    "ccd: read after read 4": (
        done((activate(0), 0), (activate(1), 5), (read(0), 20)),
        read(1),
        24,
    ),
    "ccd: write after write 4": (
        done((activate(0), 0), (activate(1), 5), (write(0), 20)),
        write(1),
        24,
    ),
    "turnaround: write after read, 11 + 4 + 2 − 8": (
        done((activate(0), 0), (activate(1), 5), (read(0), 20)),
        write(1),
        29,
    ),
    "wtr: read after write, 8 + 4 + 6": (
        done((activate(0), 0), (activate(1), 5), (write(0), 20)),
        read(1),
        38,
    ),
    "rtp: precharge 6 after read": (done((activate(0), 0), (read(0), 30)), precharge(0), 36),
    "wr: precharge 8 + 4 + 12 after write": (
        done((activate(0), 0), (write(0), 20)),
        precharge(0),
        44,
    ),
    "rp: refresh 11 after precharge": (
        done((activate(0), 0), (precharge(0), 40)),
        refresh,
        51,
    ),
    "rfc: activate 208 after refresh": (done((refresh, 0)), activate(0), 208),
    "rfc: refresh 208 after refresh": (done((refresh, 0)), refresh, 208),
}
# DDR4-2400: RRD 4 / 6, CCD 4 / 6, WTR 3 / 9 (other / same bank group), CWL 16, burst 4 clocks.
# Banks 0 to 3 are group 0, banks 4 to 7 group 1.
DDR4 = {
    "rrd_s": (done((activate(0), 0)), activate(4), 4),
    "rrd_l": (done((activate(0), 0)), activate(1), 6),
    "ccd_s": (done((activate(0), 0), (activate(4), 10), (read(0), 40)), read(4), 44),
    "ccd_l": (done((activate(0), 0), (activate(1), 10), (read(0), 40)), read(1), 46),
    "wtr_s": (done((activate(0), 0), (activate(4), 10), (write(0), 40)), read(4), 63),
    "wtr_l": (done((activate(0), 0), (activate(1), 10), (write(0), 40)), read(1), 69),
}
CASES = [("ddr3-1600", name, *case) for name, case in DDR3.items()]
CASES += [("ddr4-2400", name, *case) for name, case in DDR4.items()]


@pytest.mark.parametrize(
    ("preset", "name", "setup", "command", "legal"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES]
)
def test_a_gate_opens_on_its_clock(
    preset: str, name: str, setup: Setup, command: Command, legal: int
) -> None:
    early, on_time = (Channel(load_preset(preset)) for _ in range(2))
    setup(early)
    with pytest.raises(IllegalCommand, match=f"not before {legal}$"):
        command(early, legal - 1)
    setup(on_time)
    command(on_time, legal)


def test_states_forbid_commands_at_any_clock() -> None:
    channel = Channel(load_preset("ddr3-1600"))
    with pytest.raises(IllegalCommand, match="bank 0 has no open row"):
        channel.issue_read(0, 1000)
    channel.activate(0, 7, 0)
    with pytest.raises(IllegalCommand, match="bank 0 has row 7 open"):
        channel.activate(0, 8, 1000)
    with pytest.raises(IllegalCommand, match="a row is open"):
        channel.issue_refresh(1000)


def test_a_bank_belongs_to_the_group_of_its_number() -> None:
    channel = Channel(load_preset("ddr4-2400"))
    assert (len(channel.banks), len(channel.groups)) == (16, 4)
    assert [channel.group_of(bank) is channel.groups[bank // 4] for bank in range(16)] == [
        True
    ] * 16


def test_data_ends_behind_its_latency_and_its_burst() -> None:
    """DDR3-1600: CL 11, CWL 8, and a burst of 4 clocks."""
    channel = Channel(load_preset("ddr3-1600"))
    channel.activate(0, 1, 0)
    assert channel.issue_read(0, 20) == 20 + 11 + 4
    assert channel.issue_write(0, 40) == 40 + 8 + 4


def test_a_gate_in_full_names_its_clock() -> None:
    channel = Channel(load_preset("ddr3-1600"))
    channel.activate(0, 1, 0)
    with pytest.raises(IllegalCommand) as refused:
        channel.issue_read(0, 10)
    assert str(refused.value) == "read at clock 10: not before 11"
