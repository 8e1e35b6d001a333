"""The critical path over host and streams as sections."""

from __future__ import annotations

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.streams.idle import NamedTime
from lanescope.analyze.streams.kernel_names import short_name
from lanescope.analyze.streams.path_time import CriticalTime, critical_time
from lanescope.render.cells import count_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section

_MOST = 8
_BRIEF = 3
"""Parts and rows of the host on the short page."""
_KERNELS, _KERNEL_LETTERS = 2, 34
"""Kernels there, and letters of their names: one line."""


def path_section(path: CriticalTime) -> Section:
    """What the path was at."""
    parts = [part for part in path.parts if part.ns]
    return Section(
        title="Critical path over host and devices",
        facts=(
            ("from", f"{time_text(path.start_ns)} to {time_text(path.end_ns)}"),
            ("rows of devices", count_text(path.rows)),
            ("their calls came too late", count_text(path.launches)),
            ("the host waited for them", count_text(path.releases)),
        ),
        columns=(
            PageColumn("the path was at", "text", tuple(part.label for part in parts), key=True),
            PageColumn("time", "time", tuple(part.ns for part in parts)),
            PageColumn("share", "percent", tuple(part.share for part in parts)),
        ),
    )


def _longest(path: CriticalTime) -> Section:
    kernels = tuple(NamedTime(short_name(one.name), one.ns) for one in path.kernels)
    rows = [*_named("device", kernels), *_named("host", path.host_rows)]
    return Section(
        title="On the critical path longest",
        columns=(
            PageColumn("where", "text", tuple(where for where, _ in rows), key=True),
            PageColumn("what", "text", tuple(one.name for _, one in rows), key=True),
            PageColumn("time", "time", tuple(one.ns for _, one in rows)),
            PageColumn(
                "of the path",
                "percent",
                tuple(one.ns / path.length_ns if path.length_ns else None for _, one in rows),
            ),
        ),
    )


def _named(where: str, names: tuple[NamedTime, ...]) -> list[tuple[str, NamedTime]]:
    return [(where, one) for one in names[:_MOST] if one.ns]


def _sections(path: CriticalTime | None, answers: Answers) -> list[Section]:
    return [] if path is None else [path_section(path), _longest(path)]


def _brief(path: CriticalTime | None, answers: Answers) -> list[Section]:
    """What the path was at, and which kernels and rows of the host are longest on it."""
    if path is None or not path.length_ns:
        return []
    parts = sorted((part for part in path.parts if part.ns), key=lambda part: -part.ns)[:_BRIEF]
    kernels = [
        NamedTime(clean(short_name(one.name), _KERNEL_LETTERS), one.ns) for one in path.kernels
    ]
    facts = [("was at", ", ".join(f"{one.label} {percent_text(one.share)}" for one in parts))]
    for where, names in (("kernels", kernels[:_KERNELS]), ("host", path.host_rows)):
        shown = [
            f"{clean(one.name)} {percent_text(one.ns / path.length_ns)}"
            for one in names[:_BRIEF]
            if one.ns
        ]
        facts += [(where, ", ".join(shown))] if shown else []
    return [Section(title="Critical path over host and devices", facts=tuple(facts))]


def _answer(basis: Basis) -> CriticalTime | None:
    return critical_time(basis.of_streams())


CRITICAL_PATH = Analysis(
    name="critical_path",
    question="What did the last end wait for, over host threads, streams and events?",
    answer=_answer,
    sections=_sections,
    brief=_brief,
    families=frozenset({"streams"}),
    place=220,
    keys="null, or start_ns, end_ns, parts [what, label, ns, share], rows, launches, releases, "
    "kernels [name, ns], host_rows [name, ns]",
)
