"""What each function cost, added up over task rows that come some at a time.

Sums, counts, least and greatest values are exact. Percentiles come from bins: times below 4,096 ns
have a bin each, others share one with times that are less than 0.05 % longer. The least time of the
bin is given.
"""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.groups import Groups, group_by
from lanescope.analyze.tasks.functions import (
    UNKNOWN_FUNC,
    FunctionCost,
    FunctionLabel,
    Functions,
    declared_functions,
    durations_of,
    function_labels,
)
from lanescope.analyze.tasks.spread import Mean, Spread, mean_of_parts
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_EXACT_BITS = 12
_BINS = 1 << 20
"""More than any bin's number."""
_MEANS = ("head", "tail", "propagation", "setup")


class FunctionSums:
    """The costs of functions in the rows so far."""

    COLUMNS = (
        *("core", "kind", "func"),
        *("dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns"),
    )
    """The columns that are needed."""

    def __init__(self) -> None:
        self._spreads = {"exec": SpreadSums(), "latency": SpreadSums()}
        self._means: dict[str, dict[int, Mean]] = {name: {} for name in _MEANS}
        self._shared: dict[int, int] = {}
        self._without_exec = self._without_latency = 0

    def add(self, tasks: Table) -> None:
        """Add rows of the tasks table."""
        ran = (tasks["start_ns"] != MISSING) & (tasks["end_ns"] != MISSING)
        on_core = (tasks["core"] != MISSING32) | (tasks["kind"] == _code(tasks, "run"))
        self._without_exec += int(np.count_nonzero(on_core & ~ran))
        func = tasks["func"][ran]
        if not len(func):
            return
        groups = group_by(np.where(func == MISSING32, UNKNOWN_FUNC, func))
        runs = durations_of(tasks, ran)
        known = runs.latency.known
        self._without_latency += int(np.count_nonzero(~known))
        self._spreads["exec"].add(groups, runs.exec_ns, np.ones(len(func), bool))
        self._spreads["latency"].add(groups, runs.latency.ns, known)
        _add(self._shared, groups, groups.sums(np.where(known, runs.exec_ns, 0)))
        for name, times in runs.means.items():
            own = self._means[name]
            counts, sums = groups.counts(times.known), groups.sums(times.ns)
            for key, count, total in zip(groups.keys.tolist(), counts, sums, strict=True):
                if count:
                    old = own.get(key, Mean(0, 0))
                    own[key] = Mean(old.count + count, old.total_ns + total)

    def result(self, trace: Trace) -> Functions:
        """Return the answer; `trace` has the table of functions."""
        ids = sorted(self._spreads["exec"].keys())
        rows = [self._cost(label.func, label.name) for label in _labels(trace, ids)]
        declared = declared_functions(trace)
        return Functions(
            rows=tuple(sorted(rows, key=lambda row: (-row.exec.total_ns, row.func))),
            total=self._total(rows) if rows else None,
            without_exec=self._without_exec,
            without_latency=self._without_latency,
            never_ran=None if UNKNOWN_FUNC in ids else len(declared - set(ids)),
        )

    def _cost(self, func: int, name: str) -> FunctionCost:
        run, latency = (self._spreads[which].of({func}) for which in ("exec", "latency"))
        assert run is not None
        return FunctionCost(
            func=func,
            name=name,
            exec=run,
            latency=latency,
            exec_share=_share(self._shared.get(func, 0), latency),
            **{which: self._means[which].get(func) for which in _MEANS},
        )

    def _total(self, rows: list[FunctionCost]) -> FunctionCost:
        run, latency = (self._spreads[which].of(None) for which in ("exec", "latency"))
        assert run is not None
        return FunctionCost(
            func=None,
            name="TOTAL",
            exec=run,
            latency=latency,
            exec_share=_share(sum(self._shared.values()), latency),
            **{name: mean_of_parts([getattr(row, name) for row in rows]) for name in _MEANS},
        )


class SpreadSums:
    """Spreads of a time by function: exact sums, and bins for the percentiles."""

    def __init__(self) -> None:
        self._count: dict[int, int] = {}
        self._total: dict[int, int] = {}
        self._least: dict[int, int] = {}
        self._most: dict[int, int] = {}
        self._bins = np.empty(0, np.int64)
        self._counts = np.empty(0, np.int64)

    def keys(self) -> set[int]:
        """Return the functions that have a value."""
        return {key for key, count in self._count.items() if count}

    def add(self, groups: Groups, values: Array, known: Array) -> None:
        """Add the values in the mask `known`; the others are 0."""
        if not known.any():
            return
        _add(self._count, groups, groups.counts(known))
        _add(self._total, groups, groups.sums(values))
        codes, own = groups.codes[known], values[known]
        least = np.full(len(groups), np.iinfo(np.int64).max)
        most = np.full(len(groups), np.iinfo(np.int64).min)
        np.minimum.at(least, codes, own)
        np.maximum.at(most, codes, own)
        used = np.bincount(codes, minlength=len(groups)) > 0
        for key, low, high in zip(
            groups.keys[used].tolist(), least[used].tolist(), most[used].tolist(), strict=True
        ):
            self._least[key] = min(self._least.get(key, low), low)
            self._most[key] = max(self._most.get(key, high), high)
        key = groups.keys[codes].astype(np.int64) * _BINS + _bin(own)
        bins, counts = np.unique(key, return_counts=True)
        both, place = np.unique(np.concatenate([self._bins, bins]), return_inverse=True)
        self._counts = np.bincount(
            place, weights=np.concatenate([self._counts, counts]), minlength=len(both)
        ).astype(np.int64)
        self._bins = both

    def of(self, keys: set[int] | None) -> Spread | None:
        """Return the spread of one function, or of all together; None without a value."""
        wanted = self.keys() if keys is None else keys & self.keys()
        count = sum(self._count[key] for key in wanted)
        if not count:
            return None
        own = np.isin(self._bins // _BINS, sorted(wanted))
        bins, counts = self._bins[own] % _BINS, self._counts[own]
        order = np.argsort(bins, kind="stable")
        passed = np.cumsum(counts[order])
        low, high = min(self._least[k] for k in wanted), max(self._most[k] for k in wanted)
        p50, p99 = (
            _least_of(int(bins[order][np.searchsorted(passed, (count * p + 99) // 100)]))
            for p in (50, 99)
        )
        return Spread(
            count=count,
            total_ns=sum(self._total[key] for key in wanted),
            min_ns=low,
            p50_ns=min(max(p50, low), high),
            p99_ns=min(max(p99, low), high),
            max_ns=high,
        )


def _add(sums: dict[int, int], groups: Groups, values: list[int]) -> None:
    for key, value in zip(groups.keys.tolist(), values, strict=True):
        sums[key] = sums.get(key, 0) + value


def _bin(values: Array) -> Array:
    """Return the number of each value's bin; larger values have larger numbers."""
    values = np.maximum(values, 0)
    shift = np.maximum(np.frexp(values.astype(np.float64))[1].astype(np.int64) - _EXACT_BITS, 0)
    numbers: Array = (shift << _EXACT_BITS) + (values >> shift)
    return numbers


def _least_of(number: int) -> int:
    """Return the least value of a bin."""
    shift, upper = divmod(number, 1 << _EXACT_BITS)
    return upper << shift


def _share(shared_ns: int, latency: Spread | None) -> float | None:
    return shared_ns / latency.total_ns if latency and latency.total_ns else None


def _code(table: Table, word: str) -> int:
    return table.words.index(word) if word in table.words else -2


def _labels(trace: Trace, ids: list[int]) -> list[FunctionLabel]:
    return function_labels(trace, np.array(ids, np.int64))
