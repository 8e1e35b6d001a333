"""A job beside its ideal as sections: what that costs, and by rank, role and function."""

from __future__ import annotations

from lanescope.jobs.ideal import Ideal
from lanescope.jobs.replays import Explained
from lanescope.render.cells import percent_text, time_text
from lanescope.render.page import PageColumn, Section

_SHOWN = 10
_ALL = 0.9995
_AGAINST = {
    "job": "what its function takes in the whole job",
    "peers": "as long as on the ranks that do the same work",
}


def ideal_sections(ideal: Ideal) -> list[Section]:
    """The sections; none where nothing was replayed."""
    if not ideal.steps:
        return []
    sections = [_summary(ideal)]
    if len(ideal.ranks) > 1:
        sections.append(_ranks(ideal))
    if len(ideal.roles) > 1:
        sections.append(_roles(ideal))
    return [*sections, _functions(ideal)]


def _summary(ideal: Ideal) -> Section:
    count = len(ideal.steps)
    recorded, replayed, best = (
        time_text(sum(getattr(step, name) for step in ideal.steps) / count)
        for name in ("recorded_ns", "replayed_ns", "ideal_ns")
    )
    return Section(
        title="Slowdown",
        facts=(
            ("a step takes", f"{recorded}, mean of {count:,}"),
            ("replayed", replayed),
            ("ideal", best),
        ),
        lines=(
            f"Steps take {ideal.slowdown:.3f} times as long as if every task took "
            f"{_AGAINST[ideal.against]}.",
            _cause(ideal),
        ),
        notes=ideal.notes,
    )


def _cause(ideal: Ideal) -> str:
    if ideal.cause == "none":
        return "That is too little to look for a cause."
    if ideal.cause == "ranks":
        names = {one.rank: one.name for one in ideal.ranks}
        who = ", ".join(f"{rank} ({names[rank]})" for rank in ideal.blamed[:_SHOWN])
        word = "Rank" if len(ideal.blamed) == 1 else "Ranks"
        return f"{word} {who}: with ideal lengths there alone, {_share(ideal.worst_ranks)}."
    if ideal.cause == "role":
        number = next(one.number for one in ideal.roles if one.ranks == ideal.blamed)
        share = _share(ideal.slowest_role)
        return f"No single rank, but role {number}: with ideal lengths there alone, {share}."
    return "No single rank and no single role explains half of it."


def _share(found: Explained | None) -> str:
    removed = found.removed if found is not None else None
    if removed is not None and removed >= _ALL:
        return "all of the slowdown goes away"
    return f"{percent_text(removed)} of the slowdown goes away"


def _ranks(ideal: Ideal) -> Section:
    ranks = ideal.ranks[:_SHOWN]
    return Section(
        title="Slowdown by rank",
        columns=(
            PageColumn("rank", "count", tuple(one.rank for one in ranks), key=True),
            PageColumn("name", "text", tuple(one.name for one in ranks)),
            PageColumn("role", "count", tuple(one.role for one in ranks)),
            PageColumn("pipeline", "count", tuple(one.pipeline for one in ranks)),
            PageColumn("slowdown", "figure", tuple(_figure(one.slowdown) for one in ranks)),
        ),
        notes=(
            "The smaller one of two: if only its role, or only its pipeline, is as recorded.",
            *_rest(len(ideal.ranks)),
        ),
    )


def _roles(ideal: Ideal) -> Section:
    roles = ideal.roles[:_SHOWN]
    return Section(
        title="Slowdown by role",
        columns=(
            PageColumn("role", "count", tuple(one.number for one in roles), key=True),
            PageColumn("ranks", "text", tuple(_numbers(one.ranks) for one in roles)),
            PageColumn("slowdown", "figure", tuple(_figure(one.slowdown) for one in roles)),
        ),
        notes=("If only the ranks of this role are as recorded.", *_rest(len(ideal.roles))),
    )


def _functions(ideal: Ideal) -> Section:
    functions = ideal.functions[:_SHOWN]
    return Section(
        title="Slowdown by function",
        columns=(
            PageColumn("function", "text", tuple(one.name for one in functions), key=True),
            PageColumn("slowdown", "figure", tuple(_figure(one.slowdown) for one in functions)),
        ),
        notes=("If only this function is as recorded.", *_rest(len(ideal.functions))),
    )


def _figure(slowdown: float | None) -> str | None:
    return None if slowdown is None else f"{slowdown:.4f}"


def _numbers(ranks: tuple[int, ...]) -> str:
    shown = ", ".join(str(rank) for rank in ranks[:6])
    return shown if len(ranks) <= 6 else f"{shown} and {len(ranks) - 6:,} more"


def _rest(count: int) -> tuple[str, ...]:
    left = count - _SHOWN
    verb = "is" if left == 1 else "are"
    return (f"{left:,} more {verb} not shown.",) if left > 0 else ()
