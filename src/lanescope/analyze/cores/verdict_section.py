"""The sections that say why it took so long: the verdict, and overhead as a runtime's own tools
define it."""

from __future__ import annotations

from lanescope.analyze.controllers.peer import PERCENTS, PeerOverhead, Quantiles
from lanescope.analyze.cores.suspects import Suspects
from lanescope.analyze.cores.verdict import KindVerdict, Verdict
from lanescope.analyze.cores.waiting import LABELS
from lanescope.render.cells import clean, count_text, percent_text, time_text
from lanescope.render.page import Column, Section

_NAMED = 3
_WORTH_NAMING = 0.01
"""Reasons below this share of the cores' time are left to the table."""


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
    return f"The {cores} running {_share(chip, 'running')} of {time_text(window_ns)}."


def _reasons(chip: KindVerdict) -> str:
    idle = [s for s in chip.shares if s.what != "running" and (s.share or 0) >= _WORTH_NAMING]
    idle.sort(key=lambda share: -share.ns)
    named = [f"{one.label} {_share(chip, one.what)}" for one in idle[:_NAMED]]
    return f"The rest: {', '.join(named)}." if named else ""


def _share(kind: KindVerdict, what: str) -> str:
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


def _columns(verdict: Verdict) -> tuple[Column, ...]:
    chip = verdict.kinds[0]
    shown = [what for what in LABELS if chip.ns(what)]
    total = ("in all",)
    columns = [
        Column("core time", "text", (*(LABELS[what] for what in shown), *total), key=True),
        Column("time", "time", (*(chip.ns(what) for what in shown), chip.total_ns)),
    ]
    for kind in verdict.kinds:
        shares = {share.what: share for share in kind.shares}
        columns.append(
            Column(kind.kind, "percent", (*(shares[what].share for what in shown), _whole(kind)))
        )
        if kind is chip and chip.ns("lost"):
            high = tuple(shares[what].high_share for what in shown)
            columns.append(Column("at most", "percent", (*high, None)))
    return tuple(columns)


def _whole(kind: KindVerdict) -> float | None:
    return sum(share.ns for share in kind.shares) / kind.total_ns if kind.total_ns else None


def peer_sections(peer: PeerOverhead) -> list[Section]:
    """Figures to hold against those of the simpler runtime's own tools."""
    window = peer.window_ns
    low, high = peer.switch_bounds_ns
    facts = (
        ("window", f"{time_text(window)} (first start to last end)"),
        ("all overhead", _of(peer.all_overhead_ns, window)),
        ("has overhead", _of(peer.has_overhead_ns, window)),
        ("switch bound", f"{time_text(low)} to {time_text(high)}"),
    )
    kinds = peer.kinds
    columns = (
        Column("cores", "text", tuple(kind.kind for kind in kinds), key=True),
        Column("used", "count", tuple(kind.cores for kind in kinds)),
        Column("overhead", "percent", tuple(kind.overhead_ns / max(window, 1) for kind in kinds)),
        Column("switches", "count", tuple(kind.switches for kind in kinds)),
        Column("each", "time", tuple(k.switch_ns / (k.switches or 1) for k in kinds), scale="s"),
        Column("least/core", "time", tuple(kind.least_switch_ns for kind in kinds), scale="s"),
        Column("mean/core", "time", tuple(k.switch_ns / k.cores for k in kinds), scale="s"),
        Column("most/core", "time", tuple(kind.most_switch_ns for kind in kinds), scale="s"),
        Column(
            "with work ready",
            "percent",
            tuple(k.switch_in_overhead_ns / k.switch_ns if k.switch_ns else None for k in kinds),
        ),
    )
    title = "Overhead as the simpler runtime's tools define it"
    return [Section(title=title, facts=facts, columns=columns), _distributions(peer)]


def _distributions(peer: PeerOverhead) -> Section:
    rows: tuple[tuple[str, Quantiles], ...] = (("head", peer.head), ("tail", peer.tail))
    columns = [Column("", "text", tuple(name for name, _ in rows), key=True)]
    for place, percent in enumerate(PERCENTS):
        cells = tuple(row.at[place] for _, row in rows)
        columns.append(Column(f"p{percent}", "time", cells, scale="d"))
    columns.append(Column("max", "time", tuple(row.max_ns for _, row in rows), scale="d"))
    means = tuple(row.total_ns / row.count for _, row in rows)
    columns.append(Column("mean", "time", means, scale="d"))
    return Section(
        title="Head and tail by the same tools",
        columns=tuple(columns),
        notes=(
            "Head: start after dispatch or after the core's last task, whichever is later. "
            "Tail: from end to finish.",
        ),
    )


def _of(part_ns: int, whole_ns: int) -> str:
    return f"{percent_text(part_ns / whole_ns if whole_ns else None)} of it"
