"""Which level a budget allows: what each level would cost this graph on this platform.

On a simulated chip the graph runs unrecorded and at the highest level that the memory allows.
Replays without the known costs of the records that a lower level leaves out say which level to
try next. On threads every level runs a few times, in turns with unrecorded runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import median

from lanescope.device.flags import level_features
from lanescope.platforms.budget.choice import LevelChoice, LevelOption
from lanescope.platforms.budget.limits import RecordingBudget, fit_buffers
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.replay.correction.record_costs import PAID, costs_paid, known_costs
from lanescope.replay.correction.unrecorded import unrecorded
from lanescope.replay.doubt import variants_of
from lanescope.replay.replica import replay, replica_of
from lanescope.trace import Trace

ROUNDS = 5
"""How often every level runs on threads."""

RunOnce = Callable[[Recording], RunOutcome]
"""Runs the graph once with this recording."""
_Expected = tuple[float, float, float]
"""Share of the unrecorded makespan that a level adds: expected, lowest, highest."""


def allowed(
    budget: RecordingBudget, asked: Recording, region_bytes: Callable[[Recording], int]
) -> list[LevelOption]:
    """List the levels from the one asked for down to 0, with the buffers that the memory allows."""
    options = []
    for level in range(int(asked.chip_swimlane), 0, -1):
        at_level = replace(asked, chip_swimlane=level)
        fitting = fit_buffers(at_level, budget.memory_bytes, region_bytes)
        size = 0 if fitting is None else region_bytes(fitting)
        options.append(LevelOption(fitting, level, size))
    off = LevelOption(replace(asked, chip_swimlane=0), 0, share=0.0, low=0.0, high=0.0)
    return [*options, off]


def choose_simulated(
    budget: RecordingBudget, options: list[LevelOption], run: RunOnce
) -> LevelChoice:
    """Choose for a simulated chip: one unrecorded run, one at the highest level, then replays."""
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


def _tried(choice: LevelChoice, run: RunOnce) -> LevelChoice:
    """Run the chosen level, put its measured share in place of the replays', and choose again."""
    chosen, (base_ns,) = choice.chosen, choice.unrecorded_ns
    share = run(choice.recording).makespan_ns / max(base_ns, 1) - 1
    options = [
        _expecting(option, (share, share, share)) if option.level == chosen.level else option
        for option in choice.options
    ]
    basis = f"{choice.basis}, a trial of level {chosen.level}"
    return _pick(choice.budget, options, choice.unrecorded_ns, basis)


def _expecting(option: LevelOption, expected: _Expected | None) -> LevelOption:
    if expected is None:
        return option
    share, low, high = expected
    return replace(option, share=share, low=low, high=high)


def _between(trace: Trace, most: float, levels: list[int]) -> dict[int, _Expected]:
    """Estimate the share of lower levels from a trace of the highest one.

    `most` is the measured share of the trace's own level. Replays say which part of it remains
    without the records that a lower level leaves out.
    """
    costs = known_costs(trace)
    assert costs is not None
    paid = costs_paid(trace, costs).at("ns")
    parts: dict[int, list[float]] = {level: [] for level in levels}
    for variant in variants_of(replica_of(trace)):
        whole, none = (replay(one).makespan_ps for one in (variant, unrecorded(variant, paid)))
        for level in levels:
            left_out = {k: ns for k, ns in paid.items() if not level_features(level) & PAID[k][0]}
            with_some = replay(unrecorded(variant, left_out)).makespan_ps
            parts[level].append((with_some - none) / (whole - none) if whole != none else 0.0)
    shares = {level: sorted(most * part for part in each) for level, each in parts.items()}
    return {level: (median(each), each[0], each[-1]) for level, each in shares.items()}


def choose_measured(
    budget: RecordingBudget, options: list[LevelOption], makespan_ns: Callable[[Recording], int]
) -> LevelChoice:
    """Choose for a real machine: run every level several times.

    Each run is compared with the unrecorded run of the same round. One more round comes first and
    only warms up.
    """
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
    budget: RecordingBudget,
    options: list[LevelOption],
    unrecorded_ns: tuple[int, ...],
    basis: str,
) -> LevelChoice:
    """Take the highest level whose expected share and memory fit; level 0 always does."""
    chosen = next(
        option
        for option in options
        if option.recording is not None and (option.share is None or budget.allows(option.share))
    )
    return LevelChoice(budget, chosen, tuple(options), unrecorded_ns, basis)
