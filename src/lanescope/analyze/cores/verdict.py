"""Where the time of the cores went: every nanosecond of every core has exactly one answer.

What the answers are and how they are found: `waiting.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.suspects import SUSPECTS, Suspects
from lanescope.analyze.cores.waiting import LABELS, account
from lanescope.analyze.graph.critical_section import critical_sentence
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.render.cells import clean, count_text, percent_text, time_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_NAMED = 3
_WORTH_NAMING = 0.01
"""Reasons below this share of the cores' time are left to the table."""


@dataclass(frozen=True, slots=True)
class Share(Result):
    """One answer for one kind of core; `high_ns` counts all lost time to it."""

    what: str
    label: str
    ns: int
    high_ns: int
    share: float | None
    high_share: float | None


@dataclass(frozen=True, slots=True)
class KindVerdict(Result):
    """All cores of one kind, or of the chip: the shares' ns add up to total_ns."""

    kind: str
    cores: int
    total_ns: int
    """Length of the window x cores."""
    shares: tuple[Share, ...]

    def ns(self, what: str) -> int:
        return next(share.ns for share in self.shares if share.what == what)

    def share(self, what: str) -> float:
        return self.ns(what) / self.total_ns if self.total_ns else 0.0


@dataclass(frozen=True, slots=True)
class Verdict(Result):
    """The chip first, then each kind of core; empty when no task has times, or for what is no chip
    (more than 65,535 cores or 126 kinds of them)."""

    window: Span | None
    kinds: tuple[KindVerdict, ...]
    graph_known: bool
    has_dispatch: bool
    has_submits: bool
    doubtful: int
    """Tasks with a predecessor whose end is not known."""

    @property
    def chip(self) -> KindVerdict | None:
        return self.kinds[0] if self.kinds else None


def verdict(trace: Trace, found: Nodes | None = None, window: Span | None = None) -> Verdict:
    """Tile window x cores; nodes and window are those of the trace, if they are known already."""
    found = nodes(trace) if found is None else found
    window = makespan(trace).window if window is None else window
    result = Verdict(
        window=window,
        kinds=(),
        graph_known=found.graph_known,
        has_dispatch=bool((trace.tasks["dispatch_ns"] != MISSING).any()),
        has_submits=bool((found.submit != MISSING).any()),
        doubtful=int(np.count_nonzero(found.doubtful)),
    )
    found_here = account(trace, found, window)
    if found_here is None:
        return result
    areas, chip = found_here.areas(), found_here.chip
    kinds = [
        _kind(kind, int((chip.kind_of == number).sum()), _at(areas, number))
        for number, kind in enumerate(chip.kinds)
    ]
    whole = {what: int(ns.sum()) for what, ns in areas.items()}
    return replace(result, kinds=(_kind("chip", len(chip.kind_of), whole), *kinds))


def _at(areas: dict[str, Array], kind: int) -> dict[str, int]:
    return {what: int(ns[kind]) for what, ns in areas.items()}


def _kind(kind: str, cores: int, known: dict[str, int]) -> KindVerdict:
    total = sum(known.values())
    shares = tuple(
        Share(
            what,
            label,
            known[what],
            known[what] + (0 if what == "lost" else known["lost"]),
            known[what] / total if total else None,
            (known[what] + (0 if what == "lost" else known["lost"])) / total if total else None,
        )
        for what, label in LABELS.items()
    )
    return KindVerdict(kind, cores, total, shares)


def verdict_section(verdict: Verdict, suspects: Suspects, path: str) -> Section:
    """One paragraph and the table that tiles cores x window; only where there is a chip's verdict.

    `path` is a sentence about the critical path."""
    chip = verdict.chip
    assert chip is not None and verdict.window is not None
    sentences = [
        _running(chip, verdict.window.length_ns),
        _reasons(chip),
        path,
        *_suspicions(suspects),
        *_limits(verdict),
    ]
    return Section(
        title="Verdict",
        lines=(" ".join(sentence for sentence in sentences if sentence),),
        columns=_columns(verdict),
        notes=("Shares of cores x window; every column adds up to 100 %.",),
    )


def _running(chip: KindVerdict, window_ns: int) -> str:
    cores = "1 core was" if chip.cores == 1 else f"{count_text(chip.cores)} cores were"
    return f"The {cores} running {_share_text(chip, 'running')} of {time_text(window_ns)}."


def _reasons(chip: KindVerdict) -> str:
    idle = [s for s in chip.shares if s.what != "running" and (s.share or 0) >= _WORTH_NAMING]
    idle.sort(key=lambda share: -share.ns)
    named = [f"{one.label} {_share_text(chip, one.what)}" for one in idle[:_NAMED]]
    return f"The rest: {', '.join(named)}." if named else ""


def _share_text(kind: KindVerdict, what: str) -> str:
    share = next(one for one in kind.shares if one.what == what)
    if share.high_ns == share.ns:
        return percent_text(share.share)
    return f"{percent_text(share.share)} to {percent_text(share.high_share)}"


def _suspicions(suspects: Suspects) -> list[str]:
    lines = [
        f"{clean(core.name)} is slow: its runs take {core.ratio:.2f} times as long as those of "
        "the same functions on other cores."
        for core in suspects.slow_cores[:_NAMED]
    ]
    if suspects.crowded:
        worst = suspects.crowded[0]
        names = ", ".join(clean(one.name) for one in suspects.crowded[:_NAMED])
        lines.append(
            f"Runs take longer the more cores are busy ({names}: up to {worst.ratio:.2f} times), "
            "as they do when a shared memory is saturated."
        )
    return lines


def _limits(verdict: Verdict) -> list[str]:
    """What this trace cannot tell."""
    lines = []
    if not verdict.has_dispatch:
        lines.append("Dispatch was not recorded (level 1), so idle time has no reasons.")
    elif not verdict.graph_known:
        lines.append("The task graph is not known, so waits for data cannot be told.")
    elif not verdict.has_submits:
        lines.append(
            "Submits were not recorded, so the scheduler's share may be the orchestrator's."
        )
    if verdict.doubtful:
        lines.append(
            f"Of {count_text(verdict.doubtful)} tasks a predecessor's end is not known; the "
            "scheduler's share counts them from their known predecessors on."
        )
    return lines


def _columns(verdict: Verdict) -> tuple[PageColumn, ...]:
    chip = verdict.kinds[0]
    shown = [what for what in LABELS if chip.ns(what)]
    total = ("in all",)
    columns = [
        PageColumn("core time", "text", (*(LABELS[what] for what in shown), *total), key=True),
        PageColumn("time", "time", (*(chip.ns(what) for what in shown), chip.total_ns)),
    ]
    for kind in verdict.kinds:
        shares = {share.what: share for share in kind.shares}
        columns.append(
            PageColumn(
                kind.kind, "percent", (*(shares[what].share for what in shown), _whole(kind))
            )
        )
        if kind is chip and chip.ns("lost"):
            high = tuple(shares[what].high_share for what in shown)
            columns.append(PageColumn("at most", "percent", (*high, None)))
    return tuple(columns)


def _whole(kind: KindVerdict) -> float | None:
    return sum(share.ns for share in kind.shares) / kind.total_ns if kind.total_ns else None


def _sections(verdict: Verdict, answers: Answers) -> list[Section]:
    if verdict.chip is None:
        return []
    path = critical_sentence(answers.critical)
    return [verdict_section(verdict, answers.of(SUSPECTS), path)]


def _answer(basis: Basis) -> Verdict:
    return verdict(basis.trace, basis.graph, basis.window)


VERDICT = Analysis(
    name="verdict",
    question="Where did the time of the cores go?",
    answer=_answer,
    sections=_sections,
    place=10,
    large=True,
    keys="window [start_ns, end_ns, length_ns], kinds [kind, cores, total_ns, "
    "shares [what, label, ns, high_ns, share, high_share]], the chip first; graph_known, "
    "has_dispatch, has_submits, doubtful",
)
