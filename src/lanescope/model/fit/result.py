"""The answer of a fit: every figure that `lanescope fit` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lanescope.model.fit.board import BoardValue
from lanescope.model.fit.estimate import Decode, Prefill
from lanescope.model.fit.interval import ErrorSpread
from lanescope.model.fit.load import Residency
from lanescope.model.fit.plane import Plane
from lanescope.model.fit.whatif import Influence, WayOut
from lanescope.model.manifest.manifest import Footprint
from lanescope.results import Result

if TYPE_CHECKING:
    from lanescope.model.fit.compare import FitComparison


@dataclass(frozen=True, kw_only=True)
class Fit(Result):
    """Whether a model fits a board, how fast it is there, and what would help.

    Where there is no rate or no time, `decode.reason` or `prefill.reason` says why.
    """

    model: str
    form: str
    """What described the model, like `a config` or `GGUF`."""
    board: str
    context: int
    """Tokens per sequence."""
    batch: int
    """Sequences at once."""
    footprint_bytes: Footprint
    capacity_bytes: int
    regime: str
    """`resident`, `kv-swap` or `weight-stream`."""
    residency: Residency
    compute_source: str
    """Where the arithmetic rate comes from, a sentence; empty where there is none."""
    decode: Decode
    """Tokens per second."""
    prefill: Prefill
    """Time to the first token."""
    interval_from: ErrorSpread
    """The published errors that the intervals are made from."""
    values: tuple[BoardValue, ...]
    """The values of the board that the figures depend on."""
    sensitivity: tuple[Influence, ...]
    """The influence of each value on the rate, the largest first."""
    ways_out: tuple[WayOut, ...]
    policies_bytes_per_pass: dict[str, int]
    """Bytes of weights that one pass moves over the link, by policy."""
    plane: Plane = field(repr=False)
    notes: tuple[str, ...]
    """What the figures leave out, a sentence each."""

    def text(self) -> str:
        """The report as plain text; it ends in a newline."""
        from lanescope.model.fit.page import fit_text

        return fit_text(self)

    def short(self) -> str:
        """What fits one screen, as plain text: no policies, no sensitivity, no plane."""
        from lanescope.model.fit.page import short_text

        return short_text(self)

    def compare(self, *others: Fit) -> FitComparison:
        """This fit and others side by side, a row each."""
        from lanescope.model.fit.compare import FitComparison

        return FitComparison((self, *others))

    def svg(self) -> str:
        """The plane of capacity × link bandwidth as an SVG picture."""
        from lanescope.model.fit.svg import plane_svg

        return plane_svg(self.plane, title=f"{self.model} on {self.board}")
