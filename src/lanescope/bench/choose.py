"""Which level a budget allows: what each would cost this workload on this platform.

On a simulated chip the workload runs unrecorded and at the highest level that the memory allows;
replays without the known costs of the records that a lower level leaves out say which to try next.
On threads every level runs a few times, in turns with unrecorded runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

from lanescope.bench.budget import RecordingBudget, fit_buffers
from lanescope.device.flags import level_features
from lanescope.platforms.recording import Recording
from lanescope.platforms.run import RunOutcome
from lanescope.replay.correction.record_costs import PAID, costs_paid, known_costs
from lanescope.replay.correction.unrecorded import unrecorded
from lanescope.replay.replica import model, replay
from lanescope.replay.what_if import variants_of
from lanescope.trace import Trace

ROUNDS = 5
"""Of every level, on threads."""


@dataclass(frozen=True, slots=True)
class LevelOption:
    """One level: its buffers, and what it is expected to add to the unrecorded makespan."""

    recording: Recording | None
    """None: not even the smallest buffers fit in the memory."""
    level: int
    region_bytes: int = 0
    share: float | None = None
    """None: not asked for, or nothing to say."""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """The level chosen, all levels, and the unrecorded makespans that it is measured against."""

    budget: RecordingBudget
    chosen: LevelOption
    options: tuple[LevelOption, ...]
    """From the highest level that was allowed to level 0."""
    unrecorded_ns: tuple[int, ...]
    basis: str


Run = Callable[[Recording], RunOutcome]


def allowed(
    budget: RecordingBudget, asked: Recording, region_bytes: Callable[[Recording], int]
) -> list[LevelOption]:
    """Every level up to the one asked for, with the buffers that the memory allows."""
    found = []
    for level in range(int(asked.chip_swimlane), 0, -1):
        at_level = replace(asked, chip_swimlane=level)
        fitting = fit_buffers(at_level, budget.memory_bytes, region_bytes)
        size = 0 if fitting is None else region_bytes(fitting)
        found.append(LevelOption(fitting, level, size))
    return [*found, LevelOption(replace(asked, chip_swimlane=0), 0, share=0.0, low=0.0, high=0.0)]


def choose_simulated(budget: RecordingBudget, options: list[LevelOption], run: Run) -> LevelChoice:
    """One unrecorded run, one at the highest level, and replays."""
    top = next(option for option in options if option.recording is not None)
    if budget.share is None or top.recording is None or not top.level:
        return _pick(budget, options, (), "memory alone")
    base = run(replace(top.recording, chip_swimlane=0))
    done = run(top.recording)
    assert done.trace is not None
    most = done.makespan_ns / max(base.makespan_ns, 1) - 1
    shares = {top.level: (most, most, most)}
    lower = [option.level for option in options if 0 < option.level < top.level]
    basis = f"an unrecorded run and one at level {top.level}"
    if lower and not budget.allows(most):
        shares |= _between(done.trace, most, lower)
        basis += ", replays with the chip's known costs between them"
    told = [_expecting(option, shares.get(option.level)) for option in options]
    choice = _pick(budget, told, (base.makespan_ns,), basis)
    tried = {top.level, 0}
    while (level := choice.chosen.level) not in tried:
        choice = _tried(choice, run)
        tried.add(level)
    return choice


def _tried(choice: LevelChoice, run: Run) -> LevelChoice:
    """The choice again when what was chosen has run: what it took stands where replays were."""
    found, (base_ns,) = choice.chosen, choice.unrecorded_ns
    assert found.recording is not None
    share = run(found.recording).makespan_ns / max(base_ns, 1) - 1
    options = [
        _expecting(option, (share, share, share)) if option.level == found.level else option
        for option in choice.options
    ]
    basis = f"{choice.basis}, a trial of level {found.level}"
    return _pick(choice.budget, options, choice.unrecorded_ns, basis)


def _expecting(option: LevelOption, found: tuple[float, float, float] | None) -> LevelOption:
    if found is None:
        return option
    share, low, high = found
    return replace(option, share=share, low=low, high=high)


def _between(trace: Trace, most: float, levels: list[int]) -> dict[int, tuple[float, float, float]]:
    """The measured overhead of the trace's own level, times the part of it that replays see."""
    costs = known_costs(trace)
    assert costs is not None
    paid = costs_paid(trace, costs).at("ns")
    parts: dict[int, list[float]] = {level: [] for level in levels}
    for variant in variants_of(model(trace)):
        whole, none = (replay(one).makespan_ps for one in (variant, unrecorded(variant, paid)))
        for level in levels:
            left_out = {k: ns for k, ns in paid.items() if not level_features(level) & PAID[k][0]}
            with_some = replay(unrecorded(variant, left_out)).makespan_ps
            parts[level].append((with_some - none) / (whole - none) if whole != none else 0.0)
    found = {level: sorted(most * part for part in each) for level, each in parts.items()}
    return {level: (median(each), each[0], each[-1]) for level, each in found.items()}


def choose_measured(
    budget: RecordingBudget, options: list[LevelOption], makespan_ns: Callable[[Recording], int]
) -> LevelChoice:
    """Rounds of every level, each beside an unrecorded run of the same round; one more comes first
    and only warms up."""
    if budget.share is None:
        return _pick(budget, options, (), "memory alone")
    runnable = [option for option in options if option.recording is not None]
    settings = [option.recording for option in runnable if option.recording is not None]
    _, *rounds = [[makespan_ns(setting) for setting in settings] for _ in range(ROUNDS + 1)]
    told = {}
    for place, option in enumerate(runnable[:-1]):
        shares = sorted(times[place] / times[-1] - 1 for times in rounds)
        told[option.level] = replace(option, share=median(shares), low=shares[0], high=shares[-1])
    every = [told.get(option.level, option) for option in options]
    basis = f"{ROUNDS} runs of every level, in turns"
    return _pick(budget, every, tuple(times[-1] for times in rounds), basis)


def _pick(
    budget: RecordingBudget, options: list[LevelOption], unrecorded_ns: tuple[int, ...], basis: str
) -> LevelChoice:
    """The highest level whose expected share and memory fit; level 0 always does."""
    chosen = next(
        option
        for option in options
        if option.recording is not None and (option.share is None or budget.allows(option.share))
    )
    return LevelChoice(budget, chosen, tuple(options), unrecorded_ns, basis)


@dataclass(frozen=True, slots=True)
class BudgetOutcome:
    """What the run took in the end."""

    share: float | None
    """More than the median of the unrecorded runs; None where there were none."""
    region_bytes: int
    kept: bool | None
    """None: the unrecorded runs differ by more than the budget, so one run cannot tell."""


def outcome_of(choice: LevelChoice, makespan_ns: int, region_bytes: int) -> BudgetOutcome:
    """Whether the run kept to its budget."""
    budget, unrecorded_ns = choice.budget, choice.unrecorded_ns
    fits = budget.memory_bytes is None or region_bytes <= budget.memory_bytes
    if budget.share is None or not unrecorded_ns:
        return BudgetOutcome(None, region_bytes, fits)
    if not choice.chosen.level:  # nothing was recorded, so nothing was added
        return BudgetOutcome(0.0, region_bytes, fits)
    share = makespan_ns / max(median(unrecorded_ns), 1) - 1
    if budget.allows(share):
        return BudgetOutcome(share, region_bytes, fits)
    could_be = budget.allows(makespan_ns / max(*unrecorded_ns, 1) - 1)
    return BudgetOutcome(share, region_bytes, None if could_be and fits else False)
