"""The arithmetic that a board's PLENA core reaches on a model, by `predict`'s own schedule.

Transfers are not in the scheduled programs: memory and link are charged apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.boards import Board
from lanescope.model.cost.core import CoreSetup, core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import CostSource, load_cost_source
from lanescope.model.cost.table import outside_domain
from lanescope.model.fit.tile_program import (
    Nest,
    TileSizes,
    TileWork,
    head_nests,
    layer_nests,
)
from lanescope.model.fit.work import flop_per_token
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.manifest.shape import Shape
from lanescope.model.schedule.figures import predict_known
from lanescope.results import Result

DEFAULT_SOURCE = "emulator"
_SOURCES = ("emulator", "peer", "rtl")
"""The cost sources whose compute differs: peer-charged only charges transfers in another way."""


@dataclass(frozen=True)
class ComputeRate(Result):
    """Arithmetic per second of a model on a core, prefill and decode apart.

    A rate is the arithmetic of the model (two per weight and token, and attention) over the time
    of the whole schedule, so padding and vector work make it smaller.
    """

    prefill_flop_per_s: float
    decode_flop_per_s: float
    prefill_low: float
    """The slowest of the cost sources."""
    prefill_high: float
    decode_low: float
    decode_high: float
    prefill_s: float
    """Seconds of the whole prefill without any transfer."""
    decode_s: float
    """Seconds of one decode step without any transfer."""
    decode_by: str
    """The instruction that multiplies in a decode step: M_MM with a block of rows, or M_MV."""
    source: str
    """Where the rate comes from, a sentence."""


def core_compute(
    board: Board,
    *,
    shape: Shape,
    batch: int,
    context: int,
    cost_source: str | Path | None = None,
    settings: str | Path | None = None,
    mlen: int | None = None,
    blen: int | None = None,
    vlen: int | None = None,
) -> ComputeRate | None:
    """Schedule the tile program of a model on a board's core, and say what it reaches.

    Sizes are those given, else the settings', else PLENA's defaults, as `predict` takes them.
    The core multiplies at one rate, whatever the weights' number format is.

    Returns:
        The rates, or None where the board has no core: no clock, or no latencies anywhere.

    Raises:
        UsageError: The sizes make no core, or there is no such cost source.
        LanescopeError: The cost source has no cost for an instruction.
    """
    stated = None if settings is None else read_settings(settings)
    if board.clock is None or (board.latency is None and not (stated and stated.latencies)):
        return None
    flags = {"MLEN": mlen, "BLEN": blen, "VLEN": vlen}
    given = {name: size for name, size in flags.items() if size is not None}
    core = core_setup(board, stated, given | {"HLEN": shape.head_dim})
    if core.names["BLEN"] > core.names["MLEN"]:
        both = f"{core.names['BLEN']:,} and {core.names['MLEN']:,}"
        raise UsageError(f"expected a BLEN of at most MLEN, found {both}")
    chosen = load_cost_source(cost_source or DEFAULT_SOURCE)
    others = [load_cost_source(name) for name in _SOURCES if name != chosen.name]
    here = _passes(shape, core, chosen, batch=batch, context=context)
    found = [here, *_known(shape, core, others, batch=batch, context=context)]
    prefill = [
        batch * context * flop_per_token(shape, context / 2) / one.prefill_s for one in found
    ]
    decode = [batch * flop_per_token(shape, context) / one.decode_s for one in found]
    return ComputeRate(
        prefill_flop_per_s=prefill[0],
        decode_flop_per_s=decode[0],
        prefill_low=min(prefill),
        prefill_high=max(prefill),
        decode_low=min(decode),
        decode_high=max(decode),
        prefill_s=here.prefill_s,
        decode_s=here.decode_s,
        decode_by=here.decode_by,
        source=_sentence(core, chosen, others, here.decode_by),
    )


def pass_cycles(nests: Iterable[Nest], source: CostSource, core: CoreSetup) -> float:
    """Cycles of some nests on a core, one after the other."""
    return sum(map(_Scheduler(source, core).nest, nests))


class _Passes(NamedTuple):
    """Seconds of a prefill and of a decode step with one cost source."""

    prefill_s: float
    decode_s: float
    decode_by: str


def _known(
    shape: Shape, core: CoreSetup, sources: list[CostSource], *, batch: int, context: int
) -> Iterator[_Passes]:
    """The passes by those sources that have a cost for everything in them."""
    for source in sources:
        with suppress(LanescopeError):
            yield _passes(shape, core, source, batch=batch, context=context)


def _passes(
    shape: Shape, core: CoreSetup, source: CostSource, *, batch: int, context: int
) -> _Passes:
    scheduler = _Scheduler(source, core)
    prefill = scheduler.cycles(shape, TileWork(context, context, batch))
    decode = scheduler.cycles(shape, TileWork(1, context, batch))
    assert core.clock_hz is not None
    return _Passes(prefill / core.clock_hz, decode / core.clock_hz, scheduler.used["query"])


class _Scheduler:
    """Cycles of tile programs on one core with one cost source; equal texts run once."""

    def __init__(self, source: CostSource, core: CoreSetup) -> None:
        self.source, self.core = source, core
        self.isa = load_isa(source.isa)
        names = core.names
        self.sizes = TileSizes(names["MLEN"], names["BLEN"], names["VLEN"])
        self.of_text: dict[str, int | str] = {}
        self.used: dict[str, str] = {}
        """The opcode that does each part, of the last pass."""

    def cycles(self, shape: Shape, work: TileWork) -> float:
        """Cycles of one pass of the model."""
        layer = sum(map(self.nest, layer_nests(shape, self.sizes, work)))
        return shape.layers * layer + sum(map(self.nest, head_nests(shape, self.sizes, work)))

    def nest(self, nest: Nest) -> float:
        """Cycles of the fastest way that has a cost."""
        ways, problem = [], ""
        for choice in nest.choices:
            cycles = self._text(choice.text)
            if isinstance(cycles, str):
                problem = cycles
            else:
                ways.append((cycles * choice.times, choice.opcode))
        if not ways:
            raise LanescopeError(f"no compute rate: {problem}")
        fastest, self.used[nest.part] = min(ways)
        return fastest

    def _text(self, text: str) -> int | str:
        """Cycles of a scheduled text, or the sentence on why an instruction has no cost."""
        if text not in self.of_text:
            found = predict_known(parse(text, self.isa), self.source, self.core)
            problems = found.unknown.problems
            self.of_text[text] = problems[0].text if problems else found.best
        return self.of_text[text]


def _sentence(core: CoreSetup, chosen: CostSource, others: list[CostSource], by: str) -> str:
    """Where the rate comes from, and what its range is."""
    names, named = core.names, [one.name for one in others]
    sizes = f"MLEN {names['MLEN']}, BLEN {names['BLEN']}, VLEN {names['VLEN']}"
    outside = [one.name for one in (chosen, *others) if outside_domain(one, core)]
    far = f" ({', '.join(outside)} beyond the sizes it was measured for)" if outside else ""
    own = core.board.core if core.board else None
    proven = ""
    if own is not None and own.mlen and own.blen:
        stated = f"MLEN {own.mlen.value}, BLEN {own.blen.value}"
        proven = "" if stated in sizes else f"; its largest proven tiles are {stated}"
    return (
        f"predict's schedule of a generated tile program at {sizes} and "
        f"{(core.clock_hz or 0) / 1e6:g} MHz ({core.origin}{proven}), costs from {chosen.name}, "
        f"transfers free, decode by {by}; the range is over {' and '.join(named)} too{far}"
    )
