"""The sections about overhead as the simpler runtime's own tools define it."""

from __future__ import annotations

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.controllers.peer import PERCENTS, PeerOverhead, Quantiles, peer_overhead
from lanescope.render.cells import many_text, percent_text, time_text
from lanescope.render.page import PageColumn, Section


def peer_sections(peer: PeerOverhead) -> list[Section]:
    """A table of the kinds of core, and one of head and tail."""
    window = peer.window_ns
    low, high = peer.switch_bounds_ns
    static = f"{time_text(peer.static_cpm_ns)}, {_of(peer.static_cpm_ns, window)}"
    facts = (
        ("window", f"{time_text(window)} (first start to last end)"),
        ("all overhead", _of(peer.all_overhead_ns, window)),
        ("has overhead", _of(peer.has_overhead_ns, window)),
        ("switch bound", f"{time_text(low)} to {time_text(high)}"),
        ("static CPM path", f"{static}, in {many_text(peer.static_cpm_tasks, 'task')}"),
    )
    kinds = peer.kinds
    columns = (
        PageColumn("cores", "text", tuple(kind.kind for kind in kinds), key=True),
        PageColumn("used", "count", tuple(kind.cores for kind in kinds)),
        PageColumn(
            "overhead", "percent", tuple(kind.overhead_ns / max(window, 1) for kind in kinds)
        ),
        PageColumn("switches", "count", tuple(kind.switches for kind in kinds)),
        PageColumn(
            "each", "time", tuple(k.switch_ns / (k.switches or 1) for k in kinds), scale="s"
        ),
        PageColumn("least/core", "time", tuple(kind.least_switch_ns for kind in kinds), scale="s"),
        PageColumn("mean/core", "time", tuple(k.switch_ns / k.cores for k in kinds), scale="s"),
        PageColumn("most/core", "time", tuple(kind.most_switch_ns for kind in kinds), scale="s"),
        PageColumn(
            "with work ready",
            "percent",
            tuple(k.switch_in_overhead_ns / k.switch_ns if k.switch_ns else None for k in kinds),
        ),
    )
    title = "Overhead as the simpler runtime's tools define it"
    return [Section(title=title, facts=facts, columns=columns), _distributions(peer)]


def _distributions(peer: PeerOverhead) -> Section:
    rows: tuple[tuple[str, Quantiles], ...] = (("head", peer.head), ("tail", peer.tail))
    columns = [PageColumn("", "text", tuple(name for name, _ in rows), key=True)]
    for place, percent in enumerate(PERCENTS):
        cells = tuple(row.at[place] for _, row in rows)
        columns.append(PageColumn(f"p{percent}", "time", cells, scale="d"))
    columns.append(PageColumn("max", "time", tuple(row.max_ns for _, row in rows), scale="d"))
    means = tuple(row.total_ns / row.count for _, row in rows)
    columns.append(PageColumn("mean", "time", means, scale="d"))
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


def _sections(peer: PeerOverhead | None, answers: Answers) -> list[Section]:
    return [] if peer is None else peer_sections(peer)


def _answer(basis: Basis) -> PeerOverhead | None:
    return peer_overhead(basis.trace, basis.graph)


PEER = Analysis(
    name="peer",
    detail=True,
    question="What is the overhead as the simpler runtime's own tools count it?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    place=110,
    large=True,
    keys="null, or window_ns, all_overhead_ns, has_overhead_ns, kinds [kind, cores, overhead_ns, "
    "switches, switch_ns, least_switch_ns, most_switch_ns, switch_in_overhead_ns], head and tail "
    "[count, at, max_ns, total_ns], static_cpm_ns, static_cpm_tasks",
)
