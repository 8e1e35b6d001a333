"""The verdict as a page: a paragraph, and the table that tiles cores x window."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import KIND_WORDS
from lanescope.analyze.cores.odd_cores import LateCore, SlowCore
from lanescope.analyze.cores.suspects import SUSPECTS, Suspects
from lanescope.analyze.cores.verdict import KindVerdict, Verdict, verdict
from lanescope.analyze.cores.waiting import ALL_LABELS
from lanescope.analyze.graph.critical_section import critical_sentence
from lanescope.render.cells import count_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section

_NAMED = 3
"""The paragraph names at most so many reasons, slow cores and crowded functions."""
_WORTH_NAMING = 0.01
"""Least share of the cores' time of a reason that the paragraph names."""
_WORTH_A_ROW = 0.02
"""Least share of the cores' time of a reason that the short table names."""
_MOST_KINDS = 4
"""The short table has so many kinds of cores."""


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


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A sentence about a suspect, and which core or function it is about."""

    line: str
    core: int | None = None
    func: int | None = None
    is_late: bool = False
    """The core picks up late; else its runs, or those of the function, take long."""


def suspicions(suspects: Suspects) -> list[Suspicion]:
    """What the verdict says of the worst suspects."""
    told = [
        Suspicion(
            f"{clean(core.name)} is slow: its runs take {core.ratio:.2f} times as long as those of "
            f"the same functions on other cores, {_costs(core)}.",
            core=core.core,
        )
        for core in suspects.slow_cores[:_NAMED]
    ]
    told += [
        Suspicion(
            f"{clean(core.name)} picks up late: after {time_text(core.pick_up_ns)} on average, "
            f"{core.ratio:.1f} times as long as its like, {_costs(core)}.",
            core=core.core,
            is_late=True,
        )
        for core in suspects.late_cores[:_NAMED]
    ]
    if suspects.crowded:
        worst = suspects.crowded[0]
        names = ", ".join(clean(one.name) for one in suspects.crowded[:_NAMED])
        line = (
            f"Runs take longer the more cores are busy ({names}: up to {worst.ratio:.2f} times), "
            "as they do when a shared memory is saturated."
        )
        told.append(Suspicion(line, func=worst.func))
    off = suspects.off_processor
    if off is not None:
        line = (
            f"Threads were off the processor in {percent_text(off.share)} of the window "
            f"({off.waits:,} waits, the longest {time_text(off.longest_ns)}): idle cores did not "
            "pick up their tasks, or schedulers did nothing although a task had ended."
        )
        told.append(Suspicion(line))
    return told


def _suspicions(suspects: Suspects) -> list[str]:
    return [one.line for one in suspicions(suspects)]


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


def shown_answers(chip: KindVerdict) -> list[str]:
    """The answers that have a row in the table, in its order; "in all" comes behind them."""
    return [share.what for share in chip.shares if share.ns]


def _columns(verdict: Verdict) -> tuple[PageColumn, ...]:
    chip = verdict.kinds[0]
    shown = shown_answers(chip)
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


def brief_section(verdict: Verdict, suspects: Suspects) -> Section:
    """The paragraph without the path, and a table of shares; small reasons are one row."""
    chip = verdict.chip
    assert chip is not None and verdict.window is not None
    sentences = [
        _running(chip, verdict.window.length_ns),
        _reasons(chip),
        *_suspicions(suspects)[:_NAMED],
    ]
    return Section(
        title="Verdict",
        lines=(" ".join(sentence for sentence in sentences if sentence),),
        columns=_brief_columns(verdict),
        notes=_kind_notes(verdict),
    )


def _brief_columns(verdict: Verdict) -> tuple[PageColumn, ...]:
    """Share per reason, the largest first; those below _WORTH_A_ROW are added up."""
    kinds = verdict.kinds[: 1 + _MOST_KINDS]
    shares = sorted(verdict.kinds[0].shares, key=lambda one: (one.what != "running", -one.ns))
    named = [s.what for s in shares if (s.share or 0) >= _WORTH_A_ROW or s.what == "running"]
    rest = [share.what for share in shares if share.ns and share.what not in named]
    labels = [*(ALL_LABELS[what] for what in named), *(["everything else"] if rest else [])]
    columns = [PageColumn("time of the cores", "text", tuple(labels), key=True)]
    for kind in kinds:
        cells = [kind.share(what) for what in named]
        cells += [sum(kind.share(what) for what in rest)] if rest else []
        columns.append(PageColumn(kind.kind, "percent", tuple(cells)))
    return tuple(columns)


def _kind_notes(verdict: Verdict) -> tuple[str, ...]:
    """What kinds of cores are, for those whose names do not say it."""
    names = [kind.kind for kind in verdict.kinds if kind.kind in KIND_WORDS]
    known = [f"{name}: {KIND_WORDS[name]}" for name in names]
    return (f"{'; '.join(known)}.",) if known else ()


def _brief(verdict: Verdict, answers: Answers) -> list[Section]:
    if verdict.chip is None:
        return []
    return [brief_section(verdict, answers.of(SUSPECTS))]


def _sections(verdict: Verdict, answers: Answers) -> list[Section]:
    if verdict.chip is None:
        return []
    path = critical_sentence(answers.critical)
    return [verdict_section(verdict, answers.of(SUSPECTS), path)]


def _answer(basis: Basis) -> Verdict:
    return verdict(basis.trace, basis.graph, basis.window, activity=basis.activity)


VERDICT = Analysis(
    name="verdict",
    question="Where did the time of the cores go?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    brief=_brief,
    place=10,
    large=True,
    keys="window [start_ns, end_ns, length_ns], kinds [kind, cores, total_ns, "
    "shares [what, label, ns, high_ns, share, high_share]], the chip first; graph_known, "
    "has_dispatch, has_submits, doubtful",
)
