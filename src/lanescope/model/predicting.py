"""`lanescope.predict`: what a program costs on a board, by four figures, and what bounds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from lanescope.errors import UsageError
from lanescope.model.boards import Board, board_names, load_board
from lanescope.model.boards.lint import refuse_impossible
from lanescope.model.cost.core import CHARGES, CoreSetup, core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.parse import Program
from lanescope.model.isa.reading import read_ends
from lanescope.model.memory.options import MemoryOptions, charged_memory
from lanescope.model.memory.sizes import check_count
from lanescope.model.schedule.figures import (
    predict_serial,
    refuse_unknown,
    scheduled,
    with_memory,
)
from lanescope.model.schedule.interval import between
from lanescope.model.schedule.overlap import Transfers
from lanescope.model.schedule.prediction import Prediction

Name = str | Path
"""The name of something that comes with lanescope, or the path of a file."""
Amount = str | float
"""A number of bytes or bytes/s, or a text with a unit."""


def predict(
    program: Name, *, board: Name | Board | None = None, cost_source: Name | None = None,
    settings: Name | None = None, isa: Name | None = None, dc_en: int | None = None,
    mlen: int | None = None, vlen: int | None = None, blen: int | None = None,
    hlen: int | None = None, clock_mhz: int | None = None, outstanding: int | None = None,
    buffers: int | None = None, serial: bool = False, ignore_unknown: bool = False,
    memory_model: str = "hbm", weight_manifest: Name | None = None, capacity: Amount | None = None,
    host_bandwidth: Amount | None = None, memory_size: Amount | None = None,
    policy: str | None = None, dram: str | None = None, operations: Name | None = None,
    bind: Mapping[str, object] | Iterable[str] | None = None,
) -> Prediction:  # fmt: skip
    """Predicts what a program costs on a board, and says what bounds it.

    Args:
        program: The file with the assembly, or with its words in hexadecimal (.mem).
        board: Name of a board, its YAML file (ours or PLENA's), or a loaded one; with `settings`
            it may be left out.
        cost_source: `peer`, `peer-charged`, `emulator`, `rtl`, or a YAML file. Without one
            `peer-charged` on a board whose file charges transfers in cycles, else `emulator`.
        settings: A settings.toml with sizes and latencies of the core.
        isa: Name of an instruction set, or its YAML file; without one `plena`. Words whose numbers
            mean different things need one, or `operations`.
        dc_en: Column of the latencies in the settings, 0 or 1.
        mlen: Size of a matrix tile, before the settings'.
        vlen: Size of a vector; without it as `mlen`.
        blen: Size of a block.
        hlen: Size of a head.
        clock_mhz: Clock of the core, before the board's.
        outstanding: Transfers that may be under way at once; without it 2.
        buffers: 2 where prefetches are double-buffered; without it 1.
        serial: Only sums, no schedule.
        ignore_unknown: Gives a total without the lines that have no cost.
        memory_model: `hbm`, or a model in which something comes from the host.
        weight_manifest: What lies where; `lanescope.manifest` makes one.
        capacity: Bytes of memory, or a text like `512M`, before manifest and board.
        host_bandwidth: Bytes/s of the link to the host, or a text like `38MB/s`.
        memory_size: Bytes that programs can address.
        policy: `fifo`, `lru`, `pinned` or `belady`.
        dram: Times the memory bank by bank, like `ddr3-1600`.
        operations: The operation table (NAME = 6'h01) that the words of a program were made with.
        bind: Counts that are known at run time only, `{"routes": 4}` or `{"routes": (4, 16)}`; with
            an interval the figures are those of its end, and `interval` has those of its start.

    Returns:
        The figures; `.text()` is the report, `.trace()` the schedule, `.compare(…)` more of them.

    Raises:
        InputError: A file cannot be read, or the program has a line without a cost.
        UsageError: An option has no meaning, or a name is not known.

    Examples:
        >>> lanescope.predict("examples/tile.asm", board="nexys_video").bound_by().name
        'matrix'
    """
    asked = {"outstanding": outstanding, "buffers": buffers}
    given = {option: count for option, count in asked.items() if count is not None}
    if serial and given:
        raise UsageError(f"--{min(given)} is of the schedule, which --serial leaves out")
    ends = read_ends(program, isa=isa, operations=operations, bind=bind)
    sizes = {"mlen": mlen, "vlen": vlen, "blen": blen, "hlen": hlen}
    core = _core(board, settings, dc_en=dc_en, sizes=sizes, clock_mhz=clock_mhz)
    memory = MemoryOptions(
        memory_model=memory_model, weight_manifest=weight_manifest, capacity=capacity,
        host_bandwidth=host_bandwidth, memory_size=memory_size, policy=policy, dram=dram,
    )  # fmt: skip
    name, chosen = (cost_source, "") if cost_source else _default_source(core, memory)
    source = load_cost_source(name)

    def predicted(parsed: Program) -> Prediction:
        figures = replace(predict_serial(parsed, source, core), chosen=chosen)
        if not ignore_unknown:
            refuse_unknown(figures)
        figures = with_memory(figures, charged_memory(figures, memory))
        if serial:
            return figures
        return scheduled(figures, Transfers(**given))

    return between(ends, predicted)


def _default_source(core: CoreSetup, memory: MemoryOptions) -> tuple[str, str]:
    """The cost source where none is named, and why it is this one."""
    board = core.board
    if memory.asks_for_more:
        model = memory.memory_model
        return "emulator", f"the memory model {model} charges the transfers, not the cost source"
    if board is not None and all(getattr(board.memory, f"{name}_cycles") for name in CHARGES):
        cycles = ", ".join(f"{name} {core.names[name]}" for name in CHARGES)
        return "peer-charged", (
            f"the file of {board.name} charges transfers in cycles ({cycles}); "
            "--cost-source emulator charges their bytes"
        )
    return "emulator", "no board's file charges transfers in cycles" if board is None else (
        f"the file of {board.name} charges no transfers in cycles"
    )


def _core(
    board: Name | Board | None,
    settings: Name | None,
    *,
    dc_en: int | None,
    sizes: dict[str, int | None],
    clock_mhz: int | None,
) -> CoreSetup:
    """The core of the board and the settings, with the sizes and the clock that were given."""
    if board is None and settings is None:
        names = ", ".join(board_names())
        raise UsageError(f"predict needs --board (one of {names}, or a file) or --settings FILE")
    loaded = None if board is None else load_board(board)
    if loaded is not None:
        refuse_impossible(loaded)
    given = {
        name.upper(): size
        for name, value in sizes.items()
        if (size := check_count(value, f"--{name}")) is not None
    }
    if dc_en is not None and settings is None:
        raise UsageError("--dc-en is a column of the settings: give --settings FILE")
    if dc_en is not None and loaded is not None and loaded.latency is not None:
        here = f"the latencies come from the board {loaded.name}"
        raise UsageError(f"--dc-en changes nothing: {here}, not from the settings")
    stated = None if settings is None else read_settings(settings, dc_en=dc_en)
    core = core_setup(loaded, stated, given)
    if core.names["BLEN"] > core.names["MLEN"]:
        both = f"{core.names['BLEN']:,} and {core.names['MLEN']:,}"
        raise UsageError(f"expected a BLEN of at most MLEN, found {both}")
    megahertz = check_count(clock_mhz, "--clock-mhz")
    return core if megahertz is None else replace(core, clock_hz=megahertz * 10**6)
