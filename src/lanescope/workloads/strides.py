"""Sets of numbers made of strides: whether two have a number in common, or one has all of another.

Ranges are not enough: even and odd columns interleave and have nothing in common. Two sets have a
number in common where a sum of their strides, each taken 0 to n - 1 times, is a given distance:

    a.first + Σ i·a.strides = b.first + Σ j·b.strides        with j = n - 1 - k
    Σ i·a.strides + Σ k·b.strides = b.last - a.first
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

Dims = tuple[tuple[int, int], ...]
"""(stride, count) per dimension, the longest stride first; no stride is 0 and no count is 1."""

MOST_TRIES = 100_000
"""Most partial sums that are tried; then the sets are taken to meet. Slices need only a few."""


@lru_cache(maxsize=1 << 12)
def dims_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> Dims:
    """Return the dimensions of a view that matter, the longest stride first."""
    dims = ((s, n) for s, n in zip(strides, shape, strict=True) if s and n != 1)
    return tuple(sorted(dims, reverse=True))


@lru_cache(maxsize=1 << 16)
def meet(distance: int, a: Dims, b: Dims) -> bool:
    """Say whether two sets have a number in common.

    `distance` is from the first number of `a` to the last of `b`.
    """
    return _is_sum(distance, _terms(a + b))


@lru_cache(maxsize=1 << 16)
def includes(distance: int, a: Dims, b: Dims) -> bool:
    """Say whether every number of `b` is one of `a`.

    `distance` is from the first number of `a` to the first of `b`. The first of `b` and the strides
    of `b` are written with the strides of `a` as digits; these must stay within the counts of `a`.
    False is also returned where that is not enough to tell.
    """
    runs = _runs(a)
    strides = tuple(stride for stride, _ in runs)
    ends = _digits(distance, strides)
    for stride, count in b:
        steps = _digits(stride, strides)
        ends = [end + step * (count - 1) for end, step in zip(ends, steps, strict=True)]
    # The last digit is what no stride of `a` makes: it must be 0.
    return all(end < count for end, (_, count) in zip(ends, (*runs, (0, 1)), strict=True))


def _runs(dims: Dims) -> Dims:
    """Return the same numbers in as few dimensions as possible: full rows become one run."""
    runs: list[tuple[int, int]] = []
    for stride, count in dims:
        if runs and runs[-1][0] == stride * count:
            runs[-1] = (stride, runs[-1][1] * count)
        else:
            runs.append((stride, count))
    return tuple(runs)


def _digits(distance: int, strides: tuple[int, ...]) -> list[int]:
    """Return how often each stride fits into the distance, and last what remains."""
    digits = []
    for stride in strides:
        digit, distance = divmod(distance, stride)
        digits.append(digit)
    return [*digits, distance]


@dataclass(frozen=True, slots=True)
class _Term:
    """A stride that may be taken up to `most` times, and its sums with all shorter strides."""

    stride: int
    most: int
    reach: int
    """The largest sum."""
    step: int
    """Every sum is a multiple of this."""
    full: bool
    """Whether every multiple of `step` from 0 to `reach` is a sum."""


_NOTHING = _Term(stride=0, most=0, reach=0, step=0, full=True)


@lru_cache(maxsize=1 << 12)
def _terms(dims: Dims) -> tuple[_Term, ...]:
    """Return a term per distinct stride, the longest first, then _NOTHING."""
    most: dict[int, int] = {}
    for stride, count in dims:
        most[stride] = most.get(stride, 0) + count - 1
    terms = [_NOTHING]
    for stride in sorted(most):
        rest = terms[-1]
        step = gcd(stride, rest.step)
        no_hole = rest.full and step == rest.step and stride <= rest.reach + step
        terms.append(
            _Term(
                stride=stride,
                most=most[stride],
                reach=rest.reach + stride * most[stride],
                step=step,
                full=rest is _NOTHING or no_hole,
            )
        )
    return tuple(reversed(terms))


def _is_sum(target: int, terms: tuple[_Term, ...]) -> bool:
    """Say whether the target is a sum of strides; also True after too many tries."""
    left = [(target, 0)]
    seen = set(left)
    while left:
        target, level = left.pop()
        term = terms[level]
        if not 0 <= target <= term.reach or (term.step and target % term.step):
            continue
        if term.full or len(seen) > MOST_TRIES:
            return True
        for times in _candidates(target, term, terms[level + 1]):
            following = (target - times * term.stride, level + 1)
            if following not in seen:
                seen.add(following)
                left.append(following)
    return False


def _candidates(target: int, term: _Term, rest: _Term) -> range:
    """Return how often the stride may be taken so that `rest` can make what remains."""
    low = max(0, -((rest.reach - target) // term.stride))
    high = min(term.most, target // term.stride)
    # target is a multiple of term.step, so there is one solution per period.
    period = rest.step // term.step
    first = (target // term.step) * pow(term.stride // term.step, -1, period)
    candidates = range(low + (first - low) % period, high + 1, period)
    return candidates[:1] if rest.full else candidates
