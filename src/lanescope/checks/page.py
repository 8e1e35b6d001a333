"""A check as sections of a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from lanescope.checks.finding import CheckedPath, CheckedRun, CheckFinding, ProducerAccount
from lanescope.render.cells import count_text, many_text, more_text
from lanescope.render.page import PageColumn, Section

_MOST_LANES = 20
_COUNTS = ("missing", "dropped", "unmatched", "duplicated", "zero", "backward", "disordered")


def check_sections(check: CheckedPath) -> list[Section]:
    """The outcome, what is about several runs, then every run."""
    sections = [_outcome(check)]
    if check.findings:
        sections.append(_section("All runs together", check.findings))
    return [*sections, *(section for run in check.runs for section in _run(run))]


def _outcome(check: CheckedPath) -> Section:
    bad = [one for one in check.all_findings if one.is_bad]
    whole = sum(run.is_whole for run in check.runs)
    records = sum(a.delivered for run in check.runs for a in run.accounts)
    if not bad:
        line = (
            f"Nothing is lost and nothing unknown: {many_text(records, 'record')} of "
            f"{many_text(len(check.runs), 'run')}."
        )
    else:
        line = (
            f"Something is lost or not known: {many_text(len(bad), 'finding')}; "
            f"{count_text(whole)} of {many_text(len(check.runs), 'run')} whole."
        )
    return Section(title=f"Check of {check.path}", lines=(line,), is_warning=bool(bad))


def _run(run: CheckedRun) -> list[Section]:
    facts = [("level asked", str(run.level))] if run.level is not None else []
    if run.verdict:
        facts.append(("collector", run.verdict))
    title = _title(run)
    lossy = [one for one in run.accounts if not one.is_whole]
    sections = [
        Section(
            title=title,
            facts=tuple(facts),
            columns=_kind_columns(run.accounts),
            lines=() if run.accounts else ("No records could be counted.",),
            notes=run.notes,
        )
    ]
    if lossy:
        sections.append(
            Section(
                title=f"{title}: producers that are not whole",
                columns=_columns(lossy[:_MOST_LANES], [one.producer for one in lossy]),
                notes=tuple(n for n in (more_text(len(lossy) - _MOST_LANES, "producer"),) if n),
            )
        )
    if run.findings:
        sections.append(_section(f"{title}: findings", run.findings))
    return sections


def _title(run: CheckedRun) -> str:
    """The run by its place below the path, and by its name where that is another."""
    if PurePath(run.place).name in (run.name, f"{run.name}.lanes", f"{run.name}.capture"):
        return run.place
    return f"{run.name} ({run.place})" if run.place else run.name


def _section(title: str, findings: Sequence[CheckFinding]) -> Section:
    ordered = sorted(findings, key=lambda one: not one.is_bad)
    lines = []
    for number, one in enumerate(ordered, 1):
        lines.append(f"{number}. {one.kind}, {one.producer}: {one.sentence}")
        lines += [f"Cause: {one.cause}"] if one.cause else []
    return Section(title=title, lines=tuple(lines), is_warning=any(one.is_bad for one in findings))


def _kind_columns(accounts: Sequence[ProducerAccount]) -> tuple[PageColumn, ...]:
    """One line per kind of record, all producers together."""
    kinds: dict[str, list[ProducerAccount]] = {}
    for one in accounts:
        kinds.setdefault(one.records, []).append(one)
    added = [_added(some) for some in kinds.values()]
    return _columns(added, [many_text(len(some), "producer") for some in kinds.values()])


def _added(some: Sequence[ProducerAccount]) -> ProducerAccount:
    expected = [one.expected for one in some]
    known = [number for number in expected if number is not None]
    return ProducerAccount(
        producer="",
        records=some[0].records,
        expected=sum(known) if len(known) == len(expected) else None,
        delivered=sum(one.delivered for one in some),
        **{name: sum(getattr(one, name) for one in some) for name in _COUNTS},
    )


def _columns(
    accounts: Sequence[ProducerAccount], producers: Sequence[str]
) -> tuple[PageColumn, ...]:
    if not accounts:
        return ()
    shown = [name for name in _COUNTS if any(getattr(one, name) for one in accounts)]
    return (
        PageColumn("records", "text", tuple(one.records for one in accounts), key=True),
        PageColumn("producer", "text", tuple(producers[: len(accounts)]), key=True),
        PageColumn("expected", "count", tuple(one.expected for one in accounts), kept=True),
        PageColumn("delivered", "count", tuple(one.delivered for one in accounts)),
        *(
            PageColumn(name, "count", tuple(getattr(one, name) for one in accounts))
            for name in shown
        ),
    )
