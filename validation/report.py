"""The scoreboard as text."""

from __future__ import annotations

from collections.abc import Sequence

from validation.calibrate import Excluded, Prediction
from validation.emulator import Recorded
from validation.score import GroupScore, Outcome, interval, is_covered


def print_recorded(records: Sequence[Recorded]) -> None:
    print("\nRecorded runs of the PLENA emulator")
    for record in records:
        promise = "exact" if record.allowed == 0 else f"within {100 * record.allowed:g}%"
        verdict = "holds" if record.holds else "DOES NOT HOLD"
        print(
            f"  {record.name:<64} {record.ours:>14,.1f} {record.recorded:>12,} "
            f"{record.error:>+8.3%}  {promise}: {verdict}"
        )


def print_outcomes(outcomes: Sequence[Outcome], pool: Sequence[Outcome]) -> None:
    print("\nPublished points: every one predicted without its own run")
    print(f"  {'id':<20} {'measured':>9} {'predicted':>9} {'error':>8} {'baseline':>9}  interval")
    group = ""
    for outcome in sorted(outcomes, key=lambda one: one.group):
        if outcome.group != group:
            group = outcome.group
            print(f" {group}")
        found = interval(outcome, pool)
        low, high = sorted(_bounds(outcome, found.low, found.high))
        mark = " " if is_covered(outcome, pool) else "!"
        print(
            f"  {outcome.id:<20} {outcome.measured:>9.3f} {outcome.predicted:>9.3f} "
            f"{outcome.error:>+8.1%} {outcome.baseline_error:>+9.1%} {mark} {low:.3g} to {high:.3g}"
            f"  ({outcome.detail})"
        )


def _bounds(outcome: Outcome, low: float, high: float) -> tuple[float, float]:
    """The interval in the outcome's own unit: times shrink where rates grow."""
    if "ms per pass" in outcome.detail:
        return outcome.predicted / low, outcome.predicted / high
    return outcome.predicted * low, outcome.predicted * high


def print_groups(groups: Sequence[GroupScore]) -> None:
    print("\nErrors per group (baseline: bytes that stream / the same bandwidth, nothing else)")
    print(f"  {'group':<30} {'n':>3} {'mean':>7} {'bias':>7} {'baseline':>9} {'held':>6}  worst")
    for group in groups:
        print(
            f"  {group.group:<30} {group.points:>3} {group.mean_error:>7.1%} {group.bias:>+7.1%} "
            f"{group.baseline_mean_error:>9.1%} {group.covered:>3}/{group.points:<2}  "
            f"{group.worst.id} {group.worst.error:+.0%}"
        )


def print_calibration(predictions: Sequence[Prediction]) -> None:
    """What was fitted: one bandwidth per link (its range over the points left out in turn)."""
    links: dict[str, list[float]] = {}
    for prediction in predictions:
        if prediction.fitted_on:
            known = prediction.known
            rate = known.storage_bytes_per_s or known.link_bytes_per_s or 0.0
            links.setdefault(prediction.point.link, []).append(rate / 1e9)
    if links:
        print("\nCalibrated: one bandwidth per link, GB/s, as it came out with each run left out")
    for link, rates in links.items():
        print(f"  {link:<28} {min(rates):6.2f} to {max(rates):6.2f}")


def print_excluded(excluded: Sequence[Excluded]) -> None:
    if excluded:
        print("\nNot predicted")
    for one in excluded:
        print(f"  {one.point.id:<14} {one.reason}")
