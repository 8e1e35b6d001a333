"""The sections of a job's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lanescope.analyze.streams.kernel_names import short_name
from lanescope.jobs.ideal_section import ideal_sections
from lanescope.render.cells import many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section

if TYPE_CHECKING:
    from lanescope.jobs.blame import RankBlame
    from lanescope.jobs.report import JobReport

_MOST = 16
"""Rows of a table; the rest is in --json."""


def job_sections(report: JobReport) -> list[Section]:
    """The page: who, why, waiting, clocks, steps."""
    sections = [
        _head(report),
        _stragglers(report),
        *_why(report),
        *_waits(report),
        *_collectives(report),
        *_steps(report),
        *_balance(report),
        *_path(report),
        *_clock(report),
    ]
    if report.ideal is not None:
        sections += ideal_sections(report.ideal)
    return sections


def _head(report: JobReport) -> Section:
    job = report.job
    facts = [("job", clean(job.name)), ("ranks", job.present)]
    if job.missing:
        some = ", ".join(str(one) for one in job.missing[:8])
        more = f" and {len(job.missing) - 8:,} more" if len(job.missing) > 8 else ""
        facts.append(("missing", f"{some}{more}"))
    hosts = {rank.facts.host for rank in job.ranks} - {""}
    if hosts:
        facts.append(("machines", f"{len(hosts):,}"))
    unread = [f"Left out: {clean(one.why, 300)}." for one in job.unread[:5]]
    if len(job.unread) > 5:
        unread.append(f"{len(job.unread) - 5:,} more in --json.")
    return Section(title="Job", facts=tuple(facts), lines=tuple(unread), notes=report.notes)


def _stragglers(report: JobReport) -> Section:
    found = report.stragglers
    shown = [one for one in found.ranks if one.ratio is not None or one.caused_ns][:_MOST]
    return Section(
        title="Who holds up the job",
        lines=(found.sentence,),
        columns=(
            PageColumn("rank", "text", tuple(str(one.rank) for one in shown), key=True),
            PageColumn("role", "count", tuple(one.role for one in shown)),
            PageColumn("work a step", "time", tuple(one.work_ns for one in shown)),
            PageColumn("of peers'", "number", tuple(_rounded(one.ratio) for one in shown)),
            PageColumn("sigmas", "number", tuple(_rounded(one.sigmas, 1) for one in shown)),
            PageColumn("slow steps", "count", tuple(one.slow_steps for one in shown)),
            PageColumn("times last", "count", tuple(one.times_last for one in shown)),
            PageColumn("others waited", "time", tuple(one.caused_ns for one in shown)),
            PageColumn("share", "percent", tuple(one.caused_share for one in shown)),
        ),
        notes=_rest(len(found.ranks) - len(shown), "rank"),
    )


def _why(report: JobReport) -> list[Section]:
    shown = report.blame
    if not shown:
        return []
    return [
        Section(
            title="Why they were late",
            lines=tuple(why_line(one) for one in shown),
            columns=(
                PageColumn("rank", "text", tuple(str(one.rank) for one in shown), key=True),
                PageColumn("later by", "time", tuple(one.late_ns for one in shown), scale="late"),
                *(
                    PageColumn(
                        what,
                        "time",
                        tuple(_cause(one, what) for one in shown),
                        scale="late",
                    )
                    for what in (cause.what for cause in shown[0].causes)
                ),
            ),
            notes=(
                "More than the median of the peers, from the last collective that they had in "
                "common, summed over the collectives at which the rank was last. Where work and "
                "collectives overlap, peers work while they wait for a late rank, which then has "
                "that work still to do: it is under 'ran longer'.",
            ),
        )
    ]


def _cause(one: RankBlame, what: str) -> float:
    return next(cause.ns for cause in one.causes if cause.what == what)


def why_line(one: RankBlame) -> str:
    """What one rank did, in a sentence."""
    if one.main == "ran longer" and one.functions:
        first = one.functions[0]
        name, times = clean(short_name(first.name)), first.mean_ns / first.peers_ns
        told = f"its work took longer; {name} takes {times:.2f} times as long as on its peers"
    elif one.main == "ran longer":
        told = "its work took longer"
    elif one.main == "idle" and one.idle:
        told = f"its devices were idle, mostly: {one.idle[0].label}"
    elif one.main == "idle":
        told = "its devices were idle"
    elif one.main == "waited elsewhere" and one.held_up_by is not None:
        told = f"it waited in other collectives, which rank {one.held_up_by} held up"
    elif one.main == "waited elsewhere":
        told = "it waited in other collectives"
    elif one.main == "began late":
        told = "it began later than its peers"
    else:
        told = "no cause explains half of it"
    last = f", last in {many_text(one.collectives, 'collective')}" if one.collectives else ""
    return f"Rank {one.rank}{last}: {told}."


def _waits(report: JobReport) -> list[Section]:
    found = report.waits
    if not found.collectives:
        line = "The ranks share no collective, so nothing can be said about waiting."
        return [Section(title="Waiting for each other", lines=(line,))]
    whole = found.wait_ns + found.transfer_ns
    share = percent_text(found.wait_ns / whole if whole else None)
    lines = [
        f"In {many_text(found.collectives, 'collective')} the ranks waited "
        f"{time_text(found.wait_ns)} together ({share}) and moved data for "
        f"{time_text(found.transfer_ns)}.",
    ]
    if found.together:
        lines.append(
            f"Of {found.together:,} in which all wait for all, the last rank is known beyond the "
            f"clocks' error in {found.decided:,}."
        )
    notes = []
    if found.incomplete:
        notes.append(
            f"At {many_text(found.incomplete, 'collective')} ranks are missing here: the last is "
            "the last of those that are here."
        )
    if found.left_out:
        notes.append(f"{many_text(found.left_out, 'collective')} could not be compared.")
    check = found.check
    if check is not None:
        notes.append(
            f"Without clocks, by lengths alone, waits differ by {time_text(check.p50_ns)} "
            f"(median), {time_text(check.p95_ns)} (95 %); by more than clocks and ends explain in "
            f"{check.beyond:,} of {check.arrivals:,}."
        )
    shown = sorted(found.ranks, key=lambda one: -one.wait_ns)[:_MOST]
    return [
        Section(
            title="Waiting for each other",
            lines=tuple(lines),
            columns=(
                PageColumn("rank", "text", tuple(str(one.rank) for one in shown), key=True),
                PageColumn("collectives", "count", tuple(one.collectives for one in shown)),
                PageColumn("wait", "time", tuple(one.wait_ns for one in shown), scale="w"),
                PageColumn(
                    "in messages", "time", tuple(one.message_wait_ns for one in shown), scale="w"
                ),
                PageColumn("transfer", "time", tuple(one.transfer_ns for one in shown), scale="w"),
                PageColumn("last", "count", tuple(one.times_last for one in shown)),
                PageColumn("undecided", "count", tuple(one.times_last_undecided for one in shown)),
            ),
            notes=(*notes, *_rest(len(found.ranks) - len(shown), "rank")),
        )
    ]


def _collectives(report: JobReport) -> list[Section]:
    """The single collectives with the longest waits."""
    detail = report.waits.detail
    arrivals, job = detail.arrivals, report.job
    if not len(arrivals):
        return []
    worst = np.argsort(-detail.waited, kind="stable")[:8].tolist()
    names = [arrivals.title(k) for k in worst]
    last = [
        str(job.ranks[int(detail.last[k])].number) if detail.decided[k] else "undecided"
        for k in worst
    ]
    return [
        Section(
            title="Longest waits",
            columns=(
                PageColumn("collective", "text", tuple(clean(one) for one in names), key=True),
                PageColumn("ranks", "count", tuple(int(arrivals.present[k]) for k in worst)),
                PageColumn("last", "text", tuple(last)),
                PageColumn("by", "time", tuple(int(detail.margin[k]) for k in worst)),
                PageColumn("all waited", "time", tuple(int(detail.waited[k]) for k in worst)),
            ),
        )
    ]


def _steps(report: JobReport) -> list[Section]:
    found = report.steps
    if len(found.steps) < 2:
        return []
    lengths = [one.length_ns for one in found.steps]
    lines = [
        f"{many_text(len(lengths), 'step')} ({found.basis}): {time_text(min(lengths))} to "
        f"{time_text(max(lengths))}, median {time_text(float(np.median(lengths)))}."
    ]
    for one in found.changes:
        lines.append(
            f"From step {found.steps[one.index].step} on they take {time_text(one.after)}, before "
            f"{time_text(one.before)} ({one.change or 0.0:+.1%})."
        )
    shown = sorted(found.steps, key=lambda one: -one.length_ns)[:8]
    return [
        Section(
            title="Steps",
            lines=tuple(lines),
            columns=(
                PageColumn("longest", "text", tuple(str(one.step) for one in shown), key=True),
                PageColumn("length", "time", tuple(one.length_ns for one in shown)),
                PageColumn("ranks", "count", tuple(one.ranks for one in shown)),
                PageColumn("most work", "text", tuple(f"rank {one.slowest}" for one in shown)),
                PageColumn("all waited", "time", tuple(one.wait_ns for one in shown)),
            ),
        )
    ]


def _balance(report: JobReport) -> list[Section]:
    shown = report.balance[:_MOST]
    if not shown:
        return []
    names = tuple("all ranks" if one.role is None else f"role {one.role}" for one in shown)
    return [
        Section(
            title="Balance of work",
            columns=(
                PageColumn("ranks of", "text", names, key=True),
                PageColumn("ranks", "count", tuple(one.ranks for one in shown)),
                PageColumn("mean", "time", tuple(one.mean_ns for one in shown), scale="b"),
                PageColumn("least", "time", tuple(one.min_ns for one in shown), scale="b"),
                PageColumn("on rank", "text", tuple(str(one.least) for one in shown)),
                PageColumn("most", "time", tuple(one.max_ns for one in shown), scale="b"),
                PageColumn("on", "text", tuple(f"rank {one.most}" for one in shown)),
                PageColumn("imbalance", "percent", tuple(one.imbalance for one in shown)),
            ),
            notes=_rest(len(report.balance) - len(shown), "role"),
        )
    ]


def _path(report: JobReport) -> list[Section]:
    path = report.path
    if path is None or not path.hops:
        return []
    shown = path.ranks[:8]
    return [
        Section(
            title="Critical path over ranks",
            lines=(
                f"{time_text(path.length_ns)}: {time_text(path.own_ns)} in ranks, "
                f"{time_text(path.transfer_ns)} in transfers; it changes the rank "
                f"{many_text(path.hops, 'time')}.",
            ),
            columns=(
                PageColumn("rank", "text", tuple(str(one.rank) for one in shown), key=True),
                PageColumn("on it", "time", tuple(one.ns for one in shown)),
                PageColumn("share", "percent", tuple(one.share for one in shown)),
                PageColumn("visits", "count", tuple(one.visits for one in shown)),
            ),
            notes=_rest(len(path.ranks) - len(shown), "rank"),
        )
    ]


def _clock(report: JobReport) -> list[Section]:
    clock = report.clock
    lines = []
    if clock.end_spread_p50_ns is not None:
        lines.append(
            f"Ends of a collective lie {time_text(clock.end_spread_p50_ns)} apart (median), "
            f"{time_text(clock.end_spread_p95_ns)} (95 %), {time_text(clock.end_spread_worst_ns)} "
            f"(worst); before clocks were aligned {time_text(clock.raw_spread_p50_ns)} (median)."
        )
    shown = sorted(clock.ranks, key=lambda one: -(one.error_ns or 0.0))[:_MOST]
    return [
        Section(
            title="Clocks",
            lines=tuple(lines),
            columns=(
                PageColumn("rank", "text", tuple(str(one.rank) for one in shown), key=True),
                PageColumn("rests on", "text", tuple(one.basis for one in shown)),
                PageColumn("ahead by", "time", tuple(one.offset_ns for one in shown)),
                PageColumn("drift ppm", "number", tuple(_ppm(one.drift_ppb) for one in shown)),
                PageColumn("error", "time", tuple(one.error_ns for one in shown), scale="e"),
                PageColumn(
                    "residual", "time", tuple(one.residual_p50_ns for one in shown), scale="e"
                ),
                PageColumn("95 %", "time", tuple(one.residual_p95_ns for one in shown), scale="e"),
                PageColumn(
                    "worst", "time", tuple(one.residual_worst_ns for one in shown), scale="e"
                ),
            ),
            notes=_rest(len(clock.ranks) - len(shown), "rank"),
        )
    ]


def _ppm(ppb: float) -> float:
    return round(ppb / 1000, 3) + 0.0  # no -0


def _rounded(value: float | None, digits: int = 3) -> float | None:
    return None if value is None else round(value, digits)


def _rest(count: int, thing: str) -> tuple[str, ...]:
    return (f"{many_text(count, f'more {thing}')} in --json.",) if count > 0 else ()
