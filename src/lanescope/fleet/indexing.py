"""`lanescope fleet index`: every trace below a folder becomes rows of measures, once.

Traces that have not changed are not read again. Answers are written in parts as they come, so
whatever stops the work leaves what is done; the same command goes on from there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from lanescope.errors import UsageError
from lanescope.fleet.finding import Found, Listing, find_traces
from lanescope.fleet.measured import Measure, Measured
from lanescope.fleet.measuring import measure
from lanescope.fleet.parts import FleetFolder
from lanescope.fleet.tables import FAILED, GONE, IN, measures_table, traces_table
from lanescope.render.cells import count_text, many_text
from lanescope.results import Result
from lanescope.trace.places import Place, PlaceLike, local_path, place_of
from lanescope.workers.batch import Failure
from lanescope.workers.clusters import require_cluster
from lanescope.workers.mapping import map_over
from lanescope.workers.pool import open_pool

_PART_TRACES = 500
_PART_S = 10.0
"""A part is written after so many traces or seconds: what a kill may cost at most."""
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Indexed(Result):
    """What became of every trace below a folder."""

    fleet: str
    """The folder of the index."""
    root: str
    """The folder or URL whose traces were indexed."""
    found: int
    """Traces and jobs below it, with those that failed."""
    read: int
    """Those that were read, because they are new or have changed."""
    unchanged: int
    """Those that were in the index already."""
    gone: int
    """Those that were in the index and are no longer below the folder."""
    failures: tuple[Failure, ...]
    """Those that could not be read, each with a sentence."""

    DERIVED = ("good",)

    @property
    def good(self) -> int:
        """How many are in the index."""
        return self.read + self.unchanged

    def text(self) -> str:
        """The ledger: how many are in the index, and why the others are not."""
        parts = [f"{count_text(self.read)} read", f"{count_text(self.unchanged)} unchanged"]
        if self.gone:
            parts.append(f"{count_text(self.gone)} gone")
        line = f"{count_text(self.good)} of {many_text(self.found, 'trace')} in {self.fleet}"
        line += f" ({', '.join(parts)})"
        if not self.failures:
            return line + "\n"
        lines = [f"{line}, {count_text(len(self.failures))} failed:"]
        lines += [f"  {failure.why}" for failure in self.failures[:_MOST_SHOWN]]
        hidden = len(self.failures) - _MOST_SHOWN
        if hidden > 0:
            lines.append(f"  and {count_text(hidden)} more; 'lanescope fleet report' has all")
        return "\n".join(lines) + "\n"


def index_fleet(
    root: PlaceLike,
    fleet: str | os.PathLike[str],
    *,
    labels: Mapping[str, str] | None = None,
    cluster: str | Executor | None = None,
    workers: int | None = None,
) -> Indexed:
    """Puts the measures of all stored traces and jobs below a folder into a fleet's index.

    Traces that have not changed are not read again; those that are gone leave the index.

    Args:
        root: Folder or URL with stored traces (`NAME.lanes`) and jobs (`NAME.job`) below it.
        fleet: Folder of the index; it is made, or brought up to date.
        labels: Labels of all these traces. `commit`, `host`, `date` and `workload` are columns.
        cluster: `local`, `slurm`, `k8s` or the address of a Dask scheduler; or an Executor.
        workers: How many processes, or workers of the cluster; 0 works in this process.

    Returns:
        What became of every trace: `indexed.failures` has a sentence for each that failed.

    Raises:
        InputError: The folder is not there, or the store or the scheduler does not answer.
        OutputError: The index cannot be written; what it held before is still there.
        UsageError: The cluster or a label is not known.

    Examples:
        >>> indexed = lanescope.index_fleet("train.job", "fleet", labels={"commit": "abc"})
        >>> print(indexed.text(), end="")
        3 of 3 traces in fleet (3 read, 0 unchanged)
    """
    place = place_of(root)
    place = place if place.store else Place(str(Path(place.key).absolute()))
    given = checked_labels(labels or {})
    require_cluster(cluster)
    folder = FleetFolder(local_path(fleet))
    listing = find_traces(place)
    with folder.writing():
        indexing = _Indexing(folder, place, listing, given)
        indexing.read(cluster, workers)
        indexing.leave_out_gone()
        folder.compact()
    return indexing.outcome(str(fleet))


def checked_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels; a date that is none is a UsageError."""
    if "date" in labels:
        _date_ns(labels["date"])
    return dict(labels)


class _Indexing:
    """The state of one `index_fleet`."""

    def __init__(
        self, folder: FleetFolder, root: Place, listing: Listing, labels: Mapping[str, str]
    ) -> None:
        self._folder, self._place, self._labels = folder, root, labels
        self._root = str(root)
        self._found = {one.trace: one for one in listing.found}
        self._failures = list(listing.failures)
        known = folder.traces().select(["trace", "root", "status", "fingerprint", "labels"])
        self._old = {row["trace"]: row for row in known.to_pylist()}
        self._unchanged = {
            one.trace
            for one in listing.found
            if (old := self._old.get(one.trace)) is not None
            and old["status"] == IN
            and old["fingerprint"] == one.fingerprint
            and labels.items() <= dict(old["labels"]).items()
        }
        self._read = 0
        self._rows: list[dict[str, Any]] = [self._failed(one) for one in listing.failures]
        self._measures: list[tuple[str, list[Measure]]] = []
        self._written_s = time.monotonic()

    def read(self, cluster: str | Executor | None, workers: int | None) -> None:
        """Read what is new or has changed; also an interrupt leaves what was read until then."""
        keys = [trace for trace in self._found if trace not in self._unchanged]
        function = partial(measure, self._place.url)
        if not keys:
            return
        try:
            with open_pool(cluster, workers, keys=len(keys)) as pool:
                for trace, answer in map_over(function, keys, pool=pool, label="indexing"):
                    self._take(self._found[trace], answer)
        except KeyboardInterrupt:
            self._flush()
            raise
        self._flush()

    def leave_out_gone(self) -> None:
        """Write that traces are gone which were below the folder before."""
        here = {*self._found, *(failure.key for failure in self._failures)}
        gone = [
            trace
            for trace, row in self._old.items()
            if row["root"] == self._root and trace not in here
        ]
        self._rows += [{"trace": trace, "root": self._root, "status": GONE} for trace in gone]
        self._gone = sum(self._old[trace]["status"] == IN for trace in gone)
        self._flush()

    def outcome(self, fleet: str) -> Indexed:
        """What became of every trace."""
        return Indexed(
            fleet=fleet,
            root=self._root,
            found=self._read + len(self._unchanged) + len(self._failures),
            read=self._read,
            unchanged=len(self._unchanged),
            gone=self._gone,
            failures=tuple(sorted(self._failures, key=lambda failure: failure.key)),
        )

    def _take(self, found: Found, answer: Measured | Failure) -> None:
        if isinstance(answer, Failure):
            self._failures.append(answer)
            self._rows.append(self._failed(answer, found))
        else:
            self._read += 1
            self._rows.append(self._good(found, answer))
            self._measures.append((found.trace, answer.measures))
        late = time.monotonic() - self._written_s > _PART_S
        if len(self._rows) >= _PART_TRACES or late:
            self._flush()

    def _flush(self) -> None:
        """Write a part of what is there."""
        if self._rows:
            self._folder.add(traces_table(self._rows), measures_table(self._measures))
        self._rows, self._measures = [], []
        self._written_s = time.monotonic()

    def _failed(self, failure: Failure, found: Found | None = None) -> dict[str, Any]:
        return {
            "trace": failure.key,
            "root": self._root,
            "kind": found.kind if found else "trace",
            "job": found.job if found else "",
            "status": FAILED,
            "why": failure.why,
            "fingerprint": found.fingerprint if found else "",
            "labels": list(self._labels.items()),
        }

    def _good(self, found: Found, answer: Measured) -> dict[str, Any]:
        labels = {**answer.labels, **self._labels}
        facts = dict(answer.facts)
        date_ns = facts.pop("date_ns")
        date = (found.written_ns, "stored") if date_ns is None else (date_ns, "trace")
        if "date" in labels:
            date = _date_ns(labels["date"]), "label"
        return facts | {
            "trace": found.trace,
            "root": self._root,
            "kind": found.kind,
            "job": found.job,
            "status": IN,
            "workload": labels.get("workload") or _job_name(found.job) or facts["name"],
            "commit": labels.get("commit") or facts.get("commit", ""),
            "host": labels.get("host") or facts.get("host", ""),
            "date": date[0] // 1000,
            "date_from": date[1],
            "labels": list(labels.items()),
            "fingerprint": found.fingerprint,
        }


def _job_name(job: str) -> str:
    """The job that a trace is a rank of; empty where it is none's."""
    return Path(job).stem


def _date_ns(text: str) -> int:
    """A date such as 2026-11-16 or 2026-11-16T12:00:00, UTC unless it says so, in ns since 1970."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"expected a label date=2026-11-16 or date=2026-11-16T12:00:00, found date={text}"
        ) from None
    whole = date if date.tzinfo else date.replace(tzinfo=UTC)
    return int(whole.timestamp()) * 10**9
