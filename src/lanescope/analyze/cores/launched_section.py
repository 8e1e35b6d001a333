"""The sections about launches and host ranges."""

from __future__ import annotations

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.launched import Launched, LaunchGroup, RangeGroup, launched
from lanescope.render.cells import many_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section

Groups = tuple[LaunchGroup, ...] | tuple[RangeGroup, ...]
_MOST = 20
_BRIEF = 5


def _sections(launched: Launched, answers: Answers) -> list[Section]:
    sections = []
    if launched.names:
        sections.append(_launch_section(launched))
    if launched.ranges:
        sections.append(_range_section(launched))
    return sections


def _brief(launched: Launched, answers: Answers) -> list[Section]:
    """The names whose launches took most, in five columns."""
    if not launched.names:
        return []
    shown = launched.names[:_BRIEF]
    hidden = len(launched.names) - len(shown)
    return [
        Section(
            title="Launches, by time",
            columns=(
                *_named("launch", shown),
                *_lengths(shown)[:2],
                PageColumn("gap", "time", tuple(one.gap_ns for one in shown), scale="gap"),
                PageColumn("busy", "percent", tuple(one.busy_share for one in shown)),
            ),
            notes=(f"{many_text(hidden, 'more name')}.",) if hidden else (),
        )
    ]


def _launch_section(launched: Launched) -> Section:
    shown = launched.names[:_MOST]
    idle = launched.span_ns - launched.covered_ns
    facts = [
        ("launches", f"{launched.launches:,} in {time_text(launched.span_ns)}"),
        (
            "between them",
            f"{time_text(idle)} in {many_text(launched.gaps, 'gap')}, the longest "
            f"{time_text(launched.longest_gap_ns)}"
            if launched.gaps
            else "",
        ),
        (
            "from handle to start",
            "" if launched.delay_ns is None else f"{time_text(launched.delay_ns)} in the middle",
        ),
    ]
    notes = ["Gap: no launch ran before it. Busy: the part of the CTAs' time in which tasks ran."]
    notes += _hidden(len(launched.names) - len(shown))
    return Section(
        title="Launches",
        facts=tuple(fact for fact in facts if fact[1]),
        columns=(
            *_named("launch", shown),
            PageColumn("CTAs", "count", tuple(one.blocks for one in shown)),
            *_lengths(shown),
            PageColumn("gap", "time", tuple(one.gap_ns for one in shown), scale="gap"),
            PageColumn("busy", "percent", tuple(one.busy_share for one in shown)),
        ),
        notes=tuple(notes),
    )


def _range_section(launched: Launched) -> Section:
    shown = launched.ranges[:_MOST]
    error = launched.host_error_ns
    notes = [] if error is None else [f"Times of the host are exact to {time_text(error)}."]
    notes += _hidden(len(launched.ranges) - len(shown))
    return Section(
        title="Host ranges",
        columns=(
            *_named("range", shown),
            *_lengths(shown),
            PageColumn("launches", "count", tuple(one.launches for one in shown)),
            PageColumn("their time", "time", tuple(one.launch_ns for one in shown), scale="launch"),
        ),
        notes=tuple(notes),
    )


def _named(what: str, shown: Groups) -> tuple[PageColumn, PageColumn]:
    names = tuple(clean(one.name) for one in shown)
    count = PageColumn("count", "count", tuple(one.count for one in shown))
    return PageColumn(what, "text", names, key=True), count


def _lengths(shown: Groups) -> tuple[PageColumn, ...]:
    """Total, median and longest."""
    return (
        PageColumn("total", "time", tuple(one.total_ns for one in shown), scale="total"),
        PageColumn("median", "time", tuple(one.median_ns for one in shown), scale="one"),
        PageColumn("max", "time", tuple(one.max_ns for one in shown), scale="one"),
    )


def _hidden(count: int) -> list[str]:
    return [f"{many_text(count, 'more name')} in --json."] if count else []


def _answer(basis: Basis) -> Launched:
    return launched(basis.trace)


LAUNCHED = Analysis(
    name="launched",
    question="How long did launches take, what lay between them, and how busy were their CTAs?",
    answer=_answer,
    sections=_sections,
    brief=_brief,
    families=frozenset({"cores"}),
    place=42,
    keys="launches, span_ns, covered_ns, gaps, longest_gap_ns, delay_ns, host_error_ns, names "
    "[name, count, blocks, total_ns, median_ns, max_ns, gap_ns, block_ns, busy_ns, busy_share], "
    "ranges [name, count, total_ns, median_ns, max_ns, launches, launch_ns]",
)
