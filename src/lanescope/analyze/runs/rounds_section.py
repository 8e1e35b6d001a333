"""The runs of a trace as a page: a table of them, the first apart, and who came first."""

from __future__ import annotations

from lanescope.analyze.analysis import Analysis, Answers
from lanescope.analyze.runs.rounds import RoundSpread, RunLength, RunRounds, answer
from lanescope.render.cells import count_text, many_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.trace.run_parts import COMPLETE

_SHOWN = 16
"""Of more runs than this, the first ones and the longest are shown."""


def rounds_sections(rounds: RunRounds) -> list[Section]:
    """The runs and, where there are several ranks, their order."""
    sections = []
    if len(rounds.runs) > 1:
        sections.append(_runs(rounds))
    if rounds.ranks:
        sections.append(_ranks(rounds))
    return sections


def _runs(rounds: RunRounds) -> Section:
    shown = _shown(rounds.runs)
    lines = [_summary(rounds)]
    if rounds.between_ns:
        lines.append(f"Between runs lie {time_text(rounds.between_ns)} in which none was open.")
    hidden = len(rounds.runs) - len(shown)
    note = f"{many_text(hidden, 'shorter run')} of {count_text(len(rounds.runs))} not shown."
    return Section(
        title="Runs",
        lines=tuple(line for line in lines if line),
        columns=(
            PageColumn("run", "text", tuple(run.name for run in shown), key=True),
            PageColumn("tasks", "count", tuple(run.tasks for run in shown)),
            PageColumn("start", "time", tuple(run.start_ns for run in shown)),
            PageColumn("length", "time", tuple(run.length_ns for run in shown)),
            PageColumn("of the mean", "percent", tuple(_share(rounds, run) for run in shown)),
            PageColumn("completeness", "text", tuple(run.completeness or None for run in shown)),
        ),
        notes=(note,) if hidden else (),
    )


def _shown(runs: tuple[RunLength, ...]) -> list[RunLength]:
    if len(runs) <= _SHOWN:
        return list(runs)
    longest = sorted(runs, key=lambda run: -(run.length_ns or 0))[: _SHOWN - 4]
    kept = {run.run for run in (*runs[:4], *longest)}
    return [run for run in runs if run.run in kept]


def _summary(rounds: RunRounds) -> str:
    empty = sum(run.length_ns is None for run in rounds.runs)
    parts = []
    if rounds.first is not None:
        whose = "the first took" if rounds.first.runs == 1 else "the first of each rank took"
        parts.append(f"{whose} {_spread(rounds.first)}")
    if rounds.others is not None:
        parts.append(f"the {count_text(rounds.others.runs)} after it {_spread(rounds.others)}")
    if empty:
        parts.append(f"{count_text(empty)} without any task times")
    return f"{many_text(len(rounds.runs), 'run')}: {'; '.join(parts)}."


def _spread(spread: RoundSpread) -> str:
    if spread.deviation_ns is None:
        return time_text(spread.most_ns)
    return (
        f"{time_text(spread.mean_ns)} ± {time_text(spread.deviation_ns)} "
        f"({time_text(spread.least_ns)} to {time_text(spread.most_ns)})"
    )


def _share(rounds: RunRounds, run: RunLength) -> float | None:
    mean = (rounds.others or rounds.first or RoundSpread(0, 0.0, None, 0, 0)).mean_ns
    return None if run.length_ns is None or not mean else run.length_ns / mean


def _ranks(rounds: RunRounds) -> Section:
    ranks, open_ns = rounds.ranks, rounds.uncertainty_ns
    slack = {run.rank: run.slack_ns for run in rounds.runs}
    decided = tuple("yes" if one.decided or not one.after_ns else "undecided" for one in ranks)
    line = "A rank could not be placed on the common axis: no order between ranks is known."
    if open_ns is not None:
        line = f"The ranks' clocks leave {time_text(open_ns)} open: a gap within that is undecided."
    return Section(
        title="Ranks",
        lines=(line,) if open_ns != 0 else (),
        columns=(
            PageColumn("rank", "text", tuple(str(one.rank) for one in ranks), key=True),
            PageColumn("first start after", "time", tuple(one.after_ns for one in ranks)),
            PageColumn("last end after", "time", tuple(one.ends_after_ns for one in ranks)),
            PageColumn("slack", "time", tuple(slack.get(one.rank) for one in ranks)),
            PageColumn("order known", "text", decided),
        ),
        notes=("After the rank that is first, on the common axis.",),
    )


def _opening(rounds: RunRounds, answers: Answers) -> list[Section]:
    """What the source itself says about its records stands before all figures."""
    doubted = [run for run in rounds.runs if run.completeness not in ("", COMPLETE)]
    if not doubted:
        return []
    verdicts = ", ".join(f"{run.name}: {clean(run.completeness)}" for run in doubted[:8])
    more = f" and {len(doubted) - 8} more" if len(doubted) > 8 else ""
    line = f"The collector did not deliver all records ({verdicts}{more})."
    return [Section(title="Warning", lines=(line,), is_warning=True)]


def _sections(rounds: RunRounds, answers: Answers) -> list[Section]:
    return rounds_sections(rounds)


def _brief(rounds: RunRounds, answers: Answers) -> list[Section]:
    """One sentence, where there are several runs."""
    return [Section(title="Runs", lines=(_summary(rounds),))] if len(rounds.runs) > 1 else []


ROUNDS = Analysis(
    name="rounds",
    question="How long did each run take, how much do they differ, and which rank came first?",
    answer=answer,
    families=frozenset({"cores"}),
    sections=_sections,
    brief=_brief,
    opening=_opening,
    place=15,
    keys="runs [name, run, epoch, rank, completeness, tasks, start_ns, length_ns, slack_ns]; first "
    "(of each rank) and others [runs, mean_ns, deviation_ns, least_ns, most_ns] or null; "
    "between_ns; ranks [rank, after_ns, ends_after_ns, decided]; uncertainty_ns",
)
