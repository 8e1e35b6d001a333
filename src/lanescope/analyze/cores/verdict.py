"""Where the time of the cores went: every nanosecond of every core has exactly one answer.

`waiting.py` says what the answers are and how they are computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.odd_cores import LateCore, SlowCore
from lanescope.analyze.cores.suspects import SUSPECTS, Suspects
from lanescope.analyze.cores.waiting import ALL_LABELS, core_activity
from lanescope.analyze.graph.critical_section import critical_sentence
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.render.cells import count_text, many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_NAMED = 3
"""The paragraph names at most so many reasons, slow cores and crowded functions."""
_WORTH_NAMING = 0.01
"""Least share of the cores' time of a reason that the paragraph names."""


@dataclass(frozen=True, slots=True)
class Share(Result):
    """One answer for the cores of one kind: how much of their time went there."""

    what: str
    """The answer, a key of `waiting.LABELS`."""
    label: str
    """Its words in a table."""
    ns: int
    """Time of all these cores that surely went there."""
    high_ns: int
    """Time that may have gone there: `ns` and all time whose records were lost."""
    share: float | None
    """ns / time of these cores; None when they have no time."""
    high_share: float | None
    """high_ns / time of these cores."""


@dataclass(frozen=True, slots=True)
class KindVerdict(Result):
    """Where the time of all cores of one kind went, or of all cores of the chip."""

    kind: str
    """The kind of core; `chip` for all cores."""
    cores: int
    total_ns: int
    """Length of the window x cores."""
    shares: tuple[Share, ...]
    """One per answer, in the order of `waiting.LABELS`; their ns add up to total_ns."""

    def ns(self, what: str) -> int:
        """Nanoseconds of one answer, a key of `waiting.LABELS`."""
        return next(share.ns for share in self.shares if share.what == what)

    def share(self, what: str) -> float:
        """Share of one answer, from 0 to 1; 0 when the cores have no time."""
        return self.ns(what) / self.total_ns if self.total_ns else 0.0

    def __repr__(self) -> str:
        cores = many_text(self.cores, "core")
        return f"<KindVerdict of {clean(self.kind)}, {cores}: {self._words()}>"

    def _words(self) -> str:
        """The answers that are not 0, the largest first: running 60.0%, data 40.0%."""
        known = sorted((share for share in self.shares if share.ns), key=lambda share: -share.ns)
        words = ", ".join(f"{share.what} {percent_text(share.share)}" for share in known)
        return words or "no time"


@dataclass(frozen=True, slots=True)
class Verdict(Result):
    """Where the time of the cores went, and what the trace could not tell."""

    window: Span | None
    """The time that the verdict is about; None when no task has times."""
    kinds: tuple[KindVerdict, ...]
    """The chip first, then each kind of core.

    Empty when no task has times, and for more than 65,535 cores or 126 kinds of them.
    """
    graph_known: bool
    """Whether the trace has the task graph."""
    has_dispatch: bool
    """Whether the trace has the dispatch of any task."""
    has_submits: bool
    """Whether it is known when tasks were submitted. A trace of level 4 without submits has none:
    the host had built the graph before the run."""
    doubtful: int
    """Number of tasks with a predecessor whose end is not known."""

    @property
    def chip(self) -> KindVerdict | None:
        """The verdict on all cores together; None where there is none."""
        return self.kinds[0] if self.kinds else None

    def __repr__(self) -> str:
        if self.chip is None or self.window is None:
            return "<Verdict: no task has times>" if self.window is None else "<Verdict: none>"
        time = f"{many_text(self.chip.cores, 'core')} x {time_text(self.window.length_ns)}"
        return f"<Verdict over {time}: {self.chip._words()}>"


def verdict(trace: Trace, graph: Nodes | None = None, window: Span | None = None) -> Verdict:
    """Gives every nanosecond of every core in the window to one answer.

    Graph and window are computed where they are not given.
    """
    graph = nodes(trace) if graph is None else graph
    window = makespan(trace).window if window is None else window
    result = Verdict(
        window=window,
        kinds=(),
        graph_known=graph.graph_known,
        has_dispatch=bool((trace.tasks["dispatch_ns"] != MISSING).any()),
        has_submits=trace.meta.level == 4 or bool((graph.submit != MISSING).any()),
        doubtful=int(np.count_nonzero(graph.doubtful)),
    )
    activity = core_activity(trace, graph, window)
    if activity is None:
        return result
    areas, cores = activity.areas(), activity.cores
    kinds = [
        _kind_verdict(kind, int((cores.kind_of == number).sum()), _of_kind(areas, number))
        for number, kind in enumerate(cores.kinds)
    ]
    whole = {what: int(ns.sum()) for what, ns in areas.items()}
    return replace(result, kinds=(_kind_verdict("chip", len(cores.kind_of), whole), *kinds))


def _of_kind(areas: dict[str, Array], kind: int) -> dict[str, int]:
    return {what: int(ns[kind]) for what, ns in areas.items()}


def _kind_verdict(kind: str, cores: int, known: dict[str, int]) -> KindVerdict:
    """`known` is the cores' time in ns by answer; lost time may have gone to any answer."""
    total = sum(known.values())
    shares = tuple(
        Share(
            what,
            ALL_LABELS[what],
            known[what],
            known[what] + (0 if what == "lost" else known["lost"]),
            known[what] / total if total else None,
            (known[what] + (0 if what == "lost" else known["lost"])) / total if total else None,
        )
        for what in known
    )
    return KindVerdict(kind, cores, total, shares)


def verdict_section(verdict: Verdict, suspects: Suspects, path: str) -> Section:
    """One paragraph, and the table that tiles cores x window. The verdict must have a chip.

    `path` is a sentence about the critical path.
    """
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
        f"the same functions on other cores, {_costs(core)}."
        for core in suspects.slow_cores[:_NAMED]
    ]
    lines += [
        f"{clean(core.name)} picks up late: after {time_text(core.pick_up_ns)} on average, "
        f"{core.ratio:.1f} times as long as its like, {_costs(core)}."
        for core in suspects.late_cores[:_NAMED]
    ]
    if suspects.crowded:
        worst = suspects.crowded[0]
        names = ", ".join(clean(one.name) for one in suspects.crowded[:_NAMED])
        lines.append(
            f"Runs take longer the more cores are busy ({names}: up to {worst.ratio:.2f} times), "
            "as they do when a shared memory is saturated."
        )
    off = suspects.off_processor
    if off is not None:
        lines.append(
            f"Threads were off the processor in {percent_text(off.share)} of the window "
            f"({off.waits:,} waits, the longest {time_text(off.longest_ns)}): idle cores did not "
            "pick up their tasks, or schedulers did nothing although a task had ended."
        )
    return lines


def _costs(core: SlowCore | LateCore) -> str:
    return f"{time_text(core.extra_ns)} more in all ({percent_text(core.share)} of the window)"


def _limits(verdict: Verdict) -> list[str]:
    """Sentences about what this trace cannot tell."""
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
    shown = [share.what for share in chip.shares if share.ns]
    total = ("in all",)
    columns = [
        PageColumn("core time", "text", (*(ALL_LABELS[what] for what in shown), *total), key=True),
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
    families=frozenset({"cores"}),
    sections=_sections,
    place=10,
    large=True,
    keys="window [start_ns, end_ns, length_ns], kinds [kind, cores, total_ns, "
    "shares [what, label, ns, high_ns, share, high_share]], the chip first; graph_known, "
    "has_dispatch, has_submits, doubtful",
)
