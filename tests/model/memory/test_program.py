"""Transfers of programs: addresses, the compute before them, and the recorded emulator times."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from validation.emulator import emulator_records

from lanescope.errors import InputError, LanescopeError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.cost.table import cost_table
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import Program, parse
from lanescope.model.manifest import Manifest, ManifestRegion
from lanescope.model.memory import MemoryModel, Piece
from lanescope.model.memory.access import rows_of
from lanescope.model.memory.program import ChargedTransfers, MemoryRun, run_memory
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.timing import Service
from lanescope.model.memory.walk import Transfer, transfers_of
from lanescope.model.schedule.figures import predict_serial, with_memory

PLENA = Path(__file__).parents[4] / "shared" / "data" / "plena"
needs_data = pytest.mark.skipif(not PLENA.is_dir(), reason="the shared data is not here")


def program(*lines: str) -> Program:
    return parse("\n".join(lines), load_isa("plena"))


def transfers(parsed: Program) -> list[Transfer]:
    """The transfers of a program; a vector addition computes for 9 cycles on this board."""
    core = core_setup(load_board("nexys_video"), None)
    return list(transfers_of(parsed, cost_table(load_cost_source("peer"), core, parsed)))


def pieces(transfer: Transfer) -> list[Piece]:
    return [Piece(*row) for row in rows_of(transfer.access.pieces).tolist()]


PREFETCHES = program(
    "S_ADDI_INT gp1, gp0, 1024",
    "C_SET_ADDR_REG a0, gp0, gp1",
    "S_ADDI_INT gp2, gp0, 8192",
    "C_SET_SCALE_REG gp2",
    "S_ADDI_INT gp3, gp0, 128",
    "C_SET_STRIDE_REG gp3",
    "S_ADDI_INT gp4, gp0, 0",
    "C_LOOP_START gp5, 2",
    "V_ADD_VV gp6, gp6, gp6, 0",
    "H_PREFETCH_V gp7, gp4, a0, 1, 0",
    "S_ADDI_INT gp4, gp4, 64",
    "C_LOOP_END gp5",
)


def test_a_transfer_reads_rows_by_the_stride_and_a_chunk_of_scales_each() -> None:
    first, second = transfers(PREFETCHES)
    # Base 1024; rows 128 apart; scales from 1024 + 8192, one byte per 8, in whole 64-byte chunks.
    assert pieces(first) == [
        *(Piece(1024, 64), Piece(9216, 64)),
        *(Piece(1152, 64), Piece(9216, 64)),
        *(Piece(1280, 64), Piece(9216, 64)),
        *(Piece(1408, 64), Piece(9216, 64)),
    ]
    assert pieces(second)[0] == Piece(1088, 64)
    assert not first.access.writes


def test_the_compute_before_a_transfer_counts_every_turn_of_a_loop() -> None:
    first, second = transfers(PREFETCHES)
    assert first.cycles_before == 8 + 9
    assert second.cycles_before == 17 + 2 + 9


def test_without_stride_rows_follow_each_other_and_a_store_writes() -> None:
    lines = ["C_SET_ADDR_REG a1, gp0, gp0", "H_STORE_V gp0, gp0, a1, 0, 0"]
    (store,) = transfers(program(*lines))
    assert [piece.address for piece in pieces(store)[::2]] == [0, 64, 128, 192]
    assert store.access.writes
    assert store.access.reads_first


def test_an_address_loaded_from_memory_is_refused_with_its_line() -> None:
    lines = [
        "S_LD_INT gp1, gp0, 3",
        "S_ADDI_INT gp2, gp1, 64",
        "H_PREFETCH_V gp0, gp2, a0, 0, 0",
    ]
    with pytest.raises(InputError, match="line 3: expected a transfer whose address"):
        transfers(program(*lines))


def test_each_transfer_takes_whole_cycles_and_counts_what_it_moves() -> None:
    # Two transfers of 512 bytes at 1 GB/s: 512 ns, 51.2 cycles of 100 MHz.
    found = run_memory(transfers(PREFETCHES), MemoryModel("hbm", Service(10**9)), clock_hz=10**8)
    assert found.charged is not None
    assert found.charged.row.tolist() == [9, 9]
    assert found.charged.cycles.tolist() == [52, 52]
    assert found.charged.read_bytes.tolist() == [512, 512]
    assert found.charged.link_bytes.tolist() == [0, 0]
    assert found.statistics.total_ps == 2 * 512_000
    assert found.to_dict(2 * 1_024_000)["statistics"]["memory_utilisation"] == 0.5


def test_a_store_reads_and_writes_its_bytes() -> None:
    lines = ["C_SET_ADDR_REG a1, gp0, gp0", "H_STORE_V gp0, gp0, a1, 0, 0"]
    model = MemoryModel("hbm", Service(10**9))
    found = run_memory(transfers(program(*lines)), model, clock_hz=10**9)
    assert (found.statistics.read_bytes, found.statistics.written_bytes) == (512, 512)
    assert found.statistics.total_ps == 2 * 512_000


@needs_data
def test_the_recorded_emulator_runs_are_met() -> None:
    records = {r.name: r for r in emulator_records(PLENA / "emulator_reference.json")}
    assert [name for name, record in records.items() if not record.holds] == []
    stream = records["linear, host-stream in the emulator's whole ns per chunk, ns"]
    assert stream.ours == 144_938 + 1024 * 1684
    assert records["decoder layer, bytes"].ours == 8 * 8192 + 80 * 512


@needs_data
def test_the_linear_programs_transfers_are_the_compilers_layout() -> None:
    name = "linear_m64_b4_s64_h128_o256"
    text = (PLENA / "programs" / f"{name}.asm").read_text()
    parsed = parse(text, load_isa("plena"))
    found = transfers(parsed)
    # X[64,128] at 0 in halves of 4 rows, then W[128,256] at 9216 column by column in tiles.
    starts = [(64 * half + 512 * step) for half in range(2) for step in range(16)]
    tiles = [9216 + 64 * column + 16384 * k for column in range(4) for k in range(2)]
    assert [pieces(one)[0].address for one in found] == [*starts, *tiles]
    recorded = json.loads((PLENA / "emulator_reference.json").read_text())["records"][0]
    chunks = [len(one.access.pieces) for one in found]
    assert sum(chunks) == recorded["total_chunk_reads_64B"]
    assert sum(chunks[32:]) == recorded["weight_chunk_reads_64B"]


def test_a_link_so_slow_that_cycles_would_wrap_is_refused() -> None:
    """1 byte/s at 10^16 Hz: one prefetch of 8 KiB takes 8 * 10^19 cycles, which 63 bits cannot."""
    manifest = Manifest((ManifestRegion(0, 0, 1 << 20, "weight"),))
    model = MemoryModel("host-stream", Service(10**9), manifest=manifest, link=1)
    found = transfers(program("H_PREFETCH_M gp0, gp0, a0, 0, 0"))
    with pytest.raises(LanescopeError, match=r"line 1 takes more than 2\^62 cycles"):
        run_memory(found, model, clock_hz=10**16)


def test_a_sum_of_transfers_that_would_wrap_is_refused() -> None:
    core = core_setup(load_board("nexys_video"), None)
    parsed = program("H_PREFETCH_M gp0, gp0, a0, 0, 0\nH_PREFETCH_M gp0, gp0, a0, 0, 0")
    sums = predict_serial(parsed, load_cost_source("emulator"), core)
    many = np.array([0, 1]), np.full(2, 3 << 60), *3 * (np.zeros(2, np.int64),)
    run = MemoryRun("host-stream", Statistics("host-stream", ""), (), ChargedTransfers(*many))
    with pytest.raises(LanescopeError, match=r"more than 2\^62 cycles; no figure would be exact"):
        with_memory(sums, run)
