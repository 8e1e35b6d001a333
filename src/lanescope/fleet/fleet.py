"""A fleet as one object: its tables, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from os import PathLike

import pyarrow as pa

from lanescope.errors import InputError
from lanescope.fleet.choosing import BY, Row, choose, require_known
from lanescope.fleet.comparing import FleetDiff, compare
from lanescope.fleet.outliers import Outliers, find_outliers
from lanescope.fleet.parts import FleetFolder
from lanescope.fleet.query import query
from lanescope.fleet.report import FleetReport, make_report
from lanescope.fleet.tables import IN
from lanescope.fleet.trend import Trend, find_trend
from lanescope.fleet.values import Values, values_of
from lanescope.render.cells import many_text


class Fleet:
    """An index that `open_fleet` opened; its tables are read when they are needed.

    `where` of every question is a list of conditions KEY=VALUE, `by` names what peers share; both
    know the columns of `traces` and the labels.
    """

    def __init__(self, folder: FleetFolder) -> None:
        """`open_fleet` checks that there is an index."""
        self.place = str(folder.path)
        self._folder = folder

    def __repr__(self) -> str:
        good = sum(row["status"] == IN for row in self._rows)
        failed = len(self._rows) - good
        return f"<Fleet {self.place!r}: {many_text(good, 'trace')}, {failed:,} failed>"

    @cached_property
    def traces(self) -> pa.Table:
        """A row per trace or job, also for those that failed."""
        return self._folder.traces()

    @cached_property
    def measures(self) -> pa.Table:
        """A row per trace and measure."""
        return self._folder.measures()

    def report(self, *, by: Sequence[str] = BY) -> FleetReport:
        """What is in the fleet, what failed, spreads and outliers."""
        require_known(self._rows, by)
        return make_report(self.place, self._rows, self._values, by)

    def query(self, sql: str) -> pa.Table:
        """The answer of DuckDB over the tables `traces` and `measures`; it can read no file."""
        return query(sql, self.traces, self.measures)

    def outliers(self, *, by: Sequence[str] = BY, where: Sequence[str] = ()) -> Outliers:
        """Traces that are unlike their peers; none is an answer."""
        require_known(self._rows, by)
        return find_outliers(choose(self._rows, where), self._values, by)

    def trend(
        self,
        measure: str,
        *,
        order: str = "date",
        by: Sequence[str] = BY,
        where: Sequence[str] = (),
    ) -> Trend:
        """A measure NAME or GROUP/NAME by `date` or by `commit`, and where it changes."""
        require_known(self._rows, by)
        rows = choose(self._rows, where)
        return find_trend(rows, self._values, measure, order=order, by=by)

    def diff(
        self, base: str, new: str, *, by: Sequence[str] = BY, where: Sequence[str] = ()
    ) -> FleetDiff:
        """Two sides KEY=VALUE, such as commit=a and commit=b, workload by workload."""
        require_known(self._rows, by)
        return compare(choose(self._rows, where), self._values, (base, new), by)

    @cached_property
    def _rows(self) -> list[Row]:
        return [{**row, "labels": dict(row["labels"] or ())} for row in self.traces.to_pylist()]

    @cached_property
    def _values(self) -> Values:
        return values_of(self.measures)


def open_fleet(path: str | PathLike[str]) -> Fleet:
    """Opens an index that `index_fleet` or `lanescope fleet index` made.

    Args:
        path: Folder of the index.

    Returns:
        The fleet: `.report()`, `.query(sql)`, `.outliers()`, `.trend(measure)`, `.diff(base, new)`,
        and its tables `.traces` and `.measures`, which Arrow and pandas know.

    Raises:
        InputError: There is no index.

    Examples:
        >>> _ = lanescope.index_fleet("train.job", "fleet")
        >>> fleet = lanescope.open_fleet("fleet")
        >>> fleet.query("select kind, count(*) as n from traces group by kind").num_rows
        2
    """
    folder = FleetFolder(path)
    if not folder.exists:
        raise InputError(
            path, "is no index of a fleet; 'lanescope fleet index FOLDER -o FLEET' makes one"
        )
    return Fleet(folder)
