"""The measures of a fleet as numbers: a matrix of traces and measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lanescope.analyze.compare.measures import LANE_GROUPS
from lanescope.errors import UsageError
from lanescope.trace.table import Array

Key = tuple[str, str]
"""Group and name of a measure."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """All values, each with the place of its trace and of its measure."""

    traces: dict[str, int]
    """Path of a trace to its place."""
    keys: tuple[Key, ...]
    units: tuple[str, ...]
    """Unit of each measure."""
    trace: Array
    key: Array
    value: Array
    runs: Array
    """Of a mean: over how many runs; 0 where it is none."""

    def matrix(self, traces: Sequence[str], keys: Sequence[int], what: str = "value") -> Array:
        """A row per trace, a column per measure; NaN where a trace does not have the measure."""
        rows = np.full(len(self.traces), -1)
        known = [
            (place, self.traces[one]) for place, one in enumerate(traces) if one in self.traces
        ]
        for place, at in known:
            rows[at] = place
        columns = np.full(len(self.keys), -1)
        columns[list(keys)] = np.arange(len(keys))
        wanted = (rows[self.trace] >= 0) & (columns[self.key] >= 0)
        result = np.full((len(traces), len(keys)), np.nan)
        chosen = getattr(self, what)[wanted]
        result[rows[self.trace[wanted]], columns[self.key[wanted]]] = chosen
        return result

    def find(self, measure: str) -> int:
        """Place of the measure NAME or GROUP/NAME; an unknown or unclear one is a UsageError."""
        by_name = [place for place, (_, name) in enumerate(self.keys) if name == measure]
        if len(by_name) == 1:
            return by_name[0]
        if by_name:
            names = ", ".join(f"{self.keys[place][0]}/{measure}" for place in by_name)
            raise UsageError(f"several measures are called {measure!r}; say one of {names}")
        group, _, name = measure.partition("/")
        if (group, name) in self.keys:
            return self.keys.index((group, name))
        told = sorted(self.keys, key=lambda key: (key[0] in LANE_GROUPS, key[0] != "run", key))
        known = [f"{group}/{name}" for group, name in told]
        some = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
        raise UsageError(
            f"expected a measure of the fleet ({some or 'it has none'}), found {measure!r}"
        )


def values_of(measures: pa.Table) -> Values:
    """The table `measures`, whose texts are dictionaries, as numbers."""
    table = measures.unify_dictionaries().combine_chunks()
    traces, trace = _coded(table, "trace")
    groups, group = _coded(table, "group")
    names, name = _coded(table, "name")
    units, unit = _coded(table, "unit")
    both = group.astype(np.int64) * max(len(names), 1) + name
    found, first, key = np.unique(both, return_index=True, return_inverse=True)
    return Values(
        traces={path: place for place, path in enumerate(traces)},
        keys=tuple((groups[one // len(names)], names[one % len(names)]) for one in found.tolist()),
        units=tuple(units[place] for place in unit[first].tolist()),
        trace=trace,
        key=key,
        value=table["value"].to_numpy(),
        runs=table["runs"].fill_null(0).to_numpy(),
    )


def _coded(table: pa.Table, column: str) -> tuple[list[str], Array]:
    if not len(table):
        return [], np.zeros(0, np.int32)
    values = table[column].combine_chunks()
    values = values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
    codes: Array = values.indices.to_numpy()
    return values.dictionary.to_pylist(), codes
