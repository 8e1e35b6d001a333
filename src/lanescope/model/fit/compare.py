"""Fits of one model on several boards, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lanescope.model.fit.estimate import Interval
from lanescope.model.fit.result import Fit
from lanescope.render.cells import bytes_text, rate_text, seconds_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result


@dataclass(frozen=True)
class FitComparison(Result):
    """Several fits, a row each."""

    fits: tuple[Fit, ...]

    def to_dict(self) -> dict[str, Any]:
        """Every fit in full, in the order they were asked for."""
        return {"fits": [one.to_dict() for one in self.fits]}

    def page(self) -> list[Section]:
        """One table with a row per board, and what each of them leaves out."""
        return [_side_by_side(self.fits), *_notes(self.fits)]

    def text(self) -> str:
        """The page as plain text."""
        from lanescope.render.plain import render_sections

        return render_sections(self.page())


def _side_by_side(fits: tuple[Fit, ...]) -> Section:
    first = fits[0]
    streamed = tuple(one.residency.streamed_bytes / one.footprint_bytes.total for one in fits)
    columns = (
        PageColumn("board", "text", tuple(one.board for one in fits), key=True),
        PageColumn("memory", "figure", tuple(bytes_text(one.capacity_bytes) for one in fits)),
        PageColumn("regime", "text", tuple(one.regime for one in fits)),
        PageColumn("over the link", "percent", streamed),
        PageColumn("tokens/s", "figure", tuple(_rates(one) for one in fits), kept=True),
        PageColumn("bound by", "text", tuple(one.decode.step.bound_by for one in fits)),
        PageColumn("first token", "figure", tuple(_times(one) for one in fits), kept=True),
        PageColumn("bound by", "text", tuple(_first_bound(one) for one in fits)),
    )
    used = f"context {first.context:,}, batch {first.batch:,}, {first.footprint_bytes.text()}"
    return Section(title=f"{first.model} on {len(fits)} boards", lines=(used,), columns=columns)


def _rates(fit: Fit) -> str | None:
    rate, most = fit.decode.tokens_per_s, fit.decode.most_tokens_per_s
    if rate is not None:
        return _interval(rate, *map(rate_text, rate))
    return None if most is None else f"at most {rate_text(most)}"


def _times(fit: Fit) -> str | None:
    first = fit.prefill.first_token_s
    return None if first is None else _interval(first, *map(seconds_text, first))


def _first_bound(fit: Fit) -> str | None:
    return None if fit.prefill.step is None else fit.prefill.step.bound_by


def _interval(interval: Interval, low: str, estimate: str, high: str) -> str:
    return estimate if interval.low == interval.high else f"{estimate} ({low} to {high})"


def _notes(fits: tuple[Fit, ...]) -> list[Section]:
    """The sentences of each fit, where it has any; those of the model stand in every one."""
    said = [
        (one.board, [*filter(None, (one.decode.reason, _arithmetic(one))), *one.notes])
        for one in fits
    ]
    notes = [(board, "; ".join(sentences)) for board, sentences in said if sentences]
    return [Section(title="Notes", facts=tuple(notes))] if notes else []


def _arithmetic(fit: Fit) -> str:
    return f"arithmetic: {fit.compute_source}" if fit.compute_source else ""
